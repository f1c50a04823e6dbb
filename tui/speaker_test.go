package tui

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// A listener hears a Speaker over a fake hub.
type listener struct {
	*rig
	s     Speaker
	heard []string
}

func newListener(t *testing.T, snap status.Snapshot) *listener {
	l := &listener{rig: &rig{t: t, hub: &statustest.Fake{}, msgs: make(chan tea.Msg, 1000)}}
	l.hub.Set(snap)
	start := time.Now()
	l.s = NewSpeaker(Config{Client: l.hub, Version: "0.1.0", Now: func() time.Time { return noon.Add(time.Since(start)) }},
		func(line string) { l.heard = append(l.heard, line) })
	t.Cleanup(func() {
		l.s.m.fx.cancel()
		time.Sleep(time.Minute)
	})
	l.run(l.s.Init())
	l.listen()
	return l
}

// listen delivers messages until none is left.
func (l *listener) listen() {
	for synctest.Wait(); len(l.msgs) > 0; synctest.Wait() {
		switch msg := (<-l.msgs).(type) {
		case tea.BatchMsg:
			for _, cmd := range msg {
				l.run(cmd)
			}
		default:
			l.hear(msg)
		}
	}
}

func (l *listener) hear(msg tea.Msg) {
	next, cmd := l.s.Update(msg)
	l.s = next.(Speaker)
	l.run(cmd)
}

func (l *listener) key(name string) {
	l.hear(keyOf(name))
	l.listen()
}

// since returns what was heard since it was last asked.
func (l *listener) since() string {
	said := strings.Join(l.heard, "\n")
	l.heard = nil
	return said
}

func TestSpeaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener(t, crowded())
		golden(t, "spoken-overview.txt", l.since()+"\n")
		l.key("2")
		golden(t, "spoken-sources.txt", l.since()+"\n")

		l.key("down")
		if got := l.since(); strings.Count(got, "\n") > 12 || !strings.Contains(got, selectedWord+"✗ notes") {
			t.Errorf("another row is selected:\n%s", got)
		}
		s := crowded()
		s.Seq, s.Sources[1].State = 2, status.Ready
		s.Problems = s.Problems[1:]
		s.Approvals = []status.Approval{{ID: "7", Client: "codex", Effect: "write", Source: "notes", Targets: []string{"A.md", "B.md"}}}
		s.Sessions = s.Sessions[1:]
		l.hub.Set(s)
		l.listen()
		if got, want := l.since(), "Mended: "; !strings.Contains(got, want) || !strings.Contains(got, "codex asks to write in notes: A.md, B.md.") ||
			!strings.Contains(got, "Source notes is ready.") || !strings.Contains(got, "claude-code has left.") {
			t.Errorf("the picture changed, heard:\n%s", got)
		}
		s.Seq, s.Hub.Calls = 3, 99_999
		l.hub.Set(s)
		l.listen()
		if got := l.since(); got != "" {
			t.Errorf("a count is no news: %s", got)
		}
		l.key("?")
		if got := l.since(); !strings.Contains(got, "Everywhere") {
			t.Errorf("help says:\n%s", got)
		}
		l.key("esc")
		if got := l.since(); got != "Back in Sources." {
			t.Errorf("after help: %s", got)
		}
	})
}

// Nothing that is heard draws or obeys: no escape sequence, no border.
func TestSpeakerIsPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := crowded()
		for i, p := range payloads {
			s.Sources[i%len(s.Sources)].Note += p
			s.Problems[0].Title += p
			s.Sessions[0].Client += p
		}
		l := newListener(t, s)
		for range len(l.s.m.tabs) {
			l.key("tab")
		}
		s.Seq, s.Problems, s.Sessions = 2, nil, nil
		l.hub.Set(s)
		l.listen()
		said := l.since()
		if strings.ContainsAny(said, "\x1b╭│╯") {
			t.Errorf("heard %q", said)
		}
		checkHarmless(t, "speaker", said, "")
	})
}
