package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// noon is when every test begins.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A testPanel runs a Model against a fake hub, in a bubble of synctest, so that what
// is to come has come when a method returns.
type testPanel struct {
	t        *testing.T
	m        Model
	s        *ScreenReader // nil: m draws; else it speaks for s.m
	hub      *statustest.Fake
	queries  *fakeQueries
	messages chan tea.Msg
	seen     int // messages so far
	ended    bool
	copied   []string
	saved    map[string]string
	edited   []string // what the person's editor was given
	cannot   error    // what Copy and Save answer

	editedFiles []string // of pages, that the editor was given
}

func newTestPanel(t *testing.T, snap status.Snapshot, w, h int) *testPanel {
	t.Helper()
	return newTestPanelWith(t, snap, newFakeQueries(), w, h)
}

func newTestPanelWith(t *testing.T, snap status.Snapshot, c *fakeQueries, w, h int) *testPanel {
	t.Helper()
	r, conf := newStoppedPanel(t, snap, c)
	r.m = New(conf)
	r.start(w, h)
	return r
}

// newStoppedPanel is a testPanel that does not run yet, and what its panel needs.
func newStoppedPanel(t *testing.T, snap status.Snapshot, c *fakeQueries) (*testPanel, Config) {
	t.Helper()
	start := time.Now()
	r := &testPanel{t: t, hub: &statustest.Fake{}, queries: c, messages: make(chan tea.Msg, 1000), saved: map[string]string{}}
	r.hub.Set(snap)
	return r, Config{
		Client: c.client(r.hub), Version: "0.1.0",
		Now: func() time.Time { return noon.Add(time.Since(start)) },
		Copy: func(text string) (string, error) {
			r.copied = append(r.copied, text)
			return "copied with pigeon", r.cannot
		},
		Edit: func(_, text string, done func(string, error) tea.Msg) tea.Cmd {
			return func() tea.Msg { return done(text, r.cannot) }
		},
		Save: func(name, text string) (string, error) {
			r.saved[name] = text
			return "/tmp/" + name, r.cannot
		},
		Token: func(of string) (string, error) { return "lectern_" + of + "-hunter2", r.cannot },
		CopyToken: func(of string) (string, error) {
			r.copied = append(r.copied, "token of "+of)
			return "copied with pigeon", r.cannot
		},
		EditFile: func(file string, done func(error) tea.Msg) tea.Cmd {
			r.editedFiles = append(r.editedFiles, file)
			return func() tea.Msg { return done(r.cannot) }
		},
		Export: func(context.Context) (string, int, error) { return "/tmp/log.txt", 104221, r.cannot },
	}
}

// start starts the panel.
func (r *testPanel) start(w, h int) {
	r.t.Helper()
	r.t.Cleanup(func() {
		r.m.fx.cancel()
		time.Sleep(time.Minute) // for the ticks that are on their way
	})
	begin := r.m.Init
	if r.s != nil {
		begin = r.s.Init
	}
	r.run(begin())
	r.send(tea.WindowSizeMsg{Width: w, Height: h})
}

func (r *testPanel) run(cmd tea.Cmd) {
	if cmd != nil {
		go func() { r.messages <- cmd() }()
	}
}

// settle delivers messages until none is left.
func (r *testPanel) settle() {
	r.t.Helper()
	for synctest.Wait(); len(r.messages) > 0; synctest.Wait() {
		switch msg := (<-r.messages).(type) {
		case tea.BatchMsg:
			for _, cmd := range msg {
				r.run(cmd)
			}
		case tea.QuitMsg:
			r.ended = true
		default:
			r.seen++
			r.update(msg)
		}
	}
}

func (r *testPanel) update(msg tea.Msg) {
	if r.s != nil {
		next, cmd := r.s.Update(msg)
		*r.s = next.(ScreenReader)
		r.m = r.s.m
		r.run(cmd)
		return
	}
	next, cmd := r.m.Update(msg)
	r.m = next.(Model)
	r.run(cmd)
}

func (r *testPanel) send(msg tea.Msg) {
	r.t.Helper()
	r.update(msg)
	r.settle()
}

// wait lets time pass.
func (r *testPanel) wait(d time.Duration) {
	r.t.Helper()
	time.Sleep(d) // the bubble's time
	r.settle()
}

// press presses keys by name; a name of more than one letter that no key has is
// typed letter by letter. @Logs is the key that turns to the tab of that name, and
// @Sources/notes selects a row there, too.
func (r *testPanel) press(keys ...string) {
	r.t.Helper()
	special := map[string]tea.Key{
		"tab": {Code: tea.KeyTab}, "shift+tab": {Code: tea.KeyTab, Mod: tea.ModShift}, "enter": {Code: tea.KeyEnter},
		"esc": {Code: tea.KeyEscape}, "up": {Code: tea.KeyUp}, "down": {Code: tea.KeyDown}, "left": {Code: tea.KeyLeft},
		"right": {Code: tea.KeyRight}, "pgup": {Code: tea.KeyPgUp}, "pgdown": {Code: tea.KeyPgDown},
		"backspace": {Code: tea.KeyBackspace}, "space": {Code: tea.KeySpace, Text: " "},
		"ctrl+c": {Code: 'c', Mod: tea.ModCtrl}, "ctrl+n": {Code: 'n', Mod: tea.ModCtrl}, "ctrl+y": {Code: 'y', Mod: tea.ModCtrl}, "ctrl+l": {Code: 'l', Mod: tea.ModCtrl}, "ctrl+p": {Code: 'p', Mod: tea.ModCtrl}, "ctrl+s": {Code: 's', Mod: tea.ModCtrl},
	}
	for _, name := range keys {
		if tab, ok := strings.CutPrefix(name, "@"); ok {
			tab, row, _ := strings.Cut(tab, "/")
			if name = r.number(tab); row != "" {
				r.m.tabs = r.m.tabs.showPane(pane.OpenPane{Pane: tab, Focus: row})
				if r.s != nil {
					r.s.m.tabs = r.m.tabs
				}
			}
		}
		if k, ok := special[name]; ok {
			r.send(tea.KeyPressMsg(k))
			continue
		}
		for _, c := range name {
			r.send(tea.KeyPressMsg{Code: c, Text: string(c)})
		}
	}
}

// number is the key of the tab with this name.
func (r *testPanel) number(name string) string {
	r.t.Helper()
	for i, t := range r.m.tabs.all {
		if t.Name == name {
			return strconv.Itoa(i + 1)
		}
	}
	r.t.Fatalf("there is no tab %q", name)
	return ""
}

// confirm answers an overlay after the time in which it is deaf, with yes.
func (r *testPanel) confirm() {
	r.t.Helper()
	r.wait(keyIgnoreDuration)
	r.press("y")
}

func (r *testPanel) screen() string { return ansi.Strip(r.m.View().Content) }

func (r *testPanel) shows(want ...string) {
	r.t.Helper()
	for _, w := range want {
		if !strings.Contains(r.screen(), w) {
			r.t.Errorf("the screen does not show %q:\n%s", w, r.screen())
		}
	}
}

func (r *testPanel) hides(unwanted string) {
	r.t.Helper()
	if strings.Contains(r.screen(), unwanted) {
		r.t.Errorf("the screen shows %q:\n%s", unwanted, r.screen())
	}
}

func (r *testPanel) did(want ...status.Action) {
	r.t.Helper()
	if d := cmp.Diff(want, r.hub.Actions()); d != "" {
		r.t.Errorf("did (-want +got):\n%s", d)
	}
}

// golden compares got with a file in testdata. UPDATE=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") == "1" {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(got), 0o644)); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\nUPDATE=1 go test ./tui/ writes it", err)
	}
	if d := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); d != "" {
		t.Errorf("%s (-want +got); UPDATE=1 go test ./tui/ rewrites it:\n%s", file, d)
	}
}
