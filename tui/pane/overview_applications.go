package pane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// applicationSections are one for each application that is connected or that a source
// needs: who is connected, and what each can do.
func (p Overview) applicationSections(t theme.Theme) (all []widget.Section) {
	var applications []string
	for _, s := range p.snap.Sources {
		applications = append(applications, s.Application)
	}
	for _, peer := range p.snap.Peers {
		applications = append(applications, peer.Application)
	}
	for i, application := range applications {
		if application != "" && !slices.Contains(applications[:i], application) {
			all = append(all, p.applicationSection(t, application))
		}
	}
	return all
}

func (p Overview) applicationSection(t theme.Theme, application string) widget.Section {
	var peers []status.Peer
	want, note := 0, ""
	for _, peer := range p.snap.Peers {
		if peer.Application == application {
			peers = append(peers, peer)
			want += 2 + (len(peer.Capabilities)+2)/3 + 2*len(missingCapabilityReasons(peer)) // three in a row: the columns are narrow
			note = string(peer.State)
		}
	}
	if len(peers) > 1 {
		note = ""
	}
	return widget.Section{Title: application, Note: note, Min: 2, Preferred: max(2, want), Rows: func(w, h int) []string {
		if len(peers) == 0 {
			return widget.TruncateRows(t, t.Dim.Wrap(
				"Not connected. Open "+application+" with the Lectern plugin; the Clients pane installs it.", w), h)
		}
		var rows []string
		for _, peer := range peers {
			rows = append(rows, applicationRows(t, peer, w, h)...)
		}
		return widget.TruncateRows(t, rows, h)
	}}
}

func applicationRows(t theme.Theme, peer status.Peer, w, h int) []string {
	glyph, style := t.StateStyle(peer.State)
	latency := "no ping yet"
	if peer.Latency > 0 {
		latency = widget.FormatDuration(peer.Latency)
	}
	var facts []string
	for _, f := range peer.Facts {
		facts = append(facts, f.Name+" "+f.Value)
	}
	name := style.Text(glyph) + " " + t.Strong.Text(widget.OrDash(peer.Name))
	rows := []string{
		name + t.Dim.Cut(" "+strings.Join(facts, " · "), w-theme.Width(name)),
		t.Dim.Cut("  "+strings.Join(nonEmpty(peer.Transport, latency, applicationCallCountText(peer),
			prefixNonEmpty("last error ", peer.LastError)), " · "), w),
	}
	if h < 4 {
		available := 0
		for _, c := range peer.Capabilities {
			if c.Reason == "" {
				available++
			}
		}
		rows[1] = t.Dim.Cut(fmt.Sprintf("  %d of %d capabilities · %s · %s",
			available, len(peer.Capabilities), peer.Transport, latency), w)
		return rows
	}
	rows = append(rows, applicationCapabilityRows(t, peer, w)...)
	for _, why := range missingCapabilityReasons(peer) {
		for i, line := range theme.WrapText(why, w-4) {
			rows = append(rows, t.Warn.Text(map[bool]string{true: "  ○ ", false: "    "}[i == 0]+line))
		}
	}
	return rows
}

// applicationCapabilityRows draws a light for each capability, as many in a row as fit.
func applicationCapabilityRows(t theme.Theme, peer status.Peer, w int) []string {
	const cell = 16
	inRow := max(1, min(4, (w-2)/cell))
	var rows []string
	line := " "
	for i, c := range peer.Capabilities {
		if c.Reason == "" {
			line += " " + t.Good.Text("●") + " " + t.Text.Fit(c.Title, cell-3)
		} else {
			line += " " + t.Dim.Text("○ ") + t.Dim.Fit(c.Title, cell-3)
		}
		if (i+1)%inRow == 0 || i+1 == len(peer.Capabilities) {
			rows, line = append(rows, line), " "
		}
	}
	return rows
}

// missingCapabilityReasons says why the dark lights of peer are dark, each reason once.
func missingCapabilityReasons(peer status.Peer) []string {
	var order []string
	titles := map[string][]string{}
	for _, c := range peer.Capabilities {
		if c.Reason == "" {
			continue
		}
		if titles[c.Reason] == nil {
			order = append(order, c.Reason)
		}
		titles[c.Reason] = append(titles[c.Reason], c.Title)
	}
	for i, why := range order {
		if n := len(titles[why]); n > 3 {
			order[i] = fmt.Sprintf("%d unavailable: %s", n, why)
		} else {
			order[i] = strings.Join(titles[why], ", ") + ": " + why
		}
	}
	return order
}

func applicationCallCountText(p status.Peer) string {
	s := widget.CountWithNoun(p.Calls, "call")
	if p.Failures > 0 {
		s += fmt.Sprintf(", %s failed", widget.FormatCount(p.Failures))
	}
	return s
}

// nonEmpty are those of words that are not empty.
func nonEmpty(words ...string) []string {
	return slices.DeleteFunc(words, func(s string) bool { return s == "" })
}

func prefixNonEmpty(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
