package tui

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/lectern-mcp/lectern/status"
)

// A heardPanel hears a ScreenReader over a fake hub.
type heardPanel struct {
	*testPanel
	heard []string
}

func newHeardPanel(t *testing.T, snap status.Snapshot) *heardPanel {
	t.Helper()
	r, conf := newStoppedPanel(t, snap, filledQueries())
	l := &heardPanel{testPanel: r}
	s := NewScreenReader(conf, func(line string) { l.heard = append(l.heard, line) })
	r.s, r.m = &s, s.m
	r.start(80, 24)
	return l
}

// since returns what was heard since it was last asked.
func (l *heardPanel) since() string {
	said := strings.Join(l.heard, "\n")
	l.heard = nil
	return said
}

func TestScreenReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newHeardPanel(t, crowded())
		l.press("2", "down")
		l.since()
		l.press("up") // what does not work stands first
		if got := l.since(); strings.Count(got, "\n") > 12 || !strings.Contains(got, selectedPrefix+"notes") {
			t.Errorf("another row is selected:\n%s", got)
		}
		s := crowded()
		s.Seq, s.Sources[1].State = 2, status.Ready
		s.Problems = s.Problems[1:]
		s.Approvals = []status.Approval{{ID: "7", Client: "codex", Effect: "write", Source: "notes", Targets: []string{"A.md", "B.md"}}}
		s.Sessions = s.Sessions[1:]
		l.hub.Set(s)
		l.settle()
		if got, want := l.since(), "Fixed: "; !strings.Contains(got, want) || !strings.Contains(got, "\"codex\" (claimed) needs approval to write in notes: A.md, B.md.") ||
			!strings.Contains(got, "Source notes is ready.") || !strings.Contains(got, "claude-code disconnected.") {
			t.Errorf("the picture changed, heard:\n%s", got)
		}
		s.Seq, s.Hub.Calls = 3, 99_999
		l.hub.Set(s)
		l.settle()
		if got := l.since(); got != "" {
			t.Errorf("a count is no news: %s", got)
		}
		l.press("?")
		if got := l.since(); !strings.Contains(got, "Everywhere") {
			t.Errorf("help says:\n%s", got)
		}
		l.press("esc")
		if got := l.since(); !strings.HasPrefix(got, "Back in Sources.\nSelected: notes") {
			t.Errorf("after help: %s", got)
		}
	})
}

// An agent is said to be there when it has a name, and what never had one is
// not said at all.
func TestAgentsAreSpokenOfByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newHeardPanel(t, fresh())
		l.since()
		hears := func(want string, sessions ...status.Session) {
			t.Helper()
			s := fresh()
			s.Seq, s.Sessions = 0, sessions
			l.hub.Set(s)
			l.settle()
			if got := l.since(); got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		}
		of := func(name, client string) status.Session {
			return status.Session{Component: status.Component{Name: name}, Client: client}
		}
		hears("", of("1", ""), of("2", ""))
		hears("codex is connected.", of("1", ""), of("2", "codex"))
		hears("", of("2", "codex"))
		hears("codex disconnected.")
	})
}

// Nothing that is heard draws or obeys: no escape sequence, no border.
func TestScreenReaderIsPlain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := crowded()
		for i, p := range payloads {
			s.Sources[i%len(s.Sources)].Note += p
			s.Problems[0].Title += p
			s.Sessions[0].Client += p
		}
		l := newHeardPanel(t, s)
		for range len(l.m.tabs.all) {
			l.press("tab")
		}
		s.Seq, s.Problems, s.Sessions = 2, nil, nil
		l.hub.Set(s)
		l.settle()
		said := l.since()
		if strings.ContainsAny(said, "\x1b╭│╯") {
			t.Errorf("heard %q", said)
		}
		checkHarmless(t, "screen reader", said, "")
	})
}

// TestSpokenPanes pins what is heard on the way to every pane and overlay, and
// that no way there is silent.
func TestSpokenPanes(t *testing.T) {
	for _, c := range screens {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newHeardPanel(t, c.snap())
				l.log()
				if !strings.HasPrefix(c.name, "overview") && c.name != "asked" && c.name != "wizard" {
					l.since() // every way leads from the overview
				}
				c.goTo(l.testPanel)
				said := l.since()
				golden(t, "spoken-"+c.name+".txt", said+"\n")
				if strings.ContainsAny(said, "\x1b╭│╯─●▸") {
					t.Errorf("heard %q", said)
				}
			})
		})
	}
}

// TestScreenReaderSaysWhenNothingHappens: a key that leads to nothing is answered.
func TestScreenReaderSaysWhenNothingHappens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newHeardPanel(t, crowded())
		l.press("2", "up")
		l.since()
		l.press("up")
		if got := l.since(); got != "Nothing changed." {
			t.Errorf("up at the top: %q", got)
		}
		l.press("a", "/srv")
		l.since()
		l.press("backspace")
		if got := l.since(); got != "Typing: folder /sr" {
			t.Errorf("a letter is taken away: %q", got)
		}
		l.press("esc")
		if got := l.since(); !strings.HasPrefix(got, "Back in Sources.\nSelected: notes") {
			t.Errorf("the form is closed: %q", got)
		}
	})
}

// TestScreenReaderDoesNotStream: calls and lines of the log that come are not said,
// in whichever pane; the number of the pane reads what there is.
func TestScreenReaderDoesNotStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newHeardPanel(t, crowded())
		l.wait(2 * batchWindow)
		for _, tab := range []string{"Overview", "Activity", "Logs"} {
			l.press("@" + tab)
			l.since()
			l.queries.calls <- status.Call{Seq: 901, Time: noon, Tool: "write_page", Client: "codex", Source: "notes"}
			l.log()
			l.wait(2 * batchWindow)
			if got := l.since(); got != "" {
				t.Errorf("in %s it is heard by itself: %q", tab, got)
			}
		}
		l.press("@Activity", "@Activity")
		if got := l.since(); !strings.Contains(got, "write_page") {
			t.Errorf("the pane is read again: %q", got)
		}
	})
}

// TestScreenReaderBeginsWithWhatWaits: whatever pane the panel before was left in.
func TestScreenReaderBeginsWithWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, conf := newStoppedPanel(t, lively(), filledQueries())
		conf.Memory = []byte(`{"tab":"Logs"}`)
		l := &heardPanel{testPanel: r}
		s := NewScreenReader(conf, func(line string) { l.heard = append(l.heard, line) })
		r.s, r.m = &s, s.m
		r.start(80, 24)
		got := strings.Split(l.since(), "\n")
		if len(got) < 5 || !strings.HasPrefix(got[1], "2 calls wait for you. 2 problems.") || !strings.Contains(got[2], "needs approval to delete") || !strings.HasPrefix(got[4], "error: ") {
			t.Errorf("heard at first:\n%s", strings.Join(got, "\n"))
		}
	})
}

// TestScreenReaderAnnouncesWhatOpens: what opens by itself is said with its keys.
func TestScreenReaderAnnouncesWhatOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newHeardPanel(t, newcomer())
		if got := l.since(); !strings.Contains(got, "Which notes can agents use?") || !strings.Contains(got, "Keys: space: select;") {
			t.Errorf("heard %q", got)
		}
	})
}
