package journal

import (
	"bytes"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/tools"
)

// mergeStates applies the change from base to theirs to ours, which was edited since
// it was base. It returns false if both changed the same or adjacent lines, or
// if one of the three is not text.
func mergeStates(base, ours, theirs tools.State) (tools.State, bool) {
	if !base.Exists || !ours.Exists || !theirs.Exists || !isText(base.Data) || !isText(ours.Data) || !isText(theirs.Data) {
		return tools.State{}, false
	}
	text := string(base.Data)
	edits, ok := combineEdits(lineEdits(text, string(ours.Data)), lineEdits(text, string(theirs.Data)))
	if !ok {
		return tools.State{}, false
	}
	merged, err := udiff.Apply(text, edits)
	if err != nil {
		return tools.State{}, false
	}
	mode := ours.Mode
	if mode == base.Mode {
		mode = theirs.Mode
	}
	return tools.State{Exists: true, Data: bytes.Clone([]byte(merged)), Mode: mode}, true
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

// combineEdits returns the edits of both in order; false if one overlaps or
// touches a different one.
func combineEdits(a, b []udiff.Edit) ([]udiff.Edit, bool) {
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
