package tui

import (
	"cmp"
	"slices"
	"sort"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// commandPalette finds a command by its name and runs it. Its commands are the panes
// and the keys of the help, so that it and the help can never differ, and what
// Systems let people do at the shell, which is copied for it.
type commandPalette struct {
	keyMap   KeyMap
	commands []paletteCommand
	search   widget.TextInput
	cursor   int // among those found
}

// A paletteCommand is something that a key does.
type paletteCommand struct {
	key      string // as the help shows it; empty: no key does it
	pane     string // the pane in which it does; empty: all
	name     string
	disabled string // why it cannot be run now; empty: it can
	run      pane.Intent
}

// newCommandPalette has what can be done now before what cannot, and first what the pane
// that is shown does.
func newCommandPalette(m Model) commandPalette {
	p := commandPalette{keyMap: m.key}
	shown := m.tabs.visibleTab().Name
	for i, t := range m.tabs.all {
		p.commands = append(p.commands, paletteCommand{paneNumberKey(i), "", "Go to " + t.Name, "", pane.OpenPane{Pane: t.Name}})
	}
	for _, g := range m.key.groups() {
		name := g.Title
		switch isPane := slices.ContainsFunc(m.tabs.all, func(t tab) bool { return t.Name == name }); {
		case name == globalKeysTitle:
			name = ""
		case !isPane:
			continue
		}
		for _, b := range g.Keys {
			if !slices.Contains(commandsExcludedFromPalette(m.key), b.Help().Desc) {
				p.commands = append(p.commands, paletteCommand{
					b.Help().Key, name, b.Help().Desc, m.helpKeyDisabledReason(g.Title, b),
					pane.SendKey{Pane: name, Key: parseKey(b.Keys()[0])},
				})
			}
		}
	}
	for _, s := range m.snap.Sources {
		for _, line := range s.Commands {
			p.commands = append(p.commands, paletteCommand{"", "Sources", line, "", pane.CopyText{What: "the command", Text: line}})
		}
	}
	for _, c := range pane.SettingsCommands(m.snap) {
		p.commands = append(p.commands, paletteCommand{"", pane.SettingsPane, c.Title, c.Disabled, c.Open})
	}
	sort.SliceStable(p.commands, func(i, j int) bool { return p.commands[i].rankByPane(shown) < p.commands[j].rankByPane(shown) })
	return p
}

// rankByPane sorts commands: those of the pane that is shown, those of everywhere, those
// that go to a pane and those of the others, and last what cannot be done now.
func (c paletteCommand) rankByPane(shown string) int {
	open, goes := c.run.(pane.OpenPane)
	goes = goes && open.Focus == ""
	switch {
	case c.disabled != "":
		return 4
	case c.pane == shown:
		return 0
	case goes:
		return 2
	case c.pane == "":
		return 1
	default:
		return 3
	}
}

// commandsExcludedFromPalette are the commands that make no sense in the palette.
func commandsExcludedFromPalette(k KeyMap) []string {
	return []string{k.Tab.Help().Desc, k.Next.Help().Desc, k.Previous.Help().Desc, k.Palette.Help().Desc, k.Dismiss.Help().Desc}
}

func (p commandPalette) handleKey(k pane.Press) (overlay, pane.Intent) {
	found := p.findCommands()
	switch s := k.String(); {
	case s == "esc", s == "ctrl+p":
		return nil, nil
	case s == "enter" && len(found) > 0:
		return nil, found[p.cursor].run
	case s == "enter":
		return p, nil
	case s == "down", s == "ctrl+n", s == "tab":
		p.cursor = min(p.cursor+1, max(0, len(found)-1))
	case s == "up", s == "shift+tab":
		p.cursor = max(0, p.cursor-1)
	default:
		p.search, _ = p.search.HandleKey(k.KeyPressMsg)
		p.cursor = 0
	}
	return p, nil
}

// selectRow implements [rowSelector].
func (p commandPalette) selectRow(i int) (overlay, bool) {
	again := p.cursor == i
	p.cursor = max(0, min(i, len(p.findCommands())-1))
	return p, again
}

func (p commandPalette) keys() []key.Binding {
	k := p.keyMap.Pane
	return []key.Binding{widget.WithHelp(k.Enter, "run"), widget.Bind("↑↓", "select"), widget.WithHelp(k.Back, "close")}
}

func (p commandPalette) view(t theme.Theme, w, h int) []string {
	w = overlayWidth(w, 72)
	h = max(3, min(h-4, 18))
	found := p.findCommands()
	rows := []string{t.Key.Text("› ") + p.search.Draw(t, w-6, true, "type a command"), ""}
	from := max(0, p.cursor-(h-3))
	for i := from; i < len(found) && len(rows) < h; i++ {
		rows = append(rows, t.MarkRowRegion(i, p.row(t, found[i], i == p.cursor, w-4)))
	}
	if len(found) == 0 {
		rows = append(rows, t.Dim.Text("No matching command."))
	}
	keys := t.MarkKeyRegion(tea.KeyEnter, t.Key.Text("enter")+t.Dim.Text(" run")) + "  " +
		t.MarkKeyRegion(tea.KeyEscape, t.Key.Text("esc")+t.Dim.Text(" close"))
	return drawTitledBox(t, "Commands", keys, rows, w, h)
}

func (p commandPalette) row(t theme.Theme, e paletteCommand, on bool, w int) string {
	if on {
		t = t.ForSelectedRow()
	}
	where := cmp.Or(e.pane, "anywhere")
	press, text := t.Key, t.Text
	if e.disabled != "" {
		where, press, text = "not now", t.Dim, t.Dim
	}
	return press.Fit(e.key, 9) + text.Fit(e.name, w-9-11) + t.Dim.Fit(where, 11)
}

// findCommands are the entries that the search fits, the best first; all without one.
func (p commandPalette) findCommands() []paletteCommand {
	want := strings.ToLower(strings.TrimSpace(p.search.Value()))
	if want == "" {
		return p.commands
	}
	type scored struct {
		paletteCommand
		score int
	}
	var hits []scored
	for _, e := range p.commands {
		if s := widget.FuzzyScore(e.name+" "+e.pane, want); s > 0 {
			hits = append(hits, scored{e, s})
		}
	}
	best := 0
	for _, h := range hits {
		best = max(best, h.score)
	}
	hits = slices.DeleteFunc(hits, func(h scored) bool { return 3*h.score < best }) // letters strewn about are noise beside a word
	sort.SliceStable(hits, func(i, j int) bool {
		a, b := &hits[i], &hits[j]
		if (a.disabled == "") != (b.disabled == "") {
			return a.disabled == "" // what can be done now first
		}
		return a.score > b.score
	})
	found := make([]paletteCommand, len(hits))
	for i, h := range hits {
		found[i] = h.paletteCommand
	}
	return found
}
