package pane

import (
	"fmt"
	"strings"
	"time"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// Clients shows the agents that are attached, and what to give to a client so
// that its agent gets in.
type Clients struct {
	keys   Keys
	zone   *time.Location
	snap   status.Snapshot
	cursor int // the selected snippet
	first  int // the first session in sight
}

// NewClients returns a Clients that shows times of zone.
func NewClients(k Keys, zone *time.Location) Clients { return Clients{keys: k, zone: zone} }

// Show implements [Pane].
func (p Clients) Show(s status.Snapshot) Pane {
	p.snap = s
	p.cursor = clamp(p.cursor, len(s.Snippets))
	p.first = clamp(p.first, len(s.Sessions))
	return p
}

// Key implements [Pane].
func (p Clients) Key(k Press) (Pane, Intent) {
	switch n := len(p.snap.Snippets); {
	case key.Matches(k, p.keys.Up):
		p.cursor = clamp(p.cursor-1, n)
	case key.Matches(k, p.keys.Down):
		p.cursor = clamp(p.cursor+1, n)
	case key.Matches(k, p.keys.First):
		p.cursor = 0
	case key.Matches(k, p.keys.Last):
		p.cursor = clamp(n, n)
	case key.Matches(k, p.keys.PageUp):
		p.first = clamp(p.first-k.H/2, len(p.snap.Sessions))
	case key.Matches(k, p.keys.PageDown):
		p.first = clamp(p.first+k.H/2, len(p.snap.Sessions))
	case key.Matches(k, p.keys.Copy):
		return p, copySnippet(p.snap.Snippets, p.cursor)
	case p.keys.saves(k, Running(p.snap)):
		return p, p.save()
	default:
		return p, Pass{}
	}
	return p, nil
}

func (p Clients) save() Intent {
	if len(p.snap.Snippets) == 0 {
		return Say{"There is no snippet yet: the hub has not said how to connect."}
	}
	s := p.snap.Snippets[p.cursor]
	return Save{What: "the snippet for " + s.Client, Name: "lectern-" + slug(s.Client) + ".txt", Text: s.Text + "\n"}
}

// slug is s as part of a file name.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if len(words) == 0 {
		return "client"
	}
	return strings.Join(words, "-")
}

// Keys implements [Pane].
func (p Clients) Keys() []key.Binding {
	if len(p.snap.Snippets) == 0 {
		return nil
	}
	return []key.Binding{p.keys.Copy, p.keys.saveKey(Running(p.snap)), named(p.keys.Down, "next client")}
}

// View implements [Pane].
func (p Clients) View(t theme.Theme, w, h int) string {
	frame := framed(w, h)
	agents := p.agents(t)
	agents.want = min(agents.want, max(agents.need, h/2-2))
	return strings.Join(stack(t, w, h, frame, agents, p.connect(t, w)), "\n")
}

func (p Clients) agents(t theme.Theme) section {
	n := len(p.snap.Sessions)
	return section{
		title: titled("Attached agents", n), need: min(max(1, n), 2), want: max(1, n+1),
		rows: func(w, h int) []string {
			if n == 0 {
				return []string{t.Dim.Text(noAgent(p.snap))}
			}
			var rows []string
			if h > n {
				rows = append(rows, sessionHeading(t, w))
			}
			for _, s := range p.snap.Sessions[min(p.first, max(0, n-h)):] {
				rows = append(rows, sessionRow(t, s, w, p.snap.Time, p.zone))
			}
			return atMost(t, rows, h)
		},
	}
}

func sessionHeading(t theme.Theme, w int) string {
	line := t.Dim.Fit("  client", clientWidth(w)+3) + t.Dim.Fit("by", 7)
	if w >= 72 {
		line += t.Dim.Fit("sees", 13)
	}
	line += t.Dim.Right("calls", 7)
	if w >= 48 {
		line += t.Dim.Text("  last call")
	}
	return line
}

func sessionRow(t theme.Theme, s status.Session, w int, now time.Time, zone *time.Location) string {
	glyph, style := t.State(s.State)
	name := strings.TrimSpace(s.Client + " " + s.Version)
	if s.Client == "" {
		name = s.Name
	}
	line := style.Text(glyph) + " " + t.Strong.Fit(name, clientWidth(w)) + " " + t.Dim.Fit(string(s.Transport), 7)
	if w >= 72 {
		scope := s.Scope
		if scope == "" {
			scope = "all sources"
		}
		line += t.Dim.Fit(scope, 12) + " "
	}
	line += t.Text.Right(count(s.Calls), 7)
	if w >= 48 && s.Calls > 0 {
		line += t.Dim.Text("  " + clock(s.LastCall, now, zone) + " " + s.LastTool)
	}
	return theme.Fill(line, w)
}

// clientWidth is what the other columns leave for the name of a client.
func clientWidth(w int) int {
	if w >= 72 {
		return min(28, w-54)
	}
	return min(28, max(12, w-41))
}

func (p Clients) connect(t theme.Theme, w int) section {
	n := len(p.snap.Snippets)
	if n == 0 {
		return section{title: "Connect a client", need: 1, want: 1, rows: func(int, int) []string {
			return []string{t.Dim.Text("The hub has not said yet how to connect.")}
		}}
	}
	s := p.snap.Snippets[p.cursor]
	note := fmt.Sprintf("‹ %d of %d ›", p.cursor+1, n)
	if w < framedWidth {
		return section{title: "Connect " + s.Client, note: note, need: 2, want: 20, rows: func(w, h int) []string {
			return snippetRows(t, s, w, h)
		}}
	}
	return section{title: "Connect a client", note: note, need: 4, want: max(n, 12), rows: func(w, h int) []string {
		const names = 20
		from, to := window(n, p.cursor, h)
		text := exactly(snippetRows(t, s, w-names-3, h), w-names-3, h)
		rows := make([]string, h)
		for i := range rows {
			name := theme.Space(names)
			if from+i < to {
				name = p.client(t, from+i, names)
			}
			rows[i] = name + t.Line.Text(" │ ") + text[i]
		}
		return rows
	}}
}

func (p Clients) client(t theme.Theme, i, w int) string {
	if i != p.cursor {
		return t.Text.Fit("  "+p.snap.Snippets[i].Client, w)
	}
	return t.On().Strong.Fit("▸ "+p.snap.Snippets[i].Client, w)
}
