package journal_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func within(n int64) func(*journal.Options) {
	return func(o *journal.Options) { o.MaxBytes = n }
}

func big(c byte) tools.State {
	return tools.State{Exists: true, Data: bytes.Repeat([]byte{c}, 10_000), Mode: 0o644}
}

// Old contents are dropped; their Changes stay listed and say why they cannot be
// undone. (Seekstone deletes rows.)
func TestSeekstoneGapEviction(t *testing.T) {
	d := newTestJournal(t, within(35_000))
	for i := range 8 {
		d.call("s1", map[string]tools.State{"a.md": big(byte(i))})
	}
	all := d.list(status.Filter{})
	if len(all) != 8 || all[0].CannotUndo != "" || all[1].CannotUndo != "" || all[7].CannotUndo == "" || all[7].Target != "a.md" {
		t.Errorf("changes %+v", all)
	}
	if err := d.undo(status.Filter{IDs: []string{d.id(1)}}); err == nil || !strings.Contains(err.Error(), "no longer kept") {
		t.Errorf("error %v", err)
	}
	d.mustUndo(status.Filter{IDs: []string{d.id(8)}})
	d.fakeFolder.holds(t, map[string]tools.State{"a.md": big(6)})
}

// A content that a newer Change refers to outlives the older one: seekstone
// stores it outside of the transaction, so that it may go in between.
func TestSeekstoneGapEvictedWhileReferred(t *testing.T) {
	d := newTestJournal(t, within(25_000))
	d.edit("a.md", big('x'))
	for i := range 20 {
		d.call("s1", map[string]tools.State{fmt.Sprintf("copy%d.md", i): big('x')}) // one content, again and again
		d.call("s2", map[string]tools.State{"b.md": big(byte(i))})                  // pushes older ones out
		ids := d.call("s3", map[string]tools.State{"a.md": {}})
		d.mustUndo(status.Filter{IDs: ids})
		if now := d.fakeFolder.files(t)["a.md"]; !same(now, big('x')) {
			t.Fatalf("round %d: the content is lost", i)
		}
	}
}

// Contents beyond the time limit are dropped too, and later the Changes.
func TestKeep(t *testing.T) {
	d := newTestJournal(t, func(o *journal.Options) { o.Keep = time.Hour })
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	d.now = d.now.Add(2 * time.Hour)
	d.call("s1", map[string]tools.State{"b.md": text("b")})
	if all := d.list(status.Filter{}); len(all) != 2 || all[1].CannotUndo == "" || all[0].CannotUndo != "" {
		t.Errorf("changes %+v", all)
	}
	d.now = d.now.Add(20 * time.Hour)
	d.call("s1", map[string]tools.State{"c.md": text("c")})
	if all := d.list(status.Filter{}); len(all) != 1 {
		t.Errorf("changes %+v", all)
	}
}

// The limits hold although not every call looks at what is there: contents that
// come between two looks count, and so does a call that ended after the last one.
func TestLimitsBetweenLooks(t *testing.T) {
	d := newTestJournal(t, func(o *journal.Options) { o.MaxBytes, o.Keep = 100_000, time.Hour })
	kept := func() (n int) {
		for _, c := range d.list(status.Filter{}) {
			if c.CannotUndo == "" {
				n++
			}
		}
		return n
	}
	for i := range 100 {
		d.call("s1", map[string]tools.State{fmt.Sprintf("%d.md", i): text(strings.Repeat(fmt.Sprint(i), 2_000))})
		if n := kept(); n > 50 { // each has more than 2,000 bytes
			t.Fatalf("after %d calls the contents of %d are kept", i+1, n)
		}
	}
	if n := kept(); n < 20 {
		t.Errorf("the contents of only %d calls are kept", n)
	}
	r := d.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s2", Source: "notes", Tool: "write"})
	if err := r.BeforeWrite(t.Context(), tools.Change{Target: "late.md", After: text("late")}); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(59 * time.Minute)
	d.call("s1", map[string]tools.State{"a.md": text("a")}) // a look, which spares the call under way
	r.End(nil)
	d.now = d.now.Add(2 * time.Minute)
	d.call("s1", map[string]tools.State{"b.md": text("b")})
	for _, c := range d.list(status.Filter{}) {
		if c.Target == "late.md" && c.CannotUndo == "" {
			t.Error("a call that ended after the last look is kept beyond its time")
		}
	}
}

func BenchmarkSmallWrite(b *testing.B) {
	j := journal.New(journal.Options{Dir: b.TempDir(), Now: time.Now})
	defer j.Close()
	before, after := text(strings.Repeat("line\n", 200)), text(strings.Repeat("line\n", 201))
	for b.Loop() {
		r := j.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s1", Source: "notes", Tool: "write"})
		if err := r.BeforeWrite(b.Context(), tools.Change{Target: "a.md", Before: before, After: after}); err != nil {
			b.Fatal(err)
		}
		r.End(nil)
	}
}

func BenchmarkRead(b *testing.B) {
	j := journal.New(journal.Options{Dir: b.TempDir(), Now: time.Now})
	b.ReportAllocs()
	for b.Loop() {
		r := j.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s1", Source: "notes", Tool: "read"})
		r.End(nil)
	}
}
