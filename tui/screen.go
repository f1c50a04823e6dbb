package tui

import (
	"fmt"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/tui/pane"
	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

// The smallest screen that the panel can be read on.
const (
	minWidth  = 40
	minHeight = 10
)

// View draws the whole screen: header, pane, notice, keys.
func (m Model) View() tea.View {
	v := tea.NewView(strings.Join(m.lines(), "\n"))
	v.AltScreen = true
	v.WindowTitle = "Lectern"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (m Model) lines() []string {
	if m.w < minWidth || m.h < minHeight {
		return m.tooSmall()
	}
	w, h := m.room()
	lines := make([]string, 0, m.h)
	lines = append(lines, m.header())
	lines = append(lines, m.body(w, h)...)
	lines = append(lines, m.noticeLines()...)
	return append(lines, m.footer())
}

// room is what header, notice and footer leave for the pane.
func (m Model) room() (w, h int) { return max(1, m.w), max(1, m.h-2-len(m.noticeLines())) }

func (m Model) tooSmall() []string {
	lines := make([]string, max(0, m.h))
	words := []string{
		"Terminal too small.",
		fmt.Sprintf("Lectern needs %d×%d,", minWidth, minHeight),
		fmt.Sprintf("this is %d×%d.", m.w, m.h),
		"q quits.",
	}
	for i, text := range words {
		if i < len(lines) {
			lines[i] = m.theme.Text.Cut(text, m.w)
		}
	}
	return lines
}

func (m Model) body(w, h int) []string {
	if !m.hasSnapshot {
		return connecting(m.theme, w, h)
	}
	lines := strings.Split(m.tabs[m.current].pane.View(m.theme, w, h), "\n")
	if m.over != nil {
		return drawOverlay(m.theme, lines, m.over.view(m.theme, w, h), w, h)
	}
	return lines
}

func connecting(t theme.Theme, w, h int) []string {
	lines := make([]string, h)
	text := "Connecting to the hub …"
	lines[h/2] = theme.Spaces((w-len(text))/2) + t.Dim.Text(text)
	return lines
}

// noticeLines is the notice; without one, that there is no hub.
func (m Model) noticeLines() []string {
	n := m.notice
	if n.text == "" && m.hasSnapshot && !pane.Running(m.snap) {
		n = notice{text: "The hub is not running", kind: noticeError}
		if m.lost {
			n.text = "The hub is not responding, reconnecting"
		}
		n.text += ". Press s to start it."
		if m.snap.Hub.Note != "" {
			n.text += " (" + m.snap.Hub.Note + ")"
		}
	}
	return n.lines(m.theme, m.w)
}

// footer shows the keys that mean something now, as many as there is room for.
func (m Model) footer() string {
	keys, always := m.footerKeys()
	left, right := "", ""
	for _, b := range keys {
		left += " " + m.keyHint(b) + " "
	}
	for _, b := range always {
		right += "  " + m.keyHint(b)
	}
	return theme.Fit(left, m.w-theme.Width(right)-1) + right + " "
}

// footerKeys are the keys at the left and at the right of the footer.
func (m Model) footerKeys() (left, right []key.Binding) {
	keys, right := m.tabs[m.current].pane.Keys(), []key.Binding{m.key.Help, m.key.Quit}
	if m.w >= 100 {
		right = []key.Binding{widget.WithHelp(m.key.Palette, "commands"), widget.WithHelp(m.key.Mouse, m.mouseLabel()), m.key.Help, m.key.Quit}
	}
	switch typist, ok := m.tabs[m.current].pane.(pane.TextEditor); {
	case m.over != nil:
		keys, right = m.over.keys(), nil
	case ok && typist.Typing():
		right = nil
	}
	room := m.w - 1
	for _, b := range right {
		room -= 2 + theme.Width(m.keyHint(b))
	}
	for _, b := range keys {
		if room -= 2 + theme.Width(m.keyHint(b)); room < 0 {
			break
		}
		left = append(left, b)
	}
	return left, right
}

// keyHint is a key of the footer. What cannot be done now stands in brackets, for
// a colour alone says nothing.
func (m Model) keyHint(b key.Binding) string {
	if m.over == nil && m.tabs[m.current].pane.DisabledReason(parseKey(b.Keys()[0])) != "" {
		return m.theme.Dim.Text("(" + b.Help().Key + " " + b.Help().Desc + ")")
	}
	return m.theme.Key.Text(b.Help().Key) + m.theme.Dim.Text(" "+b.Help().Desc)
}

// ExitMessage is what to print when the panel has ended: whether anything still
// runs, and how to see and stop it. It is one or two lines, with no newline at
// the end.
func (m Model) ExitMessage() string {
	switch {
	case m.stopped:
		return "The hub is stopped. To start it again, run `lectern` or use an agent."
	case !pane.Running(m.snap):
		return "The hub is not running. To start it, run `lectern` or use an agent."
	default:
		return fmt.Sprintf("The hub keeps running: %s, %s.\nRun `lectern` to see it again, `lectern hub stop` to stop it.",
			widget.Plural(len(m.snap.Sources), "source"), widget.Plural(len(m.snap.Sessions), "agent"))
	}
}
