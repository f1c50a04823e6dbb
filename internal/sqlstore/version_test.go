package sqlstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

func openVersioned(t *testing.T, file string) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Database: file, Schema: tables, Now: time.Now, Versions: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func version(t *testing.T, s *Store) Version {
	t.Helper()
	v, known := s.Version()
	if !known && (runtime.GOOS == "linux" || runtime.GOOS == "darwin") {
		t.Fatal("the version is not known")
	}
	if !known {
		t.Skip("versions are not known on " + runtime.GOOS)
	}
	return v
}

// Every commit makes another version, of whatever store; what is read, rolled back or
// copied into the file does not hide one.
func TestVersion(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	s, other := openVersioned(t, file), openVersioned(t, file)
	insert := func(c *Conn) error {
		_, err := c.Exec(t.Context(), "INSERT INTO log (name) VALUES ('x')")
		return err
	}
	seen := map[Version]string{version(t, s): "at first"}
	for i, step := range []struct {
		what    string
		changes bool
		do      func() error
	}{
		{"a read", false, func() error { return s.Read(t.Context(), func(*Conn) error { return nil }) }},
		{"a commit", true, func() error { return s.Write(t.Context(), insert) }},
		{"a commit of another store", true, func() error { return other.Write(t.Context(), insert) }},
		{"a rollback", false, func() error {
			rolledBack := errors.New("rolled back")
			err := s.Write(t.Context(), func(c *Conn) error { return errors.Join(insert(c), rolledBack) })
			if errors.Is(err, rolledBack) {
				return nil
			}
			return err
		}},
		{"a commit after that", true, func() error { return s.Write(t.Context(), insert) }},
		{"a log that is copied", false, func() error {
			_, err := other.write.ExecContext(t.Context(), "PRAGMA wal_checkpoint(TRUNCATE)")
			return err
		}},
		{"a commit to an empty log", true, func() error { return other.Write(t.Context(), insert) }},
	} {
		before := version(t, s)
		if err := step.do(); err != nil {
			t.Fatalf("%s: %v", step.what, err)
		}
		after := version(t, s)
		if step.changes {
			if earlier, known := seen[after]; known {
				t.Errorf("%s: the version is that of %s", step.what, earlier)
			}
		} else if after != before && step.what != "a log that is copied" {
			t.Errorf("%s: another version", step.what)
		}
		if mine := version(t, other); mine != after {
			t.Errorf("%s: two stores know different versions", step.what)
		}
		seen[after] = fmt.Sprintf("step %d, %s", i, step.what)
	}
}

// A store that is closed leaves the locks of others in this process, which are on the file
// that the version is read from.
func TestVersionLeavesLocks(t *testing.T) {
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Skip("needs /proc/locks")
	}
	file := filepath.Join(t.TempDir(), "x.db")
	s, other := openVersioned(t, file), openVersioned(t, file)
	version(t, s)
	version(t, other)
	own := fmt.Sprintf(" %d ", os.Getpid())
	count := func() int {
		if locks, err = os.ReadFile("/proc/locks"); err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(locks), own)
	}
	if err := s.Read(t.Context(), func(c *Conn) error {
		var n int
		if err := c.QueryRow(t.Context(), "SELECT count(*) FROM log").Scan(&n); err != nil {
			return err
		}
		before := count()
		if err := other.Close(); err != nil {
			return err
		}
		if after := count(); before == 0 || after == 0 {
			t.Errorf("%d locks before the other store was closed, %d after it", before, after)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// What the others of a store do with their connections does not remove the file that its
// version is in.
func TestVersionAfterReconnecting(t *testing.T) {
	s := openVersioned(t, filepath.Join(t.TempDir(), "x.db"))
	before := version(t, s)
	s.read.SetMaxIdleConns(0)
	s.write.SetMaxIdleConns(0)
	if err := s.Write(t.Context(), func(c *Conn) error {
		_, err := c.Exec(t.Context(), "INSERT INTO log (name) VALUES ('x')")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if version(t, s) == before {
		t.Error("the same version")
	}
}

// A store that is closed leaves nothing open, if it was the last one.
func TestVersionIsClosed(t *testing.T) {
	before, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc/self/fd")
	}
	file := filepath.Join(t.TempDir(), "x.db")
	for range 5 {
		s := openVersioned(t, file)
		version(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	after, err := os.ReadDir("/proc/self/fd")
	if err != nil || len(after) > len(before)+2 { // what the runtime opens once
		t.Errorf("%d files are open, %d were (%v)", len(after), len(before), err)
	}
}
