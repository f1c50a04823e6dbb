package main

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// The library has the clock that ours takes the place of; if this fails the panel is
// drawn as the library likes, and a key waits 8 ms.
func TestFrameClockFits(t *testing.T) {
	if newFrameClock(tea.NewProgram(nil, tea.WithOutput(io.Discard))) == nil {
		t.Error("the library keeps no such clock any more")
	}
	var none *frameClock
	none.wake(nil)
}

// A frame comes soon after a key and at most sixty times a second otherwise, however
// many messages come, and none when nothing has come for a while.
func TestFrameClockSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFrameClock(tea.NewProgram(nil, tea.WithOutput(io.Discard)))
		defer c.ticker.Stop()
		defer c.sleep.Stop()
		ticks := func(d time.Duration, each func()) (n int) {
			for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(time.Millisecond) { // the bubble's time
				each()
				select {
				case <-c.ticker.C:
					n++
				default:
				}
			}
			return n
		}
		nothing := func() {}
		c.wake(nil)
		ticks(time.Second, nothing)
		if n := ticks(time.Minute, nothing); n > 0 {
			t.Errorf("%d frames in an idle minute", n)
		}
		if n := ticks(time.Second, func() { c.wake("a line of the log") }); n < 55 || n > 65 {
			t.Errorf("%d frames in a second full of messages", n)
		}
		ticks(time.Second, nothing)
		c.wake(tea.KeyPressMsg{Code: 'j'})
		if n := ticks(3*time.Millisecond, nothing); n == 0 {
			t.Error("no frame within 3 ms of a key")
		}
	})
}
