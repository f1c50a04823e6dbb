package journal_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// begun is a call that has announced changes.
func (d *testJournal) begun(o journal.CallOrigin, changes ...tools.Change) *journal.Recorder {
	d.Helper()
	o.Client, o.Session, o.Source, o.Tool = "agent", "s1", "notes", "write"
	r := d.NewRecorder(o)
	if err := r.BeforeWrite(d.Context(), changes...); err != nil {
		d.Fatal(err)
	}
	return r
}

// What the writer reports became of its Changes, whatever their targets hold, after an error as
// after success. It is asked for once.
func TestOutcomeIsWhatTheWriterReports(t *testing.T) {
	for _, failure := range []error{nil, errors.New("something went wrong")} {
		d := newTestJournal(t)
		d.edit("c.md", text("c"))
		r := d.begun(journal.CallOrigin{},
			tools.Change{Target: "a.md", After: text("a")},
			tools.Change{Target: "b.md", After: text("b")},
			tools.Change{Target: "c.md", Before: text("c"), After: text("C")},
			tools.Change{Target: "d.md", AfterUnknown: true},
			tools.Change{Target: "e.md", AfterUnknown: true},
			tools.Change{Target: "f.md", After: text("f")},
			tools.Change{Target: "g.md", AfterUnknown: true},
		)
		d.edit("a.md", text("a")) // by others
		d.edit("d.md", text("D")) // by others
		r.AfterWrite("c.md", text("not what was announced"))
		d.edit("c.md", text("by a person"))
		r.AfterWrite("e.md", text("as another application likes it"))
		r.OutcomeUnknown("f.md")
		r.AfterWrite("g.md", tools.State{}) // nothing came of it
		r.AfterWrite("h.md", text("never announced"))
		r.End(failure)
		want := []string{"c.md update written", "e.md create written", "f.md create unknown"}
		d.checkOutcomes(want...)
		if diff := d.diffOf("c.md"); !strings.Contains(diff, "+C\n") {
			t.Errorf("the report has replaced what was announced:\n%s", diff)
		}
		if diff := d.diffOf("e.md"); !strings.Contains(diff, "+as another application likes it\n") {
			t.Errorf("the report is lost:\n%s", diff)
		}
		r.AfterWrite("b.md", text("b"))
		r.End(partlyWritten{})
		if d.checkOutcomes(want...); d.SourceNeedsRecovery("notes") {
			t.Error("a call ended twice")
		}
	}
}

func (d *testJournal) diffOf(target string) string {
	d.Helper()
	for _, c := range d.list(status.Filter{}) {
		if c.Target == target {
			found, err := d.Changes(d.Context(), status.Filter{IDs: []string{c.ID}})
			if err != nil {
				d.Fatal(err)
			}
			return found.Diffs[c.ID]
		}
	}
	return ""
}

type partlyWritten struct{}

func (partlyWritten) Error() string         { return "a part is written" }
func (partlyWritten) IsPartlyWritten() bool { return true }

// What a writer has left in part is taken back soon, and nothing else: a target that it has not
// written stays, although it holds the same. If the process dies before, the start does it.
func TestPartIsTakenBack(t *testing.T) {
	d := newTestJournal(t)
	d.edit("a.md", text("1"))
	d.edit("b.md", text("1"))
	r := d.begun(journal.CallOrigin{},
		tools.Change{Target: "a.md", Before: text("1"), After: text("2")},
		tools.Change{Target: "b.md", Before: text("1"), After: text("2")},
		tools.Change{Target: "c.md", After: text("2")},
	)
	d.edit("a.md", text("2"))
	r.AfterWrite("a.md", text("2"))
	d.edit("b.md", text("2")) // by others
	r.End(partlyWritten{})
	if !d.SourceNeedsRecovery("notes") {
		t.Fatal("nobody takes back what is left in part")
	}
	if found := d.reconciled(); found.TakenBack != 1 {
		t.Errorf("found %+v", found)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("1"), "b.md": text("2")})
	d.checkOutcomes("a.md update undone")
}

// Two calls were under way that write the same, when their process died. What they have written
// is kept, whichever was first and whichever of them did.
func TestSameWritesOfInterruptedCalls(t *testing.T) {
	one := tools.Change{Target: "a.md", Before: text("1"), After: text("2")}
	both := []tools.Change{one, {Target: "b.md", After: text("2")}}
	for name, calls := range map[string][][]tools.Change{
		"the one with less first": {{one}, both},
		"the one with more first": {both, {one}},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestJournal(t)
			d.edit("a.md", text("1"))
			for _, changes := range calls {
				d.begun(journal.CallOrigin{}, changes...)
			}
			d.edit("a.md", text("2"))
			d.reopen()
			if found := d.reconciled(); found.TakenBack != 0 {
				t.Errorf("found %+v", found)
			}
			d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("2")})
		})
	}
}

// A revisionFolder is a folder whose files have revisions, but those with the ending .none.
type revisionFolder struct {
	*fakeFolder
	has map[string][]string
}

func (f *revisionFolder) State(ctx context.Context, target string) (tools.State, error) {
	st, err := f.fakeFolder.State(ctx, target)
	if all := f.has[target]; len(all) > 0 && st.Exists {
		st.Revision = all[len(all)-1]
	}
	return st, err
}

func (f *revisionFolder) HasRevision(_ context.Context, target, revision string) (bool, error) {
	return slices.Contains(f.has[target], revision), nil
}

func (f *revisionFolder) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	for _, ch := range changes {
		if now, _ := f.State(ctx, ch.Target); ch.Before.Revision != "" && now.Revision != ch.Before.Revision {
			return tools.Errorf(tools.Conflict, "%s was changed", ch.Target)
		}
	}
	return f.fakeFolder.Restore(ctx, c, changes)
}

func textIn(s, revision string) tools.State {
	st := text(s)
	st.Revision = revision
	return st
}

// The revision tells what became of a call whose process died, not what the target holds. What has
// no revision counts as written if it holds the same, and is not taken back.
func TestRevisionsOfAnInterruptedCall(t *testing.T) {
	d := newTestJournal(t)
	f := &revisionFolder{d.fakeFolder, map[string][]string{}}
	for _, target := range []string{"a.md", "b.md", "c.md", "d.none"} {
		d.edit(target, text("1"))
	}
	d.begun(journal.CallOrigin{},
		tools.Change{Target: "a.md", Before: text("1"), After: textIn("2", "r1")},
		tools.Change{Target: "b.md", Before: text("1"), After: textIn("2", "r1")},
		tools.Change{Target: "c.md", Before: text("1"), After: textIn("2", "r1")},
		tools.Change{Target: "d.none", Before: text("1"), After: text("2")},
	)
	for target, revisions := range map[string][]string{"a.md": {"other"}, "b.md": {"r1", "other"}, "d.none": nil} {
		d.edit(target, text("2"))
		f.has[target] = revisions
	}
	d.edit("c.md", text("by a person"))
	f.has["c.md"] = []string{"r1", "person"}
	d.reopen()
	found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", f, false)
	if err != nil || found.Written != 3 || found.Dropped != 1 || found.TakenBack != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	d.checkOutcomes("b.md update written", "c.md update written", "d.none update written")
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("2"), "b.md": text("2"), "c.md": text("by a person"), "d.none": text("2")})
}

// A group is taken back but for what others have written since, the same or not, and for what
// nobody knows of.
func TestGroupKeepsWhatOthersWrote(t *testing.T) {
	for _, died := range []bool{false, true} {
		d := newTestJournal(t)
		f := &revisionFolder{d.fakeFolder, map[string][]string{}}
		group := d.NewGroup()
		all := []string{"a.md", "b.md", "c.none", "d.none", "e.none", "f.md"}
		var changes []tools.Change
		for _, target := range all {
			d.edit(target, text("1"))
			c := tools.Change{Target: target, Before: text("1"), After: textIn("2", "r1")}
			if strings.HasSuffix(target, ".none") {
				c.After.Revision = ""
			}
			changes = append(changes, c)
		}
		r := d.begun(journal.CallOrigin{Group: group}, changes...)
		for _, c := range changes {
			d.edit(c.Target, text("2"))
			f.has[c.Target] = []string{"r1"}
			if c.Target == "e.none" {
				r.OutcomeUnknown(c.Target)
			} else if c.Target != "f.md" {
				r.AfterWrite(c.Target, c.After)
			}
		}
		r.End(nil)
		f.has["b.md"] = []string{"r1", "other"}
		f.has["f.md"] = []string{"other"}
		d.call("s2", map[string]tools.State{"d.none": text("3")})
		d.call("s2", map[string]tools.State{"d.none": text("2")})
		want := map[string]tools.State{"a.md": text("1"), "c.none": text("1")}
		for _, target := range []string{"b.md", "d.none", "e.none", "f.md"} {
			want[target] = text("2")
		}
		if died {
			d.reopen()
			if _, err := d.ReconcileInterruptedCalls(t.Context(), "notes", f, false); err != nil {
				t.Fatal(err)
			}
			d.fakeFolder.holds(t, want)
			continue
		}
		done := group.TakeBack(t.Context(), func(context.Context, string) (tools.Restorer, func(), error) { return f, func() {}, nil })
		slices.Sort(done.Left)
		if left := strings.Join(done.Left, " "); !done.Changed || left != "b.md d.none e.none" {
			t.Errorf("took back %+v", done)
		}
		d.fakeFolder.holds(t, want)
	}
}

// A group of which nothing was written has nothing to take back, whatever its targets hold.
func TestGroupThatWroteNothing(t *testing.T) {
	d := newTestJournal(t)
	group := d.NewGroup()
	d.edit("a.md", text("1"))
	r := d.begun(journal.CallOrigin{Group: group}, tools.Change{Target: "a.md", Before: text("1"), After: text("2")})
	d.edit("a.md", text("2")) // by others
	r.End(nil)
	if done := group.TakeBack(t.Context(), d.lend); done.Changed || len(done.Left) > 0 {
		t.Errorf("took back %+v", done)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("2")})
	d.checkOutcomes()
}

// An undo that a source refuses half-way has ended: the next start does not go on with it.
func TestUndoThatIsRefusedEnds(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("1")})
	d.call("s1", map[string]tools.State{"b.md": text("1")})
	k := &refusingFolder{d.fakeFolder, "a.md"}
	err := d.Undo(t.Context(), status.Filter{Session: "s1"}, journal.CallOrigin{Client: "lectern undo"},
		func(context.Context, string) (tools.Restorer, func(), error) { return k, func() {}, nil })
	if err == nil || !strings.Contains(err.Error(), "stopped after 1 call of 2") {
		t.Errorf("undone: %v", err)
	}
	d.reopen()
	if found := d.reconciled(); found.HasFindings() {
		t.Errorf("found %+v", found)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("1")})
}

// A refusingFolder does not restore a target.
type refusingFolder struct {
	*fakeFolder
	target string
}

func (f *refusingFolder) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	if changes[0].Target == f.target {
		return tools.Errorf(tools.Denied, "it is read-only")
	}
	return f.fakeFolder.Restore(ctx, c, changes)
}

// An undo that has begun is completed although its caller goes away.
func TestUndoOutlivesItsCaller(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("1")})
	d.call("s1", map[string]tools.State{"b.md": text("1")})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	d.fakeFolder.at = func(point string) {
		if point == "start" {
			leave()
		}
	}
	if err := d.Undo(ctx, status.Filter{Session: "s1"}, journal.CallOrigin{Client: "lectern undo"}, d.lend); err != nil {
		t.Errorf("undone: %v", err)
	}
	d.fakeFolder.holds(t, map[string]tools.State{})
}
