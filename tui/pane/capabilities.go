package pane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// capabilities are the twelve that every Logseq connection is measured by, with
// what each is for in a word or two.
func capabilities() []capability {
	return []capability{
		{"pages.list", "list pages", false},
		{"pages.read", "read pages", false},
		{"pages.create", "create pages", true},
		{"pages.update", "update pages", true},
		{"pages.delete", "delete pages", true},
		{"search.basic", "search", false},
		{"blocks.read", "read blocks", false},
		{"blocks.create", "create blocks", true},
		{"blocks.update", "update blocks", true},
		{"blocks.delete", "delete blocks", true},
		{"blocks.move", "move blocks", true},
		{"datascript.query", "query", false},
	}
}

type capability struct {
	key, means string
	writes     bool
}

// missingReason says why p cannot do c; empty: it can. What the plugin took
// away shows itself by the pattern of what is missing.
func missingReason(p status.Peer, c capability) string {
	can := func(key string) bool { return slices.Contains(p.Capabilities, key) }
	writesNothing := !slices.ContainsFunc(p.Capabilities, func(key string) bool {
		for _, c := range capabilities() {
			if c.key == key && c.writes {
				return true
			}
		}
		return false
	})
	switch {
	case can(c.key):
		return ""
	case p.State != status.Ready && p.State != status.Degraded:
		return "not connected: " + widget.OrDash(p.Note)
	case len(p.Capabilities) == 0:
		return "the plugin has not reported its capabilities"
	case c.writes && writesNothing:
		return "the plugin is set to read-only in its Logseq settings"
	case c.key == "datascript.query" && can("pages.read"):
		return "the plugin hides pages or tags, and a query could reveal them"
	default:
		return "this Logseq (" + widget.OrDash(p.App) + ") does not support this: update Logseq and the plugin"
	}
}

// peersSection shows every application that is connected, and what it can do.
func (p Overview) peersSection(t theme.Theme) (widget.Section, bool) {
	wanted := slices.ContainsFunc(p.snap.Sources, func(s status.Source) bool { return s.Kind == "logseq" })
	if len(p.snap.Peers) == 0 && !wanted {
		return widget.Section{}, false
	}
	want, note := 0, ""
	for _, peer := range p.snap.Peers {
		want += 2 + (len(capabilities())+3)/4 + 2*len(missingReasons(peer))
	}
	if len(p.snap.Peers) == 1 {
		note = string(p.snap.Peers[0].State)
	}
	return widget.Section{Title: "Logseq", Note: note, Min: 2, Preferred: max(2, want), Rows: func(w, h int) []string {
		if len(p.snap.Peers) == 0 {
			return widget.TruncateRows(t, t.Dim.Wrap("Not connected. Open Logseq with the Lectern plugin; the Clients pane installs it.", w), h)
		}
		var rows []string
		for _, peer := range p.snap.Peers {
			rows = append(rows, p.peerRows(t, peer, w, h)...)
		}
		return widget.TruncateRows(t, rows, h)
	}}, true
}

func (p Overview) peerRows(t theme.Theme, peer status.Peer, w, h int) []string {
	glyph, style := t.State(peer.State)
	kind := map[string]string{"db": "DB graph", "file": "file graph"}[peer.Kind]
	latency := "no ping yet"
	if peer.Latency > 0 {
		latency = widget.Duration(peer.Latency)
	}
	rows := []string{
		style.Text(glyph) + " " + t.Strong.Text(widget.OrDash(peer.Name)) + t.Dim.Text(" "+strings.Join(nonEmpty(kind,
			peer.Transport, latency), " · ")),
		t.Dim.Cut("  "+strings.Join(nonEmpty(withPrefix("Logseq ", peer.App), withPrefix("plugin ", peer.Plugin), callCounts(peer),
			withPrefix("last error ", peer.LastError)), " · "), w),
	}
	if h < 4 {
		lit := 0
		for _, c := range capabilities() {
			if missingReason(peer, c) == "" {
				lit++
			}
		}
		rows[1] = t.Dim.Cut(fmt.Sprintf("  %d of %d capabilities · ", lit,
			len(capabilities()))+strings.TrimSpace(withPrefix("Logseq ", peer.App)), w)
		return rows
	}
	rows = append(rows, capabilityRows(t, peer, w)...)
	for _, why := range missingReasons(peer) {
		for i, line := range theme.WrapText(why, w-4) {
			rows = append(rows, t.Warn.Text(map[bool]string{true: "  ○ ", false: "    "}[i == 0]+line))
		}
	}
	return rows
}

// capabilityRows draws a light for each capability, as many in a row as fit.
func capabilityRows(t theme.Theme, peer status.Peer, w int) []string {
	const cell = 16
	inRow := max(1, min(4, (w-2)/cell))
	var rows []string
	line := " "
	for i, c := range capabilities() {
		if missingReason(peer, c) == "" {
			line += " " + t.Good.Text("●") + " " + t.Text.Fit(c.means, cell-3)
		} else {
			line += " " + t.Dim.Text("○ ") + t.Dim.Fit(c.means, cell-3)
		}
		if (i+1)%inRow == 0 || i+1 == len(capabilities()) {
			rows, line = append(rows, line), " "
		}
	}
	return rows
}

// missingReasons says for the dark lights of peer why they are, each reason once.
func missingReasons(peer status.Peer) []string {
	var order []string
	means := map[string][]string{}
	for _, c := range capabilities() {
		why := missingReason(peer, c)
		if why == "" {
			continue
		}
		if means[why] == nil {
			order = append(order, why)
		}
		means[why] = append(means[why], c.means)
	}
	for i, why := range order {
		if n := len(means[why]); n > 3 {
			order[i] = fmt.Sprintf("%d unavailable: %s", n, why)
		} else {
			order[i] = strings.Join(means[why], ", ") + ": " + why
		}
	}
	return order
}

func callCounts(p status.Peer) string {
	s := widget.Plural(p.Calls, "call")
	if p.Failures > 0 {
		s += fmt.Sprintf(", %s failed", widget.Count(p.Failures))
	}
	return s
}

// nonEmpty are those of words that are not empty.
func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(s string) bool { return s == "" })
}

func withPrefix(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
