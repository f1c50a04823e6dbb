package main

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// A frameLimiter draws its model at once after a key and what it leads to, at most five
// times a second while something else changes, and never while nothing does
// (docs/adr/0134). The library asks for a frame after every message: in between it gets
// the last one again.
type frameLimiter struct {
	model   tea.Model
	now     func() time.Time
	frame   tea.View  // the last one
	stale   bool      // the model is to be drawn again
	drawn   time.Time // when the last frame was drawn
	input   time.Time // when the last key came, or the start was
	waiting bool      // a frameDueMsg is on its way
}

const (
	// inputPeriod is how long after a key, and after the start, all that comes is drawn
	// at once: it may be what the key asked for.
	inputPeriod = 500 * time.Millisecond
	// quietFrameInterval is between two frames that no key led to.
	quietFrameInterval = 200 * time.Millisecond
)

// frameDueMsg: it is time for the frame that was put off.
type frameDueMsg struct{}

// Init implements tea.Model.
func (m *frameLimiter) Init() tea.Cmd {
	m.stale, m.input = true, m.now()
	return m.model.Init()
}

// Update implements tea.Model.
func (m *frameLimiter) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	now := m.now()
	switch msg.(type) {
	case frameDueMsg:
		m.waiting, m.stale = false, true
		return m, nil
	case tea.KeyMsg, tea.MouseMsg, tea.PasteMsg:
		m.input = now
	}
	var cmd tea.Cmd
	m.model, cmd = m.model.Update(msg)
	rest := quietFrameInterval - now.Sub(m.drawn)
	switch {
	case now.Sub(m.input) < inputPeriod || rest <= 0:
		m.stale = true
	case !m.waiting:
		m.waiting = true
		cmd = tea.Batch(cmd, tea.Tick(rest, func(time.Time) tea.Msg { return frameDueMsg{} }))
	}
	return m, cmd
}

// View implements tea.Model.
func (m *frameLimiter) View() tea.View {
	if m.stale {
		m.frame, m.stale, m.drawn = m.model.View(), false, m.now()
	}
	return m.frame
}
