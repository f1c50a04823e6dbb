package update

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// The points of a swap at which tests kill the process.
const (
	pointStaged   = "staged"  // the new binary is in the staging folder, durable
	pointOldSaved = "kept"    // the old one has a second name there
	pointSwapped  = "swapped" // the new one is installed
	pointSynced   = "synced"  // durably
	pointPrev     = "prev"    // the old one is at its .prev
)

// commit installs staged, a file in the staging folder, in place of target,
// and keeps target's old content beside it. At every instant, and after a
// crash at any, target is the whole old binary or the whole new one.
// before is target as it was when the update began.
func (u *Updater) commit(folder, staged, target string, before fs.FileInfo) error {
	now, err := os.Lstat(target)
	if err != nil {
		return fmt.Errorf("install new binary: %w", err)
	}
	if !os.SameFile(before, now) || !before.ModTime().Equal(now.ModTime()) || before.Size() != now.Size() {
		return fmt.Errorf("install new binary: another program has changed %s meanwhile; run `lectern self-update` again", target)
	}
	if err := takeOver(staged, before); err != nil {
		return fmt.Errorf("install new binary: %w", err)
	}
	u.atPoint(pointStaged)
	kept := filepath.Join(folder, oldBinaryName)
	if err := u.swap(kept, staged, target); err != nil {
		return fmt.Errorf("install new binary: %w", err)
	}
	u.atPoint(pointSwapped)
	if err := syncFolder(filepath.Dir(target)); err != nil {
		return fmt.Errorf("install new binary: %w", err)
	}
	u.atPoint(pointSynced)
	if err := keepPrevious(kept, target); err != nil {
		return err
	}
	u.atPoint(pointPrev)
	return syncFolder(filepath.Dir(target))
}

// takeOver gives staged the mode and, where possible, the owner of the binary
// that it replaces. Setuid and setgid bits are not kept.
func takeOver(staged string, old fs.FileInfo) (err error) {
	f, err := os.Open(staged)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	keepOwner(f, old)
	return f.Chmod(old.Mode().Perm() | 0o500)
}
