package tui

import (
	"encoding/json"
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// payloads change a terminal, or what a person believes to read, when they are
// written as they are.
var payloads = []string{
	"\x1b[2J", "\x1b[?1049l", "\x1b[?1003h", "\x1b[8mx\x1b[0m", "\x1b[31mred", "\x1b]0;owned\x07", "\x1b]52;c;ZXZpbA==\x07",
	"\x1b]8;;https://evil.example\x1b\\ok", "\x1bP+q544e\x1b\\", "\x1b_Gf=24;AA\x1b\\", "\x1bc", "\x1b", "\u009b31m", "\u009d0;x\u009c", "\u0085",
	"\x9b31m", "\a\b\v\f\r", "a\nb\tc", "\x00\x0e\x0f\x7f", "photo\u202egnp.exe", "\u2066a\u2069", "pay\u200bpal\u200d\ufeff", "\U000e0069",
	"a\u2028b", "\ue000", "\xc3\x28\xff", "\u3164",
}

// sgr is what the panel itself writes: colours and weights.
var sgr = regexp.MustCompile(`\x1b\[[0-9;]*m`)

func checkHarmless(t *testing.T, where, content, harmless string) {
	t.Helper()
	rest := sgr.ReplaceAllString(content, "")
	bad := strings.IndexFunc(rest, func(r rune) bool {
		return r != '\n' && (r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x202e || r == 0x2066 || r == 0x2069 ||
			r == 0x200b || r == 0x200d || r == 0xfeff || r == 0xe0069 || r == 0x2028 || r == 0xe000 || r == 0x3164)
	})
	if !utf8.ValidString(rest) {
		t.Errorf("%s: bytes that are not UTF-8 reach the terminal", where)
	}
	if bad >= 0 {
		t.Errorf("%s: %q reaches the terminal", where, rest[max(0, bad-20):min(len(rest), bad+20)])
	}
	own := sgr.FindAllString(harmless, -1)
	for _, seq := range sgr.FindAllString(content, -1) {
		if !slices.Contains(own, seq) {
			t.Errorf("%s: %q is not on the screen with harmless text", where, seq)
		}
	}
}

// fill sets every free string in v, and the closed ones when all is true.
func fill(v reflect.Value, text string, all bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), text, all)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for _, field := range v.Fields() {
			fill(field, text, all)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), text, all)
		}
	case reflect.String:
		if all || v.Type() == reflect.TypeFor[string]() {
			v.SetString(text)
		}
	default:
	}
}

// fill sets the texts of all that c knows.
func (c *fakeQueries) fill(text string, all bool) {
	for i := range c.changes {
		fill(reflect.ValueOf(&c.changes[i]).Elem(), text, all)
		c.diffs[text] = text
	}
	fill(reflect.ValueOf(&c.tools).Elem(), text, all)
	fill(reflect.ValueOf(&c.checks).Elem(), text, all)
	fill(reflect.ValueOf(&c.settings).Elem(), text, all)
	fill(reflect.ValueOf(&c.pages.pages).Elem(), text, all)
	fill(reflect.ValueOf(&c.pages.found.Hits).Elem(), text, all)
	c.pages.found.Tool, c.pages.found.Args, c.pages.page = text, json.RawMessage(text), hostilePage(text)
}

// hostilePage has text wherever Markdown has a place for some.
func hostilePage(text string) status.PageText {
	return status.PageText{MIME: "text/markdown", Size: 9, Text: "# " + text + "\n\n[" + text + "](" + text + ") ![" + text + "](<" + text + ">) <" + text + "> `" + text + "`\n\n|" + text + "|b|\n|-|-|\n|" + text +
		"|c|\n\n- " + text + "\n\n> " + text + "\n\n```" + text + "\n" + text + "\n```\n\n    " + text + "\n\n<div>" + text + "\n"}
}

// tour visits every screen and overlay over a hub whose every text is text, and
// returns what they show by name.
func tour(t *testing.T, text string, all bool) map[string]string {
	t.Helper()
	shown := map[string]string{}
	synctest.Test(t, func(t *testing.T) {
		snap, plan, c := lively(), removal(), filledQueries()
		snap.Sources[1].ReadOnly = true
		fill(reflect.ValueOf(&snap).Elem(), text, all)
		fill(reflect.ValueOf(&plan).Elem(), text, all)
		c.fill(text, all)
		if schema, err := json.Marshal(map[string]any{"properties": map[string]any{text: map[string]any{"description": text, "enum": []string{text}}}}); err == nil {
			c.tools[1].Schema = schema
		}
		c.tools[1].Name, c.checks[1].Name, c.settings[1].Key = text+"2", text+"2", text+"2"
		c.answer = json.RawMessage(text)
		r := newTestPanelWith(t, snap, c, 100, 40)
		r.m.cfg.Version = text
		r.hub.SetPlan(plan)
		for range 5 {
			r.hub.AddLine(status.Line{Component: text, Text: text, Level: status.Warn})
		}
		for range 3 {
			call := status.Call{Time: noon, Seq: 9, Missed: 2}
			fill(reflect.ValueOf(&call).Elem(), text, all)
			call.Changes = []string{text}
			c.calls <- call
		}
		r.wait(time.Second)
		look := func(name string, keys ...string) {
			r.press(keys...)
			shown[name] = r.m.View().Content
		}
		look("overview", "1", "j", "l")
		look("copied", "c")
		look("saved", "@Clients", "s")
		look("sources", "@Sources/notes")
		look("pages", "b", "o", "j") // in folders, names with slashes have other colours
		look("page", "enter")
		look("page, raw", "z")
		look("page, copied", "c")
		r.press("esc", "/")
		r.send(tea.PasteMsg{Content: text})
		look("pages, filter", "left")
		r.press("esc", "S")
		r.send(tea.PasteMsg{Content: text + "x"})
		look("search", "left")
		look("found", "enter", "j")
		look("found, page", "enter")
		r.press("esc", "esc", "esc", "esc")
		look("clients", "@Clients", "j")
		look("clients, last", "G")
		look("logs", "@Logs")
		look("logs of a part", "p")
		look("logs wrapped", "w")
		r.press("/")
		r.send(tea.PasteMsg{Content: text})
		look("filter", "left")
		look("confirm", "esc", "@Sources/welcome", "d")
		r.wait(keyIgnoreDuration)
		r.press("n", "a")
		r.send(tea.PasteMsg{Content: "/" + text})
		look("form", "left")
		look("form again", "tab")
		r.press("esc")
		look("permissions", "p", "up", "right")
		r.press("esc")
		look("activity", "@Activity", "j")
		look("activity, one", "enter")
		look("activity, totals", "esc", "T", "p")
		r.press("/")
		r.send(tea.PasteMsg{Content: "zz" + text}) // so that no filter is empty
		look("activity, filter", "left")
		r.press("esc")
		look("tools", "@Tools", "p", "right")
		look("tools, one", "enter")
		look("tools, another", "esc", "j")
		look("tools, form", "x", "tab", "tab", "right")
		look("tools, answer", "enter", "enter")
		r.press("esc")
		look("doctor", "@Doctor", "j")
		look("doctor, copied", "c")
		look("settings", "@Settings")
		look("settings, last", "G")
		r.press("enter")
		r.send(tea.PasteMsg{Content: text})
		look("settings, edited", "left")
		r.press("esc")
		look("waiting", "!")
		r.wait(keyIgnoreDuration)
		look("waiting, opened", "enter")
		r.press("esc", "n")
		r.send(tea.PasteMsg{Content: text})
		look("refused", "left")
		r.press("esc")
		for range 4 {
			look("changes", "j")
			look("change, opened", "enter")
			r.press("esc")
		}
		r.press("2")
		r.hub.SetErr(errors.New(text))
		c.fail(errors.New(text))
		look("no journal", "!", "R")
		r.press("2")
		look("failed", "r")
		r.hub.End()
		r.settle()
		look("lost", "esc", "1")
	})
	return shown
}

// TestHostileText: whatever other programs and notes say, the screen carries
// no control sequence that it would not with harmless words.
func TestHostileText(t *testing.T) {
	for _, all := range []bool{false, true} {
		harmless := tour(t, "harmless", all)
		for n, p := range payloads {
			if !runtest.InSample(n, 2, 8) {
				continue
			}
			for name, content := range tour(t, p, all) {
				checkHarmless(t, name, content, harmless[name])
			}
		}
	}
}

// TestHostileTextFits: hostile text takes no more room than there is.
func TestHostileTextFits(t *testing.T) {
	long := strings.Repeat("\x1b]0;", 300) + strings.Repeat("会", 5000) + strings.Repeat("e\u0301\u0302\u0303", 1000)
	for name, content := range tour(t, long, false) {
		t.Run(name, func(t *testing.T) { fits(t, name, content, 100, 40) })
	}
}
