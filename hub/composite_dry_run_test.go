package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// A scriptSource makes the calls that a test wants. It has no drafts.
type scriptSource struct {
	run func(ctx context.Context, c tools.CallContext) error
}

func (s *scriptSource) Close() error                { return nil }
func (s *scriptSource) Check(context.Context) error { return nil }

func (s *scriptSource) Script(ctx context.Context, c tools.CallContext, _ none) (none, error) {
	return none{}, s.run(ctx, c)
}

// nestIn is how deep a script still goes.
type nestIn struct {
	Left int `json:"left" jsonschema:"how deep"`
}

func (s *scriptSource) Nest(ctx context.Context, c tools.CallContext, in nestIn) (none, error) {
	if in.Left == 0 {
		_, err := c.Call(ctx, "desk", "write_note", json.RawMessage(`{"title":"Deep","text":"x"}`))
		return none{}, err
	}
	_, err := c.Call(ctx, "", "nest", fmt.Appendf(nil, `{"left":%d}`, in.Left-1))
	return none{}, err
}

func (s *scriptSource) Panic(context.Context, none) (none, error) { panic("on purpose") }

func scriptKind(s *scriptSource) tools.Kind {
	return tools.Erase(tools.System[*scriptSource, struct{}]{
		Name: "script", Title: "Scripts", Doc: "For tests.",
		Open: func(context.Context, struct{}, tools.Env) (*scriptSource, error) { return s, nil },
		Tools: []tools.Tool[*scriptSource]{
			tools.DefineWithContext(tools.Spec[none, none]{Name: "script", Title: "Script", Doc: "Runs.", Effect: tools.Runs, Calls: true}, (*scriptSource).Script),
			tools.DefineWithContext(tools.Spec[none, none]{Name: "plain", Title: "Plain", Doc: "Runs.", Effect: tools.Runs}, (*scriptSource).Script),
			tools.DefineWithContext(tools.Spec[nestIn, none]{Name: "nest", Title: "Nest", Doc: "Nests.", Effect: tools.Runs, Calls: true}, (*scriptSource).Nest),
			tools.Define(tools.Spec[none, none]{Name: "panic", Title: "Panic", Doc: "Panics.", Effect: tools.Reads}, (*scriptSource).Panic),
		},
	})
}

// A groupHub is a hub with the notebooks desk and archive, which have drafts, and
// the sources notes and script, which have none. Writes and deletes are asked.
type groupHub struct {
	*testHub
	t         *testing.T
	store     *memo.Store
	notes     *hubtest.FakeNotes
	script    *scriptSource
	approvals chan status.Approval
}

func startGroup(t *testing.T, change func(*hub.Config)) *groupHub {
	t.Helper()
	g := &groupHub{t: t, store: memo.NewStore(), notes: hubtest.NewFakeNotes(), script: &scriptSource{}, approvals: make(chan status.Approval, 8)}
	g.store.Put("desk", "Milk", "Two bottles.")
	g.store.Put("archive", "Old", "Dust.")
	j := journal.New(journal.Options{Dir: filepath.Join(t.TempDir(), "journal"), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	ask := []tools.Effect{tools.Writes, tools.Deletes}
	conf := hub.Config{
		Systems: []tools.Kind{memo.SystemWith(g.store), hubtest.NotesKind(g.notes), scriptKind(g.script)},
		Sources: []hub.Source{{Name: "desk", Kind: "memo"}, {Name: "archive", Kind: "memo"}, {Name: "notes", Kind: "notes"}, {Name: "script", Kind: "script"}},
		Policy:  policy.New([]policy.Grant{{Source: "desk", Ask: ask}, {Source: "archive", Ask: ask}, {Source: "notes", Ask: ask}}, nil),
		Limits:  hub.Limits{InFlight: 1}, Journal: j, OwnChanges: true, OnApproval: func(a status.Approval) { g.approvals <- a },
	}
	if change != nil {
		change(&conf)
	}
	g.testHub = startWith(t, conf)
	return g
}

func allowAll(c *hub.Config) { c.Policy = nil }

// digests identify all that the sources hold.
func (g *groupHub) digests() string {
	return g.store.Digest("desk") + g.store.Digest("archive") + fmt.Sprint(g.notes.Writes)
}

func (g *groupHub) agent() *agent { return newAgent(g.t, g.testHub, cursor) }

// asked is what a person is asked about a call; it is an error if it ends instead.
func (g *groupHub) asked(out <-chan callOutcome) (a status.Approval) {
	g.t.Helper()
	select {
	case a = <-g.approvals:
	case o := <-out:
		g.t.Fatalf("nobody was asked: %s %s", o.code, o.text)
	}
	return a
}

// approve allows a call when a person is asked about it.
func (g *groupHub) approve(out <-chan callOutcome) status.Approval {
	g.t.Helper()
	a := g.asked(out)
	if err := g.Approvals().Answer(a.ID, true, status.Answer{}); err != nil {
		g.t.Fatal(err)
	}
	return a
}

func (g *groupHub) changes() []status.Change {
	g.t.Helper()
	found, err := g.Changes().List(g.t.Context(), status.Filter{})
	if err != nil {
		g.t.Fatal(err)
	}
	return found.Changes
}

func (g *groupHub) checkNobodyAsked() {
	g.t.Helper()
	if n := len(g.approvals); n > 0 {
		g.t.Errorf("%d approvals were asked for", n)
	}
}

// steps is a call of run_steps in desk.
func steps(list ...string) string {
	return `{"source":"desk","steps":[` + strings.Join(list, ",") + `]}`
}

func step(source, tool, args string) string {
	return fmt.Sprintf(`{"source":%q,"tool":%q,"arguments":%s}`, source, tool, args)
}

var (
	writeTea  = step("desk", "write_note", `{"title":"Tea","text":"Green."}`)
	writeMilk = step("", "write_note", `{"title":"Milk","text":"One bottle.","revision":1}`)
	deleteOld = step("archive", "delete_note", `{"title":"Old"}`)
)

const runSteps = "memo_run_steps"

// A call with three writes in two sources is asked about once, with all of them,
// in one slot, and nothing is written before; any of its changes undoes all.
func TestCallsAreAskedAboutOnce(t *testing.T) {
	for i := range 3 {
		g := startGroup(t, nil)
		before := g.digests()
		out := g.agent().startCall(runSteps, steps(writeTea, writeMilk, deleteOld))
		a := g.asked(out)
		if want := []string{"Tea in desk", "Milk in desk", "Old in archive"}; !slices.Equal(a.Targets, want) || a.More != 0 {
			t.Errorf("asked about %q, want %q", a.Targets, want)
		}
		if g.digests() != before || len(g.changes()) != 0 {
			t.Fatal("something was written before the approval")
		}
		_, plan, _, _ := g.Approvals().Get(a.ID)
		if len(plan.Steps) != 3 || !strings.Contains(plan.Steps[2].Description, "delete Old in archive") || !strings.Contains(plan.Steps[1].Diff, "One bottle.") {
			t.Errorf("plan %+v", plan)
		}
		for _, scope := range []status.Scope{status.ForSession, status.Always} {
			if err := g.Approvals().Answer(a.ID, true, status.Answer{Scope: scope}); err == nil {
				t.Fatalf("it was allowed for scope %s", scope)
			}
		}
		if err := g.Approvals().Answer(a.ID, true, status.Answer{}); err != nil {
			t.Fatal(err)
		}
		checkOutcome(t, <-out, "ok", "")
		g.checkNobodyAsked()
		made := g.changes()
		if len(made) != 3 || made[0].Group == "" || made[0].Group != made[2].Group {
			t.Fatalf("changes %+v", made)
		}
		if err := g.Changes().Undo(t.Context(), status.Filter{IDs: []string{made[i].ID}}); err != nil {
			t.Fatal(err)
		}
		if g.digests() != before {
			t.Errorf("undo of %s did not take back everything", made[i].Target)
		}
	}
}

// A person's edit between the approval and a write ends the call, and what it had
// written is taken back.
func TestEditAfterTheApproval(t *testing.T) {
	g := startGroup(t, nil)
	g.script.run = func(ctx context.Context, c tools.CallContext) error {
		if _, err := c.Call(ctx, "desk", "write_note", json.RawMessage(`{"title":"Tea","text":"Green."}`)); err != nil {
			return err
		}
		_, err := c.Call(ctx, "archive", "delete_note", json.RawMessage(`{"title":"Old"}`))
		return err
	}
	desk := g.store.Digest("desk")
	out := g.agent().startCall("script_script", `{}`)
	a := g.asked(out)
	g.store.Put("archive", "Old", "More dust.")
	edited := g.store.Digest("archive")
	if err := g.Approvals().Answer(a.ID, true, status.Answer{}); err != nil {
		t.Fatal(err)
	}
	checkOutcome(t, <-out, tools.Conflict, "not what the user approved; what it had changed was taken back")
	if g.store.Digest("desk") != desk || g.store.Digest("archive") != edited {
		t.Error("the notes are not as they were")
	}
}

// Steps that build on one another are worked out together.
func TestDependentCalls(t *testing.T) {
	g := startGroup(t, nil)
	before := g.digests()
	a := g.agent()
	for _, list := range [][]string{
		{writeTea, step("desk", "write_note", `{"title":"Tea","text":"Black.","revision":1}`)},
		{writeTea, step("desk", "delete_note", `{"title":"Tea"}`), deleteOld},
	} {
		out := a.startCall(runSteps, steps(list...))
		g.approve(out)
		checkOutcome(t, <-out, "ok", "")
		if err := g.Changes().Undo(t.Context(), status.Filter{IDs: []string{g.changes()[0].ID}}); err != nil {
			t.Fatal(err)
		}
		if g.digests() != before {
			t.Error("undo did not take back everything")
		}
	}
}

// What a tool writes by itself is a step too, with the time that was shown.
func TestOwnWritesOfACallThatMakesOthers(t *testing.T) {
	g := startGroup(t, nil)
	out := g.agent().startCall(runSteps, `{"source":"desk","record":"Log","steps":[`+writeTea+`]}`)
	if a := g.approve(out); !slices.Equal(a.Targets, []string{"Tea", "Log"}) {
		t.Errorf("asked about %q", a.Targets)
	}
	checkOutcome(t, <-out, "ok", "")
}

// Several writes to a source without drafts are refused before anybody is asked;
// its reads are real.
func TestSourceWithoutDrafts(t *testing.T) {
	g := startGroup(t, nil)
	a, before := g.agent(), g.digests()
	checkOutcome(t, a.call(runSteps, steps(writeTea, step("notes", "put", `{"path":"b","text":"x"}`))), "NOT_ALLOWED", "source notes cannot be planned together. Make one call at a time.")
	checkOutcome(t, a.call(runSteps, steps(step("notes", "run", `{"path":"b"}`))), "NOT_ALLOWED", "run does in source notes cannot be known")
	checkOutcome(t, a.call(runSteps, steps(step("notes", "get", `{"path":"a"}`))), "ok", "")
	if g.digests() != before {
		t.Error("something was written")
	}
	g.checkNobodyAsked()
}

// A denied call within ends the whole, even if the tool goes on.
func TestDeniedWithin(t *testing.T) {
	g := startGroup(t, func(c *hub.Config) {
		c.Policy = policy.New(nil, []policy.Rule{{Do: policy.Deny, Source: "archive", Path: "Old"}})
	})
	g.script.run = func(ctx context.Context, c tools.CallContext) error {
		_, _ = c.Call(ctx, "archive", "delete_note", json.RawMessage(`{"title":"Old"}`))
		_, err := c.Call(ctx, "desk", "write_note", json.RawMessage(`{"title":"Tea","text":"Green."}`))
		return err
	}
	before := g.digests()
	checkOutcome(t, g.agent().call("script_script", `{}`), tools.Denied, "policy forbids")
	if g.digests() != before {
		t.Error("something was written")
	}
}

// Rehearsed calls count nowhere: not in the audit, not in the rate limit.
func TestRehearsalCountsNowhere(t *testing.T) {
	g := startGroup(t, func(c *hub.Config) {
		c.Limits.CallsPerMinute, c.Limits.SessionWrites, c.Limits.DeletesPerMinute = 4, 4, 1
		c.Policy = policy.New(nil, []policy.Rule{{Do: policy.Deny, Client: "another"}})
	})
	checkOutcome(t, g.agent().call(runSteps, steps(writeTea, writeMilk, deleteOld)), "ok", "")
	calls, err := g.Calls().Stream(t.Context(), status.CallFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var tool []string
	for c := range calls {
		tool = append(tool, c.Tool)
	}
	if want := []string{"write_note", "write_note", "delete_note", runSteps}; !slices.Equal(tool, want) {
		t.Errorf("recorded %q, want %q", tool, want)
	}
}

// Whatever ends a call that had written something takes it back, asked or not.
func TestFailureTakesBack(t *testing.T) {
	write := func(ctx context.Context, c tools.CallContext) error {
		_, err := c.Call(ctx, "desk", "write_note", json.RawMessage(`{"title":"Tea","text":"Green."}`))
		return err
	}
	for name, c := range map[string]struct {
		then func(ctx context.Context, c tools.CallContext) error
		code tools.Code
		says string
	}{
		"an error": {func(context.Context, tools.CallContext) error { return tools.Errorf(tools.NotFound, "it is gone") }, tools.NotFound, "it is gone"},
		"a panic":  {func(context.Context, tools.CallContext) error { panic("on purpose") }, tools.Internal, ""},
		"a panic within": {func(ctx context.Context, c tools.CallContext) error {
			_, err := c.Call(ctx, "", "panic", nil)
			return err
		}, tools.Internal, ""},
		"the deadline": {func(ctx context.Context, _ tools.CallContext) error {
			<-ctx.Done()
			return ctx.Err()
		}, tools.Timeout, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := startGroup(t, func(conf *hub.Config) {
				allowAll(conf)
				if name == "the deadline" {
					conf.Limits.Deadline = 2 * time.Second
				}
			})
			before := g.digests()
			g.script.run = func(ctx context.Context, cc tools.CallContext) error {
				if err := write(ctx, cc); err != nil {
					return err
				}
				return c.then(ctx, cc)
			}
			got := g.agent().call("script_script", `{}`)
			checkOutcome(t, got, c.code, c.says)
			checkOutcome(t, got, c.code, "what it had changed was taken back")
			if g.digests() != before {
				t.Error("the notes are not as they were")
			}
		})
	}
}

// A tripped circuit breaker in the middle takes back what was written.
func TestCircuitBreakerTakesBack(t *testing.T) {
	g := startGroup(t, func(c *hub.Config) {
		allowAll(c)
		c.Limits.DeletesPerMinute = 1
	})
	before := g.digests()
	a := g.agent()
	deletes := steps(deleteOld, step("desk", "delete_note", `{"title":"Milk"}`))
	checkOutcome(t, a.call(runSteps, deletes), "NOT_ALLOWED", "taken back")
	if g.digests() != before {
		t.Error("the notes are not as they were")
	}
	out := a.startCall(runSteps, deletes)
	g.approve(out) // now a person is asked
	checkOutcome(t, <-out, "ok", "")
}

// A write that is refused ends the call even if the tool goes on after it.
func TestRefusedWriteIsNotPassedOver(t *testing.T) {
	g := startGroup(t, func(c *hub.Config) {
		allowAll(c)
		c.Limits.DeletesPerMinute = 1
	})
	g.script.run = func(ctx context.Context, c tools.CallContext) error {
		_, _ = c.Call(ctx, "archive", "delete_note", json.RawMessage(`{"title":"Old"}`))
		_, _ = c.Call(ctx, "desk", "delete_note", json.RawMessage(`{"title":"Milk"}`))
		return nil
	}
	before := g.digests()
	checkOutcome(t, g.agent().call("script_script", `{}`), tools.Denied, "taken back")
	if g.digests() != before {
		t.Error("the notes are not as they were")
	}
}

// Calls are at most four deep, and what they wrote is taken back.
func TestDepthOfCallsWithin(t *testing.T) {
	for _, change := range []func(*hub.Config){nil, allowAll} {
		g := startGroup(t, change)
		a, before := g.agent(), g.digests()
		checkOutcome(t, a.call("script_nest", `{"left":4}`), tools.Limited, "more than 4 deep")
		if g.digests() != before {
			t.Error("the notes are not as they were")
		}
		out := a.startCall("script_nest", `{"left":3}`)
		if change == nil {
			g.approve(out)
		}
		checkOutcome(t, <-out, "ok", "")
	}
}

// A tool that does not declare Calls may only read by others.
func TestPlainToolMayOnlyRead(t *testing.T) {
	g := startGroup(t, allowAll)
	g.script.run = func(ctx context.Context, c tools.CallContext) error {
		_, err := c.Call(ctx, "desk", "write_note", json.RawMessage(`{"title":"Tea","text":"Green."}`))
		return err
	}
	checkOutcome(t, g.agent().call("script_plain", `{}`), tools.Denied, "only tools that read")
}

// Both runs have the same time and the same random numbers.
func TestBothRunsAreAlike(t *testing.T) {
	g := startGroup(t, nil)
	var seen []string
	g.script.run = func(ctx context.Context, c tools.CallContext) error {
		seen = append(seen, fmt.Sprint(c.Began, c.Seed))
		_, err := c.Call(ctx, "desk", "write_note", fmt.Appendf(nil, `{"title":"N%d","text":"x"}`, c.Seed))
		return err
	}
	out := g.agent().startCall("script_script", `{}`)
	g.approve(out)
	checkOutcome(t, <-out, "ok", "")
	if len(seen) != 2 || seen[0] != seen[1] {
		t.Errorf("the runs have %q", seen)
	}
}

// A tool that does something else the second time changes nothing.
func TestSecondRunIsBoundToTheFirst(t *testing.T) {
	for _, second := range []string{`{"title":"Tea","text":"Black."}`, `{"title":"Coffee","text":"Green."}`, ""} {
		g := startGroup(t, nil)
		before, runs := g.digests(), 0
		g.script.run = func(ctx context.Context, c tools.CallContext) error {
			args := `{"title":"Tea","text":"Green."}`
			if runs++; runs == 2 {
				args = second
			}
			if args != "" {
				_, _ = c.Call(ctx, "desk", "write_note", json.RawMessage(args))
			}
			return nil
		}
		out := g.agent().startCall("script_script", `{}`)
		g.approve(out)
		checkOutcome(t, <-out, tools.Conflict, "not what the user approved")
		if g.digests() != before {
			t.Error("the notes are not as they were")
		}
	}
}

// An agent's undo of one of its changes covers the other sources of the call, is
// asked about once, and needs the right to change them.
func TestAgentUndoesAGroup(t *testing.T) {
	for _, change := range []func(*hub.Config){nil, allowAll} {
		g := startGroup(t, change)
		a, before := g.agent(), g.digests()
		out := a.startCall(runSteps, steps(writeTea, writeMilk, deleteOld))
		if change == nil {
			g.approve(out)
		}
		checkOutcome(t, <-out, "ok", "")
		id := g.changes()[1].ID // of desk
		out = a.startCall("undo_change", fmt.Sprintf(`{"source":"desk","id":%q}`, id))
		if change == nil {
			if asked := g.approve(out); len(asked.Targets) != 3 {
				t.Errorf("asked about %q", asked.Targets)
			}
		}
		got := <-out
		checkOutcome(t, got, "ok", "")
		var undone tools.UndoChangeOut
		if err := json.Unmarshal(got.json, &undone); err != nil || len(undone.Restored) != 3 || len(undone.Changes) != 3 {
			t.Errorf("undone %+v (%v)", undone, err)
		}
		if g.digests() != before {
			t.Error("the notes are not as they were")
		}
		g.checkNobodyAsked()
	}
}

// Without the right to change one of the sources nothing is undone.
func TestAgentMayNotUndoAGroup(t *testing.T) {
	g := startGroup(t, allowAll)
	a := g.agent()
	checkOutcome(t, a.call(runSteps, steps(writeTea, deleteOld)), "ok", "")
	id := g.changes()[1].ID
	g.SetPolicy(policy.New([]policy.Grant{{Source: "archive", Client: "cursor", Effects: []tools.Effect{tools.Reads}}}, nil))
	after := g.digests()
	checkOutcome(t, a.call("undo_change", fmt.Sprintf(`{"source":"desk","id":%q}`, id)), tools.Denied, "also changed source archive")
	if g.digests() != after {
		t.Error("something was undone")
	}
}

// An undo that deletes in another source needs the right to delete there, too.
func TestUndoOfAGroupNeedsDeletesInEachSource(t *testing.T) {
	g := startGroup(t, allowAll)
	a := g.agent()
	checkOutcome(t, a.call(runSteps, steps(writeTea, step("archive", "write_note", `{"title":"Tea","text":"Black."}`))), "ok", "")
	id := g.changes()[1].ID
	g.SetPolicy(policy.New([]policy.Grant{{Source: "archive", Client: "cursor", Effects: []tools.Effect{tools.Reads, tools.Writes}}}, nil))
	after := g.digests()
	checkOutcome(t, a.call("undo_change", fmt.Sprintf(`{"source":"desk","id":%q}`, id)), tools.Denied, "may not delete in source archive")
	if g.digests() != after {
		t.Error("something was undone")
	}
}

// A call within another does not get around the roles of a tool.
func TestRolesHoldWithin(t *testing.T) {
	g := startGroup(t, allowAll)
	before := g.digests()
	checkOutcome(t, g.agent().call(runSteps, steps(step("archive", "empty_notebook", `{}`))), "NOT_ALLOWED", "the tool is for owner")
	if g.digests() != before {
		t.Error("the notebook was emptied")
	}
}
