package update

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// staging is how our folders beside the installed binary are called. They are
// there because a rename must stay on one file system; they are gone when an
// update is done, and the next one sweeps up after one that was killed.
const staging = ".lectern-update-"

// oldBinaryName is, in a staging folder, the binary that was installed before.
const oldBinaryName = "kept"

// previousPath is where the binary before the installed one is kept.
func previousPath(target string) string { return target + ".prev" }

func makeStaging(target string) (string, error) {
	dir := filepath.Dir(target)
	folder, err := os.MkdirTemp(dir, staging)
	if errors.Is(err, fs.ErrPermission) || isReadOnly(err) {
		return "", fmt.Errorf("you may not write to %s; run `lectern self-update` as its owner, or move %s to a folder of yours", dir, filepath.Base(target))
	}
	if err != nil {
		return "", fmt.Errorf("make folder beside %s: %w", target, err)
	}
	return folder, nil
}

// cleanStaging finishes or undoes what killed updates left: an old binary that did not
// get to its place yet is put there, all else is removed. The lock is held.
func cleanStaging(target string) error {
	folders, err := filepath.Glob(filepath.Join(escapeGlob(filepath.Dir(target)), staging+"*"))
	if err != nil {
		return err
	}
	for _, folder := range folders {
		info, err := os.Lstat(folder)
		if err != nil || !info.IsDir() {
			continue // not ours
		}
		if err := keepPrevious(filepath.Join(folder, oldBinaryName), target); err != nil {
			return err
		}
		if err := os.RemoveAll(folder); err != nil && !isBusy(err) {
			return fmt.Errorf("remove what an earlier update left: %w", err)
		}
	}
	return nil
}

// keepPrevious puts the binary that was replaced to its place, unless it is still the
// installed one: then nothing was replaced.
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
	if isBusy(err) { // the one there still runs: it goes with the folder
		err = errors.Join(os.Rename(previousPath(target), filepath.Join(filepath.Dir(kept), "busy")), os.Rename(kept, previousPath(target)))
	}
	if err != nil {
		return fmt.Errorf("keep the previous binary: %w", err)
	}
	return nil
}

// escapeGlob makes a folder's name mean itself in a pattern.
func escapeGlob(dir string) string {
	if os.PathSeparator == '\\' {
		return dir // no character of a Windows path means anything but [
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// Files are those that updates have left on this machine, but for the
// installed binary: for who removes all of it.
func (u *Updater) Files() []string {
	files := []string{u.known.file, filepath.Join(u.State, "update.lock")}
	kept, err := os.ReadDir(filepath.Join(u.State, downloadsName))
	if err != nil {
		kept = nil // there is no such folder, or none that we can look into
	}
	for _, f := range kept {
		files = append(files, filepath.Join(u.State, downloadsName, f.Name()))
	}
	if target, err := u.resolve(); err == nil && u.known.read().Previous != "" {
		files = append(files, previousPath(target)) // on record, so it is ours
	}
	return files
}
