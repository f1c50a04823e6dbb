package pane

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// spotted is a place that Lectern can be put into by a key, by hand, or both.
type spotted struct {
	title   string              // empty: there is none
	install status.Installation // without ID: a key cannot
	snippet status.Snippet      // without Text: a hand cannot
	index   int                 // of the snippet
}

// placesOf are the places, by their rank.
func placesOf(s status.Snapshot) []spotted {
	var all []spotted
	for _, i := range s.Installations {
		one := spotted{title: i.Title, install: i}
		for n, snippet := range s.Snippets {
			if snippet.Client == i.Title {
				one.snippet, one.index = snippet, n
			}
		}
		all = append(all, one)
	}
	for n, snippet := range s.Snippets {
		if !slices.ContainsFunc(all, func(one spotted) bool { return one.snippet == snippet }) {
			all = append(all, spotted{title: snippet.Client, snippet: snippet, index: n})
		}
	}
	slices.SortStableFunc(all, func(a, b spotted) int { return a.rank() - b.rank() })
	return all
}

// rank sorts places: clients that are here, the plugin of an application that
// is, clients that there is a snippet for, what else can be put somewhere here.
func (one spotted) rank() int {
	here := one.install.Here || one.install.ID != "" && one.install.State != status.Stopped
	kind, _, _ := strings.Cut(one.install.ID, "/")
	switch {
	case here && kind == "client":
		return 0
	case here && kind == "plugin":
		return 1
	case one.snippet.Text != "":
		return 2 + one.index
	case here:
		return 1000
	default:
		return 1001
	}
}

func (p Clients) selected() spotted {
	if p.cursor >= len(p.places) {
		return spotted{}
	}
	return p.places[p.cursor]
}

func (p Clients) connect(t theme.Theme, w, h int) section {
	n := len(p.places)
	if n == 0 {
		return section{title: "Connect a client", need: 1, want: 1, rows: func(int, int) []string {
			return []string{t.Dim.Text("The hub has not said yet how to connect.")}
		}}
	}
	note := fmt.Sprintf("‹ %d of %d ›", p.cursor+1, n)
	if w < framedWidth || h >= ReadHeight {
		return section{title: "Connect " + p.selected().title, note: note, need: 2, want: 20, rows: func(w, h int) []string {
			return p.placeRows(t, w, h)
		}}
	}
	return section{title: "Connect a client", note: note, need: 4, want: max(n, 12), rows: func(w, h int) []string {
		const names = 25
		from, to := window(n, p.cursor, h)
		text := exactly(p.placeRows(t, w-names-3, h), w-names-3, h)
		rows := make([]string, h)
		for i := range rows {
			name := theme.Space(names)
			if from+i < to {
				name = t.Spot(from+i, p.place(t, from+i, names))
			}
			rows[i] = name + t.Line.Text(" │ ") + text[i]
		}
		return rows
	}}
}

// place is one name of the list, with how things stand there.
func (p Clients) place(t theme.Theme, i, w int) string {
	one, lead := p.places[i], "  "
	if i == p.cursor {
		t, lead = t.On(), "▸ "
	}
	name := t.Text
	if i == p.cursor {
		name = t.Strong
	}
	glyph, style := " ", t.Dim
	switch {
	case one.install.ID == "":
	case one.install.Here || one.install.State != status.Stopped:
		glyph, style = t.State(one.install.State)
	default:
		name = t.Dim
	}
	return name.Fit(lead+one.title, w-2) + style.Text(" "+glyph)
}

// placeRows are all there is to say of the selected place.
func (p Clients) placeRows(t theme.Theme, w, h int) []string {
	one := p.selected()
	var rows []string
	if i := one.install; i.ID != "" {
		glyph, style := t.State(i.State)
		here := ""
		if !i.Here {
			here = " (not found on this machine)"
		}
		rows = append(rows, style.Text(glyph+" "+orNone(i.Condition))+t.Dim.Text(strings.TrimRight(" "+i.Version, " ")+here))
		if i.File != "" {
			rows = append(rows, t.Dim.Tail(i.File, w))
		}
		if i.Note != "" {
			rows = append(rows, t.Text.Wrapped(i.Note, w)...)
		}
		rows = append(rows, p.placeKeys(t, i))
		if one.snippet.Text != "" {
			rows = append(rows, "", t.Dim.Text("or by hand:"))
		}
	}
	if one.snippet.Text != "" {
		rows = append(rows, snippetRows(t, one.snippet, w, max(1, h-len(rows)))...)
	}
	return atMost(t, rows, h)
}

func (p Clients) placeKeys(t theme.Theme, i status.Installation) string {
	k := func(key, does string) string { return t.Key.Text(key) + t.Dim.Text(" "+does) }
	switch i.State {
	case status.Stopped:
		return k("i", "puts Lectern in; you see first what it changes")
	case status.Ready:
		return k("d", "takes Lectern out")
	default:
		return k("i", "puts it in order") + t.Dim.Text(", ") + k("d", "takes it out")
	}
}
