package journal_test

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Changes of an agent are listed with everything that people filter by, and with
// their diffs.
func TestChangesAreListed(t *testing.T) {
	d := newTestJournal(t)
	first := d.call("s1", map[string]tools.State{"a.md": text("one\n")})[0]
	d.now = d.now.Add(time.Hour)
	ids := d.call("s2", map[string]tools.State{"a.md": text("two\n")})
	got, err := d.Changes(t.Context(), status.Filter{IDs: ids})
	if err != nil {
		t.Fatal(err)
	}
	want := status.Changes{
		Changes: []status.Change{{
			ID: ids[0], Time: d.now, Client: "agent", Session: "s2", Call: "k" + ids[0][1:], Source: "notes", Tool: "write", Target: "a.md",
			Action: "update", Outcome: status.Written, Before: 4, After: 4,
		}},
		Diffs: map[string]string{ids[0]: "--- a.md\n+++ a.md\n@@ -1 +1 @@\n-one\n+two\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	for _, c := range []struct {
		pick status.Filter
		want string
	}{
		{status.Filter{}, ids[0] + " " + first},
		{status.Filter{Session: "s1"}, first},
		{status.Filter{Client: "agent", Source: "notes"}, ids[0] + " " + first},
		{status.Filter{Client: "another"}, ""},
		{status.Filter{Since: d.now}, ids[0]},
		{status.Filter{Before: ids[0]}, first},
		{status.Filter{Limit: 1}, ids[0] + " …"},
	} {
		found, err := d.Changes(t.Context(), c.pick)
		var ids []string
		for _, c := range found.Changes {
			ids = append(ids, c.ID)
		}
		if found.More {
			ids = append(ids, "…")
		}
		if got := strings.Join(ids, " "); err != nil || got != c.want {
			t.Errorf("%+v: %q, %v; want %q", c.pick, got, err, c.want)
		}
	}
}

// A call that only reads leaves nothing, not even a file.
func TestReadsTouchNothing(t *testing.T) {
	d := newTestJournal(t)
	r := d.NewRecorder(journal.CallOrigin{Source: "notes"})
	if err := r.BeforeWrite(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.End(nil)
	if found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", d.fakeFolder, false); err != nil || found.HasFindings() {
		t.Errorf("found %+v, %v", found, err)
	}
	if _, err := os.Stat(d.dir); err == nil {
		t.Error("there is a journal on disk")
	}
}

// What became of a call that nobody can tell of is found out from its source, later if that
// is unavailable.
func TestOutcomeIsFoundLater(t *testing.T) {
	d := newTestJournal(t)
	r := d.NewRecorder(journal.CallOrigin{Source: "notes"})
	if err := r.BeforeWrite(t.Context(), tools.Change{Target: "a.md", After: text("a")}); err != nil {
		t.Fatal(err)
	}
	if found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", d.fakeFolder, false); err != nil || found.HasFindings() {
		t.Errorf("a call that has not ended was reconciled: %+v, %v", found, err)
	}
	d.checkOutcomes()
	d.fakeFolder.fails = tools.Errorf(tools.Unavailable, "not there")
	d.reopen()
	d.checkOutcomes("a.md create unknown")
	if c := d.list(status.Filter{})[0]; !strings.Contains(c.CannotUndo, "when its source serves again") {
		t.Errorf("change %+v", c)
	}
	if _, err := d.ReconcileInterruptedCalls(t.Context(), "notes", d.fakeFolder, false); err == nil || !d.SourceNeedsRecovery("notes") || d.SourceNeedsRecovery("others") {
		t.Errorf("reconciled without asking: %v", err)
	}
	d.fakeFolder.fails = nil
	d.edit("a.md", text("a"))
	if found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", d.fakeFolder, false); err != nil || found.Written != 1 || d.SourceNeedsRecovery("notes") {
		t.Errorf("found %+v, %v", found, err)
	}
	d.checkOutcomes("a.md create written")
}

// What a later call found tells what an earlier one left, whatever the target
// holds now.
func TestOutcomeIsToldByTheNextChange(t *testing.T) {
	d := newTestJournal(t)
	r := d.NewRecorder(journal.CallOrigin{Source: "notes"})
	if err := r.BeforeWrite(t.Context(), tools.Change{Target: "a.md", After: text("1")}); err != nil {
		t.Fatal(err)
	}
	d.edit("a.md", text("1"))
	d.reopen()
	d.call("s1", map[string]tools.State{"a.md": text("2")})
	if found, err := d.ReconcileInterruptedCalls(t.Context(), "notes", d.fakeFolder, false); err != nil || found.Written != 1 || found.Unknown != 0 {
		t.Errorf("found %+v, %v", found, err)
	}
}

// A Change whose result is unknown before the write gets it from AfterWrite.
func TestOpenChange(t *testing.T) {
	d := newTestJournal(t)
	r := d.NewRecorder(journal.CallOrigin{Source: "notes"})
	if err := r.BeforeWrite(t.Context(), tools.Change{Target: "a.md", AfterUnknown: true}, tools.Change{Target: "b.md", AfterUnknown: true}); err != nil {
		t.Fatal(err)
	}
	d.edit("a.md", text("as another application likes it"))
	r.AfterWrite("a.md", text("as another application likes it"))
	r.End(nil)
	d.checkOutcomes("a.md create written")
	d.mustUndo(status.Filter{Source: "notes"})
	d.fakeFolder.holds(t, map[string]tools.State{})
}

// The files reveal neither contents nor names without the key, and other users
// cannot open them.
func TestSealedAtRest(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"salary-of-canary.md": text("canary-in-the-coal-mine\n")})
	d.call("s1", map[string]tools.State{"salary-of-canary.md": text("canary-in-the-coal-mine\nmore\n")})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(d.dir)
	if err != nil || len(entries) == 0 {
		t.Fatal(entries, err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(d.dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(data, []byte("canary")) {
			t.Errorf("%s gives away what notes hold or are called", e.Name())
		}
		if info, err := e.Info(); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(d.dir); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o700) {
		t.Errorf("the folder has mode %v, %v", info.Mode(), err)
	}
}

// Without its key, or with another one, the journal says so and stops writes. It
// never begins a new database over one that it cannot read.
func TestKeyIsGone(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(d.dir, "journal.key")
	for name, damage := range map[string]func() error{
		"gone":    func() error { return os.Remove(key) },
		"another": func() error { return os.WriteFile(key, bytes.Repeat([]byte{7}, 32), 0o600) },
		"short":   func() error { return os.WriteFile(key, []byte("x"), 0o600) },
	} {
		if err := damage(); err != nil {
			t.Fatal(name, err)
		}
		d.open()
		err := d.NewRecorder(journal.CallOrigin{}).BeforeWrite(t.Context(), tools.Change{Target: "b.md", After: text("b")})
		if e := tools.AsError(err); e == nil || e.Code != tools.Unavailable || !strings.Contains(e.Message, "journal.key") {
			t.Errorf("%s: %v", name, err)
		}
		if err := journal.CheckKey(d.dir); (name != "another") != (err != nil) {
			t.Errorf("%s: CheckKey: %v", name, err)
		}
		if name == "gone" && !strings.Contains(err.Error(), "keyring") {
			t.Errorf("a missing key: %v; want a word on keys that were in the keyring", err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A second process cannot open a journal that is in use.
func TestOneAtATime(t *testing.T) {
	d := newTestJournal(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	other := journal.New(journal.Options{Dir: d.dir, Now: time.Now})
	if _, err := other.Changes(t.Context(), status.Filter{}); err == nil || !strings.Contains(err.Error(), "end the other Lectern") {
		t.Errorf("error %v", err)
	}
	if err := other.Close(); err != nil {
		t.Error(err)
	}
	d.call("s1", map[string]tools.State{"a.md": text("b")})
}

// A full disk or a journal without permission stops the write before it begins.
func TestJournalThatCannotWriteStopsTheWrite(t *testing.T) {
	d := newTestJournal(t)
	if err := os.WriteFile(d.dir, []byte("a file in the folder's place"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := d.NewRecorder(journal.CallOrigin{Source: "notes"})
	err := d.fakeFolder.write(t.Context(), tools.CallContext{Writes: r}, tools.Change{Target: "a.md", After: text("a")})
	if e := tools.AsError(err); e == nil || e.Code != tools.Unavailable || !strings.Contains(e.Message, "nothing was changed") {
		t.Errorf("error %v", err)
	}
	d.fakeFolder.holds(t, map[string]tools.State{})
	if err := os.Remove(d.dir); err != nil {
		t.Fatal(err)
	}
	d.call("s1", map[string]tools.State{"a.md": text("a")}) // it is tried again
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.BeforeWrite(ctx, tools.Change{Target: "a.md"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call goes on: %v", err)
	}
}

// What people write comes back byte for byte, whatever its encoding, line ends
// and rights: seekstone's journal keeps text, and loses them.
func TestSeekstoneGapLossyPreImages(t *testing.T) {
	d := newTestJournal(t)
	was := map[string]tools.State{
		"latin1.md":  {Exists: true, Data: []byte("caf\xe9\n"), Mode: 0o644},
		"crlf.md":    {Exists: true, Data: []byte("a\r\nb\rc\n\n"), Mode: 0o644},
		"bom.md":     {Exists: true, Data: []byte("\xef\xbb\xbfa"), Mode: 0o644},
		"private.md": {Exists: true, Data: []byte("x"), Mode: 0o600},
		"empty.md":   {Exists: true, Mode: 0o644},
		"nul.bin":    {Exists: true, Data: []byte{0, 1, 0xff, 0}, Mode: 0o644},
		"gone.md":    text("will be deleted"),
	}
	for target, st := range was {
		d.edit(target, st)
	}
	now := map[string]tools.State{"new.md": text("new"), "gone.md": {}}
	for target := range was {
		if target != "gone.md" {
			now[target] = text("of the agent")
		}
	}
	d.call("s1", now)
	after := maps.Clone(now)
	delete(after, "gone.md")
	d.fakeFolder.holds(t, after)
	d.mustUndo(status.Filter{Session: "s1"})
	d.fakeFolder.holds(t, was)
	redo := d.list(status.Filter{})[0]
	d.mustUndo(status.Filter{IDs: []string{redo.ID}})
	d.fakeFolder.holds(t, after)
}
