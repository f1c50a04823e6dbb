package pane

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// An sourceSearch asks a source what an agent would ask it, and shows the call and
// what comes of it.
type sourceSearch struct {
	keys       Keys
	query      widget.TextInput
	typing     bool
	standalone bool // it was opened without the pages: to close it closes all

	submitted string // empty: nothing yet
	refresh   int
	got       SearchQuery
	found     status.Search
	err       error
	cursor    int
}

func (s sourceSearch) takeResult(w SearchQuery, f Result) sourceSearch {
	s.got, s.found, s.err, s.cursor = w, f.Search, f.Err, 0
	return s
}

func (s sourceSearch) selected() status.Hit {
	if len(s.found.Hits) == 0 {
		return status.Hit{}
	}
	return s.found.Hits[widget.Clamp(s.cursor, len(s.found.Hits))]
}

func (s sourceSearch) handleKey(k Press) sourceSearch {
	switch {
	case key.Matches(k, s.keys.Back):
		s.typing = false
	case key.Matches(k, s.keys.Enter):
		text := strings.TrimSpace(s.query.Value())
		switch {
		case text == "":
		case s.got.Text == text && s.got.Typing && s.err == nil: // it was found while it was typed
			s.submitted, s.typing, s.got.Typing = text, false, false
		default:
			s.submitted, s.typing = text, false
			s.refresh++
		}
	default:
		s.query, _ = s.query.HandleKey(k.KeyPressMsg)
	}
	return s
}

func (s sourceSearch) section(t theme.Theme, source string) widget.Section {
	return widget.Section{Title: "Search " + source, Note: "as an agent searches", Min: 2, Preferred: 1 << 20, Rows: func(w, h int) []string {
		rows := []string{t.Key.Text("› ") + s.query.Draw(t, w-2, s.typing, "words to search for")}
		typed := strings.TrimSpace(s.query.Value())
		answered := s.got.Text != "" && s.got.Refresh == s.refresh && (s.got.Text == s.submitted || s.typing && typed != "")
		switch {
		case s.submitted == "" && !answered && (!s.typing || typed == ""):
			return append(rows, t.Dim.Wrap("Runs the search tool of this source with the permissions of an agent. The call is logged like any "+
				"other.", w)...)
		case !answered:
			return append(rows, t.Dim.Text("Searching …"))
		case s.err != nil:
			return append(rows, errorRows(t, s.err, w)...)
		}
		rows = append(rows, s.callAndCostRows(t, w)...)
		if len(s.found.Hits) == 0 {
			return append(rows, t.Dim.Wrap("No matches in "+source+". To search another source, press S on its row in Sources.", w)...)
		}
		from, to := widget.VisibleRange(len(s.found.Hits), s.cursor, max(1, (min(h, widget.ScreenReaderHeight)-len(rows))/2))
		for i := from; i < to; i++ {
			for _, row := range s.hitRows(t, i, w) {
				rows = append(rows, t.MarkRowRegion(i, row))
			}
		}
		return rows
	}}
}

// callAndCostRows is the call and what it costs the one who made it.
func (s sourceSearch) callAndCostRows(t theme.Theme, w int) []string {
	rows := t.Dim.Wrap(s.found.Tool+" "+string(s.found.Args), w)
	return append(rows[:min(len(rows), 3)], t.Dim.Cut(fmt.Sprintf("%s · %s, about %s tokens",
		widget.CountWithNoun(len(s.found.Hits), "match"), widget.FormatBytes(s.found.Bytes), widget.FormatCount(s.found.Bytes/4)), w), "")
}

// hitRows is where, and below that what stands there.
func (s sourceSearch) hitRows(t theme.Theme, i, w int) []string {
	hit := s.found.Hits[i]
	if i == s.cursor {
		t = t.ForSelectedRow()
	}
	line := ""
	if hit.Line > 0 {
		line = fmt.Sprintf(":%d", hit.Line)
	}
	where := t.Strong.CutLeft(widget.OrDash(hit.Page), w-len(line)) + t.Dim.Text(line)
	what := t.Text.Cut("  "+strings.Join(strings.Fields(hit.Text), " "), w)
	return []string{where + t.Text.Fit("", w-theme.Width(where)), what + t.Text.Fit("", w-theme.Width(what))}
}
