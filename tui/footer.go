package tui

import (
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// A footer is the last line of the screen: the keys that mean something now, as
// many as there is room for.
type footer struct {
	w           int
	left, right []keyHint
}

// A keyHint is a key as it stands in the footer.
type keyHint struct {
	key.Binding
	drawn string
}

func (m Model) footer() footer {
	keys, always := m.tabs.visibleTab().pane.Bindings(), []key.Binding{m.key.Help, m.key.Quit}
	if m.w >= 100 {
		always = slices.Insert(always, 0, widget.WithHelp(m.key.Palette, "commands"))
	}
	switch {
	case m.over != nil:
		keys, always = m.over.keys(), nil
	case m.tabs.isTyping():
		always = nil
	}
	paused := !m.snap.Hub.WritesPaused.IsZero()
	if pause := widget.WithHelp(m.key.Pause, pauseHelp(paused)); m.over == nil && !m.tabs.isTyping() && paused {
		keys = append([]key.Binding{pause}, keys...)
	} else if m.over == nil && m.tabs.current == 0 && len(m.snap.Sessions) > 0 {
		keys = slices.Insert(slices.Clone(keys), min(len(keys), 1), pause) // where there is room for it on a narrow screen
	}
	f, room := footer{w: m.w}, m.w-1
	for _, b := range always {
		hint := "  " + m.keyHint(b)
		f.right = append(f.right, keyHint{b, hint})
		room -= theme.Width(hint)
	}
	if ignoresDecidingKeys(m) {
		f.left = append(f.left, keyHint{drawn: m.theme.Warn.Text(" …")})
		room -= theme.Width(" …")
	}
	for _, b := range keys {
		hint := " " + m.keyHint(b) + " "
		if room -= theme.Width(hint); room < 0 {
			break
		}
		f.left = append(f.left, keyHint{b, hint})
	}
	return f
}

// pauseHelp says what the key that pauses all writes does now.
func pauseHelp(paused bool) string {
	if paused {
		return "end the pause of all"
	}
	return "pause all writes"
}

// keyHint is a key and what it does. What cannot be done now stands in brackets,
// for a colour alone says nothing.
func (m Model) keyHint(b key.Binding) string {
	if ignoresDecidingKeys(m) && slices.ContainsFunc(decidingKeys(m.key.Pane),
		func(d key.Binding) bool { return slices.Equal(d.Keys(), b.Keys()) }) {
		return m.theme.Dim.Text(b.Help().Key + " " + b.Help().Desc)
	}
	if m.over == nil && m.tabs.visibleTab().pane.KeyDisabledReason(parseKey(b.Keys()[0])) != "" {
		return m.theme.Dim.Text("(" + b.Help().Key + " " + b.Help().Desc + ")")
	}
	return m.theme.Key.Text(b.Help().Key) + m.theme.Dim.Text(" "+b.Help().Desc)
}

func (f footer) line() string {
	left, right := drawHints(f.left), drawHints(f.right)
	return theme.Fit(left, f.w-theme.Width(right)-1) + right + " "
}

func drawHints(all []keyHint) string {
	var line strings.Builder
	for _, hint := range all {
		line.WriteString(hint.drawn)
	}
	return line.String()
}

// keyAt is the key whose hint covers column x.
func (f footer) keyAt(x int) (key.Binding, bool) {
	for at, hints := range map[int][]keyHint{0: f.left, f.w - 1 - theme.Width(drawHints(f.right)): f.right} {
		for _, hint := range hints {
			next := at + theme.Width(hint.drawn)
			if at <= x && x < next {
				return hint.Binding, true
			}
			at = next
		}
	}
	return key.Binding{}, false
}
