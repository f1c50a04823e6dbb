package journal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A safe is a keyring in memory that can be made to misbehave.
type safe struct {
	mu      sync.Mutex
	keys    map[string][]byte
	locked  bool
	windows int           // that it has shown
	hangs   chan struct{} // answers when this is closed; nil: at once
	sets    int
	lies    func(key []byte) []byte // nil: it does not
}

var errLocked = errors.New("the safe is locked")

func (s *safe) Get(id string, ask bool) ([]byte, error) {
	if hangs := s.hangs; hangs != nil {
		<-hangs
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locked && ask {
		s.windows++
		s.locked = false
	}
	if s.locked {
		return nil, errLocked
	}
	key, ok := s.keys[id]
	if !ok {
		return nil, errors.New("there is no such key")
	}
	if s.lies != nil {
		key = s.lies(key)
	}
	return key, nil
}

func (s *safe) Set(id string, key []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.locked {
		return errLocked
	}
	if s.keys == nil {
		s.keys = map[string][]byte{}
	}
	s.keys[id] = bytes.Clone(key)
	s.sets++
	return nil
}

func (s *safe) Delete(id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.keys, id)
	return nil
}

func in(s *safe, p journal.Place) func(*journal.Options) {
	return func(o *journal.Options) { o.Keyring, o.Key = s, p }
}

// where is where the keys are by the record, oldest first, and how many keys
// the file and the safe really have.
func (d *desk) where(s *safe) string {
	d.Helper()
	kept, err := journal.Keys(d.dir)
	if err != nil {
		d.Fatal(err)
	}
	var said []string
	for _, k := range kept {
		said = append(said, string(k.Place))
	}
	data, err := os.ReadFile(filepath.Join(d.dir, "journal.key"))
	if err != nil && !os.IsNotExist(err) {
		d.Fatal(err)
	}
	return fmt.Sprintf("%s: %d in file, %d in keyring", strings.Join(said, ","), len(data)/32, len(s.keys))
}

func (d *desk) keysAre(s *safe, want string) {
	d.Helper()
	if got := d.where(s); got != want {
		d.Errorf("keys %s, want %s", got, want)
	}
}

// A journal that begins where a keyring can be used has its key there and in no
// file; one that has it in a file already stays there.
func TestKeyGoesIntoTheKeyring(t *testing.T) {
	s := &safe{}
	d := newDesk(t, in(s, journal.Auto))
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	d.keysAre(s, "keyring: 0 in file, 1 in keyring")
	for _, key := range s.keys {
		entries, err := os.ReadDir(d.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if data, err := os.ReadFile(filepath.Join(d.dir, e.Name())); err != nil || bytes.Contains(data, key) {
				t.Errorf("%s has the key, %v", e.Name(), err)
			}
		}
	}
	d.reopen(in(s, journal.Auto))
	d.undone(status.Filter{Session: "s1"})
	if s.windows+s.sets != 1 || d.Lost() {
		t.Errorf("%d windows, %d keys made", s.windows, s.sets)
	}

	s = &safe{}
	d = newDesk(t)
	d.call("s1", map[string]tools.State{"a.md": text("a")})
	d.reopen(in(s, journal.Auto))
	d.undone(status.Filter{Session: "s1"})
	d.keysAre(s, "file: 1 in file, 0 in keyring")
}

// A keyring that is locked, forgets, lies or is not there any more stops no
// write and shows no window. What was sealed with its key is listed, and comes
// back when the key does; until then nothing of it is overwritten.
func TestKeyringThatGivesNoKey(t *testing.T) {
	for name, spoil := range map[string]func(*safe) (mend func()){
		"locked":  func(s *safe) func() { s.locked = true; return func() { s.locked = false } },
		"forgets": func(s *safe) func() { keys := s.keys; s.keys = nil; return func() { s.keys = keys } },
		"lies": func(s *safe) func() {
			s.lies = func([]byte) []byte { return bytes.Repeat([]byte{1}, 32) }
			return func() { s.lies = nil }
		},
		"gives something short": func(s *safe) func() {
			s.lies = func([]byte) []byte { return []byte("password") }
			return func() { s.lies = nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &safe{}
			d := newDesk(t, in(s, journal.Auto))
			d.call("s1", map[string]tools.State{"a.md": text("1")})
			mend := spoil(s)
			d.reopen(in(s, journal.Auto))
			d.call("s2", map[string]tools.State{"a.md": text("2"), "b.md": text("2")})
			d.outcomesAre("? create written", "a.md update written", "b.md create written")
			if err := d.undo(status.Filter{Source: "notes"}); err == nil || !strings.Contains(err.Error(), "keyring") {
				t.Errorf("undo of all: %v", err)
			}
			d.undone(status.Filter{Session: "s2"})
			d.shelf.holds(t, map[string]tools.State{"a.md": text("1")})
			d.call("s3", map[string]tools.State{"c.md": text("3")})
			if !d.Lost() {
				t.Error("nobody says that a key is lost")
			}
			d.reopen(in(s, journal.Auto)) // the next hub does not make one more key
			d.call("s3", map[string]tools.State{"c.md": text("4")})
			mend()
			if s.windows > 0 {
				t.Errorf("%d windows were shown", s.windows)
			}
			d.now = d.now.Add(2 * time.Minute)
			if d.Lost() {
				t.Error("the key is still lost")
			}
			d.undone(status.Filter{Source: "notes"})
			d.shelf.holds(t, map[string]tools.State{})
			if got := d.where(s); !strings.HasSuffix(got, "keyring,keyring: 0 in file, 2 in keyring") {
				t.Errorf("keys %s", got)
			}
		})
	}
}

// A key that is gone for good is given up by taking it out of the record: what
// was written since can still be read and undone.
func TestKeyIsGivenUp(t *testing.T) {
	s := &safe{}
	d := newDesk(t, in(s, journal.Auto))
	d.call("s1", map[string]tools.State{"a.md": text("1")})
	s.keys = nil
	d.reopen(in(s, journal.Auto))
	d.call("s2", map[string]tools.State{"a.md": text("2")})
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	kept, err := journal.Keys(d.dir)
	if err != nil || len(kept) != 2 {
		t.Fatalf("keys %v (%v)", kept, err)
	}
	record, err := json.Marshal(map[string][]journal.Kept{"keys": kept[1:]})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(journal.Record(d.dir), record, 0o600); err != nil {
		t.Fatal(err)
	}
	d.open(in(s, journal.Auto))
	d.call("s3", map[string]tools.State{"b.md": text("3")})
	if d.Lost() {
		t.Error("a key that was given up is still lost")
	}
	d.outcomesAre("? create written", "a.md update written", "b.md create written")
	d.undone(status.Filter{Session: "s2"})
	d.shelf.holds(t, map[string]tools.State{"a.md": text("1"), "b.md": text("3")})
}

// While a keyring does not answer it is asked once, and one write waits for it,
// two seconds; what it answers late is used.
func TestKeyringThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &safe{}
		d := newDesk(t, in(s, journal.Auto))
		d.call("s1", map[string]tools.State{"a.md": text("1")})
		s.hangs = make(chan struct{})
		d.reopen(in(s, journal.Auto))
		began := time.Now()
		for i := range 5 {
			d.call("s2", map[string]tools.State{"b.md": text(fmt.Sprint(i))})
			d.now = d.now.Add(time.Hour)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("writes waited for %s", took)
		}
		if !d.Lost() {
			t.Error("nobody says that a key is lost")
		}
		close(s.hangs)
		synctest.Wait()
		d.now = d.now.Add(time.Hour)
		d.undone(status.Filter{Source: "notes"})
		d.shelf.holds(t, map[string]tools.State{})
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A person's wish shows the window that the keyring wants, once.
func TestUnlock(t *testing.T) {
	for _, p := range []journal.Place{journal.Auto, journal.InKeyring} {
		s := &safe{}
		d := newDesk(t, in(s, p))
		d.call("s1", map[string]tools.State{"a.md": text("1")})
		s.locked = true
		d.reopen(in(s, p))
		r := d.Record(journal.Origin{Source: "notes"})
		err := d.shelf.write(t.Context(), r, tools.Change{Target: "b.md", After: text("b")})
		r.End(t.Context(), d.shelf, err)
		if e := tools.AsError(err); (p == journal.InKeyring) != (e != nil && e.Code == tools.Unavailable && strings.Contains(e.Message, "keyring")) {
			t.Errorf("%s: %v", p, err)
		}
		if !d.Lost() || s.windows > 0 {
			t.Errorf("%s: lost %v, %d windows", p, d.Lost(), s.windows)
		}
		if err := d.Unlock(t.Context()); err != nil || s.windows != 1 || d.Lost() {
			t.Errorf("%s: %v, %d windows, lost %v", p, err, s.windows, d.Lost())
		}
		d.call("s1", map[string]tools.State{"c.md": text("1")})
		if data, err := os.ReadFile(filepath.Join(d.dir, "journal.key")); err == nil {
			t.Errorf("%s: %d bytes of keys are in a file", p, len(data))
		}
	}
}

// The setting moves the key, whatever a crash on the way has left, and no
// history is lost.
func TestKeyIsMoved(t *testing.T) {
	s := &safe{}
	d := newDesk(t, in(s, journal.InFile))
	d.call("s1", map[string]tools.State{"a.md": text("1")})
	step := 1
	moves := func(to journal.Place, want string) {
		t.Helper()
		step++
		d.reopen(in(s, to))
		d.call("s1", map[string]tools.State{"a.md": text(fmt.Sprint(step))})
		d.keysAre(s, want)
	}
	left := func() (files map[string][]byte) {
		files = map[string][]byte{}
		for _, name := range []string{"journal.key", "journal.keys"} {
			if data, err := os.ReadFile(filepath.Join(d.dir, name)); err == nil {
				files[name] = data
			}
		}
		return files
	}
	leave := func(name string, files map[string][]byte) {
		t.Helper()
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d.dir, name), files[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const inFile, inKeyring = "file: 1 in file, 0 in keyring", "keyring: 0 in file, 1 in keyring"
	was := left()
	moves(journal.InKeyring, inKeyring)
	is := left()
	leave("journal.key", was) // the file had not lost it yet
	moves(journal.InKeyring, inKeyring)
	leave("journal.key", was)
	leave("journal.keys", was) // nor did the record say so
	moves(journal.InKeyring, inKeyring)
	leave("journal.key", was) // the file has it again, and the record does not say so
	moves(journal.InFile, inFile)
	leave("journal.keys", is)
	leave("journal.key", was)
	moves(journal.InFile, inFile)
	moves(journal.Auto, inFile)
	moves(journal.InKeyring, inKeyring)
	s.locked = true
	moves(journal.InFile, "keyring,file: 1 in file, 1 in keyring")
	s.locked = false
	step++
	moves(journal.InFile, "file,file: 2 in file, 0 in keyring")
	d.undone(status.Filter{Source: "notes"})
	d.shelf.holds(t, map[string]tools.State{})
}
