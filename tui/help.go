package tui

import (
	"slices"
	"sort"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// help lists every key, those of the pane that is shown first; what is typed
// searches it, and enter does what the selected key does.
type help struct {
	keyMap   KeyMap
	pane     string                                   // that is shown
	panes    []string                                 // whose keys can be sent to them
	disabled func(title string, b key.Binding) string // why it can do nothing; empty: it can
	search   widget.TextInput
	cursor   int // among the keys that are found
}

func newHelp(m Model) help {
	h := help{keyMap: m.key, pane: m.tabs.visibleTab().Name, disabled: m.helpKeyDisabledReason}
	for _, t := range m.tabs.all {
		h.panes = append(h.panes, t.Name)
	}
	return h
}

// groups are those of all keys, that of the pane first.
func (h help) groups() []pane.KeyGroup {
	groups := h.keyMap.groups()
	sort.SliceStable(groups, func(i, j int) bool { return groups[i].Title == h.pane && groups[j].Title != h.pane })
	return groups
}

// A helpRow is a row of the help: a title, a key, or a blank between groups.
type helpRow struct {
	title string // of the group; empty: a blank
	key   *key.Binding
}

// findRows are the rows that the search finds, and where the keys are among them.
func (h help) findRows() (rows []helpRow, keys []int) {
	want := strings.TrimSpace(h.search.Value())
	for _, g := range h.groups() {
		found := findKeysByText(g, want)
		if len(found) == 0 {
			continue
		}
		if len(rows) > 0 {
			rows = append(rows, helpRow{})
		}
		rows = append(rows, helpRow{title: g.Title})
		for i := range found {
			keys = append(keys, len(rows))
			rows = append(rows, helpRow{g.Title, &found[i]})
		}
	}
	return rows, keys
}

// selectedKeyIntent is what enter does: what the selected key does, where that is no question of
// a row or a form.
func (h help) selectedKeyIntent() pane.Intent {
	rows, keys := h.findRows()
	if len(keys) == 0 {
		return nil
	}
	row := rows[keys[h.cursor]]
	send := pane.SendKey{Pane: row.title, Key: parseKey(row.key.Keys()[0])}
	switch why := h.disabled(row.title, *row.key); {
	case why != "":
		return pane.ShowMessage{Text: why}
	case row.title == globalKeysTitle, row.title == "Lists":
		send.Pane = ""
	case !slices.Contains(h.panes, row.title):
		return nil
	}
	return send
}

func (h help) handleKey(k pane.Press) (overlay, pane.Intent) {
	_, keys := h.findRows()
	switch s := k.String(); {
	case s == "esc", s == "?":
		return nil, nil
	case s == "enter":
		return nil, h.selectedKeyIntent()
	case s == "down", s == "ctrl+n":
		h.cursor++
	case s == "up", s == "ctrl+p":
		h.cursor--
	case s == "pgdown":
		h.cursor += k.H / 2
	case s == "pgup":
		h.cursor -= k.H / 2
	default:
		h.search, _ = h.search.HandleKey(k.KeyPressMsg)
		h.cursor, keys = 0, nil
	}
	if keys != nil {
		h.cursor = widget.Clamp(h.cursor, len(keys))
	}
	return h, nil
}

func (h help) keys() []key.Binding {
	p := h.keyMap.Pane
	return []key.Binding{
		widget.WithHelp(p.Back, "close"), widget.Bind("↑↓", "select"), widget.WithHelp(p.Enter, "do it"),
		widget.Bind("a-z", "search"),
	}
}

// helpOverlaySize is the outer width and the inner height it may take.
func helpOverlaySize(w, h int) (int, int) { return overlayWidth(w, 60), max(4, h-3) }

func (h help) view(t theme.Theme, w, height int) []string {
	w, height = helpOverlaySize(w, height)
	rows, selected := h.rows(t, w-4)
	from, to := widget.VisibleRange(len(rows), selected, height-2)
	shown := append([]string{t.Key.Text("/ ") + h.search.Draw(t, w-6, true, "search"), ""}, rows[from:to]...)
	foot := t.MarkKeyRegion(tea.KeyEscape, t.Key.Text("esc")+t.Dim.Text(" close")) + "  " + t.MarkKeyRegion(tea.KeyEnter,
		t.Key.Text("enter")+t.Dim.Text(" do it"))
	if to < len(rows) {
		foot += t.Dim.Text("  ↓ more")
	}
	return drawTitledBox(t, "Keys", foot, shown, w, height)
}

// rows are the keys that the search finds, in their groups, and the selected row.
func (h help) rows(t theme.Theme, w int) (rows []string, selected int) {
	found, keys := h.findRows()
	if len(keys) > 0 {
		selected = keys[h.cursor]
	}
	for i, row := range found {
		t := t
		if i == selected {
			t = t.ForSelectedRow()
		}
		switch {
		case row.key == nil:
			rows = append(rows, t.Strong.Text(row.title))
		case h.disabled(row.title, *row.key) != "":
			rows = append(rows, widget.FillRow(t, t.Text.Text("  ")+t.Dim.Fit(row.key.Help().Key, 11)+t.Dim.Text(row.key.Help().Desc+" (not now)"),
				w))
		default:
			rows = append(rows, widget.FillRow(t, t.Text.Text("  ")+t.Key.Fit(row.key.Help().Key, 11)+t.Text.Text(row.key.Help().Desc), w))
		}
	}
	if len(rows) == 0 {
		return []string{t.Dim.Text("No matching key.")}, 0
	}
	return rows, selected
}

// findKeysByText returns the keys of g that are called want, or whose help, or
// the title, contains it. A single letter is a key.
func findKeysByText(g pane.KeyGroup, want string) []key.Binding {
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
