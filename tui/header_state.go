package tui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A headerState says in the header how the hub is: in full, in few cells, and as a sign. That it is
// ready is left out where something more matters.
type headerState struct{ full, short, glyph string }

func newHeaderState(m Model) headerState {
	glyph, style := m.theme.StateStyle(m.snap.Hub.State)
	state := headerState{glyph + " " + string(m.snap.Hub.State), glyph + " " + string(m.snap.Hub.State), glyph}
	failed, paused := failedSourceCount(m.snap), pausedAgents(m.snap)
	switch {
	case m.lost:
		state.full = glyph + " not responding"
		state.short = state.full
	case m.snap.Hub.State != status.Ready:
	case failed > 0:
		glyph, style = m.theme.StateStyle(status.Failed)
		state = headerState{glyph + " " + widget.CountWithNoun(failed, "source") + " failed", fmt.Sprintf("%s %d failed", glyph, failed), glyph}
	case !m.snap.Hub.WritesPaused.IsZero():
		return headerState{}
	case len(paused) == 1:
		style = m.theme.Warn
		state = headerState{"‖ " + truncatedName(paused[0]) + " paused", "‖ 1 paused", "‖"}
	case len(paused) > 1:
		style = m.theme.Warn
		state = headerState{fmt.Sprintf("‖ %d agents paused", len(paused)), fmt.Sprintf("‖ %d paused", len(paused)), "‖"}
	}
	for _, text := range []*string{&state.full, &state.short, &state.glyph} {
		*text = style.Text(*text) + " "
	}
	return state
}

// truncatedName is the name of an agent in the header.
func truncatedName(name string) string {
	const most = 16 // cells
	return ansi.Truncate(theme.Sanitize(name), most, "…")
}

// failedSourceCount counts the sources that do not serve.
func failedSourceCount(s status.Snapshot) (n int) {
	for i := range s.Sources {
		if state := s.Sources[i].State; state == status.Failed || state == status.CrashLoop {
			n++
		}
	}
	return n
}

// pausedAgents names the agents whose writes are paused, connected or not.
func pausedAgents(s status.Snapshot) []string {
	named := map[string]string{}
	for i := range s.Sessions {
		if one := &s.Sessions[i]; !one.WritesPaused.IsZero() {
			named[strings.ToLower(one.Client)] = one.Client
		}
	}
	for _, p := range s.Problems {
		if p.Action != nil && p.Action.Verb == status.ResumeWrites && p.Action.Target != "" {
			named[strings.ToLower(p.Action.Target)] = p.Action.Target
		}
	}
	return slices.Sorted(maps.Values(named))
}
