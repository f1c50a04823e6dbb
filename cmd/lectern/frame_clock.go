package main

import (
	"reflect"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"
)

// A frameClock says when the panel is drawn: soon after a key, sixty times a second
// while something changes, and never while nothing does. The library's own clock
// ticks sixty times a second for ever: a key waits for it, and an idle panel wakes
// for it (docs/adr/0085).
type frameClock struct {
	ticker *time.Ticker // the library draws when it ticks
	mu     sync.Mutex
	every  time.Duration // how often it ticks
	sleep  *time.Timer   // ends that
}

const (
	inputFrameInterval  = time.Millisecond // from a key to its frame
	activeFrameInterval = time.Second / 60
	idleFrameInterval   = 1000 * time.Hour
	frameIdleDelay      = 250 * time.Millisecond // how long frames are drawn after the last message
)

// newFrameClock puts a clock of ours into p, which has not begun to run. If the
// library keeps no such clock any more it returns nil, and p is drawn as the library
// likes.
func newFrameClock(p *tea.Program) *frameClock {
	field := reflect.ValueOf(p).Elem().FieldByName("ticker")
	if !field.IsValid() || field.Type() != reflect.TypeFor[*time.Ticker]() || !field.IsNil() {
		return nil
	}
	c := &frameClock{ticker: time.NewTicker(activeFrameInterval), every: activeFrameInterval}
	*(**time.Ticker)(unsafe.Pointer(field.UnsafeAddr())) = c.ticker //nolint:gosec // the library offers no other way
	c.sleep = time.AfterFunc(time.Hour, c.fallAsleep)
	return c
}

// wake has what msg changes drawn.
func (c *frameClock) wake(msg tea.Msg) {
	if c == nil {
		return
	}
	every := activeFrameInterval
	switch msg.(type) {
	case tea.KeyMsg, tea.MouseMsg:
		every = inputFrameInterval
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sleep.Reset(frameIdleDelay)
	if every < c.every { // a clock that ticks fast enough is not set back, or it would never tick
		c.every = every
		c.ticker.Reset(every)
	}
}

func (c *frameClock) fallAsleep() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.every = idleFrameInterval
	c.ticker.Reset(idleFrameInterval)
}

// A frameClockModel wakes a clock with each message.
type frameClockModel struct {
	model tea.Model
	clock *frameClock // nil: none
}

// Init implements tea.Model.
func (m *frameClockModel) Init() tea.Cmd { return m.model.Init() }

// Update implements tea.Model.
func (m *frameClockModel) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	next, cmd := m.model.Update(msg)
	m.clock.wake(msg)
	return &frameClockModel{next, m.clock}, cmd
}

// View implements tea.Model.
func (m *frameClockModel) View() tea.View { return m.model.View() }
