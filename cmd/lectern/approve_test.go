package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

// A fakeApproval answers what calls that wait would change: text, by the ID of
// the approval.
func fakeApproval(fake *statustest.Fake, text map[string]string) status.Client {
	queries := status.QueryHandlers{}
	status.HandleQuery(queries, status.ApprovalTargetsQuery, func(_ context.Context, r status.ApprovalRange) (status.ApprovalTargets, error) {
		targets := []status.ApprovalTarget{{Name: r.ID + ".md", Action: "change", Added: 4001, Removed: 1}, {Name: "last\x1b[2J.md", Action: "create", Added: 1}}
		next := map[int]int{0: 1}[r.From]
		return status.ApprovalTargets{Targets: targets[r.From:][:1], Total: 2, Added: 4002, Removed: 1, Bytes: len(text[r.ID]), Next: next}, nil
	})
	status.HandleQuery(queries, status.ApprovalTextQuery, func(_ context.Context, r status.ApprovalRange) (status.ApprovalText, error) {
		all := text[r.ID]
		end := min(len(all), r.From+5000)
		return status.ApprovalText{Text: all[r.From:end], From: r.From, Bytes: len(all), Next: end % len(all)}, nil
	})
	return status.Router{Client: fake, Queries: queries}
}

// A testDialog is a dialog about calls whose texts are given.
type testDialog struct {
	*approvalDialog

	t    *testing.T
	fake *statustest.Fake
	text map[string]string
	out  *bytes.Buffer
	time time.Time

	hunks int // of the calls that wait next
}

func newTestDialog(t *testing.T, text map[string]string) *testDialog {
	d := &testDialog{t: t, fake: &statustest.Fake{}, text: text, out: &bytes.Buffer{}, time: time.Now()}
	d.approvalDialog = &approvalDialog{
		console: console{out: d.out, json: &jsonOutput{}, getenv: func(string) string { return "" }}, now: func() time.Time { return d.time },
		client: fakeApproval(d.fake, text), seen: map[string]bool{}, running: map[string]status.Approval{},
	}
	return d
}

// waits has the calls with these IDs wait; of one that begins with a capital
// letter the client has proved its name.
func (d *testDialog) waits(ids ...string) {
	d.queue = nil
	for _, id := range ids {
		plan := ""
		if d.hunks > 0 {
			plan = "plan " + id
		}
		d.queue = append(d.queue, status.Approval{
			Plan: plan, Hunks: d.hunks,
			ID: id, AskReason: "the rule", Client: "cursor", Proven: strings.ToUpper(id[:1]) == id[:1], OnlyOnce: strings.ToUpper(id[:1]) != id[:1], Bytes: len(d.text[id]),
		})
	}
	d.askNext(d.t.Context())
}

func (d *testDialog) typed(after time.Duration, line string) {
	d.time = d.time.Add(after)
	d.handleAnswer(d.t.Context(), line)
	d.askNext(d.t.Context())
}

// answers are the answers that were given, without the notes that something was
// shown.
func (d *testDialog) answers() []status.Action {
	return slices.DeleteFunc(d.fake.Actions(), func(a status.Action) bool { return a.Verb == status.MarkShown })
}

// What is typed before a person can have read the question does not count;
// the dialog asks about one call at a time, and drops a call that has ended.
func TestDialog(t *testing.T) {
	d := newTestDialog(t, map[string]string{"a": "-one\n+two\x1b[2J\n", "b": "+b\n", "c": "+c\n"})
	d.waits("a", "b")
	d.typed(typeAheadIgnoreTime-time.Millisecond, "y")
	if len(d.answers()) != 0 {
		t.Fatal("an answer was heard that was typed before the question could be read")
	}
	d.typed(time.Millisecond, "what?")
	d.typed(0, "y") // now b is asked about
	d.typed(0, "a")
	d.waits("b")
	d.waits() // b was answered elsewhere
	d.typed(time.Second, "y")
	d.waits("c")
	d.typed(time.Second, "n not now")
	want := []status.Action{
		{Verb: status.Allow, Target: "a", Answer: &status.Answer{Scope: status.Once}},
		{Verb: status.Refuse, Target: "c", Answer: &status.Answer{Reason: "not now"}},
	}
	if diff := cmp.Diff(want, d.answers()); diff != "" {
		t.Error(diff)
	}
	text := d.out.String()
	for _, want := range []string{"-one", "because the rule", "b no longer waits", `"cursor" (claimed)`, "2 targets, +4002 −1:", "change a.md  +4001 −1", "create last␛[2J.md  +1 −0"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Errorf("shown raw:\n%q", text)
	}
}

// A move is named as one, before its targets.
func TestDialogNamesMoves(t *testing.T) {
	d := newTestDialog(t, map[string]string{"a": "-a\n+a\n"})
	move := status.Approval{ID: "a", Targets: []string{"Old.md", "New.md"}, Move: &status.TargetMove{From: "Old.md", To: "New\x1b.md", Count: 2, Edited: 1, Changed: 3}}
	d.queue = []status.Approval{move}
	d.askNext(t.Context())
	if want := "it would move Old.md to New␛.md and 1 more, and change the text of 1 and 3 more\n"; !strings.Contains(d.out.String(), want) {
		t.Errorf("%q is not shown:\n%s", want, d.out)
	}
	if got := describeApprovalTargets(move); !strings.HasPrefix(got, "move Old.md to ") {
		t.Errorf("in the list: %s", got)
	}
}

// Nobody says yes to what was cut: first all of it is shown.
func TestDialogShowsAllFirst(t *testing.T) {
	long := strings.Repeat("+harmless\n", 4000) + "+last\n"
	evil := strings.Repeat("+harmless\n", 2000) + "+evil\n" + long
	d := newTestDialog(t, map[string]string{"Long": evil})
	d.waits("Long")
	if text := d.out.String(); strings.Contains(text, "evil") || !strings.Contains(text, "+last\n") || !strings.Contains(text, "are not shown …") {
		t.Errorf("shown at first: %d bytes", len(text))
	}
	if len(d.fake.Actions()) != 0 {
		t.Errorf("counts as shown: %v", d.fake.Actions())
	}
	d.typed(time.Second, "y")
	d.typed(time.Second, "a")
	if len(d.answers()) != 0 {
		t.Fatalf("allowed without being shown: %v", d.answers())
	}
	d.typed(time.Second, "m")
	if text := d.out.String(); !strings.Contains(text, "+evil\n") || strings.Count(text, "+harmless\n") < 6000 {
		t.Error("not everything is shown")
	}
	d.typed(time.Second, "y")
	want := []status.Action{{Verb: status.MarkShown, Target: "Long"}, {Verb: status.Allow, Target: "Long", Answer: &status.Answer{Scope: status.Once}}}
	if diff := cmp.Diff(want, d.fake.Actions()); diff != "" {
		t.Error(diff)
	}
}

// What cannot be allowed for longer is not offered, and not taken.
func TestDialogOffersWhatIsPossible(t *testing.T) {
	d := newTestDialog(t, map[string]string{"a": "+a\n", "B": "+b\n"})
	d.waits("a")
	d.typed(time.Second, "always")
	if text := d.out.String(); strings.Contains(text, "[s]ession") || !strings.Contains(text, "has not proved its name") || len(d.answers()) != 0 {
		t.Errorf("shown: %s\nanswered: %v", text, d.answers())
	}
	d.waits("B")
	d.typed(time.Second, "always")
	if len(d.answers()) != 1 || d.answers()[0].Answer.Scope != status.Always {
		t.Errorf("answered: %v", d.answers())
	}
}

// Some hunks of a change can be allowed where it has some: what is left of it is
// shown first.
func TestDialogAllowsHunks(t *testing.T) {
	d := newTestDialog(t, map[string]string{"a": "+a\n", "b": "+b\n"})
	d.waits("a")
	d.typed(time.Second, "h 1")
	if text := d.out.String(); strings.Contains(text, "[h]unks") || !strings.Contains(text, "as it is or not at all") || len(d.answers()) != 0 {
		t.Fatalf("of a call without hunks: %v and\n%s", d.answers(), text)
	}
	d.typed(0, "n")
	d.hunks = 3
	d.waits("b")
	d.typed(time.Second, "h")
	d.typed(0, "h one")
	d.fake.SetErr(errors.New("there is no hunk 7"))
	d.typed(0, "h 7")
	d.fake.SetErr(nil)
	d.fake.SetPlan(status.Plan{Title: "Write your version of b.md"})
	d.typed(0, "h 1, 3")
	want := []status.Action{
		{Verb: status.Refuse, Target: "a", Answer: &status.Answer{}},
		{Verb: status.Allow, Target: "b", Answer: &status.Answer{Edit: &status.TextEdit{Plan: "plan b", Hunks: []int{1, 3}}}},
	}
	if diff := cmp.Diff(want, d.answers()); diff != "" {
		t.Error(diff)
	}
	text := d.out.String()
	for _, want := range []string{"[h]unks (only those of 1 to 3", "there is no hunk 7; allow?", "Write your version of b.md", "allowed b with your changes"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said:\n%s", want, text)
		}
	}
	if n := strings.Count(text, "that is not an answer"); n != 2 {
		t.Errorf("%d of 2 wrong answers are refused:\n%s", n, text)
	}
}

// The end of a call that was allowed is told, and is the result of the command
// that asked about it alone.
func TestDialogTellsEnds(t *testing.T) {
	end := func(id string, end status.CallEnd) status.Snapshot {
		return status.Snapshot{Outcomes: []status.ApprovalOutcome{{ID: id, Resolution: status.Allowed, Call: &end}}}
	}
	d := newTestDialog(t, map[string]string{"a": "+a\n", "b": "+b\n"})
	d.waits("a")
	d.typed(time.Second, "y")
	d.reportCallEnds(status.Snapshot{})
	if strings.Contains(d.out.String(), "done") {
		t.Error("it says done of a call that goes on")
	}
	d.reportCallEnds(end("a", status.CallEnd{Changes: []string{"c7"}}))
	d.waits("b")
	d.typed(time.Second, "y")
	d.only = "b"
	d.reportCallEnds(end("b", status.CallEnd{Code: "conflict", Message: "the page changed"}))
	if !strings.Contains(d.out.String(), "a: done; to undo it: lectern undo c7") || d.failed == nil || !strings.Contains(d.failed.Error(), "nothing was changed: the page changed") {
		t.Errorf("told %v and\n%s", d.failed, d.out)
	}
}

// Where the hub ended, or another one runs, the end of a call is never told, and the
// command does not wait for it.
func TestDialogTellsThatTheHubEnded(t *testing.T) {
	stopped := status.Snapshot{Hub: status.Hub{Component: status.Component{State: status.Stopped}}}
	for name, test := range map[string]struct {
		snapshot status.Snapshot
		waits    bool
	}{
		"stopped":      {stopped, false},
		"another hub":  {status.Snapshot{Hub: status.Hub{Started: time.Unix(11, 0)}}, false},
		"the same hub": {status.Snapshot{Hub: status.Hub{Started: time.Unix(9, 0)}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestDialog(t, nil)
			d.only = "a"
			d.running["a"] = status.Approval{ID: "a", Since: time.Unix(10, 0)}
			d.reportCallEnds(test.snapshot)
			if waits := len(d.running) == 1; waits != test.waits || errors.Is(d.failed, errHubEnded) == waits {
				t.Errorf("it waits: %v, %v; want %v", waits, d.failed, test.waits)
			}
		})
	}
}

func TestParseAnswer(t *testing.T) {
	for text, want := range map[string]status.Answer{
		"y": {Scope: status.Once}, " YES ": {Scope: status.Once}, "s": {Scope: status.ForSession}, "a": {Scope: status.Always},
		"n": {}, "no  not this one ": {Reason: "not this one"},
		"h 2": {Edit: &status.TextEdit{Hunks: []int{2}}}, "HUNKS 1,2 4": {Edit: &status.TextEdit{Hunks: []int{1, 2, 4}}},
		"t": {Scope: status.Timed}, "T  P/** ": {Scope: status.Timed, Within: "P/**"},
	} {
		if a, ok := parseAnswer("x", text); !ok || !cmp.Equal(*a.Answer, want) {
			t.Errorf("%q: %+v %v", text, a.Answer, ok)
		}
	}
	for _, text := range []string{"", "x", "yes please", "q", "ny", "h", "h 1,b"} {
		if a, ok := parseAnswer("x", text); ok {
			t.Errorf("%q is %+v", text, a)
		}
	}
}
