package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// help lists every key; what is typed searches it.
type help struct {
	keyMap   KeyMap
	disabled func(title string, b key.Binding) string // why it can do nothing; empty: it can
	search   widget.TextInput
	top      int
}

func newHelp(m Model) help { return help{keyMap: m.key, disabled: m.disabledReasonIn} }

func (h help) handleKey(k pane.Press) (overlay, pane.Intent) {
	switch s := k.String(); {
	case s == "esc", s == "?", s == "enter":
		return nil, nil
	case s == "down", s == "ctrl+n":
		h.top++
	case s == "up", s == "ctrl+p":
		h.top--
	case s == "pgdown":
		h.top += k.H / 2
	case s == "pgup":
		h.top -= k.H / 2
	default:
		h.search, _ = h.search.HandleKey(k.KeyPressMsg)
		h.top = 0
	}
	_, room := helpRoom(k.W, k.H)
	h.top = max(0, min(h.top, len(h.rows(theme.Theme{}))-room+2))
	return h, nil
}

func (h help) keys() []key.Binding {
	p := h.keyMap.Pane
	return []key.Binding{widget.WithHelp(p.Back, "close"), widget.Bind("↑↓", "scroll"), widget.Bind("a-z", "search")}
}

// helpRoom is the outer width and the inner height it may take.
func helpRoom(w, h int) (int, int) { return overlayWidth(w, 60), max(4, h-3) }

func (h help) view(t theme.Theme, w, height int) []string {
	w, height = helpRoom(w, height)
	rows := h.rows(t)
	from := min(h.top, max(0, len(rows)-height+2))
	to := min(len(rows), from+height-2)
	shown := append([]string{t.Key.Text("/ ") + h.search.Draw(t, w-6, true, "search"), ""}, rows[from:to]...)
	foot := t.KeyRegion(tea.KeyEscape, t.Key.Text("esc")+t.Dim.Text(" close"))
	if to < len(rows) {
		foot += t.Dim.Text("  ↓ more")
	}
	return frame(t, "Keys", foot, shown, w, height)
}

// rows are the keys that the search finds, in their groups.
func (h help) rows(t theme.Theme) []string {
	want := strings.TrimSpace(h.search.Value())
	var rows []string
	for _, g := range h.keyMap.groups() {
		found := matchingKeys(g, want)
		if len(found) == 0 {
			continue
		}
		if len(rows) > 0 {
			rows = append(rows, "")
		}
		rows = append(rows, t.Strong.Text(g.Title))
		for _, b := range found {
			if h.disabled(g.Title, b) != "" {
				rows = append(rows, "  "+t.Dim.Fit(b.Help().Key, 11)+t.Dim.Text(b.Help().Desc+" (not now)"))
				continue
			}
			rows = append(rows, "  "+t.Key.Fit(b.Help().Key, 11)+t.Text.Text(b.Help().Desc))
		}
	}
	if len(rows) == 0 {
		return []string{t.Dim.Text("No matching key.")}
	}
	return rows
}

// matchingKeys returns the keys of g that are called want, or whose help, or
// the title, contains it. A single letter is a key.
func matchingKeys(g pane.KeyGroup, want string) []key.Binding {
	words, letter := strings.ToLower(want), len([]rune(want)) == 1
	if !letter && strings.Contains(strings.ToLower(g.Title), words) {
		return g.Keys
	}
	var found []key.Binding
	for _, b := range g.Keys {
		if b.Help().Key == want || slices.Contains(b.Keys(), want) || !letter && strings.Contains(strings.ToLower(b.Help().Desc), words) {
			found = append(found, b)
		}
	}
	return found
}
