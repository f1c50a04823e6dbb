package journal_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// moveOf is a move of a.md to b.md that rewrites it and a link to it in c.md.
func moveOf() []tools.Change {
	return []tools.Change{
		{Target: "a.md", Before: text("see c\n")},
		{Target: "b.md", After: text("see ../c\n")},
		{Target: "c.md", Before: text("to a\n"), After: text("to b\n")},
	}
}

// interrupted is a journal with moveOf recorded, and a folder that holds files,
// as the start after a crash finds them.
func interrupted(t *testing.T, files map[string]string) *testJournal {
	t.Helper()
	d := newTestJournal(t)
	d.edit("a.md", text("see c\n"))
	d.edit("c.md", text("to a\n"))
	r := d.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s1", Source: "notes", Tool: "move_page"})
	if err := r.BeforeWrite(t.Context(), moveOf()...); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.md", "c.md"} {
		if err := os.Remove(filepath.Join(d.fakeFolder.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, content := range files {
		d.edit(name, text(content))
	}
	d.reopen()
	return d
}

// A call that was cut short is taken back as a whole, from every state that it
// passes, but for what a person has edited since.
func TestInterruptedCallIsTakenBack(t *testing.T) {
	was := map[string]string{"a.md": "see c\n", "c.md": "to a\n"}
	for name, c := range map[string]struct {
		files, want map[string]string
		takenBack   string
		kept        string
		outcomes    string
	}{
		"nothing happened":     {files: was, want: was},
		"linked, not moved":    {map[string]string{"a.md": "see c\n", "b.md": "see c\n", "c.md": "to a\n"}, was, "b.md", "", "b.md undone"},
		"moved, not rewritten": {map[string]string{"b.md": "see c\n", "c.md": "to a\n"}, was, "a.md b.md", "", "a.md undone, b.md undone"},
		"moved and rewritten":  {map[string]string{"b.md": "see ../c\n", "c.md": "to a\n"}, was, "a.md b.md", "", "a.md undone, b.md undone"},
		"complete": {
			map[string]string{"b.md": "see ../c\n", "c.md": "to b\n"},
			map[string]string{"b.md": "see ../c\n", "c.md": "to b\n"},
			"", "",
			"a.md written, b.md written, c.md written",
		},
		"complete, and edited since": {
			map[string]string{"b.md": "see ../c\n", "c.md": "to b, by a person\n"},
			map[string]string{"b.md": "see ../c\n", "c.md": "to b, by a person\n"},
			"", "c.md", "a.md written, b.md written, c.md unknown",
		},
		"half, and a link edited": {
			map[string]string{"b.md": "see c\n", "c.md": "by a person\n"},
			map[string]string{"a.md": "see c\n", "c.md": "by a person\n"},
			"a.md b.md", "c.md", "a.md undone, b.md undone, c.md unknown",
		},
		"half, and edited at the new place": {
			map[string]string{"b.md": "by a person\n", "c.md": "to a\n"},
			map[string]string{"a.md": "see c\n", "b.md": "by a person\n", "c.md": "to a\n"},
			"a.md", "b.md", "a.md undone, b.md unknown",
		},
		"half, and another file at the old place": {
			map[string]string{"a.md": "new\n", "b.md": "see c\n", "c.md": "to a\n"},
			map[string]string{"a.md": "new\n", "b.md": "see c\n", "c.md": "to a\n"},
			"", "a.md b.md", "a.md unknown, b.md written",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := interrupted(t, c.files)
			d.reconciled()
			want := map[string]tools.State{}
			for name, content := range c.want {
				want[name] = text(content)
			}
			d.fakeFolder.holds(t, want)
			var outcomes []string
			for _, o := range d.outcomes() {
				target, outcome, _ := strings.Cut(o, " ")
				outcomes = append(outcomes, target+outcome[strings.LastIndex(outcome, " "):])
			}
			if got := strings.Join(outcomes, ", "); got != c.outcomes {
				t.Errorf("changes %q, want %q", got, c.outcomes)
			}
			d.reopen()
			if again := d.reconciled(); again.HasFindings() {
				t.Errorf("found %+v again", again)
			}
			d.checkNotice(c.takenBack, c.kept)
		})
	}
}

// checkNotice checks the only notice, which no start forgets before a person has
// dismissed it.
func (d *testJournal) checkNotice(takenBack, kept string) {
	d.Helper()
	for range 2 {
		all, err := d.Notices()
		if err != nil {
			d.Fatal(err)
		}
		if takenBack+kept == "" {
			if len(all) > 0 {
				d.Errorf("noticed %+v", all)
			}
			return
		}
		if len(all) != 1 || strings.Join(all[0].TakenBack, " ") != takenBack || strings.Join(all[0].Kept, " ") != kept {
			d.Fatalf("noticed %+v, want taken back %q, kept %q", all, takenBack, kept)
		}
		n := all[0]
		if n.Source != "notes" || n.Client != "agent" || n.Tool != "move_page" || len(n.Changes) != 3 {
			d.Errorf("noticed %+v", n)
		}
		d.reopen()
	}
	if err := d.DismissNotices(func(n journal.Notice) bool { return n.Source == "other" }); err != nil {
		d.Fatal(err)
	}
	if all, err := d.Notices(); err != nil || len(all) != 1 {
		d.Errorf("another one was dismissed: %+v, %v", all, err)
	}
	if err := d.DismissNotices(func(journal.Notice) bool { return true }); err != nil {
		d.Fatal(err)
	}
	if all, err := d.Notices(); err != nil || len(all) != 0 {
		d.Errorf("left %+v, %v", all, err)
	}
}

// An application that outlives the hub may still be writing: nothing is taken back
// behind its back.
func TestWritesOfAnotherApplicationStay(t *testing.T) {
	d := interrupted(t, map[string]string{"b.md": "see ../c\n", "c.md": "to a\n"})
	found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", d.fakeFolder, true)
	if err != nil || found.TakenBack != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"b.md": text("see ../c\n"), "c.md": text("to a\n")})
}

// What cannot be taken back now stays pending, is said, and is tried again at the
// next start.
func TestTakeBackThatFails(t *testing.T) {
	d := interrupted(t, map[string]string{"b.md": "see c\n", "c.md": "to a\n"})
	found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", brokenRestorer{d.fakeFolder}, false)
	if err != nil || len(found.Conflicted) != 1 || !strings.Contains(found.Conflicted[0], "permission denied") || d.SourceNeedsRecovery("notes") {
		t.Errorf("found %+v, %v", found, err)
	}
	d.checkNotice("", "")
	d.reopen()
	if found := d.reconciled(); found.TakenBack != 1 {
		t.Errorf("found %+v", found)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("see c\n"), "c.md": text("to a\n")})
}

type brokenRestorer struct{ tools.Restorer }

func (brokenRestorer) Restore(_ context.Context, _ tools.CallContext, _ []tools.Change) error {
	return errors.New("write a.md: permission denied")
}

// A group that a crash cut short is taken back but for what a person has edited,
// and a person is told.
func TestInterruptedGroupIsNoticed(t *testing.T) {
	g := newGroupJournal(t)
	g.killAt("group write in archive written", "-")
	g.edit("b.md", text("by a person\n"))
	g.reconcileAll()
	g.checkFolders("a\n", "by a person\n", "")
	all, err := g.Notices()
	if err != nil || len(all) != 2 {
		t.Fatalf("noticed %+v, %v", all, err)
	}
	for _, n := range all {
		if n.Source == "notes" && (!slices.Equal(n.TakenBack, []string{"a.md"}) || !slices.Equal(n.Kept, []string{"b.md"})) ||
			n.Source == "archive" && !slices.Equal(n.TakenBack, []string{"c.md"}) {
			t.Errorf("noticed %+v", n)
		}
	}
}

// A journal that is empty or gone although there was one is noticed; one whose
// making was cut short is not.
func TestLostJournal(t *testing.T) {
	for name, lose := range map[string]func(dir string) error{
		"empty": func(dir string) error { return os.Truncate(filepath.Join(dir, "journal.db"), 0) },
		"gone":  func(dir string) error { return os.Remove(filepath.Join(dir, "journal.db")) },
		"cut short": func(dir string) error {
			key := filepath.Join(dir, "journal.key")
			return errors.Join(os.Rename(key, key+".new"), os.Truncate(filepath.Join(dir, "journal.db"), 0))
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestJournal(t)
			d.call("s1", map[string]tools.State{"a.md": text("a\n")})
			if err := errors.Join(d.Close(), lose(d.dir)); err != nil {
				t.Fatal(err)
			}
			if journal.HasLostDatabase(d.dir) != (name != "cut short") {
				t.Error("the doctor does not see it")
			}
			for range 2 {
				d.open()
				found, err := d.Notices()
				if err != nil || (len(found) == 1 && found[0].Source == "") != (name != "cut short") {
					t.Errorf("noticed %+v, %v", found, err)
				}
				d.call("s1", map[string]tools.State{"b.md": text("b\n")})
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Of many calls, those that cannot be undone are named and nothing is undone; the
// others are, on request.
func TestUndoSkips(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("1\n"), "b.md": text("1\n")})
	d.call("s1", map[string]tools.State{"c.md": text("1\n")})
	d.call("s1", map[string]tools.State{"a.md": text("2\n")})
	d.edit("b.md", text("by a person\n"))
	all := status.Filter{Source: "notes"}
	err := d.undo(all)
	says := "1 of 3 calls cannot be undone:\n" + d.id(1) + " (write a.md in notes): b.md in notes was edited after " + d.id(2)
	if err == nil || !strings.Contains(err.Error(), says) ||
		!strings.Contains(err.Error(), "undo the other 2 calls, repeat it with --skip") {
		t.Errorf("undone: %v", err)
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("2\n"), "b.md": text("by a person\n"), "c.md": text("1\n")})
	all.Skip = true
	plan, err := d.PlanUndo(t.Context(), all, d.lend)
	if err != nil || plan.Title != "Undo 2 changes of 2 calls by agent" || len(plan.Risks) != 1 ||
		!strings.HasPrefix(plan.Risks[0], d.id(1)+" (write a.md in notes) is not undone: b.md in notes was edited") {
		t.Errorf("plan %+v, %v", plan, err)
	}
	d.mustUndo(all)
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("1\n"), "b.md": text("by a person\n")})
	if err := d.undo(all); err == nil || !strings.Contains(err.Error(), "b.md in notes was edited") {
		t.Errorf("undone: %v", err)
	}
}
