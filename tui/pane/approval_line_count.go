package pane

import (
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// A lineCount is how many lines a hunk adds and removes.
type lineCount struct{ added, removed int }

// countHunkLines counts the lines of each hunk of a diff without its file names.
func countHunkLines(diff string) (hunks []lineCount) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "@@ ") {
			hunks = append(hunks, lineCount{})
		}
		if len(hunks) == 0 {
			continue
		}
		switch last := &hunks[len(hunks)-1]; line[0] {
		case '+':
			last.added++
		case '-':
			last.removed++
		}
	}
	return hunks
}

// withWrittenLines is a with the lines that a yes writes now: those of the hunks that are not left
// out, or of what the person has written.
func (r approvalReadState) withWrittenLines(a status.Approval) status.Approval {
	counts, left := r.texts[a.ID].hunkLines, r.hunks[a.ID].left
	if e, shown := r.shownEdit(a.ID); shown && e.known {
		counts, left = e.hunkLines, nil
	} else if r.isEdited(a.ID) || len(left) == 0 || len(counts) != a.Hunks {
		return a
	}
	a.Added, a.Removed = 0, 0
	for i, one := range counts {
		if !left[i] {
			a.Added, a.Removed = a.Added+one.added, a.Removed+one.removed
		}
	}
	return a
}
