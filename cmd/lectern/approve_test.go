package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// What is typed before a person can have read the question does not count;
// the dialog asks about one call at a time, and drops a call that has ended.
func TestDialog(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	fake := &statustest.Fake{}
	fake.SetPlan(status.Plan{Title: "Let x call put", Steps: []status.Step{{Description: "change a", Diff: "-one\n+two\x1b[2J\n"}}})
	d := &approvalDialog{
		console: console{out: &out, getenv: func(string) string { return "" }}, now: func() time.Time { return now }, client: fake, seen: map[string]bool{},
	}
	show := func(ids ...string) {
		d.queue = nil
		for _, id := range ids {
			d.queue = append(d.queue, status.Approval{ID: id, AskReason: "the rule"})
		}
		d.askNext(t.Context())
	}
	typed := func(after time.Duration, text string) {
		now = now.Add(after)
		d.handleAnswer(t.Context(), text)
		d.askNext(t.Context())
	}
	show("a", "b")
	typed(typeAheadGuard-time.Millisecond, "y")
	if len(fake.Actions()) != 0 {
		t.Fatal("an answer was heard that was typed before the question could be read")
	}
	typed(time.Millisecond, "what?")
	typed(0, "y") // now b is asked about
	typed(0, "a")
	show("b")
	show() // b was answered elsewhere
	typed(time.Second, "y")
	show("c")
	typed(time.Second, "n not now")
	want := []status.Action{
		{Verb: status.Allow, Target: "a", Answer: &status.Answer{Scope: status.Once}},
		{Verb: status.Refuse, Target: "c", Answer: &status.Answer{Reason: "not now"}},
	}
	if diff := cmp.Diff(want, fake.Actions()); diff != "" {
		t.Error(diff)
	}
	text := out.String()
	if strings.Contains(text, "\x1b") || !strings.Contains(text, "-one") || !strings.Contains(text, "because the rule") || !strings.Contains(text, "b no longer waits") {
		t.Errorf("shown:\n%q", text)
	}
}

func TestParseAnswer(t *testing.T) {
	for text, want := range map[string]status.Answer{
		"y": {Scope: status.Once}, " YES ": {Scope: status.Once}, "s": {Scope: status.ForSession}, "a": {Scope: status.Always},
		"n": {}, "no  not this one ": {Reason: "not this one"},
	} {
		if a, ok := parseAnswer("x", text); !ok || *a.Answer != want {
			t.Errorf("%q: %+v %v", text, a.Answer, ok)
		}
	}
	for _, text := range []string{"", "x", "yes please", "q", "ny"} {
		if a, ok := parseAnswer("x", text); ok {
			t.Errorf("%q is %+v", text, a)
		}
	}
}
