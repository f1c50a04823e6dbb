package orgedit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var checkbox = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([ \t]*(?:[-+]|[0-9]+[.)]|[ \t]\*)[ \t]+(?:\[@[0-9A-Za-z]+\][ \t]*)?)\[([- X])\](?:[ \t]|$)`)
})

// A listItem is one item of the lists of an entry.
type listItem struct {
	line   int // start
	column int
	parent int // index, -1 at the top
	box    int // position of the character in its check box, -1 without one
}

// ToggleCheckbox checks or clears the box of the item on line, counted from 1,
// and updates the boxes and cookies above it. In an ORDERED entry an item whose
// predecessors are open cannot be checked: the error is a *BlockedError.
func (d *Draft) ToggleCheckbox(line int) error {
	pos := 0
	for n := 1; n < line && pos < len(d.text); n++ {
		pos = d.nextLine(pos)
	}
	if !checkbox().Match(d.line(pos)) {
		return fmt.Errorf("line %d has no check box", line)
	}
	at := d.textHead(pos)
	items := d.listItems(at)
	i := slices.IndexFunc(items, func(item listItem) bool { return item.line == pos })
	if i < 0 {
		return fmt.Errorf("line %d is not an item of a list", line)
	}
	mark := byte('X')
	if d.text[items[i].box] == mark {
		mark = ' '
	}
	d.setBox(items[i], mark)
	if at >= 0 && d.set(at, "ORDERED") && !d.clearAfterOpen(items, i) {
		d.setBox(items[i], 'X'+' '-mark)
		return &BlockedError{Checkbox: true}
	}
	d.fixBoxes(items, i)
	d.updateCheckboxes(at, at)
	return nil
}

// clearAfterOpen clears the boxes behind the first open one, after a change of
// item i. It returns false, and clears none, if that one stands before item i and
// checked ones follow it.
func (d *countEdit) clearAfterOpen(items []listItem, i int) bool {
	is := func(mark byte) func(listItem) bool {
		return func(item listItem) bool { return item.box >= 0 && d.text[item.box] == mark }
	}
	open := slices.IndexFunc(items, is(' '))
	if open < 0 || !slices.ContainsFunc(items[open:], is('X')) {
		return true
	}
	if open < i {
		return false
	}
	for _, item := range items[open:] {
		if item.box >= 0 {
			d.setBox(item, ' ')
		}
	}
	return true
}

func (d *countEdit) setBox(item listItem, mark byte) {
	d.replace(item.box, item.box+1, string(mark))
}

// fixBoxes sets the boxes of the items above item i by those below them.
func (d *countEdit) fixBoxes(items []listItem, i int) {
	for p := items[i].parent; p >= 0; p = items[p].parent {
		if items[p].box < 0 {
			continue
		}
		var marks []byte
		for _, item := range items {
			if item.parent == p && item.box >= 0 {
				marks = append(marks, d.text[item.box])
			}
		}
		mark := "-"
		switch {
		case strings.Trim(string(marks), "X") == "":
			mark = "X"
		case strings.Trim(string(marks), " ") == "":
			mark = " "
		}
		d.replace(items[p].box, items[p].box+1, mark)
	}
}

// listItems returns the items of the entry at at, or of the text above the first
// heading for -1.
func (d *countEdit) listItems(at int) []listItem {
	line, end := 0, d.firstHeading()
	if at >= 0 {
		line, end = d.nextLine(at), d.textEnd(at)
	}
	var items []listItem
	open, blank := []int{}, 0
	for ; line < end; line = d.nextLine(line) {
		text := d.line(line)
		column := d.indentation(line)
		if strings.TrimSpace(string(text)) == "" {
			if blank++; blank > 1 {
				open = nil
			}
			continue
		}
		blank = 0
		for len(open) > 0 && items[open[len(open)-1]].column >= column {
			open = open[:len(open)-1]
		}
		if !itemBegin.Match(text) || d.inVerbatimBlock(line) {
			continue
		}
		item := listItem{line: line, column: column, parent: -1, box: -1}
		if len(open) > 0 {
			item.parent = open[len(open)-1]
		}
		if m := checkbox().FindSubmatchIndex(text); m != nil {
			item.box = line + m[4]
		}
		open = append(open, len(items))
		items = append(items, item)
	}
	return items
}

// updateCheckboxesAround counts check boxes for the entry at at and for the one
// above it, as Emacs does when it stands on a heading.
func (d *countEdit) updateCheckboxesAround(at int) {
	pos, release := d.anchor(at)
	defer release()
	if at > 0 {
		if above := d.headingAbove(at - 1); above >= 0 {
			d.updateCheckboxes(above, at)
		}
	}
	d.updateCheckboxes(*pos, *pos)
}

// updateCheckboxes counts check boxes into the cookies of the heading at at and
// of its text: those of an item count the boxes directly below it, all others
// the boxes of the entry's lists. COOKIE_DATA of the entry at data may say
// otherwise.
func (d *countEdit) updateCheckboxes(at, data int) {
	cookieData, _, _ := d.property(max(data, -1), "COOKIE_DATA")
	if todoWord.MatchString(cookieData) {
		return
	}
	all := recursiveWord.MatchString(cookieData)
	items := d.listItems(at)
	for i, item := range slices.Backward(items) {
		if statisticsCookie.Match(d.line(item.line)) {
			done, total := d.countBoxes(items, i, all)
			d.writeCookies(item.line, done, total)
		}
	}
	if at >= 0 && statisticsCookie.Match(d.line(at)) {
		done, total := d.countBoxes(d.listItems(at), -1, all)
		d.writeCookies(at, done, total)
	}
}

var todoWord = regexp.MustCompile(`\btodo\b`)

// countBoxes counts the boxes directly below item parent, or of the top level for
// -1; with all those further down, too.
func (d *countEdit) countBoxes(items []listItem, parent int, all bool) (done, total int) {
	for i, item := range items {
		if item.box < 0 || !all && item.parent != parent || all && !below(items, i, parent) {
			continue
		}
		total++
		if d.text[item.box] == 'X' {
			done++
		}
	}
	return done, total
}

// below says whether item i lies below item parent.
func below(items []listItem, i, parent int) bool {
	for i >= 0 && parent >= 0 {
		if i = items[i].parent; i == parent {
			return true
		}
	}
	return parent < 0
}
