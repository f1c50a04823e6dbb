package approval

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// targetMove says that changes move targets; nil: they do something else, too, or nothing
// of the kind. Folders that come and go with them do not count.
func targetMove(changes []tools.Change) *status.TargetMove {
	var gone, made []tools.Change
	out := status.TargetMove{}
	for _, c := range changes {
		switch isFolder := strings.HasSuffix(c.Target, "/"); {
		case isFolder && c.Before.Exists != c.After.Exists:
		case c.AfterUnknown:
			return nil
		case c.Before.Exists && c.After.Exists:
			out.Changed++
		case c.Before.Exists:
			gone = append(gone, c)
		default:
			made = append(made, c)
		}
	}
	if len(gone) == 0 || len(gone) != len(made) || len(gone) > maxMovedTargets {
		return nil
	}
	for _, from := range gone {
		i := moveDestination(from, made)
		if i < 0 {
			return nil
		}
		if !bytes.Equal(from.Before.Data, made[i].After.Data) {
			out.Edited++
		}
		if out.Count++; out.Count == 1 {
			out.From, out.To = from.Target, made[i].Target
		}
		made = slices.Delete(slices.Clone(made), i, i+1)
	}
	return &out
}

// maxMovedTargets bounds the targets that are compared with each other.
const maxMovedTargets = 1000

// moveDestination is which of made holds what from held, or nearly: what has the same name, or is the
// only one left, may have lines that differ. -1: none does.
func moveDestination(from tools.Change, made []tools.Change) int {
	sameName := func(to tools.Change) bool { return path.Base(from.Target) == path.Base(to.Target) }
	sameText := func(to tools.Change) bool { return bytes.Equal(from.Before.Data, to.After.Data) }
	if i := slices.IndexFunc(made, func(to tools.Change) bool { return sameName(to) && sameText(to) }); i >= 0 {
		return i
	}
	if i := slices.IndexFunc(made, sameText); i >= 0 {
		return i
	}
	i := slices.IndexFunc(made, func(to tools.Change) bool { return sameName(to) || len(made) == 1 })
	if i >= 0 && sharesHalfOfLines(from.Before.Data, made[i].After.Data) { // only the first: lines take long to compare
		return i
	}
	return -1
}

// sharesHalfOfLines reports whether at least half of the lines of the longer text are in the other one.
func sharesHalfOfLines(a, b []byte) bool {
	if len(a)+len(b) > maxComparedBytes {
		return false
	}
	before, after := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	have := map[string]int{}
	for _, line := range before {
		have[string(line)]++
	}
	shared := 0
	for _, line := range after {
		if have[string(line)] > 0 {
			have[string(line)]--
			shared++
		}
	}
	return 2*shared >= max(len(before), len(after))
}
