package orgedit

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// ArchivePlace is where a subtree is archived to.
type ArchivePlace struct {
	File    string // path; "" for the same file
	Heading string // with its stars, "datetree/..." or ""
}

// ArchivePlace returns where headline i goes: its ARCHIVE property, an
// ancestor's, "#+ARCHIVE:" or the setting. A relative path counts from the
// file's folder.
func (d *Draft) ArchivePlace(i int) (ArchivePlace, error) {
	location, ok := d.inherited(d.at(i), "ARCHIVE")
	if !ok || location == "" {
		location = d.settings.ArchiveLocation
	}
	sep := strings.LastIndex(location, "::")
	if sep < 0 {
		return ArchivePlace{}, fmt.Errorf("invalid archive location %q: :: is missing", location)
	}
	name := filepath.Base(d.path)
	p := ArchivePlace{Heading: strings.ReplaceAll(location[sep+2:], "%s", name)}
	if file := strings.ReplaceAll(location[:sep], "%s", name); file != "" {
		p.File = file
		if !filepath.IsAbs(file) {
			p.File = filepath.Join(filepath.Dir(d.path), file)
		}
		if p.File == d.path {
			p.File = ""
		}
	}
	return p, nil
}

// Archive moves the subtree of headline i to the place that ArchivePlace gave,
// in the file target, which may be d itself, with its context as properties.
// created says that target's file did not exist. shownPath is the source's path
// as ARCHIVE_FILE shows it. The archive is to be written before the source.
func (d *Draft) Archive(i int, target *Draft, created bool, place ArchivePlace, shownPath string) error {
	at := d.at(i)
	context := d.archiveContext(at, shownPath)
	var inherited []string
	if context["itags"] != "" {
		inherited = d.file().AllTags(i)
	}
	tree := string(d.text[at:d.subtreeEnd(at)])
	source, release := d.anchor(at)
	defer release()
	target.startArchive(created, d.path)
	heading, day, low := place.Heading, 0, 0
	if after, ok := strings.CutPrefix(heading, "datetree/"); ok {
		stars := len(after) - len(strings.TrimLeft(after, "*"))
		low = target.findDate(d.archiveDate(at), 0)
		day = 3
		if d.settings.OddLevels {
			day, stars = 5, 2*stars
		}
		heading = strings.Repeat("*", day+stars) + strings.TrimLeft(after, "*")
	}
	level := len(heading) - len(strings.TrimLeft(heading, "*"))
	if level == 0 {
		heading = ""
	}
	pos := target.archivePosition(heading, level, day, low)
	if level == 0 {
		level = 1
	} else if target.settings.OddLevels {
		level = (level+1)/2*2 + 1
	} else {
		level++
	}
	pasted, err := target.paste(pos, level, tree)
	if err != nil {
		return err
	}
	moved, releaseMoved := target.anchor(pasted)
	defer releaseMoved()
	if target == d && len(inherited) > 0 {
		target.setTags(*moved, inherited)
	}
	if err := target.markArchived(*moved, d.settings.Todo, d.settings.ArchiveMarkDone); err != nil {
		return err
	}
	for _, name := range d.settings.ArchiveContext {
		if v := context[name]; trimBlanks(v) != "" {
			target.putProperty(*moved, "ARCHIVE_"+strings.ToUpper(name), v)
		}
	}
	d.replace(*source, d.subtreeEnd(*source), "")
	d.updateAfterCut(*source)
	return nil
}

// archiveContext is what is lost by the move, under the names of
// org-archive-save-context-info.
func (d *moveEdit) archiveContext(at int, shownPath string) map[string]string {
	f := d.file()
	i := f.AtByte(at)
	path := f.DisplayPath(i)
	return map[string]string{
		"time":     d.env.Now.Format("2006-01-02 Mon 15:04"),
		"file":     shownPath,
		"olpath":   strings.Join(path[:len(path)-1], "/"),
		"category": f.Category(i),
		"todo":     d.keyword(at),
		"itags":    strings.Join(d.onlyInherited(i), " "),
		"ltags":    strings.Join(f.LocalTags(i), " "),
	}
}

// onlyInherited returns the tags that headline i takes over and does not repeat.
func (d *moveEdit) onlyInherited(i int) []string {
	f := d.file()
	own := f.LocalTags(i)
	var out []string
	for _, t := range f.InheritedTags(i) {
		if !slices.Contains(own, t) {
			out = append(out, t)
		}
	}
	return out
}

// archiveDate is the day a date tree files the entry under: when it was closed,
// or today.
func (d *moveEdit) archiveDate(at int) stamp {
	if s, ok := parseStamp(d.planningStamp(at, orgfile.Closed)); ok {
		return s
	}
	now := d.env.wallClock()
	return stamp{year: now.Year(), month: int(now.Month()), day: now.Day()}
}

const modeLine = "#    -*- mode: org -*-\n\n"

func (d *moveEdit) startArchive(created bool, source string) {
	if len(d.text) == 0 && !strings.HasSuffix(d.path, ".org") {
		d.insert(0, modeLine)
	}
	if created && d.settings.ArchiveHeader != "" {
		d.insert(len(d.text), strings.ReplaceAll(d.settings.ArchiveHeader, "%s", source))
	}
}

// archivePosition returns where an archived subtree is put: below heading, which
// is written if it is missing, or at the end of the file. A date tree's day is at
// low.
func (d *moveEdit) archivePosition(heading string, level, day, low int) int {
	dated := day > 0
	high := len(d.text)
	if dated {
		high = d.subtreeEnd(low)
	}
	reversed := d.settings.ArchiveReversed
	if heading == "" || level == day {
		switch {
		case reversed:
			if d.level(low) > 0 {
				return low
			}
			return d.nextHeading(low)
		case !dated || !d.atLineStart(high):
			d.insert(high, "\n")
			high++
		}
		return high
	}
	found := d.archiveHeading(heading, dated, low, high)
	end := d.subtreeEnd(found)
	if reversed {
		end = d.nextHeading(found)
	}
	text := len(strings.TrimRight(string(d.text[:end]), " \t\r\n"))
	after := text
	for after < len(d.text) && strings.IndexByte(" \t\r\n", d.text[after]) >= 0 {
		after++
	}
	if after < len(d.text) && !d.atLineStart(after) {
		after = d.lineStart(after)
	}
	gap := "\n\n"
	if dated {
		gap = "\n"
	}
	d.replace(text, after, gap)
	return text + len(gap)
}

// archiveHeading finds a heading between two positions, and writes it at the
// second if it is missing.
func (d *moveEdit) archiveHeading(heading string, dated bool, low, high int) int {
	re := regexp.MustCompile(`(?mi)^` + regexp.QuoteMeta(heading) + `(?:[ \t]+(?::[\pL\pN_@#%]+)+:)?[ \t]*$`)
	if m := re.FindIndex(d.text[low:high]); m != nil {
		return low + m[0]
	}
	if !d.atLineStart(high) {
		d.insert(high, "\n")
		high++
	}
	if !dated {
		d.insert(high, "\n")
		high++
	}
	d.insert(high, heading+"\n")
	return high
}

func (d *moveEdit) markArchived(at int, todo orgfile.TodoKeywords, mark string) error {
	if mark == "" {
		return nil
	}
	settings, heads := d.settings, d.heads
	defer func() { d.settings, d.heads = settings, heads }()
	d.settings.Todo, d.heads.Todo = todo, todo
	if todo.IsFinal(d.keyword(at)) {
		return nil
	}
	done := todo.Names(true)
	if len(done) == 0 {
		return nil
	}
	state := done[0]
	if slices.Contains(done, mark) {
		state = mark
	}
	repeat := d.settings.LogRepeat
	d.settings.ApplyLogging("")
	d.settings.LogRepeat = repeat
	_, err := d.changeState(at, state)
	return err
}

// updateAfterCut counts the tasks of the heading that Emacs stands on after it
// cut a subtree at pos: the parent of the entry that follows now.
func (d *moveEdit) updateAfterCut(pos int) {
	if !d.settings.Statistics {
		return
	}
	at := d.headingAbove(min(pos, len(d.text)))
	if at < 0 {
		return
	}
	if up := d.parent(at); up >= 0 {
		at = up
	}
	d.updateOwnCookies(at)
}

// updateOwnCookies recounts the cookies of one heading: its check boxes if its
// text has some, else its tasks.
func (d *moveEdit) updateOwnCookies(at int) {
	end := d.nextHeading(at)
	text := d.text[at:end]
	switch {
	case anyCheckbox.Match(text) && !cookieTodo.Match(text):
		d.updateCheckboxesAround(at)
	case end < len(d.text) && d.level(end) > d.level(at):
		d.updateParents(end)
	default:
		for pos := at; ; {
			m := statisticsCookie.FindIndex(d.text[pos:d.lineEnd(pos)])
			if m == nil {
				return
			}
			text := "[0/0]"
			if d.text[pos+m[1]-2] == '%' {
				text = "[100%]"
			}
			d.replace(pos+m[0], pos+m[1], text)
			pos += m[0] + len(text)
		}
	}
}

var (
	anyCheckbox = regexp.MustCompile(`(?m)^[ \t]*(?:[-+*]|[0-9]+[.)]) \[[- X]\]`)
	cookieTodo  = regexp.MustCompile(`:COOKIE_DATA:.*\btodo\b`)
)

// ArchiveToSibling moves the subtree of headline i below a sibling "Archive",
// which is created as the last one if it is missing.
func (d *Draft) ArchiveToSibling(i int) error {
	at := d.at(i)
	level := d.level(at)
	low, high := 0, len(d.text)
	if p := d.parent(at); p >= 0 {
		low, high = d.nextLine(p), d.subtreeEnd(p)
	}
	if d.heading(at).Tags.End > 0 && d.title(at) == archiveTitle && strings.Contains(d.part(at, d.heading(at).Tags),
		":"+orgfile.ArchiveTag+":") {
		return fmt.Errorf("this is the archive sibling itself")
	}
	source, release := d.anchor(at)
	defer release()
	re := regexp.MustCompile(fmt.Sprintf(`(?m)^\*{%d} +%s[ \t]+:%s:`, level, archiveTitle, orgfile.ArchiveTag))
	var place int
	if m := re.FindIndex(d.text[low:high]); m != nil {
		place = low + m[0]
	} else {
		place = high
		if !d.atLineStart(place) {
			d.insert(place, "\n")
			place++
		}
		d.insertBefore(place, strings.Repeat("*", level)+" "+archiveTitle+"\n")
		d.toggleTag(place, orgfile.ArchiveTag, true)
	}
	tree := string(d.text[*source:d.subtreeEnd(*source)])
	pos := d.subtreeEnd(place)
	if d.settings.ArchiveReversed {
		pos = d.nextHeading(place)
	}
	pasted, err := d.paste(pos, d.childLevel(place), tree)
	if err != nil {
		return err
	}
	moved, releaseMoved := d.anchor(pasted)
	defer releaseMoved()
	d.replace(*source, d.subtreeEnd(*source), "")
	d.putProperty(*moved, "ARCHIVE_TIME", d.env.Now.Format("2006-01-02 Mon 15:04"))
	if d.settings.Statistics {
		d.updateParents(d.parent(*moved))
	}
	return nil
}

const archiveTitle = "Archive"
