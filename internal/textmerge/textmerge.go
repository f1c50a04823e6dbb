// Package textmerge merges two edits of one text, line by line.
//
// It never guesses: where both edits touch the same or adjacent lines there is a
// conflict, as for `git merge-file`. It knows nothing of files. The journal, to undo
// a change of a page that was edited since, and Systems, to make an edit of a page
// that has moved on, import it. Start reading at [Merge].
package textmerge

import "github.com/aymanbagabas/go-udiff"

// Merge applies the change from base to theirs to ours, which was edited since it
// was base. It returns false if both changed the same or adjacent lines.
func Merge(base, ours, theirs string) (string, bool) {
	edits, ok := combine(lineEdits(base, ours), lineEdits(base, theirs))
	if !ok {
		return "", false
	}
	merged, err := udiff.Apply(base, edits)
	return merged, err == nil
}

// lineEdits returns the edits of whole lines from a to b, with adjacent ones
// combined.
func lineEdits(a, b string) []udiff.Edit {
	var all []udiff.Edit
	for _, e := range udiff.Lines(a, b) {
		if n := len(all); n > 0 && all[n-1].End == e.Start {
			all[n-1].End = e.End
			all[n-1].New += e.New
			continue
		}
		all = append(all, e)
	}
	return all
}

// combine returns the edits of both in order; false if one overlaps or touches a
// different one.
func combine(a, b []udiff.Edit) ([]udiff.Edit, bool) {
	var all []udiff.Edit
	for len(a) > 0 && len(b) > 0 {
		switch x, y := a[0], b[0]; {
		case x == y:
			all, a, b = append(all, x), a[1:], b[1:]
		case x.End < y.Start:
			all, a = append(all, x), a[1:]
		case y.End < x.Start:
			all, b = append(all, y), b[1:]
		default:
			return nil, false
		}
	}
	return append(append(all, a...), b...), true
}
