package journal_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A fakeFolder is a Restorer over the files of a folder.
type fakeFolder struct {
	dir   string
	at    func(point string) // is told how far a write has come
	fails error              // what State answers; nil: the state
	gone  string             // a target that no undo brings back
}

// CheckUndo implements tools.UndoFilter.
func (s *fakeFolder) CheckUndo(c tools.Change) error {
	if s.gone == c.Target && c.After.Exists {
		return tools.Errorf(tools.Denied, "%s does not come back", c.Target)
	}
	return nil
}

func (s *fakeFolder) State(_ context.Context, target string) (tools.State, error) {
	if s.fails != nil {
		return tools.State{}, s.fails
	}
	file := filepath.Join(s.dir, target)
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return tools.State{}, nil
	}
	if err != nil {
		return tools.State{}, err
	}
	info, err := os.Stat(file)
	if err != nil {
		return tools.State{}, err
	}
	return tools.State{Exists: true, Data: data, Mode: uint32(info.Mode().Perm())}, nil
}

func (s *fakeFolder) put(target string, st tools.State) error {
	file := filepath.Join(s.dir, target)
	if !st.Exists {
		return os.Remove(file)
	}
	if err := os.WriteFile(file, st.Data, fs.FileMode(st.Mode)); err != nil {
		return err
	}
	return os.Chmod(file, fs.FileMode(st.Mode))
}

func (s *fakeFolder) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	for _, ch := range changes {
		now, err := s.State(ctx, ch.Target)
		if err != nil {
			return err
		}
		if !same(now, ch.Before) {
			return tools.Errorf(tools.Conflict, "%s was changed", ch.Target)
		}
	}
	return s.write(ctx, c, changes...)
}

// write is a tool that writes.
func (s *fakeFolder) write(ctx context.Context, c tools.CallContext, changes ...tools.Change) error {
	s.reach("start")
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	s.reach("promised")
	for i, ch := range changes {
		if err := s.put(ch.Target, ch.After); err != nil {
			return err
		}
		c.AfterWrite(ch.Target, ch.After)
		if i < len(changes)-1 {
			s.reach("between")
		}
	}
	s.reach("written")
	return nil
}

func (s *fakeFolder) reach(point string) {
	if s.at != nil {
		s.at(point)
	}
}

func same(a, b tools.State) bool {
	return a.Exists == b.Exists && a.Mode == b.Mode && bytes.Equal(a.Data, b.Data)
}

func text(s string) tools.State { return tools.State{Exists: true, Data: []byte(s), Mode: 0o644} }

// files returns what the folder holds, byte for byte.
func (s *fakeFolder) files(t testing.TB) map[string]tools.State {
	t.Helper()
	all := map[string]tools.State{}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		st, err := s.State(t.Context(), e.Name())
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = st
	}
	return all
}

func (s *fakeFolder) holds(t testing.TB, want map[string]tools.State) {
	t.Helper()
	got := s.files(t)
	if !maps.EqualFunc(got, want, same) {
		t.Errorf("the folder holds %q, want %q", show(got), show(want))
	}
}

func show(m map[string]tools.State) []string {
	var all []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		all = append(all, k+"="+string(m[k].Data))
	}
	return all
}

// A testJournal is a journal with a fakeFolder.
type testJournal struct {
	*testing.T
	*journal.Journal
	fakeFolder *fakeFolder
	dir        string
	now        time.Time
}

func newTestJournal(t *testing.T, options ...func(*journal.Options)) *testJournal {
	t.Helper()
	d := &testJournal{T: t, fakeFolder: &fakeFolder{dir: t.TempDir()}, dir: filepath.Join(t.TempDir(), "journal"), now: time.Unix(1_800_000_000, 0)}
	d.open(options...)
	return d
}

// open opens the journal, as the next start would.
func (d *testJournal) open(options ...func(*journal.Options)) {
	d.Helper()
	o := journal.Options{Dir: d.dir, Now: func() time.Time { return d.now }, Log: slog.New(slog.DiscardHandler)}
	for _, f := range options {
		f(&o)
	}
	j := journal.New(o)
	d.Journal = j
	d.Cleanup(func() {
		if err := j.Close(); err != nil {
			d.Error(err)
		}
	})
}

func (d *testJournal) reopen(options ...func(*journal.Options)) {
	d.Helper()
	if err := d.Close(); err != nil {
		d.Fatal(err)
	}
	d.open(options...)
}

// from lends the shelf, whatever the source is called.
func (d *testJournal) lend(context.Context, string) (tools.Restorer, func(), error) {
	return d.fakeFolder, func() {}, nil
}

// call is a call of an agent that writes; it returns the IDs of its Changes.
func (d *testJournal) call(session string, to map[string]tools.State) []string {
	d.Helper()
	r := d.NewRecorder(journal.CallOrigin{Client: "agent", Session: session, Source: "notes", Tool: "write"})
	var changes []tools.Change
	for _, target := range slices.Sorted(maps.Keys(to)) {
		before, err := d.fakeFolder.State(d.Context(), target)
		if err != nil {
			d.Fatal(err)
		}
		changes = append(changes, tools.Change{Target: target, Before: before, After: to[target]})
	}
	err := d.fakeFolder.write(d.Context(), tools.CallContext{Writes: r}, changes...)
	r.End(err)
	if err != nil {
		d.Fatal(err)
	}
	return r.IDs()
}

// edit is an edit by a person.
func (d *testJournal) edit(target string, st tools.State) {
	d.Helper()
	if err := d.fakeFolder.put(target, st); err != nil {
		d.Fatal(err)
	}
}

func (d *testJournal) undo(p status.Filter) error {
	return d.Undo(d.Context(), p, journal.CallOrigin{Client: "lectern undo"}, d.lend)
}

func (d *testJournal) mustUndo(p status.Filter) {
	d.Helper()
	if err := d.undo(p); err != nil {
		d.Fatal(err)
	}
}

func (d *testJournal) list(p status.Filter) []status.Change {
	d.Helper()
	found, err := d.Changes(d.Context(), p)
	if err != nil {
		d.Fatal(err)
	}
	return found.Changes
}

// id is the ID of the nth Change, of which the first is the oldest.
func (d *testJournal) id(n int) string {
	d.Helper()
	all := d.list(status.Filter{Limit: 1000})
	return all[len(all)-n].ID
}

// outcomes returns those of all Changes, oldest first, with their targets.
func (d *testJournal) outcomes() []string {
	d.Helper()
	var all []string
	for _, c := range slices.Backward(d.list(status.Filter{})) {
		all = append(all, c.Target+" "+c.Action+" "+string(c.Outcome))
	}
	return all
}

func (d *testJournal) checkOutcomes(want ...string) {
	d.Helper()
	if got := d.outcomes(); !slices.Equal(got, want) {
		d.Errorf("changes %q, want %q", got, want)
	}
}
