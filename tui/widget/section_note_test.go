package widget

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tui/theme"
)

// Where there is no room for all parts of a note, the least are left out, and none is cut but the last.
func TestNoteLosesItsLeastPartsFirst(t *testing.T) {
	s := Section{Title: "Activity", NoteParts: []NotePart{
		{"paused", 0}, {"10,000+ calls, 1 event", 1}, {"Fri 27 Nov", 2}, {"10,001 of 10,001+", 3},
	}}
	for _, c := range []struct {
		w    int
		want string
	}{
		{90, "paused · 10,000+ calls, 1 event · Fri 27 Nov · 10,001 of 10,001+"},
		{72, " 10,000+ calls, 1 event · Fri 27 Nov · 10,001 of 10,001+"},
		{60, " Fri 27 Nov · 10,001 of 10,001+"},
		{40, " 10,001 of 10,001+"},
		{24, " 10,001…"},
	} {
		for _, framed := range []bool{true, false} {
			s.Rows = func(int, int) []string { return nil }
			line := s.draw(theme.Theme{}, c.w, 1, framed)[0]
			if got := line[strings.LastIndex(line, "─ ")+len("─"):]; framed {
				if got = strings.TrimSuffix(line, " ─╮"); !strings.HasSuffix(got, c.want) {
					t.Errorf("%d cells, framed: %q, want %q at its end", c.w, line, c.want)
				}
			} else if c.w > 24 && !strings.HasSuffix(got, c.want) {
				t.Errorf("%d cells: %q, want %q at its end", c.w, line, c.want)
			}
		}
	}
}
