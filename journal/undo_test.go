package journal_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Several changes of one target are undone together, and the undo can be undone
// like any other Change.
func TestUndoComposesAndIsUndone(t *testing.T) {
	d := newTestJournal(t)
	for _, s := range []string{"1\n", "2\n", "3\n"} {
		d.call("s1", map[string]tools.State{"a.md": text(s)})
	}
	d.mustUndo(status.Filter{Session: "s1"})
	d.fakeFolder.holds(t, map[string]tools.State{})
	d.checkOutcomes("a.md create undone", "a.md update undone", "a.md update undone", "a.md update written", "a.md update written", "a.md delete written")
	d.mustUndo(status.Filter{IDs: []string{d.id(6)}})
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("1\n")})
	if all := d.list(status.Filter{}); all[0].Undoes != d.id(6) || all[1].Outcome != status.Undone || all[6].Outcome != status.Written {
		t.Errorf("after the redo: %+v", all)
	}
	if err := d.undo(status.Filter{IDs: []string{d.id(6)}}); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("twice: %v", err)
	}
	if err := d.undo(status.Filter{Session: "s9"}); err == nil {
		t.Error("an undo of nothing is not an error")
	}
	if err := d.undo(status.Filter{}); err == nil {
		t.Error("everything was undone although nothing was selected")
	}
}

// A call is undone as a whole, also when only one of its Changes is named.
func TestUndoTakesWholeCalls(t *testing.T) {
	d := newTestJournal(t)
	d.edit("old.md", text("page"))
	ids := d.call("s1", map[string]tools.State{"new.md": text("page"), "old.md": {}})
	for _, c := range []struct {
		ids  []string
		says string
	}{{ids[:1], "the same call also made " + ids[1] + "; a call is undone as a whole"}, {ids, ""}} {
		plan, err := d.PlanUndo(t.Context(), status.Filter{IDs: c.ids}, d.lend)
		if err != nil || strings.Join(plan.Risks, "; ") != c.says {
			t.Errorf("the plan for %v says %q (%v), want %q", c.ids, plan.Risks, err, c.says)
		}
	}
	d.mustUndo(status.Filter{IDs: ids[:1]})
	d.fakeFolder.holds(t, map[string]tools.State{"old.md": text("page")})
}

// An undo by time skips earlier undos and restores the state of that time.
func TestUndoSince(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	d.now = d.now.Add(time.Minute)
	since := d.now
	ids := d.call("s1", map[string]tools.State{"b.md": text("b")})
	d.mustUndo(status.Filter{IDs: ids})
	d.call("s2", map[string]tools.State{"a.md": text("A")})
	d.mustUndo(status.Filter{Since: since})
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("a")})
}

// A later edit is not overwritten: the undo is refused with the diff and changes
// nothing, not even targets that nobody edited.
func TestUndoRefusesLaterEdits(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("a\n")})
	d.call("s1", map[string]tools.State{"b.md": text("b\n")})
	d.edit("a.md", text("a\nby a person\n"))
	before := d.fakeFolder.files(t)
	for _, err := range []error{d.undo(status.Filter{Session: "s1"}), func() error {
		_, err := d.PlanUndo(t.Context(), status.Filter{Session: "s1"}, d.lend)
		return err
	}()} {
		edited, ok := errors.AsType[*journal.ConflictError](err)
		if !ok || !strings.Contains(edited.Reason, "+by a person") || !strings.Contains(edited.Reason, "a.md in notes") {
			t.Errorf("error %v", err)
		}
	}
	d.fakeFolder.holds(t, before)
	d.checkOutcomes("a.md create written", "b.md create written")
}

// A change by another agent in between prevents an undo too.
func TestUndoRefusesGapsInTheChain(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("1\n")})
	d.call("s2", map[string]tools.State{"a.md": text("2\n")})
	d.call("s1", map[string]tools.State{"a.md": text("3\n")})
	if err := d.undo(status.Filter{Session: "s1"}); err == nil || !strings.Contains(err.Error(), "between") {
		t.Errorf("error %v", err)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("3\n")})
}

// A merge undoes the agent's lines and keeps the person's; if both changed the same
// lines, it is refused.
func TestUndoMerges(t *testing.T) {
	lines := func(s string) tools.State { return text(strings.ReplaceAll(s, " ", "\n") + "\n") }
	for name, c := range map[string]struct{ was, agent, person, want string }{
		"apart":            {"1 2 3 4 5", "1 X 3 4 5", "1 X 3 4 Y", "1 2 3 4 Y"},
		"person adds":      {"1 2 3", "X 2 3", "X 2 3 Y", "1 2 3 Y"},
		"agent's last":     {"1 2 3 4", "1 2 3 4 X", "Y 1 2 3 4 X", "Y 1 2 3 4"},
		"same line":        {"1 2 3", "1 X 3", "1 Y 3", ""},
		"adjoining":        {"1 2 3", "1 X 3", "1 X Y", ""},
		"person undid it":  {"1 2 3 4 5", "1 X 3 4 5", "1 2 3 4 5", "1 2 3 4 5"},
		"windows' endings": {"1\r 2\r 3\r 4\r", "1\r X\r 3\r 4\r", "1\r X\r 3\r Y\r", "1\r 2\r 3\r Y\r"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestJournal(t)
			d.edit("a.md", lines(c.was))
			d.call("s1", map[string]tools.State{"a.md": lines(c.agent)})
			d.edit("a.md", lines(c.person))
			err := d.undo(status.Filter{Session: "s1", Merge: true})
			if c.want == "" {
				if err == nil {
					t.Error("what both changed was merged")
				}
				d.fakeFolder.holds(t, map[string]tools.State{"a.md": lines(c.person)})
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			d.fakeFolder.holds(t, map[string]tools.State{"a.md": lines(c.want)})
		})
	}
	d := newTestJournal(t)
	d.edit("a.md", text("caf\xe9\n1\n2\n3\n"))
	d.call("s1", map[string]tools.State{"a.md": text("X\n1\n2\n3\n")})
	d.edit("a.md", text("X\n1\n2\nY\n"))
	if err := d.undo(status.Filter{Session: "s1", Merge: true}); err == nil {
		t.Error("bytes that are not text were merged")
	}
}

// A plan shows every target with its diff and changes nothing.
func TestPlanUndo(t *testing.T) {
	d := newTestJournal(t)
	d.edit("a.md", text("a\n"))
	d.edit("c.md", text("c\n"))
	d.call("s1", map[string]tools.State{"a.md": text("A\n"), "b.md": text("b\n"), "c.md": {}})
	before := d.fakeFolder.files(t)
	plan, err := d.PlanUndo(t.Context(), status.Filter{Session: "s1"}, d.lend)
	if err != nil {
		t.Fatal(err)
	}
	var what []string
	for _, s := range plan.Steps {
		what = append(what, s.Description)
		if s.Diff == "" {
			t.Errorf("%s: no diff", s.Description)
		}
	}
	if got := strings.Join(what, ", "); plan.Title != "Undo 3 changes of 1 call by agent" || got != "create c.md in notes, delete b.md in notes, restore a.md in notes" {
		t.Errorf("%s: %s", plan.Title, got)
	}
	if plan.Steps[2].Diff != "--- a.md\n+++ a.md\n@@ -1 +1 @@\n-A\n+a\n" {
		t.Errorf("diff %s", plan.Steps[2].Diff)
	}
	d.fakeFolder.holds(t, before)
	d.checkOutcomes("a.md update written", "b.md create written", "c.md delete written")
}

// Two agents and a person work in random sequences. Undoing everything that the
// agents did, if nobody else edited, restores the identical bytes; and no edit of a
// person is ever lost.
func TestSequencesOfTwoAgentsAndAPerson(t *testing.T) {
	shared := newTestJournal(t)
	for i := range runtest.Seeds(1000, 250, 60) {
		sequence(t, &memoryJournal{shared, fmt.Sprintf("notes%d", i), map[string]tools.State{}}, uint64(i))
		if t.Failed() {
			t.Fatalf("sequence %d", i)
		}
	}
}

func sequence(t *testing.T, d *memoryJournal, seed uint64) {
	t.Helper()
	rand := d.rand(seed)
	names := []string{"a.md", "b.md", "c.md"}
	state := func() tools.State {
		if rand.IntN(5) == 0 {
			return tools.State{}
		}
		return tools.State{Exists: true, Data: []byte{byte(rand.IntN(256)), '\r', '\n', byte(rand.IntN(256))}, Mode: []uint32{0o600, 0o644}[rand.IntN(2)]}
	}
	for _, n := range names {
		d.set(n, state())
	}
	start, agentsOnly := maps.Clone(d.held), rand.IntN(2) == 0
	edited := map[string]tools.State{}
	for range 12 {
		name := names[rand.IntN(len(names))]
		if who := rand.IntN(3); who == 2 && !agentsOnly {
			edited[name] = state()
			d.set(name, edited[name])
		} else {
			to := map[string]tools.State{name: state()}
			if rand.IntN(3) == 0 {
				to[names[rand.IntN(len(names))]] = state()
			}
			for n := range to {
				delete(edited, n) // the person's edit was what the agent found
			}
			d.call([]string{"s1", "s2"}[who%2], to)
		}
	}
	before := maps.Clone(d.held)
	err := d.undo(status.Filter{Source: d.source})
	switch {
	case err == nil && agentsOnly && !maps.EqualFunc(d.held, start, same):
		t.Error("everything was undone, but the bytes are not those from before")
	case err != nil && agentsOnly && len(d.list(status.Filter{Source: d.source, Limit: 1})) > 0:
		t.Errorf("only agents edited, and yet: %v", err)
	case err != nil && !maps.EqualFunc(d.held, before, same):
		t.Errorf("refused with %v, and changed all the same", err)
	}
	for n, st := range edited {
		if now, there := d.held[n]; there != st.Exists || there && !same(now, st) {
			t.Errorf("the person's edit of %s is lost", n)
		}
	}
}

// A nestedFolder is a fakeFolder with targets inside others: each is inside
// itself at least.
type nestedFolder struct{ *fakeFolder }

func (n nestedFolder) DifferOnlyWithin(target string, _, _ tools.State, changes []tools.Change) bool {
	return slices.ContainsFunc(changes, func(c tools.Change) bool { return c.Target == target })
}

// An edit by a person between two changes of a target prevents an undo of both
// before anything is undone, also if targets are inside others.
func TestUndoAroundAnEditChangesNothing(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("1\n")})
	d.call("s1", map[string]tools.State{"a.md": text("2\n")})
	d.edit("a.md", text("2\nof a person\n"))
	d.call("s1", map[string]tools.State{"a.md": text("3\nof a person\n")})
	from := func(context.Context, string) (tools.Restorer, func(), error) {
		return nestedFolder{d.fakeFolder}, func() {}, nil
	}
	err := d.Undo(t.Context(), status.Filter{Session: "s1"}, journal.CallOrigin{Client: "lectern undo"}, from)
	if _, edited := errors.AsType[*journal.ConflictError](err); !edited {
		t.Errorf("undone: %v", err)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("3\nof a person\n")})
}

// What a System refuses to take back is named before anything is changed, keeps its call as
// a whole, and no start after a crash brings it back.
func TestUndoThatTheSystemRefuses(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("1\n"), "key.md": text("1\n")})
	removal := d.call("s1", map[string]tools.State{"b.md": text("1\n"), "key.md": {}})
	d.call("s1", map[string]tools.State{"a.md": text("2\n")})
	d.fakeFolder.gone = "key.md"
	held := map[string]tools.State{"a.md": text("2\n"), "b.md": text("1\n")}
	all := status.Filter{Source: "notes"}
	for _, err := range []error{d.undo(all), d.undo(status.Filter{IDs: removal})} {
		if err == nil || !strings.Contains(err.Error(), "key.md does not come back") {
			t.Errorf("undone: %v", err)
		}
	}
	if _, err := d.PlanUndo(t.Context(), all, d.lend); err == nil || !strings.Contains(err.Error(), "calls cannot be undone") {
		t.Errorf("planned: %v", err)
	}
	d.fakeFolder.holds(t, held)
	all.Skip = true
	d.mustUndo(all)
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("1\n"), "b.md": text("1\n")})

	d = interrupted(t, map[string]string{"b.md": "see c\n", "c.md": "to a\n"})
	d.fakeFolder.gone = "a.md"
	d.reconciled()
	d.fakeFolder.holds(t, map[string]tools.State{"c.md": text("to a\n")})
	if again := d.reconciled(); again.HasFindings() {
		t.Errorf("found %+v again", again)
	}
}
