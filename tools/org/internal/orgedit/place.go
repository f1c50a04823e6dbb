package orgedit

import (
	"strings"
	"time"
)

// An EntryPlace says where an entry is put. Parent and After are headlines; -1 is
// none. With neither the entry goes to the top level of the file.
type EntryPlace struct {
	Parent int       // it becomes a child, the last one
	After  int       // it becomes the next sibling of this headline
	First  bool      // it becomes the first child, or the first at the top level
	Day    time.Time // it becomes the last below this day in a date tree, which is made if missing; zero: none
}

// position returns the number of stars of an entry at a place, and where it starts.
func (d *Draft) position(p EntryPlace) (level, pos int) {
	parent := -1
	if p.Parent >= 0 {
		parent = d.at(p.Parent)
	}
	if !p.Day.IsZero() {
		parent = d.findDate(stamp{year: p.Day.Year(), month: int(p.Day.Month()), day: p.Day.Day()}, max(0, parent))
	}
	switch {
	case p.After >= 0:
		at := d.at(p.After)
		return d.level(at), d.subtreeEnd(at)
	case parent >= 0 && p.First:
		return d.childLevel(parent), d.nextHeading(parent)
	case parent >= 0:
		return d.childLevel(parent), d.subtreeEnd(parent)
	case p.First:
		return 1, d.firstHeading()
	}
	return 1, len(d.text)
}

// checkPlace refuses a date tree whose days would be inline tasks.
func checkPlace(d *Draft, p EntryPlace) error {
	switch {
	case p.Day.IsZero():
		return nil
	case p.Parent < 0:
		return d.checkStars(d.levelBeside(d.levelBeside(1, 1), 1))
	}
	return d.checkStars(d.levelBeside(d.levelBeside(d.childLevel(d.at(p.Parent)), 1), 1))
}

// AddEntry puts a subtree at a place, with its first heading and all below it at the
// level of the place, and counts it in the cookies of its parent. It returns the
// index of the new headline.
func (d *Draft) AddEntry(tree string, place EntryPlace) (i int, err error) {
	if err := checkPlace(d, place); err != nil {
		return 0, err
	}
	level, pos := d.position(place)
	pasted, err := d.paste(pos, level, tree)
	if err != nil {
		return 0, err
	}
	at, release := d.anchor(pasted)
	defer release()
	if d.settings.Statistics {
		d.updateParents(*at)
	}
	return d.File().AtByte(*at), nil
}

// MoveTo moves the subtree of headline i to a place in target, which may be d
// itself, and returns its index there. As with Refile cookies stay as they are.
func (d *Draft) MoveTo(i int, target *Draft, place EntryPlace, note *string) (moved int, err error) {
	if err := checkPlace(target, place); err != nil {
		return 0, err
	}
	at := d.at(i)
	level, pos := target.position(place)
	if end := d.subtreeEnd(at); target == d && (pos > at && pos < end || place.Parent == i || place.After == i || d.isBelow(place.Parent, i) ||
		d.isBelow(place.After, i)) {
		return 0, ErrInsideItself
	}
	if moved, err = d.moveTree(at, target, level, pos, note); err != nil {
		return 0, err
	}
	return target.File().AtByte(moved), nil
}

// isBelow says whether headline i lies in the subtree of headline top.
func (d *Draft) isBelow(i, top int) bool {
	return i > top && d.at(i) < d.subtreeEnd(d.at(top))
}

// ReplaceText replaces the bytes of [Draft.Text] from start to end.
func (d *Draft) ReplaceText(start, end int, text string) {
	d.replace(start, end, strings.ReplaceAll(text, "\r\n", "\n"))
}
