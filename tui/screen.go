package tui

import (
	"fmt"
	"strings"

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
	screen := strings.Join(m.lines(), "\n")
	if m.cfg.ASCII {
		screen = theme.ToASCII(screen)
	}
	v := tea.NewView(screen)
	v.AltScreen = true
	v.WindowTitle, v.ReportFocus = windowTitle(m), true
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

func (m Model) lines() []string {
	if m.w < minWidth || m.h < minHeight {
		return drawTooSmall(m.theme, m.w, m.h)
	}
	w, h := m.paneSize()
	lines := append(make([]string, 0, m.h), m.header().line(w))
	switch {
	case !m.hasSnapshot:
		lines = append(lines, drawConnecting(m.theme, w, h)...)
	case m.over != nil:
		below := strings.Split(m.tabs.visibleTab().pane.View(m.theme, w, h), "\n")
		lines = append(lines, drawOverlay(m.theme, below, m.over.view(m.theme, w, h), w, h)...)
	default:
		lines = append(lines, m.tabs.visibleTab().pane.View(m.theme, w, h))
	}
	lines = append(lines, m.noticeLines()...)
	return append(lines, m.footer().line())
}

// paneSize is what header, notice and footer leave for the pane.
func (m Model) paneSize() (w, h int) { return max(1, m.w), max(1, m.h-2-len(m.noticeLines())) }

func drawTooSmall(t theme.Theme, w, h int) []string {
	lines := make([]string, max(0, h))
	for i, text := range []string{
		"Terminal too small.",
		fmt.Sprintf("Lectern needs %d×%d,", minWidth, minHeight),
		fmt.Sprintf("this is %d×%d.", w, h),
		"q quits.",
	} {
		if i < len(lines) {
			lines[i] = t.Text.Cut(text, w)
		}
	}
	return lines
}

func drawConnecting(t theme.Theme, w, h int) []string {
	lines := make([]string, h)
	text := "Connecting to the hub …"
	lines[h/2] = theme.Spaces((w-len(text))/2) + t.Dim.Text(text)
	return lines
}

// noticeLines is the notice; without one, that there is no hub.
func (m Model) noticeLines() []string {
	n := m.notice
	if n.text == "" && m.hasSnapshot && !pane.IsHubRunning(m.snap) {
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

// ExitMessage is what to print when the panel has ended: whether anything still
// runs, and how to see and stop it. It is one or two lines, with no newline at
// the end.
func (m Model) ExitMessage() string {
	switch {
	case m.stopped:
		return "The hub is stopped. To start it again, run `lectern` or use an agent."
	case !pane.IsHubRunning(m.snap):
		return "The hub is not running. To start it, run `lectern` or use an agent."
	default:
		return fmt.Sprintf("The hub keeps running: %s, %s.\nRun `lectern` to see it again, `lectern hub stop` to stop it.",
			widget.CountWithNoun(len(m.snap.Sources), "source"), widget.CountWithNoun(len(m.snap.Sessions), "agent"))
	}
}
