package pane

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
)

// An inquiry asks a source what an agent would ask it, and shows the call and
// what comes of it.
type inquiry struct {
	keys   Keys
	query  Field
	typing bool
	only   bool // it was opened without the pages: to close it closes all

	asked  string // empty: nothing yet
	turn   int
	got    HitsOf
	found  status.Search
	err    error
	cursor int
}

func (s inquiry) learn(w HitsOf, f Fact) inquiry {
	s.got, s.found, s.err, s.cursor = w, f.Search, f.Err, 0
	return s
}

func (s inquiry) selected() status.Hit {
	if len(s.found.Hits) == 0 {
		return status.Hit{}
	}
	return s.found.Hits[clamp(s.cursor, len(s.found.Hits))]
}

func (s inquiry) typed(k Press) inquiry {
	switch {
	case key.Matches(k, s.keys.Back):
		s.typing = false
	case key.Matches(k, s.keys.Enter):
		if strings.TrimSpace(s.query.Value()) != "" {
			s.asked, s.typing = s.query.Value(), false
			s.turn++
		}
	default:
		s.query, _ = s.query.Key(k.KeyPressMsg)
	}
	return s
}

func (s inquiry) section(t theme.Theme, source string) section {
	return section{title: "Search " + source, note: "as an agent does", need: 2, want: 1 << 20, rows: func(w, h int) []string {
		rows := []string{t.Key.Text("› ") + s.query.View(t, w-2, s.typing, "words to find")}
		answered := s.asked != "" && s.got.Query == s.asked && s.got.Turn == s.turn
		switch {
		case s.asked == "":
			return append(rows, t.Dim.Wrapped("The source's own search is called as an agent calls it, with what agents may do, and is recorded like it.", w)...)
		case !answered:
			return append(rows, t.Dim.Text("Searching …"))
		case s.err != nil:
			return append(rows, refused(t, s.err, w)...)
		}
		rows = append(rows, s.called(t, w)...)
		if len(s.found.Hits) == 0 {
			return append(rows, t.Dim.Text("Nothing was found."))
		}
		from, to := window(len(s.found.Hits), s.cursor, max(1, (min(h, ReadHeight)-len(rows))/2))
		for i := from; i < to; i++ {
			for _, row := range s.hit(t, i, w) {
				rows = append(rows, t.Spot(i, row))
			}
		}
		return rows
	}}
}

// called is the call and what it costs the one who made it.
func (s inquiry) called(t theme.Theme, w int) []string {
	rows := t.Dim.Wrapped(s.found.Tool+" "+string(s.found.Args), w)
	return append(rows[:min(len(rows), 3)], t.Dim.Cut(fmt.Sprintf("%s · %s, about %s tokens",
		many(uint64(len(s.found.Hits)), "hit"), size(s.found.Bytes), count(uint64(s.found.Bytes/4))), w), "")
}

// hit is where, and below that what stands there.
func (s inquiry) hit(t theme.Theme, i, w int) []string {
	hit := s.found.Hits[i]
	if i == s.cursor {
		t = t.On()
	}
	line := ""
	if hit.Line > 0 {
		line = fmt.Sprintf(":%d", hit.Line)
	}
	where := t.Strong.Tail(orNone(hit.Page), w-len(line)) + t.Dim.Text(line)
	what := t.Text.Cut("  "+strings.Join(strings.Fields(hit.Text), " "), w)
	return []string{where + t.Text.Fit("", w-theme.Width(where)), what + t.Text.Fit("", w-theme.Width(what))}
}
