package journal_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// TestMain lets this binary be the process that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) == 5 && os.Args[1] == "victim" {
		victim(os.Args[2], os.Args[3], os.Args[4])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// victim works in dir until it reaches a point for the first time, reports
// that and waits to be killed.
func victim(work, dir, point string) {
	wait := func() {
		fmt.Println("there")
		_, _ = io.ReadAll(os.Stdin)
	}
	reached := 0
	s := &fakeFolder{dir: filepath.Join(dir, "notes")}
	j := journal.New(journal.Options{Dir: filepath.Join(dir, "journal"), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	ctx := context.Background()
	from := func(context.Context, string) (tools.Restorer, func(), error) { return s, func() {}, nil }
	if group, ok := strings.CutPrefix(work, "group "); ok {
		groupVictim(group, dir, j, wait)
		return
	}
	s.at = func(p string) {
		if p == point {
			if reached++; work == "write" || reached == 2 { // an undo is cut short in its second call
				wait()
			}
		}
	}
	switch work {
	case "write":
		r := j.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s1", Source: "notes", Tool: "write"})
		err := s.write(ctx, tools.CallContext{Writes: r},
			tools.Change{Target: "a.md", Before: text("a\n"), After: text("A\n")},
			tools.Change{Target: "b.md", After: text("B\n")})
		r.End(err)
	case "undo":
		if err := j.Undo(ctx, status.Filter{Session: "s1"}, journal.CallOrigin{Client: "lectern undo"}, from); err != nil {
			fmt.Println(err)
		}
	}
	if point == "ended" {
		wait()
	}
}

// killAt runs a victim and kills it at a point.
func (d *testJournal) killAt(work, point string) {
	d.Helper()
	if err := d.Close(); err != nil {
		d.Fatal(err)
	}
	cmd := exec.CommandContext(d.Context(), os.Args[0], "victim", work, filepath.Dir(d.dir), point)
	if _, err := cmd.StdinPipe(); err != nil {
		d.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		d.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if err := cmd.Process.Kill(); err != nil {
		d.Fatal(err)
	}
	_ = cmd.Wait()
	if line != "there\n" {
		d.Fatalf("the victim said %q before it came to %s", line, point)
	}
	d.open()
}

// newVictimJournal returns a testJournal whose folder and journal a victim
// uses.
func newVictimJournal(t *testing.T) *testJournal {
	t.Helper()
	top := t.TempDir()
	d := &testJournal{T: t, fakeFolder: &fakeFolder{dir: filepath.Join(top, "notes")}, dir: filepath.Join(top, "journal"), now: time.Now()}
	if err := os.Mkdir(d.fakeFolder.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d.open()
	return d
}

func (d *testJournal) reconciled() journal.Reconciliation {
	d.Helper()
	found, err := d.ReconcileInterruptedCalls(d.Context(), "notes", d.fakeFolder, false)
	if err != nil {
		d.Fatal(err)
	}
	return found
}

// A process that is killed at any point of a write leaves the write and its
// Changes, or neither: the next start takes back half of one.
func TestKilledAtEveryPointOfAWrite(t *testing.T) {
	for point, want := range map[string]struct {
		a, b  string
		found journal.Reconciliation
		left  []string
	}{
		"start":    {"a\n", "", journal.Reconciliation{}, nil},
		"promised": {"a\n", "", journal.Reconciliation{Dropped: 2}, nil},
		"between":  {"A\n", "", journal.Reconciliation{TakenBack: 1}, []string{"a.md update undone"}},
		"written":  {"A\n", "B\n", journal.Reconciliation{Written: 2}, []string{"a.md update written", "b.md create written"}},
		"ended":    {"A\n", "B\n", journal.Reconciliation{Written: 2}, []string{"a.md update written", "b.md create written"}},
	} {
		t.Run(point, func(t *testing.T) {
			d := newVictimJournal(t)
			d.edit("a.md", text("a\n"))
			d.killAt("write", point)
			files := map[string]tools.State{"a.md": text(want.a)}
			if want.b != "" {
				files["b.md"] = text(want.b)
			}
			d.fakeFolder.holds(t, files)
			if found := d.reconciled(); fmt.Sprint(found) != fmt.Sprint(want.found) {
				t.Errorf("found %+v, want %+v", found, want.found)
			}
			d.checkOutcomes(want.left...)
			if again := d.reconciled(); again.HasFindings() {
				t.Errorf("found %+v again", again)
			}
			if want.found.Written > 0 {
				d.mustUndo(status.Filter{Session: "s1"})
			}
			d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("a\n")})
		})
	}
}

// If a person edits between the crash and the next start, the outcome is unknown
// and the edit is kept.
func TestEditedAfterTheCrash(t *testing.T) {
	d := newVictimJournal(t)
	d.edit("a.md", text("a\n"))
	d.killAt("write", "promised")
	d.edit("a.md", text("by a person\n"))
	if found := d.reconciled(); found.Unknown != 1 || found.Dropped != 1 {
		t.Errorf("found %+v", found)
	}
	d.checkOutcomes("a.md update unknown")
	if err := d.undo(status.Filter{IDs: []string{d.id(1)}}); err == nil {
		t.Error("the person's edit was overwritten")
	}
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("by a person\n")})
}

// seekstone leaves the row of a write that never happened as what undo takes
// back next; here it is gone.
func TestSeekstoneGapPhantomRow(t *testing.T) {
	d := newVictimJournal(t)
	d.edit("a.md", text("a\n"))
	d.call("s0", map[string]tools.State{"c.md": text("c\n")})
	d.killAt("write", "promised")
	d.reconciled()
	d.checkOutcomes("c.md create written")
	d.mustUndo(status.Filter{Source: "notes"})
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("a\n")})
}

// seekstone leaves a half undo for ever; here the next start completes it, or
// names what is in its way.
func TestSeekstoneGapCrashInTheMiddleOfAnUndo(t *testing.T) {
	for _, point := range []string{"start", "promised", "between", "written"} {
		for _, edited := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, edited %v", point, edited), func(t *testing.T) {
				d := newVictimJournal(t)
				d.edit("a.md", text("a\n"))
				before := d.fakeFolder.files(t)
				d.call("s1", map[string]tools.State{"a.md": text("1\n"), "b.md": text("1\n")})
				d.call("s1", map[string]tools.State{"a.md": text("2\n"), "b.md": text("2\n")})
				d.call("s1", map[string]tools.State{"a.md": text("3\n"), "b.md": text("3\n")})
				d.killAt("undo", point)
				if edited {
					d.edit("b.md", text("by a person\n"))
				}
				found := d.reconciled()
				if edited {
					if len(found.Conflicted) == 0 || !strings.Contains(found.Conflicted[0], "b.md") {
						t.Errorf("found %+v", found)
					}
					if now := d.fakeFolder.files(t)["b.md"]; !same(now, text("by a person\n")) {
						t.Errorf("the person's edit became %q", now.Data)
					}
				} else {
					if len(found.Conflicted) > 0 || found.Unknown > 0 || found.Resumed == 0 {
						t.Errorf("found %+v", found)
					}
					d.fakeFolder.holds(t, before)
					if standing := slices.ContainsFunc(d.list(status.Filter{Session: "s1"}), func(c status.Change) bool { return c.Outcome != status.Undone }); standing {
						t.Errorf("changes %q", d.outcomes())
					}
				}
				if again := d.reconciled(); again.HasFindings() {
					t.Errorf("found %+v again", again)
				}
			})
		}
	}
}

// A torn tail costs what was not promised yet: seekstone's next row is glued to
// it and lost with it.
func TestSeekstoneGapTornTail(t *testing.T) {
	for _, tear := range []int64{1, 100, 5000} {
		d := newVictimJournal(t)
		d.edit("a.md", text("a\n"))
		d.call("s0", map[string]tools.State{"c.md": text("c\n")})
		d.killAt("write", "promised") // its log is not folded in
		wal := filepath.Join(d.dir, "journal.db-wal")
		info, err := os.Stat(wal)
		if err != nil || info.Size() < tear {
			t.Fatal(info, err)
		}
		if err := os.Truncate(wal, info.Size()-tear); err != nil {
			t.Fatal(err)
		}
		d.reconciled()
		d.call("s2", map[string]tools.State{"d.md": text("d\n")}) // the next row
		d.reopen()
		d.reconciled()
		d.checkOutcomes("c.md create written", "d.md create written")
		d.mustUndo(status.Filter{Source: "notes"})
		d.fakeFolder.holds(t, map[string]tools.State{"a.md": text("a\n")})
	}
}
