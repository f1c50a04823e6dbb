package tui

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// nothingWaits is s without approvals, whose time is counted down every second.
func nothingWaits(s status.Snapshot) status.Snapshot {
	s.Approvals = nil
	return s
}

// countingTerminal is a terminal that counts what is written to it.
type countingTerminal struct{ bytes atomic.Int64 }

func (m *countingTerminal) Write(p []byte) (int, error) {
	m.bytes.Add(int64(len(p)))
	return len(p), nil
}

// TestIdleMinute: while nothing happens nothing is written to the terminal,
// whichever pane is visible and whatever it says of times and rates. What the
// hub says again is nothing that happens.
func TestIdleMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		now := func() time.Time { return noon.Add(time.Since(began)) }
		hub, queries, terminal := &statustest.Fake{}, filledQueries(), &countingTerminal{}
		snap := nothingWaits(lively())
		hub.Set(snap)
		for _, l := range lines() {
			hub.AddLine(l)
		}
		m := New(Config{Client: queries.client(hub), Version: "0.1.0", Now: now})
		m.wizardOffered = true
		p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(terminal), tea.WithoutSignalHandler(), tea.WithWindowSize(140, 45),
			tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		done := make(chan error)
		go func() {
			_, err := p.Run()
			done <- err
		}()
		for i := range m.tabs.all {
			before := terminal.bytes.Load()
			p.Send(tea.KeyPressMsg{Code: rune('1' + i), Text: fmt.Sprint(i + 1)})
			time.Sleep(5 * time.Second) // the bubble's time: what the pane wants to know comes
			drawn := terminal.bytes.Load()
			if i > 0 && drawn == before {
				t.Errorf("%s is not drawn", m.tabs.all[i].Name)
			}
			for range 6 {
				time.Sleep(10 * time.Second) // the bubble's time
				hub.Set(snap)
			}
			synctest.Wait()
			if n := terminal.bytes.Load() - drawn; n > 0 {
				t.Errorf("%s: %d bytes in an idle minute", m.tabs.all[i].Name, n)
			}
		}
		p.Send(tea.KeyPressMsg{Code: 'q', Text: "q"})
		if err := <-done; err != nil {
			t.Error(err)
		}
		time.Sleep(time.Minute) // for the ticks that are on their way
	})
}
