package tui

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// panel runs a test on an 80 by 24 panel over a hub that shows snap.
func panel(t *testing.T, snap status.Snapshot, test func(r *testPanel)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(newTestPanel(t, snap, 80, 24)) })
}

func TestFirstScreenShowsAHubASourceAndASnippet(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.shows("● ready", "welcome", "127.0.0.1:12740/mcp", "claude mcp add lectern -- lectern serve")
	})
}

// TestOpeningStartsTheHub: once. What a person stopped later stays stopped.
func TestOpeningStartsTheHub(t *testing.T) {
	none := fresh()
	none.Hub.State = status.Stopped
	panel(t, none, func(r *testPanel) {
		start := status.Action{Verb: status.StartHub}
		r.did(start)
		r.hub.Set(fresh())
		r.settle()
		r.shows("● ready")
		none.Seq = 9
		r.hub.Set(none)
		r.settle()
		r.shows("The hub is not running. Press s to start it.")
		r.did(start)
		r.press("s")
		r.did(start, start)
	})
}

func TestKeysTurnToPanes(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		for _, step := range []struct{ key, shows string }{
			{"tab", "agents can"},
			{"@Changes", "No changes yet"},
			{"@Clients", "Connected agents 3"},
			{"@Logs", "The log is empty."},
			{"tab", "Doctor"},
			{"shift+tab", "The log is empty."},
			{"2", "agents can"},
			{"1", "Problems 2"},
		} {
			r.press(step.key)
			r.shows(step.shows)
		}
	})
}

func TestHelpFindsKeys(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.press("?")
		r.shows("Everywhere", "pause the writes of all agents, or end that")
		r.press("wrap")
		r.shows("wrap long lines")
		r.hides("Everywhere")
		r.press("x")
		r.shows("No matching key.")
		r.press("esc")
		r.hides("No matching key.")
	})
}

// TestHelpIsComplete fails when a key is added to the map and to no group.
func TestHelpIsComplete(t *testing.T) {
	k := DefaultKeyMap()
	listed := map[string]bool{}
	for _, g := range k.groups() {
		for _, b := range g.Keys {
			listed[b.Help().Key] = true
		}
	}
	for _, v := range []reflect.Value{reflect.ValueOf(k), reflect.ValueOf(k.Pane)} {
		for i := range v.NumField() {
			if b, ok := reflect.TypeAssert[key.Binding](v.Field(i)); ok && !listed[b.Help().Key] {
				t.Errorf("%s (%s) is in no group of the help", v.Type().Field(i).Name, b.Help().Key)
			}
		}
	}
}

func TestCopySaysHow(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.press("l", "c")
		r.shows("the snippet for Codex: copied with pigeon")
		if d := cmp.Diff([]string{fresh().Snippets[1].Text}, r.copied); d != "" {
			t.Error(d)
		}
		r.press("l")
		r.hides("pigeon")
		r.cannot = errors.New("no pigeon is at home")
		r.press("c")
		r.shows("✗ cannot copy the snippet for Cursor: no pigeon is at home")
	})
}

func TestExport(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.press("@Logs", "E")
		r.shows("exported the whole log (104,221 lines) to /tmp/log.txt")
		r.cannot = errors.New("export log: no space left on device")
		r.press("E")
		r.shows("✗ cannot export the log: export log: no space left on device")
	})
}

func TestAddSource(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		want := status.Action{Verb: status.AddSource, Source: &status.NewSource{Name: "my-notes", Location: "/srv/notes q", ReadOnly: true}}
		r.hub.SetPlan(status.Plan{Title: "Add source my-notes", Steps: []status.Step{{Description: "edit config.toml", Diff: "+[[source]]"}}})
		r.press("2", "a", "enter")
		r.shows("Enter the folder to open.")
		r.press("notes", "enter")
		r.shows("Enter an absolute path")
		for range len("notes") {
			r.press("backspace")
		}
		r.press("/srv/")
		r.send(tea.PasteMsg{Content: "notes q\n"})
		r.press("down", "My", "enter") // a tab completes the path
		r.shows("A name can contain only a-z, 0-9 and -.")
		r.press("backspace", "backspace", "my-notes", "tab", "space", "enter")
		r.shows("Add source my-notes?", "+[[source]]")
		r.did()
		r.confirm()
		r.press("y", "y") // a key that is held down is not typed into the form
		r.did(want)
		r.shows("done: add /srv/notes q")
		if d := cmp.Diff([]status.Action{want}, r.hub.Previewed()); d != "" {
			t.Error(d)
		}
		more := crowded()
		more.Seq, more.Sources = 0, more.Sources[1:2] // the sample gives way
		r.hub.Set(more)
		r.settle()
		r.hides("Add a source")
	})
}

// The form is made from the keys of the chosen kind.
func TestAddSourceOfAKind(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.press("2", "a", "up")
		r.shows("kind       ‹ detected ›", "folder")
		r.press("right", "right")
		r.shows("‹ Logseq ›", "graph", "A graph that is open in Logseq.")
		r.hides("folder     /home")
		r.press("tab", "Work", "enter")
		r.confirm()
		r.did(status.Action{Verb: status.AddSource, Source: &status.NewSource{Kind: "logseq", Keys: map[string]string{"graph": "Work"}}})
	})
}

// A secret is a reference, and what is required is asked for by its name.
func TestAddSourceWithASecret(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.press("2", "a", "up", "left", "enter")
		r.shows("✗ Enter url: where the server is.")
		r.press("http://x", "tab", "hunter2", "enter")
		r.shows("✗ Enter env:NAME or file:PATH, and not the secret itself.")
		r.did()
		erase := func(text string) {
			for range text {
				r.press("backspace")
			}
		}
		erase("hunter2")
		r.press("file:key", "enter")
		r.shows("✗ Enter an absolute path")
		erase("file:key")
		r.press("env:CARDS_KEY", "tab", "space", "enter")
		r.confirm()
		r.did(status.Action{Verb: status.AddSource, Source: &status.NewSource{
			Kind: "cards", Keys: map[string]string{"url": "http://x", "key": "env:CARDS_KEY", "watch": "true"},
		}})
	})
}

// A hub that knows no kinds, such as an older one, still opens folders.
func TestAddSourceWithoutKinds(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.queries.fail(errors.New("unknown query"))
		r.press("2", "a", "up", "right")
		r.shows("‹ detected ›")
		r.press("tab", "/srv/notes", "enter")
		r.confirm()
		r.did(status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: "/srv/notes"}})
	})
}

func TestFormKeepsWhatWasTyped(t *testing.T) {
	panel(t, fresh(), func(r *testPanel) {
		r.press("2", "a", "/srv/notes", "esc")
		r.hides("/srv/notes")
		r.press("a")
		r.shows("/srv/notes")
	})
}

func TestRemoveAsksFirst(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.hub.SetPlan(removal())
		r.press("@Sources/notes", "d")
		r.shows("Remove source notes?", "-name = \"notes\"", "▲ 3 agents are connected")
		r.press("y") // meant for what was there before
		r.shows("Remove source notes?")
		r.wait(keyIgnoreDuration)
		r.press("n")
		r.hides("Remove source notes?")
		r.did()
		r.press("d")
		r.confirm()
		r.did(status.Action{Verb: status.RemoveSource, Target: "notes"})
	})
}

func TestMendingAProblem(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.shows("enter reopen notes")
		r.press("enter")
		r.did(status.Action{Verb: status.ReopenSource, Target: "notes"})
		r.press("j", "enter")
		r.shows("This needs a manual fix. Stop that program")
		r.did(status.Action{Verb: status.ReopenSource, Target: "notes"})
	})
}

func TestWhatFailsIsSaidUntilDismissed(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.hub.SetErr(errors.New("open vault: no such directory"))
		r.press("@Sources/welcome", "r")
		r.shows("✗ cannot reopen welcome: open vault: no such directory")
		r.press("j")
		r.shows("✗ cannot reopen welcome")
		r.press("esc")
		r.hides("cannot")
		r.press("@Sources/notes", "d")
		r.shows("✗ cannot remove notes: open vault: no such directory")
	})
}

func TestLogs(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.log()
		r.press("@Logs")
		r.shows("following", "hub started", "48 of 60 lines")
		r.hides("debug")
		r.press("/", "VAULT")
		r.shows("The filter hides all 60 lines: esc clears “VAULT”, v changes the level.")
		r.press("esc", "/", "vault", "enter")
		r.shows("open vault", "12 of 60 lines")
		r.hides("hub started")
		r.press("esc", "v", "v")
		r.shows("error and up", "open vault")
		r.press("v", "p")
		r.shows("all levels", "component hub", "hub started")
		r.hides("open vault")
		r.press("@Sources/notes", "o")
		r.shows("component notes", "open vault")
		r.press("c")
		if len(r.copied) != 1 || !strings.Contains(r.copied[0], "2026-11-21T12:00:08Z error notes open vault: no such directory") {
			t.Errorf("copied %q", r.copied)
		}
	})
}

func TestLogsStayWherePaused(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		for i := range 60 {
			r.hub.AddLine(status.Line{Component: "hub", Text: "line number " + string(rune('A'+i%26)) + strings.Repeat("i", i)})
		}
		r.wait(2 * batchWindow)
		r.press("@Logs", "pgup")
		lines := func() []string { // without the scroll bar
			return strings.Split(strings.NewReplacer("▐", "", "▕", "").Replace(r.screen()), "\n")[2:]
		}
		before := lines()
		r.log()
		r.shows("paused")
		if d := cmp.Diff(before, lines()); d != "" {
			t.Errorf("the view moved:\n%s", d)
		}
		r.press("G")
		r.shows("following", "open vault")
	})
}

func TestTypedKeysAreText(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.press("@Logs", "/", "qQ?12s")
		r.shows("qQ?12s")
		r.did()
		if r.ended {
			t.Error("a q in a filter ended the panel")
		}
	})
}

func TestLostHub(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.hub.SetErr(errors.New("connection refused"))
		r.hub.End()
		r.settle()
		r.shows("not responding", "The hub is not responding, reconnecting. Press s to start it. (connection", "refused)")
		r.hides("claude-code 2.0.1")
		r.press("@Clients", "s") // sorts with a hub, starts one without
		r.did(status.Action{Verb: status.StartHub})
		r.press("esc")
		r.hub.SetErr(nil)
		r.wait(5 * time.Second)
		r.hides("does not answer")
		r.shows("claude-code 2.0.1")
	})
}

// TestLostHubIsTriedEverSlower counts attempts: many at first, then few.
func TestLostHubIsTriedEverSlower(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.hub.SetErr(errors.New("connection refused"))
		r.hub.End()
		r.settle()
		r.seen = 0
		r.wait(time.Minute)
		if r.seen > 60 {
			t.Errorf("%d messages in a minute without a hub", r.seen)
		}
	})
}

// TestLogGoesOnAfterALoss: the lines of before stay, none comes twice.
func TestLogGoesOnAfterALoss(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.hub.AddLine(status.Line{Text: "before"})
		r.wait(time.Second)
		r.hub.End()
		r.wait(2 * time.Second)
		r.hub.AddLine(status.Line{Text: "after"})
		r.wait(time.Second)
		r.press("@Logs")
		r.shows("before", "after", "2 lines")
	})
}

func TestStopAndRestartAskFirst(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.press("r")
		r.shows("restart the hub?")
		r.confirm()
		r.press("Q")
		r.shows("stop the hub?")
		r.confirm()
		r.did(status.Action{Verb: status.RestartHub}, status.Action{Verb: status.StopHub})
		if !strings.HasPrefix(r.m.ExitMessage(), "The hub is stopped.") {
			t.Errorf("farewell: %s", r.m.ExitMessage())
		}
	})
}

func TestQuitLeavesTheHub(t *testing.T) {
	for _, k := range []string{"q", "ctrl+c"} {
		panel(t, crowded(), func(r *testPanel) {
			r.press(k)
			if !r.ended {
				t.Errorf("%s does not end the panel", k)
			}
			r.did()
			if want := "The hub keeps running: 4 sources, 3 agents.\nRun `lectern` to see it again, `lectern hub stop` to stop it."; r.m.ExitMessage() != want {
				t.Errorf("farewell: %s", r.m.ExitMessage())
			}
		})
	}
}

// TestIdleIsStill: with nothing new, no message comes and the screen stays.
func TestIdleIsStill(t *testing.T) {
	runPanel(t, nothingWaits(lively()), func(r *testPanel) {
		r.log()
		r.wait(time.Second)
		for _, tab := range r.m.tabs.all {
			r.press("@" + tab.Name)
			before := r.m.View()
			r.seen = 0
			r.wait(time.Hour)
			if r.seen != 0 {
				t.Errorf("%d messages in an idle hour", r.seen)
			}
			if d := cmp.Diff(before.Content, r.m.View().Content); d != "" {
				t.Errorf("tab %s changed by itself:\n%s", tab.Name, d)
			}
		}
	})
}

func TestUpdateLeavesTheOldModelAlone(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		old := r.m
		before := old.View().Content
		r.press("@Sources/notes", "?", "esc", "1", "j", "l")
		if d := cmp.Diff(before, old.View().Content); d != "" {
			t.Error(d)
		}
	})
}

func TestPressDuringHelpIsNotThePanes(t *testing.T) {
	panel(t, crowded(), func(r *testPanel) {
		r.press("2", "?", "d", "r", "q", "esc")
		r.did()
		if r.ended || len(r.hub.Previewed()) > 0 {
			t.Error("a key typed into the help did something")
		}
		if r.m.tabs.visibleTab().Name != pane.SourcesPane {
			t.Error("the pane changed")
		}
	})
}
