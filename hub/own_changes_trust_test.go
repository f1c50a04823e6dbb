package hub_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// An undo needs the grant of what it does: one that removes what was created
// needs that to delete.
func TestUndoNeedsTheGrantOfItsEffect(t *testing.T) {
	o := startFiles(t, nil)
	o.edit("old", "was")
	a := o.agent(cursor)
	a.mustCall("file", `{"files":{"new":"1"}}`)
	a.mustCall("file", `{"files":{"old":"now"}}`)
	o.SetPolicy(policy.New([]policy.Grant{{Client: "cursor", Source: "notes", Effects: []tools.Effect{tools.Reads, tools.Writes}}}, nil))
	checkOutcome(t, a.call("undo_change", `{"id":"`+o.id(1)+`"}`), tools.Denied, "delete")
	checkOutcome(t, a.call("undo_change", `{"id":"`+o.id(1)+`","dry_run":true}`), tools.Denied, "delete")
	a.mustCall("undo_change", `{"id":"`+o.id(2)+`"}`)
	if o.holds("new") != "1" || o.holds("old") != "was" {
		t.Error("grants were not heeded")
	}
	o.SetPolicy(policy.New([]policy.Grant{{Client: "cursor", Source: "notes", Effects: []tools.Effect{tools.Reads}}}, nil))
	checkOutcome(t, a.call("undo_change", `{"id":"`+o.id(3)+`"}`), notListed, "may not write")
	o.SetPolicy(policy.New(nil, []policy.Rule{{Do: policy.Deny, Effects: []tools.Effect{tools.Deletes}}}))
	checkOutcome(t, a.call("undo_change", `{"id":"`+o.id(1)+`"}`), tools.Denied, "policy")
	o.SetPolicy(policy.New(nil, []policy.Rule{{Do: policy.Deny, Path: "new"}}))
	checkOutcome(t, a.call("undo_change", `{"id":"`+o.id(1)+`"}`), tools.Denied, "policy")
}

// Who is asked first is asked about an undo too, with its very diff; a no
// leaves everything as it is.
func TestUndoIsAskedAbout(t *testing.T) {
	asked := make(chan status.Approval, 1)
	o := startFiles(t, func(c *hub.Config) { c.OnApproval = func(a status.Approval) { asked <- a } })
	o.edit("old", "was\n")
	a := o.agent(cursor)
	a.mustCall("file", `{"files":{"old":"now\n"}}`)
	o.SetPolicy(policy.New(askWrites(), nil))
	ask := func() (status.Approval, <-chan callOutcome) {
		out := a.startCall("undo_change", `{"id":"`+o.id(1)+`"}`)
		return <-asked, out
	}
	w, out := ask()
	_, plan, _, _ := o.Approvals().Get(w.ID)
	if w.Tool != "undo_change" || !slices.Equal(w.Targets, []string{"old"}) || !strings.Contains(plan.Steps[0].Diff, "-now\n+was\n") {
		t.Errorf("shown %+v with %+v", w, plan)
	}
	if err := o.Approvals().Answer(w.ID, false, status.Answer{}); err != nil {
		t.Fatal(err)
	}
	checkOutcome(t, <-out, tools.Denied, "refused")
	if o.holds("old") != "now\n" || len(a.ids()) != 1 {
		t.Error("a no did not leave it as it was")
	}
	w, out = ask()
	o.edit("old", "edited\n") // what was shown is no longer what would change
	if err := o.Approvals().Answer(w.ID, true, status.Answer{}); err != nil {
		t.Fatal(err)
	}
	checkOutcome(t, <-out, tools.Conflict, "")
	o.edit("old", "now\n")
	w, out = ask()
	if err := o.Approvals().Answer(w.ID, true, status.Answer{}); err != nil {
		t.Fatal(err)
	}
	checkOutcome(t, <-out, "ok", "")
	if o.holds("old") != "was\n" {
		t.Error("a yes did not undo it")
	}
}

// A Change of what is hidden now never was, nor was anything of its call: no
// answer tells it from one that was not made.
func TestHiddenChangeNeverWas(t *testing.T) {
	o := startFiles(t, nil)
	a := o.agent(cursor)
	a.mustCall("file", `{"files":{"open":"1"}}`)
	a.mustCall("file", `{"files":{"Private-plan":"1"}}`)
	a.mustCall("file", `{"files":{"Also":"1","Private-two":"2"}}`) // the hidden one second, and first
	a.mustCall("file", `{"files":{"Private-two":"3","also":"1"}}`)
	hidden := hub.Source{Name: "notes", Kind: "files", Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Private*"}}}}
	if err := o.ReloadSources(t.Context(), []hub.Source{hidden}); err != nil {
		t.Fatal(err)
	}
	if got := a.list(`{"limit":1}`); len(got.Changes) != 1 || got.Changes[0].ID != o.id(1) || got.Next != "" {
		t.Errorf("listed %+v", got)
	}
	// Without a grant to delete, an undo of one that is not there asks for none.
	o.SetPolicy(policy.New([]policy.Grant{{Client: "cursor", Source: "notes", Effects: []tools.Effect{tools.Reads, tools.Writes}}}, nil))
	for _, tool := range []string{"list_changes", "undo_change"} {
		never := a.call(tool, `{"id":"c00000000"}`)
		for _, id := range []string{o.id(2), o.id(3), o.id(4), o.id(5), o.id(6)} {
			got := a.call(tool, `{"id":"`+id+`"}`)
			if got.code != never.code || got.text != strings.Replace(never.text, "c00000000", id, 1) {
				t.Errorf("%s %s: %q, want what %q says", tool, id, got.text, never.text)
			}
		}
	}
	if o.holds("Private-plan") != "1" || o.holds("Also") != "1" || o.holds("also") != "1" {
		t.Error("something hidden was taken back")
	}
	hidden.Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Nothing"}}}
	if err := o.ReloadSources(t.Context(), []hub.Source{hidden}); err != nil {
		t.Fatal(err)
	}
	if got := a.ids(); len(got) != 6 {
		t.Errorf("listed %q once nothing is hidden", got)
	}
}

// A later edit is not overwritten: the refusal shows it, marked as what notes
// say, and a merge keeps it.
func TestOwnUndoRefusesLaterEdits(t *testing.T) {
	o := startFiles(t, nil)
	o.edit("old", "1\n2\n3\n4\n5\n")
	a := connect(t, o.testHub, "")
	a.Initialize()
	a.Call("file", `{"files":{"old":"X\n2\n3\n4\n5\n"}}`)
	o.edit("old", "X\n2\n3\n4\nby a person\n")
	for _, args := range []string{`{"id":"` + o.id(1) + `"}`, `{"id":"` + o.id(1) + `","dry_run":true}`} {
		f := a.Ask("tools/call", `{"name":"undo_change","arguments":`+args+`}`)
		r := a.DecodeResult(f)
		var object struct {
			Code string
			Data mcp.NoteDiff
		}
		if err := json.Unmarshal(r.Structured, &object); err != nil || !r.IsError || object.Code != "conflict" || !strings.Contains(object.Data.Diff, "+by a person") {
			t.Errorf("refused with %s", f.Raw)
		}
		if len(r.Content) != 3 || !strings.Contains(r.Content[1].Text, "+by a person") || !strings.Contains(f.Raw, "lectern/untrusted") {
			t.Errorf("text of the refusal: %s", f.Raw)
		}
	}
	if strings.Contains(o.logged(), "by a person") {
		t.Error("the log has content")
	}
	a.Call("undo_change", `{"id":"`+o.id(1)+`","merge":true}`)
	if got := o.holds("old"); got != "1\n2\n3\n4\nby a person\n" {
		t.Errorf("merged to %q", got)
	}
}

// An undo by an agent is seen like any write: in the calls, in the journal with
// its reason, and by the circuit breaker.
func TestOwnUndoIsACallLikeAnother(t *testing.T) {
	o := startFiles(t, func(c *hub.Config) { c.Limits.DeletesPerMinute = 1 })
	a := connect(t, o.testHub, "")
	a.Initialize()
	a.Call("file", `{"files":{"a":"1"}}`)
	a.Call("file", `{"files":{"b":"1"}}`)
	a.Ask("tools/call", `{"name":"undo_change","arguments":{"id":"`+o.id(1)+`"},"_meta":{"lectern/reason":"a slip"}}`)
	if r := a.Call("undo_change", `{"id":"`+o.id(2)+`"}`); !r.IsError || !strings.Contains(r.Content[0].Text, "too much at once") || o.holds("b") != "1" {
		t.Errorf("the circuit breaker did not trip: %+v", r)
	}
	calls, err := o.Calls().Stream(t.Context(), status.CallFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []status.Call
	for c := range calls {
		seen = append(seen, c)
	}
	if len(seen) != 4 || seen[2].Tool != "undo_change" || seen[2].Effect != "delete" || seen[2].Source != "notes" || !slices.Equal(seen[2].Changes, []string{o.id(3)}) {
		t.Errorf("calls %+v", seen)
	}
	found, err := o.Changes().List(t.Context(), status.Filter{})
	if err != nil || len(found.Changes) != 3 || found.Changes[0].Reason != "a slip" || found.Changes[0].Undoes != o.id(1) || found.Changes[0].Session == "" {
		t.Errorf("changes %+v (%v)", found, err)
	}
	r := a.Call("list_changes", `{"limit":0}`)
	if !r.IsError {
		t.Errorf("a limit of 0: %+v", r)
	}
}
