package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
)

func TestLocksExclude(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "lock")
	for name, try := range map[string]func() (*Lock, error){
		"file":   func() (*Lock, error) { return TryFile(file) },
		"folder": func() (*Lock, error) { return LockFolder(dir, filepath.Join(dir, "fallback"), false) },
	} {
		first, err := try()
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := try(); !errors.Is(err, ErrHeld) {
			t.Errorf("%s: second lock: %v, want ErrHeld", name, err)
		}
		if err := first.Release(); err != nil {
			t.Error(name, err)
		}
		again, err := try()
		if err != nil {
			t.Fatalf("%s: after release: %v", name, err)
		}
		if err := again.Release(); err != nil {
			t.Error(name, err)
		}
	}
}

func TestLockFolderWaits(t *testing.T) {
	dir := t.TempDir()
	lock := func(wait bool) (*Lock, error) { return LockFolder(dir, filepath.Join(dir, "fallback"), wait) }
	held, err := lock(false)
	if err != nil {
		t.Fatal(err)
	}
	var released atomic.Bool
	started, got := make(chan struct{}), make(chan error, 1)
	go func() {
		close(started)
		l, err := lock(true)
		if !released.Load() {
			err = errors.Join(err, errors.New("the lock was taken twice"))
		}
		got <- errors.Join(err, l.Release())
	}()
	<-started
	released.Store(true)
	if err := held.Release(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestLockFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "lock")
	if err := os.Symlink(filepath.Join(dir, "elsewhere"), link); err != nil {
		t.Skip(err)
	}
	if l, err := TryFile(link); err == nil {
		t.Errorf("a link was followed to %s", l.file.Name())
	}
	if _, err := TryFile(filepath.Join(dir, "missing", "lock")); err == nil {
		t.Error("a lock in a missing folder was taken")
	}
}

func TestLockOfARemovedFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock")
	held, err := TryFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	if !held.IsInPlace() {
		t.Error("a lock is not in its place")
	}
	if err := os.Remove(file); err != nil {
		t.Skip(err)
	}
	if held.IsInPlace() {
		t.Error("the file of a lock is gone")
	}
	again, err := TryFile(file)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Release()
	if held.IsInPlace() || !again.IsInPlace() {
		t.Error("the file of a lock is another's")
	}
}
