package journal_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A damaged or truncated database is moved aside once, and agents go on writing.
// The file is listed until a person acknowledges it, also by the next hub.
func TestDamagedDatabase(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"no database":     func([]byte) []byte { return []byte("this is not a database, but long enough to be looked at as one") },
		"head is noise":   func(b []byte) []byte { noise(b[:100]); return b },
		"schema is noise": func(b []byte) []byte { noise(b[100:4096]); return b },
		"torn in half":    func(b []byte) []byte { return b[:len(b)/2] },
		"torn in a page":  func(b []byte) []byte { return b[:len(b)/2+777] },
		"end is zero":     func(b []byte) []byte { clear(b[len(b)/3:]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			d := newTestJournal(t)
			for i := range 40 {
				d.call("s1", map[string]tools.State{fmt.Sprintf("a%d.md", i): big(byte(i))})
			}
			d.damage(damage)
			_, _ = d.Changes(t.Context(), status.Filter{}) // a person may look first
			d.call("s2", map[string]tools.State{"b.md": text("b")})
			d.call("s2", map[string]tools.State{"a1.md": text("x")})
			d.checkOutcomes("b.md create written", "a1.md update written")
			d.mustUndo(status.Filter{Session: "s2"})
			quarantined := d.quarantined(1)
			d.reopen()
			if again := d.quarantined(1); !slices.Equal(again, quarantined) {
				t.Errorf("%q became %q", quarantined, again)
			}
			if err := journal.AcknowledgeQuarantined(d.dir); err != nil {
				t.Fatal(err)
			}
			d.quarantined(0)
			if _, err := os.Stat(quarantined[0] + journal.AcknowledgedSuffix); err != nil {
				t.Error(err)
			}
			d.damage(func([]byte) []byte { return bytes.Repeat([]byte("noise"), 99) }) // by the same clock
			d.call("s3", map[string]tools.State{"c.md": text("c")})
			if again := d.quarantined(1); slices.Equal(again, quarantined) {
				t.Errorf("%q was given twice", quarantined)
			}
		})
	}
}

// Damage in the middle of the file, which opening does not check, is found when it
// is read or written. Then a new journal is begun too, and only one write fails.
func TestNoiseInTheMiddle(t *testing.T) {
	for seed := range uint64(20) {
		d := newTestJournal(t)
		for i := range 30 {
			d.call("s1", map[string]tools.State{fmt.Sprintf("a%d.md", i): big(byte(i))})
		}
		rand := rand.New(rand.NewPCG(seed, 0))
		d.damage(func(b []byte) []byte {
			for range 3 {
				page := (1 + rand.IntN(len(b)/4096-1)) * 4096
				noise(b[page : page+4096])
			}
			return b
		})
		_ = d.undo(status.Filter{Session: "s1"}) // whatever it says, it must not write what was not kept
		for i := range 30 {
			target := fmt.Sprintf("a%d.md", i)
			if st, err := d.fakeFolder.State(t.Context(), target); err != nil || st.Exists && !same(st, big(byte(i))) {
				t.Fatalf("seed %d: the undo wrote %q into %s, %v", seed, st.Data[:20], target, err)
			}
		}
		stopped := 0
		for i := range 5 {
			r := d.NewRecorder(journal.CallOrigin{Client: "agent", Session: "s2", Source: "notes", Tool: "write"})
			err := d.fakeFolder.write(t.Context(), tools.CallContext{Writes: r}, tools.Change{Target: "new.md", Before: text("x"), After: text(fmt.Sprint(i))})
			r.End(err)
			if err != nil {
				stopped++
			}
		}
		if stopped > 1 {
			t.Errorf("seed %d: %d of 5 writes were stopped", seed, stopped)
		}
	}
}

func noise(b []byte) {
	rand := rand.NewChaCha8([32]byte{1})
	_, _ = rand.Read(b)
}

// damage changes the bytes of the closed database.
func (d *testJournal) damage(how func([]byte) []byte) {
	d.Helper()
	if err := d.Close(); err != nil {
		d.Fatal(err)
	}
	file := filepath.Join(d.dir, "journal.db")
	data, err := os.ReadFile(file)
	if err != nil {
		d.Fatal(err)
	}
	if err := os.WriteFile(file, how(data), 0o600); err != nil {
		d.Fatal(err)
	}
	d.open()
}

func (d *testJournal) quarantined(want int) []string {
	d.Helper()
	files, err := journal.QuarantinedFiles(d.dir)
	if err != nil || len(files) != want {
		d.Errorf("moved quarantined: %q, %v; want %d", files, err, want)
	}
	return files
}
