package orgedit

import (
	"fmt"
	"regexp"
	"strings"
)

// A countEdit keeps statistics cookies and check boxes true.
type countEdit struct{ planningEdit }

var (
	statisticsCookie = regexp.MustCompile(`\[[0-9]*%\]|\[[0-9]*/[0-9]*\]`)
	recursiveWord    = regexp.MustCompile(`\brecursive\b`)
	checkboxWord     = regexp.MustCompile(`(?i)\bcheckbox\b`)
)

// updateParents counts the tasks below the parent of the entry at at into the
// parent's statistics cookies; with COOKIE_DATA "recursive" also into those of
// the ancestors up to the one that says so.
func (d *countEdit) updateParents(at int) {
	parent := d.parent(at)
	if parent < 0 {
		return
	}
	data, source := d.inheritedFrom(parent, "COOKIE_DATA")
	recursive := d.settings.RecursiveStatistic || recursiveWord.MatchString(data)
	childLevel := d.level(at)
	for first := true; parent >= 0 && (recursive || first) && parent >= source; first = false {
		if own, _, _ := d.property(parent, "COOKIE_DATA"); checkboxWord.MatchString(own) {
			return
		}
		d.updateCookies(parent, childLevel, recursive)
		parent = d.parent(parent)
	}
}

// inheritedFrom returns an inherited property and where the entry starts that
// sets it, 0 if none does.
func (d *outline) inheritedFrom(at int, key string) (value string, source int) {
	for ; at >= 0; at = d.heir(at) {
		if v, _, ok := d.property(at, key); ok {
			return v, at
		}
	}
	for _, p := range d.settings.Properties {
		if strings.EqualFold(p.Key, key) {
			return p.Value, 0
		}
	}
	return "", 0
}

// updateCookies rewrites the cookies of the heading at at: its tasks of
// childLevel stars, or all below it.
func (d *countEdit) updateCookies(at, childLevel int, all bool) {
	done, total := d.countTasks(at, childLevel, all)
	d.writeCookies(at, done, total)
}

func (d *countEdit) countTasks(at, childLevel int, all bool) (done, total int) {
	level, todo := d.level(at), &d.settings.Todo
	for next := d.nextHeading(at); next < len(d.text) && d.level(next) > level; next = d.nextHeading(next) {
		if !all && d.level(next) != childLevel {
			continue
		}
		switch k := d.keyword(next); {
		case k == "":
		case todo.IsFinal(k):
			done++
			total++
		default:
			total++
		}
	}
	return done, total
}

// writeCookies puts counts into every cookie on the line at at and aligns the
// tags of a heading.
func (d *countEdit) writeCookies(at, done, total int) {
	for pos := at; ; {
		m := statisticsCookie.FindIndex(d.text[pos:d.lineEnd(pos)])
		if m == nil {
			return
		}
		text := fmt.Sprintf("[%d/%d]", done, total)
		if d.text[pos+m[1]-2] == '%' {
			text = fmt.Sprintf("[%d%%]", 100*done/max(1, total))
		}
		d.replace(pos+m[0], pos+m[1], text)
		pos += m[0] + len(text)
		if d.level(at) > 0 {
			d.autoAlign(at)
		}
	}
}

// CountTasks counts the tasks below headline i into its statistics cookies, also where
// its COOKIE_DATA asks for something else.
func CountTasks(d *Draft, i int) {
	at := d.at(i)
	d.updateCookies(at, d.childLevel(at), false)
}

// UpdateStatistics recounts the statistics cookies of headline i, as Emacs's
// command of that name does.
func (d *Draft) UpdateStatistics(i int) { d.updateOwnCookies(d.at(i)) }
