package update

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// stagingPrefix is the beginning of the names of our folders beside the installed
// binary: a rename must stay on one file system. An update removes its folder at
// its end, or the next one does after it was killed.
const stagingPrefix = ".lectern-update-"

// oldBinaryName is the previous binary in a staging folder.
const oldBinaryName = "kept"

// previousPath is where the previous binary is kept.
func previousPath(target string) string { return target + ".prev" }

func makeStaging(target string) (string, error) {
	dir := filepath.Dir(target)
	folder, err := os.MkdirTemp(dir, stagingPrefix)
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		return "", fmt.Errorf("permission denied: you cannot write to %s; run `lectern self-update` as its owner, or move %s to a folder of "+
			"your own", dir, filepath.Base(target))
	}
	if err != nil {
		return "", fmt.Errorf("create folder beside %s: %w", target, err)
	}
	return folder, nil
}

// cleanStaging removes what killed updates left, after it has moved an old binary
// to previousPath. The lock is held.
func cleanStaging(target string) error {
	dir := filepath.Dir(target)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), stagingPrefix) || !e.IsDir() {
			continue
		}
		folder := filepath.Join(dir, e.Name())
		if err := keepPrevious(filepath.Join(folder, oldBinaryName), target); err != nil {
			return err
		}
		if err := os.RemoveAll(folder); err != nil && !isBusy(err) {
			return fmt.Errorf("remove leftovers of an earlier update: %w", err)
		}
	}
	return nil
}

// keepPrevious moves the binary that was replaced to previousPath, unless it is
// still the installed one because nothing was replaced.
func keepPrevious(kept, target string) error {
	old, err := os.Lstat(kept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if now, err := os.Lstat(target); err == nil && os.SameFile(old, now) {
		return nil
	}
	err = os.Rename(kept, previousPath(target))
	if isBusy(err) { // the one there still runs: it is removed with the folder
		err = errors.Join(os.Rename(previousPath(target), filepath.Join(filepath.Dir(kept), "busy")), os.Rename(kept, previousPath(target)))
	}
	if err != nil {
		return fmt.Errorf("keep the previous binary: %w", err)
	}
	return nil
}

// copyFile copies a file to a new one, durably.
func copyFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // only read
	info, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Sync()
}

// Files are those of updates on this machine, except the installed binary. They
// are removed when Lectern is.
func (u *Updater) Files() []string {
	files := []string{u.known.file, filepath.Join(u.State, "update.lock")}
	kept, err := os.ReadDir(filepath.Join(u.State, downloadsName))
	if err != nil {
		kept = nil // there is none, or we cannot read it
	}
	for _, f := range kept {
		files = append(files, filepath.Join(u.State, downloadsName, f.Name()))
	}
	if target, err := u.resolve(); err == nil && u.known.read().Previous != "" {
		files = append(files, previousPath(target)) // recorded, so it is ours
	}
	return files
}
