package tui

import (
	"errors"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

func TestToolsAreShownForEachSourceAndClient(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Tools")
		r.shows("Tools 4", "about 448 tokens", "▸ search_pages", "One literal phrase", "limit · integer")
		r.press("j")
		r.shows("▸ delete_page", "path * · string")
		r.press("p", "p", "right")
		r.shows("Tools 4 of notes for claude-code")
		r.press("left")
		if d := cmp.Diff([]string{"/", "welcome/", "notes/", "notes/claude-code"}, r.queries.asked[:4]); d != "" {
			t.Error(d)
		}
		r.press("/", "finds pages", "enter")
		r.shows("▸ search_pages", "1 of 4")
		r.hides("delete_page")
		r.queries.fail(errors.New("the hub is of another mind"))
		r.press("R")
		r.shows("Cannot load the tools: the hub is of another mind")
	})
}

func TestToolIsRunByHand(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Tools", "x")
		r.shows("Run search_pages", "query *", "text to find as it stands")
		r.press("a plan", "tab", "x", "enter")
		r.shows("✗ limit must be a whole number.")
		if len(r.queries.ran) > 0 {
			t.Errorf("ran %q", r.queries.ran)
		}
		r.press("backspace", "7", "tab", "0.50", "tab", "right", "tab", "right", "right", "tab", "a, b", "tab", `{"x":1}`, "tab", "right", "enter")
		want := []string{`welcome search_pages {"fuzzy":true,"limit":7,"query":"a plan","ratio":0.5,"sort":"path","tags":["a","b"],"where":{"x":1}}`}
		if d := cmp.Diff(want, r.queries.ran); d != "" {
			t.Error(d)
		}
		r.shows("Result", `context: a <b> & ␛[31m`)
		r.press("pgdown")
		r.shows("total: 1")
		r.press("ctrl+y")
		if len(r.copied) != 1 || !strings.Contains(r.copied[0], `"path": "Projects/会議.md"`) {
			t.Errorf("copied %q", r.copied)
		}
		r.press("ctrl+n")
		r.shows("architecture diagram", "20")
		r.queries.fail(errors.New("search_pages: not_found: there is none"))
		r.press("enter")
		r.shows("▲ search_pages: not_found: there is none")
	})
}

// TestToolThatWritesIsRunTwice: once to be told, once to be run.
func TestToolThatWritesIsRunTwice(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Tools", "j", "x", "enter")
		r.shows("This changes notes (delete). Press enter again to run it.")
		r.press("q", "backspace") // an edit: it has to be asked for again
		r.hides("Enter again")
		r.send(tea.PasteMsg{Content: "Old\n"})
		r.press("enter")
		if len(r.queries.ran) > 0 {
			t.Errorf("ran %q", r.queries.ran)
		}
		r.press("enter")
		if d := cmp.Diff([]string{`notes delete_page {"path":"Old"}`}, r.queries.ran); d != "" {
			t.Error(d)
		}
		r.press("esc", "G", "x")
		r.shows("Cannot run this tool: read schema")
	})
}

// TestToolOfSeveralSystems: what is published with the System's name before it
// is called by its own.
func TestToolOfSeveralSystems(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.queries.tools[2].Name = "logseq_ping"
		r.press("@Sources/notes", "x")
		r.shows("Tools 4 of notes")
		r.press("G", "k", "x", "enter")
		if d := cmp.Diff([]string{"会議-日本語 ping {}"}, r.queries.ran); d != "" {
			t.Error(d)
		}
		r.shows("Result")
		r.press("esc", "@Sources/notes", "O")
		r.shows("in notes")
	})
}

func TestDoctor(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Doctor")
		r.shows("2 fail · 1 warn · 1 skipped · 1 ok", "● ok", "The hub runs", "pid 4242")
		r.press("1", "@Doctor")
		if n := len(r.queries.asked); n != 1 {
			t.Errorf("looked %d times", n)
		}
		r.press("enter") // what is wrong stands first
		r.shows("This needs a manual fix. Stop that program")
		r.press("j", "enter")
		r.did(status.Action{Verb: status.ReopenSource, Target: "notes"})
		r.queries.checks[2].Result, r.queries.checks[2].Action = status.CheckOK, nil
		r.press("x")
		r.shows("1 fail · 1 warn · 1 skipped · 2 ok")
		r.press("enter")
		r.shows("This check passed; there is nothing to fix.")
		r.press("c")
		if len(r.copied) != 1 || !strings.Contains(r.copied[0], "fail     The hub's port is free (hub.port)\n         port 12740 is taken") {
			t.Errorf("copied %q", r.copied)
		}
		r.queries.checks = r.queries.checks[:2]
		r.press("R")
		r.shows("1 fail · 1 ok")
		if d := cmp.Diff([]string{"", "source.notes", "source.notes", ""}, r.queries.asked); d != "" {
			t.Error(d)
		}
	})
}

func TestSettingIsEdited(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Settings", "/", "hub.", "enter")
		r.shows("hub.port", "● hub.idle")
		r.press("j")
		r.shows("How long the hub stays", "line 7", "30m")
		r.hub.SetErr(errors.New("set hub.idle: 5 is no duration; write 5m"))
		r.press("enter", "backspace", "backspace", "5", "enter")
		r.shows("✗ cannot set hub.idle: set hub.idle: 5 is no duration; write 5m")
		r.hub.SetErr(nil)
		r.hub.SetPlan(status.Plan{Title: "Set hub.idle", Steps: []status.Step{{Description: "edit config.toml", Diff: "-idle = \"2h\"\n+idle = \"5m\"\n"}}})
		r.press("m", "enter")
		r.shows("Set hub.idle?", "+idle = \"5m\"")
		r.queries.settings[1].Value = "5m"
		r.confirm()
		r.hides("▸ new")
		r.shows("● hub.idle", "5m")
		r.press("d")
		r.confirm()
		r.did(option("hub.idle", "5m"), option("hub.idle", ""))
		r.press("g", "d")
		r.shows("Already at the default.")
	})
}

func option(key, value string) status.Action {
	return status.Action{Verb: status.SetOption, Target: key, Option: &status.Option{Key: key, Value: value}}
}

func TestSettingWithChoices(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.press("@Settings", "j", "j", "enter")
		r.shows("‹ ask ›")
		r.press("right", "enter")
		r.confirm()
		r.did(option("policy.default", "deny"))
	})
}

func TestSettingsDo(t *testing.T) {
	runPanel(t, lively(), func(r *testPanel) {
		r.press("@Settings")
		for _, search := range []string{"rotate the token of the clients", "keep the hub", "roll back"} {
			r.press("/", search, "enter", "enter")
			r.wait(keyIgnoreDuration)
			r.press("y", "esc", "esc")
		}
		r.did(
			status.Action{Verb: status.RotateToken, Target: "clients"}, status.Action{Verb: status.PinHub}, status.Action{Verb: status.RollBack},
		)
	})
}
