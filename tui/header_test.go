package tui

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// The header of every width says all it says in full, and names all panes
// alike.
func TestHeaderIsEven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, crowded(), 80, 24)
		m, spelled := r.m, map[tabNaming]int{}
		for _, state := range []status.State{status.Ready, status.CrashLoop} {
			for _, waiting := range []int{0, 2, 64} {
				m.snap.Hub.State, m.snap.Approvals = state, make([]status.Approval, waiting)
				for w := minWidth; w <= 200; w++ {
					for m.current = range m.tabs {
						m.w = w
						if wrong := uneven(m); wrong != "" {
							t.Fatalf("%d cells, %s, %d waiting: %s\n%s", w, state, waiting, wrong, ansi.Strip(m.header()))
						}
						spelled[m.tabNaming()]++
					}
				}
			}
		}
		if len(spelled) != 3 {
			t.Errorf("spelled %v, want each way somewhere", spelled)
		}
	})
}

// uneven is what is wrong with the header of m; empty: nothing.
func uneven(m Model) string {
	left, right := m.brand()+strings.Join(m.tabLabels(), ""), m.hubStatus()
	if got := theme.Width(left) + theme.Width(right); got > m.w {
		return fmt.Sprintf("%d cells do not fit", got)
	}
	s := m.tabNaming()
	for i, label := range m.tabLabels() {
		want := strings.TrimSpace(fmt.Sprintf("%d %s", i+1, m.tabs[i].label(s)))
		if i == m.current {
			want = fmt.Sprintf("%d %s", i+1, m.tabs[i].name)
		}
		if got := strings.TrimSpace(ansi.Strip(label)); got != want {
			return fmt.Sprintf("%q, want %q", got, want)
		}
	}
	return ""
}
