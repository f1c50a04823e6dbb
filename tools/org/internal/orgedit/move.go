package orgedit

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A moveEdit moves subtrees.
type moveEdit struct{ stateEdit }

// ErrInsideItself is returned for a move of a subtree to a place within it.
var ErrInsideItself = errors.New("cannot move a subtree into itself")

// Refile moves the subtree of headline i below the headline to of target, as its
// last child, or as its first where the settings reverse the order of notes. With
// to == -1 it becomes a top-level entry. target may be d itself. The statistics
// cookies of old and new parent stay as they are, as in Emacs.
func (d *Draft) Refile(i int, target *Draft, to int, note *string) error {
	at := d.at(i)
	end := d.subtreeEnd(at)
	level, pos := 1, len(target.text)
	if to >= 0 {
		parent := target.at(to)
		if target == d && parent >= at && parent < end {
			return ErrInsideItself
		}
		level = target.childLevel(parent)
		pos = target.subtreeEnd(parent)
		if target.settings.ReverseNotes {
			pos = target.nextHeading(parent)
		}
	} else if target.settings.ReverseNotes {
		pos = target.nextHeading(0) // not in front of a heading that starts the file
	}
	if target == d && pos > at && pos < end {
		return ErrInsideItself
	}
	_, err := d.moveTree(at, target, level, pos, note)
	return err
}

// moveTree moves the subtree at at to pos in target and returns where it starts
// then.
func (d *Draft) moveTree(at int, target *Draft, level, pos int, note *string) (int, error) {
	tree := string(d.text[at:d.subtreeEnd(at)])
	source, release := d.anchor(at)
	defer release()
	pasted, err := target.paste(pos, level, tree)
	if err != nil {
		return 0, err
	}
	moved, releaseMoved := target.anchor(pasted)
	defer releaseMoved()
	target.autoAlign(*moved)
	d.replace(*source, d.subtreeEnd(*source), "")
	if mode := target.settings.LogRefile; mode != 0 {
		target.storeNote(*moved, &logNote{purpose: "refile", mode: mode}, note)
	}
	return *moved, nil
}

// firstHeading returns where the first heading starts, or the end of the text.
func (d *outline) firstHeading() int {
	if d.level(0) > 0 {
		return 0
	}
	return d.nextHeading(0)
}

// childLevel returns how many stars a child of the heading at at has.
func (d *outline) childLevel(at int) int {
	if d.settings.OddLevels {
		return (d.level(at)+1)/2*2 + 1
	}
	return d.level(at) + 1
}

// checkStars refuses a heading of so many stars that it would be an inline task.
func (d *outline) checkStars(stars int) error {
	if inline := d.heads.InlineStars(); inline > 0 && stars >= inline {
		return fmt.Errorf("cannot put a headline at %d stars: from %d on it would be an inline task", stars, inline)
	}
	return nil
}

// paste inserts a subtree at pos, where a heading or the end of the text is, with
// its first heading at level stars. It returns where that heading starts.
func (d *moveEdit) paste(pos, level int, tree string) (int, error) {
	if err := d.checkStars(max(level, orgfile.Stars([]byte(tree)))); err != nil {
		return 0, err
	}
	if !d.atLineStart(pos) {
		d.insert(pos, "\n")
		pos++
	}
	if d.level(pos) == 0 {
		if pos = d.nextHeading(pos); !d.atLineStart(pos) {
			d.insert(pos, "\n")
			pos++
		}
	}
	if !strings.HasSuffix(tree, "\n") {
		tree += "\n"
	}
	// What stands here moves behind the tree, and so does who holds a position in
	// it.
	d.insertBefore(pos, tree)
	end, release := d.anchor(pos + len(tree))
	defer release()
	return pos, d.shiftLevels(pos, end, level-d.level(pos))
}

// insertBefore inserts text and moves the anchors at pos behind it.
func (d *buffer) insertBefore(pos int, text string) {
	var here []*int
	for _, a := range d.anchors {
		if *a == pos {
			here = append(here, a)
		}
	}
	d.insert(pos, text)
	for _, a := range here {
		*a = pos + len(text)
	}
}

// shiftLevels adds by stars to each heading from at to end and aligns its tags.
func (d *moveEdit) shiftLevels(at int, end *int, by int) error {
	if by == 0 {
		return nil
	}
	for h := at; h < *end; h = d.nextHeading(h) {
		if err := d.setLevel(h, d.level(h)+by); err != nil {
			return err
		}
	}
	return nil
}

// setLevel gives the heading at at a number of stars.
func (d *moveEdit) setLevel(at, level int) error {
	if level < 1 {
		return fmt.Errorf("cannot promote %q: it has no higher level", d.title(at))
	}
	if err := d.checkStars(level); err != nil {
		return err
	}
	old := d.level(at)
	d.replace(at+min(old, level), at+old, strings.Repeat("*", max(0, level-old)))
	d.autoAlign(at)
	if d.settings.AdaptIndentation {
		// Emacs goes level by level, which matters where text is in the way.
		step := 1
		if level < old {
			step = -1
		}
		for n := old; n != level; n += step {
			d.shiftIndentation(at, step)
		}
	}
	return nil
}

// shiftIndentation moves an entry's text by columns, unless a line of it would
// leave the margin or become a heading. What stands directly below the heading
// is indented by the heading's level.
func (d *moveEdit) shiftIndentation(at, by int) {
	end, release := d.anchor(d.nextHeading(at))
	defer release()
	m := d.meta(at)
	column := d.level(at) + 1
	if !m.Planning.Empty() {
		d.indentLine(int(m.Planning.Start), column)
		m = d.meta(at)
	}
	if !m.Drawer.Empty() {
		d.indentDrawer(int(m.Drawer.Start), column)
	}
	line := d.meta(at).Body
	line = d.shiftLogbook(line, *end, by)
	if by < 0 && !d.mayShift(line, *end, by) {
		return
	}
	for ; line < *end; line = d.nextLine(line) {
		if strings.TrimSpace(string(d.line(line))) != "" {
			d.indentLine(line, d.indentation(line)+by)
		}
		if d.lineEnd(line) == len(d.text) {
			return
		}
	}
}

// indentDrawer indents a property drawer and sets its values in line.
func (d *moveEdit) indentDrawer(line, column int) {
	for {
		last := drawerEnd.Match(d.line(line))
		if m := propertyLine.FindSubmatch(d.line(line)); m != nil && !last && len(m[2]) > 0 {
			text := d.formatProperty(string(m[1]), string(m[2]))
			d.replace(d.blanksEnd(line), d.lineEnd(line), text)
		}
		d.indentLine(line, column)
		if last || d.lineEnd(line) == len(d.text) {
			return
		}
		line = d.nextLine(line)
	}
}

var propertyLine = regexp.MustCompile(`^[ \t]*(:\S+:)[ \t]+(.*?)[ \t]*$`)

// shiftLogbook moves the drawer LOGBOOK that starts at line and returns the line
// behind it.
func (d *moveEdit) shiftLogbook(line, limit, by int) int {
	if m := drawerBegin().FindSubmatch(d.line(line)); line >= limit || m == nil || !strings.EqualFold(string(m[1]), "LOGBOOK") {
		return line
	}
	if _, closed := d.closingLine(line, limit, drawerEnd.Match); !closed {
		return line
	}
	shift := d.indentation(line)+by >= 0
	for done := false; !done; line = d.nextLine(line) {
		done = drawerEnd.Match(d.line(line))
		if shift && by > 0 {
			d.insert(line, strings.Repeat(" ", by))
		} else if shift {
			d.replace(line, min(line-by, d.lineEnd(line)), "")
		}
		if d.lineEnd(line) == len(d.text) {
			return len(d.text)
		}
	}
	return line
}

// mayShift says whether the lines from line to end can move to the left.
func (d *moveEdit) mayShift(line, end, by int) bool {
	for ; line < end; line = d.nextLine(line) {
		text := string(d.line(line))
		column := d.indentation(line)
		if strings.TrimSpace(text) != "" && (column < -by || column == -by && orgfile.Stars([]byte(strings.TrimLeft(text, " \t"))) > 0) {
			return false
		}
		if d.lineEnd(line) == len(d.text) {
			break
		}
	}
	return true
}

func (d *moveEdit) indentLine(line, column int) {
	if d.indentation(line) != column {
		d.replace(line, d.blanksEnd(line), indent(max(0, column)))
	}
}

// Demote adds a level to headline i and all below it.
func (d *Draft) Demote(i int) error { return d.changeLevel(d.at(i), 1) }

// Promote takes a level off headline i and all below it.
func (d *Draft) Promote(i int) error { return d.changeLevel(d.at(i), -1) }

func (d *moveEdit) changeLevel(at, by int) error {
	if d.level(at) == 1 && by < 0 {
		return fmt.Errorf("cannot promote %q: it is at the top", d.title(at))
	}
	end, release := d.anchor(d.subtreeEnd(at))
	defer release()
	for h := at; h < *end; h = d.nextHeading(h) {
		if err := d.setLevel(h, d.levelBeside(d.level(h), by)); err != nil {
			return err
		}
	}
	return nil
}

// levelBeside returns the number of stars one step below or above level.
func (d *moveEdit) levelBeside(level, by int) int {
	switch {
	case !d.settings.OddLevels:
		return max(1, level+by)
	case by > 0:
		return (level+1)/2*2 + 1
	}
	return max(1, (level-2)/2*2+1)
}

// Cut removes the subtree of headline i and returns its text.
func (d *Draft) Cut(i int) string {
	at := d.at(i)
	end := d.subtreeEnd(at)
	tree := string(d.text[at:end])
	d.replace(at, end, "")
	return tree
}
