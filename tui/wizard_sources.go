package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A sourceChooser asks in the wizard which sources one client sees.
type sourceChooser struct {
	client string // its title
	names  []string
	chosen []bool // by index of names
	cursor int
}

// allSourcesScope stands for no limit where a client has had one.
const allSourcesScope = "all"

func newSourceChooser(client string, names []string, scope string) sourceChooser {
	c := sourceChooser{client: client, names: names, chosen: make([]bool, len(names))}
	limit := strings.Split(scope, ",")
	for i, name := range names {
		c.chosen[i] = scope == "" || scope == allSourcesScope || slices.Contains(limit, name)
	}
	return c
}

func (c sourceChooser) toggled() sourceChooser {
	c.chosen = slices.Clone(c.chosen)
	c.chosen[c.cursor] = !c.chosen[c.cursor]
	return c
}

// chosenSources is what was chosen, as an Action has it: names separated by commas, or empty
// for all. ok is false if there is none.
func (c sourceChooser) chosenSources() (scope string, ok bool) {
	var names []string
	for i, name := range c.names {
		if c.chosen[i] {
			names = append(names, name)
		}
	}
	if len(names) == len(c.names) {
		return "", true
	}
	return strings.Join(names, ","), len(names) > 0
}

// handleSourceChooserKey answers a key while the wizard asks for a client's sources.
func (z wizard) handleSourceChooserKey(k pane.Press) wizard {
	p, c := z.keyMap.Pane, *z.choice
	switch {
	case key.Matches(k, p.Back), key.Matches(k, p.Left):
		z.choice = nil
		return z
	case key.Matches(k, p.Enter):
		if scope, ok := c.chosenSources(); ok {
			z = z.withClientSources(scope)
			z.choice = nil
		}
		return z
	case key.Matches(k, p.Toggle):
		c = c.toggled()
	case key.Matches(k, p.Down), k.String() == "tab":
		c.cursor = min(c.cursor+1, len(c.names)-1)
	case key.Matches(k, p.Up), k.String() == "shift+tab":
		c.cursor = max(0, c.cursor-1)
	}
	z.choice = &c
	return z
}

func (c sourceChooser) draw(t theme.Theme, w int) []string {
	rows := append([]string{""}, t.Strong.Wrap("Which sources does "+c.client+" see?", w)...)
	rows = append(rows, "")
	for i, name := range c.names {
		rows = append(rows, t.MarkRowRegion(i, checkboxRow(t, name, c.chosen[i], i == c.cursor, w)))
	}
	note := "It does not see the others. With all of them it also sees those that you add later."
	if _, ok := c.chosenSources(); !ok {
		note = "Select at least one."
	}
	return append(append(rows, ""), t.Dim.Wrap(note, w)...)
}

func (c sourceChooser) keys(p pane.Keys) []key.Binding {
	return []key.Binding{widget.WithHelp(p.Toggle, "select"), widget.WithHelp(p.Enter, "done"), widget.WithHelp(p.Back, "as it was")}
}

// checkboxRow is a row that can be selected.
func checkboxRow(t theme.Theme, text string, chosen, here bool, w int) string {
	box, sign, style := "[ ] ", "  ", t.Text
	if chosen {
		box = "[x] "
	}
	if here {
		sign, style = "▸ ", t.Accent
	}
	return style.Fit(sign+box+text, w)
}
