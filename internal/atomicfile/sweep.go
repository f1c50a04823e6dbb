package atomicfile

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// sweepAge is how long a temporary file must not have been written before Sweep
// removes it: no write takes that long.
const sweepAge = 5 * time.Minute

// Sweep removes the temporary files below root that killed processes left behind.
// If some are too young, it waits and looks once more before it returns. It follows
// no links and skips folders whose names begin with a dot, and leaves what it may not read or remove:
// of the errors it returns the first, none for what has vanished or when ctx ends.
func Sweep(ctx context.Context, root *os.Root, now func() time.Time) (removed int, err error) {
	s := sweeper{ctx: ctx, root: root}
	s.walk(now().Add(-sweepAge))
	if s.young {
		wait := time.NewTimer(sweepAge)
		defer wait.Stop()
		select {
		case <-ctx.Done():
		case <-wait.C:
			s.walk(now().Add(-sweepAge))
		}
	}
	return s.removed, s.err
}

type sweeper struct {
	ctx     context.Context
	root    *os.Root
	removed int
	young   bool // some were too young
	err     error
}

// walk removes what was not written since before.
func (s *sweeper) walk(before time.Time) {
	s.note(fs.WalkDir(s.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case s.ctx.Err() != nil:
			return fs.SkipAll
		case err != nil:
			s.note(err)
			return nil
		case IsTemp(e.Name()) && (e.IsDir() || e.Type().IsRegular()):
			s.remove(name, e, before)
			return skipFolder(e)
		case name != "." && strings.HasPrefix(e.Name(), "."):
			return skipFolder(e)
		}
		return nil
	}))
}

func skipFolder(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// remove removes a temporary file, or the folder of [ProbeModes] with the file in it.
func (s *sweeper) remove(name string, e fs.DirEntry, before time.Time) {
	info, err := e.Info()
	switch {
	case err != nil:
		s.note(err)
		return
	case info.ModTime().After(before):
		s.young = true
		return
	case e.IsDir():
		s.note(s.root.Remove(path.Join(name, probeName)))
	}
	if err := s.root.Remove(name); err != nil {
		s.note(err)
		return
	}
	s.removed++
}

// note keeps the first error that is worth a word.
func (s *sweeper) note(err error) {
	if s.err == nil && !errors.Is(err, fs.ErrNotExist) {
		s.err = err
	}
}

// IsTemp reports whether this package gives temporary files such names: with 26
// characters of rand.Text.
func IsTemp(name string) bool {
	random, ours := strings.CutPrefix(name, tempPrefix)
	random, ends := strings.CutSuffix(random, tempSuffix)
	return ours && ends && len(random) == 26 && strings.Trim(random, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// SweepFolder is [Sweep] of the folder at dir, which need not exist.
func SweepFolder(ctx context.Context, dir string, now func() time.Time) (removed int, err error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer root.Close() //nolint:errcheck // opened only to name files
	return Sweep(ctx, root, now)
}
