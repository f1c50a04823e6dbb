package pane

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// installTarget is a place that Lectern can be put into by a key, by hand, or
// both.
type installTarget struct {
	title        string              // empty: there is none
	install      status.Installation // without ID: a key cannot
	snippet      status.Snippet      // without Text: a hand cannot
	snippetIndex int                 // of the snippet
}

// installTargets are the places, by their rank.
func installTargets(s status.Snapshot) []installTarget {
	var all []installTarget
	for _, i := range s.Installations {
		one := installTarget{title: i.Title, install: i}
		for n, snippet := range s.Snippets {
			if snippet.Client == i.Title {
				one.snippet, one.snippetIndex = snippet, n
			}
		}
		all = append(all, one)
	}
	for n, snippet := range s.Snippets {
		if !slices.ContainsFunc(all, func(one installTarget) bool { return one.snippet == snippet }) {
			all = append(all, installTarget{title: snippet.Client, snippet: snippet, snippetIndex: n})
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].rank() < all[j].rank() })
	return all
}

// rank sorts places: clients that are here, the plugin of an application that
// is, clients that there is a snippet for, what else can be put somewhere here.
func (one installTarget) rank() int {
	here := one.isPresent()
	kind, _, _ := strings.Cut(one.install.ID, "/")
	switch {
	case here && kind == "client":
		return 0
	case here && kind == "plugin":
		return 1
	case one.snippet.Text != "":
		return 2 + one.snippetIndex
	case here:
		return 1000
	default:
		return 1001
	}
}

// isPresent reports whether the place is on this machine, or Lectern is in it.
func (one installTarget) isPresent() bool {
	return one.install.Detected || one.install.ID != "" && one.install.State != status.Stopped
}

// stateWords say in a row how it is with the place.
func (one installTarget) stateWords() string {
	switch {
	case one.install.ID == "":
		return "by a snippet"
	case one.install.State == status.Stopped && one.install.ID == serviceID:
		return "off"
	case one.install.State == status.Stopped && one.install.Detected:
		return "found, not connected"
	case one.install.State == status.Stopped:
		return "not found"
	}
	return widget.OrDash(one.install.Condition)
}

// drawInstallTargetRow is the row of one place with its state.
func drawInstallTargetRow(t theme.Theme, one installTarget, w int) string {
	glyph, style := "○", t.Dim
	if one.install.ID != "" && one.isPresent() {
		glyph, style = t.StateStyle(one.install.State)
	}
	name := min(26, max(12, w/3))
	return widget.FillRow(t, style.Text(glyph)+t.Strong.Fit(" "+one.title, name-1)+t.Dim.Text(" "+one.stateWords()), w)
}

// installTargetRows are all there is to say of a place.
func (p Clients) installTargetRows(t theme.Theme, one installTarget, w, h int) []string {
	var rows []string
	if i := one.install; i.ID != "" {
		glyph, style := t.StateStyle(i.State)
		here := ""
		if !i.Detected {
			here = " (not found on this machine)"
		}
		rows = append(rows, style.Text(glyph+" "+widget.OrDash(i.Condition))+t.Dim.Text(strings.TrimRight(" "+i.Version, " ")+here))
		if i.File != "" {
			rows = append(rows, t.Dim.CutLeft(i.File, w))
		}
		if i.Note != "" {
			rows = append(rows, t.Text.Wrap(i.Note, w)...)
		}
		if i.Bytes > 0 {
			rows = append(rows, t.Dim.Wrap(p.clientStatusText(i), w)...)
		}
		rows = append(rows, drawInstallTargetKeys(t, i))
		if one.snippet.Text != "" {
			rows = append(rows, "", t.Dim.Text("or manually:"))
		}
	}
	if one.snippet.Text != "" {
		rows = append(rows, snippetRows(t, one.snippet, w, max(1, h-len(rows)))...)
	}
	return widget.TruncateRows(t, rows, h)
}

// toolCostWarningKB is from how many KB of tools on a client should see fewer sources.
const toolCostWarningKB = 20

// clientStatusText says when a client was last connected, what it sees, and what that
// takes of each session.
func (p Clients) clientStatusText(i status.Installation) string {
	seen, sources, cost := "not connected yet", "all sources", fmt.Sprintf("%d KB of tools in each session", (i.Bytes+1<<9)>>10)
	switch id := strings.TrimPrefix(i.ID, "client/"); {
	case slices.ContainsFunc(p.snap.Sessions, func(s status.Session) bool { return s.Proven && s.Client == id }):
		seen = "connected now"
	case !i.LastSeen.IsZero():
		seen = "last seen " + widget.FormatClockTime(i.LastSeen, p.snap.Time, p.zone)
	}
	if i.Sources != "" {
		sources = i.Sources
	}
	if i.Bytes>>10 >= toolCostWarningKB {
		cost += ": much; give it fewer sources"
	}
	return seen + " · sees " + sources + " · " + cost
}

func drawInstallTargetKeys(t theme.Theme, i status.Installation) string {
	k := func(key, does string) string { return t.Key.Text(key) + t.Dim.Text(" "+does) }
	switch i.State {
	case status.Stopped:
		return k("i", "installs Lectern, after a preview")
	case status.Ready:
		return k("X", "uninstalls Lectern")
	default:
		return k("i", "repairs it") + t.Dim.Text(", ") + k("X", "uninstalls it")
	}
}
