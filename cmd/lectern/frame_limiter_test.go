package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
)

// A countedScreen shows the last message that came, and counts how often it is drawn.
type countedScreen struct {
	frames *atomic.Int64
	text   string
}

func (s countedScreen) Init() tea.Cmd { return nil }

func (s countedScreen) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case string:
		s.text = msg
	case tea.KeyPressMsg:
		s.text = "key " + msg.String()
		return s, func() tea.Msg { return "what key " + msg.String() + " asked for" }
	}
	return s, nil
}

func (s countedScreen) View() tea.View {
	s.frames.Add(1)
	return tea.NewView(s.text)
}

// A recordingTerminal keeps what is written to it.
type recordingTerminal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *recordingTerminal) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

// take returns what was written since it was called before.
func (w *recordingTerminal) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.text.Reset()
	return w.text.String()
}

// A key is shown by the next frame of the library, as is what it asked for; what comes by itself
// is drawn five times a second, the last of it too; and nothing is drawn while nothing comes.
func TestFrameLimiter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		frames, terminal := new(atomic.Int64), &recordingTerminal{}
		m := &frameLimiter{model: countedScreen{frames: frames}, now: time.Now}
		p := tea.NewProgram(m, tea.WithInput(nil), tea.WithOutput(terminal), tea.WithoutSignalHandler(), tea.WithWindowSize(40, 10),
			tea.WithEnvironment([]string{"TERM=xterm-256color"}))
		done := make(chan error)
		go func() {
			_, err := p.Run()
			done <- err
		}()
		drawnIn := func(d time.Duration) int64 {
			before := frames.Load()
			time.Sleep(d) // the bubble's time
			synctest.Wait()
			return frames.Load() - before
		}
		drawnIn(time.Second)
		terminal.take()
		if n, text := drawnIn(time.Minute), terminal.take(); n != 0 || text != "" {
			t.Errorf("%d frames in an idle minute, which show %q", n, text)
		}
		for i := range 20 {
			key := fmt.Sprint(i % 10)
			p.Send(tea.KeyPressMsg{Code: rune(key[0]), Text: key})
			drawnIn(time.Second / 60)
			if text := terminal.take(); !strings.Contains(text, "asked for") && i == 0 || text == "" {
				t.Errorf("key %s shows %q", key, text)
			}
		}
		drawnIn(time.Second)
		before := frames.Load()
		for i := range 1050 {
			p.Send(fmt.Sprintf("line %d", i))
			drawnIn(time.Millisecond)
		}
		if n := frames.Load() - before; n != 6 {
			t.Errorf("%d frames in a second full of messages", n)
		}
		terminal.take()
		if n, text := drawnIn(time.Minute), terminal.take(); n != 1 || text == "" {
			t.Errorf("after the last message %d frames, which show %q", n, text)
		}
		p.Quit()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
