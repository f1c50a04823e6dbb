package main

import (
	"reflect"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// A frameClock says when the panel is drawn: at once after a key and what it leads to,
// at most five times a second while something else changes, and never while nothing
// does. The library draws after every message, and shows it when a clock of its own
// ticks, sixty times a second for ever: a key waits for it, and an idle panel wakes
// for it (docs/adr/0134).
type frameClock struct {
	program *tea.Program
	now     func() time.Time
	ticks   chan time.Time // when one comes the library shows the last frame
	drawn   time.Time      // when the last frame was drawn
	input   time.Time      // when the last key came, or the start was
	waiting bool           // a frameDueMsg is on its way
}

const (
	// inputPeriod is how long after a key, and after the start, all that comes is drawn
	// at once: it may be what the key asked for.
	inputPeriod = 500 * time.Millisecond
	// quietFrameInterval is between two frames that no key led to.
	quietFrameInterval = 200 * time.Millisecond
)

type (
	// frameDueMsg: it is time for the frame that was put off.
	frameDueMsg struct{}
	// frameReadyMsg: the library has the frame that was drawn before this was sent.
	frameReadyMsg struct{}
)

// newFrameClock puts a clock of ours into p, which has not begun to run. If the
// library keeps no such clock any more it returns nil, and p is drawn as the library
// likes.
func newFrameClock(p *tea.Program, now func() time.Time) *frameClock {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || !field.IsNil() {
		return nil
	}
	c := &frameClock{program: p, now: now, ticks: make(chan time.Time, 1), input: now()}
	ticker := time.NewTicker(time.Hour) // the library sets it as it likes: nobody listens to its own channel
	ticker.C = c.ticks
	*(**time.Ticker)(unsafe.Pointer(field.UnsafeAddr())) = ticker //nolint:gosec // the library offers no other way
	return c
}

// draws reports whether msg is followed by a frame. If not, a frameDueMsg comes later.
func (c *frameClock) draws(msg tea.Msg) bool {
	now := c.now()
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg, tea.PasteMsg:
		c.input = now
	case frameDueMsg:
		c.waiting = false
		return true
	}
	rest := quietFrameInterval - now.Sub(c.drawn)
	if now.Sub(c.input) < inputPeriod || rest <= 0 {
		return true
	}
	if !c.waiting {
		c.waiting = true
		time.AfterFunc(rest, func() { c.program.Send(frameDueMsg{}) })
	}
	return false
}

// show has the frame shown that is about to be returned to the library: the message
// comes when the library has it.
func (c *frameClock) show() {
	c.drawn = c.now()
	go c.program.Send(frameReadyMsg{})
}

// tick has the library show the last frame that it got.
func (c *frameClock) tick() {
	select {
	case c.ticks <- time.Time{}:
	default: // the tick that it has not taken yet will do
	}
}

// A frameClockModel draws its model when a clock says so. In between the library gets
// the last frame again. It belongs to the goroutine of the program.
type frameClockModel struct {
	model tea.Model
	clock *frameClock // nil: the model is drawn after every message
	frame tea.View    // the last one
	old   bool        // the model is to be drawn again
}

// Init implements tea.Model.
func (m *frameClockModel) Init() tea.Cmd {
	m.old = true
	return m.model.Init()
}

// Update implements tea.Model.
func (m *frameClockModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg.(type) {
	case frameReadyMsg:
		m.clock.tick()
		return m, nil
	case frameDueMsg:
	default:
		m.model, cmd = m.model.Update(msg)
	}
	if m.clock == nil || m.clock.draws(msg) {
		m.old = true
	}
	return m, cmd
}

// View implements tea.Model.
func (m *frameClockModel) View() tea.View {
	if !m.old {
		return m.frame
	}
	m.frame, m.old = m.model.View(), m.clock == nil
	if m.clock != nil {
		m.clock.show()
	}
	return m.frame
}
