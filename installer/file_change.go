package installer

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// A fileChange replaces the content of a file.
type fileChange struct {
	path    string
	before  []byte // nil: there is no file
	after   []byte // nil: the file is removed
	perm    fs.FileMode
	receipt receipt // of what the change is about
	backup  bool    // the file is another program's: keep a copy
}

// readFile is the content of a user's file; nil: there is none.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read file: %w", err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("read file: %s is not a regular file", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("read file: %s has %d bytes, more than the %d that Lectern edits", path, info.Size(), maxFile)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if text == nil {
		text = []byte{}
	}
	return text, nil
}

// maxFile bounds the files that we read, in bytes.
const maxFile = 16 << 20

// resolveLink follows symbolic links and refuses those that lead out of top:
// what is there belongs to other machines, other users or the system.
func resolveLink(top, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s is a broken symbolic link; remove it, or create what it points to", path)
		}
		return path, nil
	}
	if err != nil {
		return "", err
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, err
	}
	realTop, err := filepath.EvalSymlinks(top)
	if err != nil {
		return "", err
	}
	if rel, err := filepath.Rel(realTop, real); err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("%s is a symbolic link to %s, outside of %s; edit that file by hand", path, real, top)
	}
	return real, nil
}

// describe says what the change does.
func (c fileChange) describe() string {
	switch {
	case c.before == nil:
		return "write " + c.path
	case c.after == nil:
		return "remove " + c.path
	default:
		return "edit " + c.path
	}
}

func (c fileChange) diff() string {
	from, to := c.path, c.path
	if c.before == nil {
		from = os.DevNull
	}
	if c.after == nil {
		to = os.DevNull
	}
	return udiff.Unified(from, to, string(c.before), string(c.after))
}

// apply makes the change: it saves the receipt, backs up the file, writes in one
// step and reads back.
func (m Machine) apply(c fileChange) error {
	r := c.receipt
	old, recorded, err := m.receipts().find(r)
	if err != nil {
		return err
	}
	r.Created = c.before == nil
	if recorded {
		r.Made, r.Created, r.Folders, r.Backups = old.Made, old.Created, old.Folders, old.Backups
	}
	dir := filepath.Dir(c.path)
	r.Folders = append(r.Folders, missingFolders(dir)...)
	if c.backup && c.before != nil {
		backup, err := m.backUp(c)
		if err != nil {
			return err
		}
		r.Backups = append(r.Backups, backup)
	}
	if err := m.receipts().add(r); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create folder: %w", err)
	}
	return c.write()
}

// write replaces the content, if it is still what it was.
func (c fileChange) write() error {
	root, err := os.OpenRoot(filepath.Dir(c.path))
	if err != nil {
		return fmt.Errorf("write %s: %w", c.path, err)
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	opt := atomicfile.Options{Perm: c.perm, Create: c.before == nil}
	if c.before != nil {
		opt.IfHash = new(sha256.Sum256(c.before))
	}
	err = atomicfile.Write(root, filepath.Base(c.path), c.after, opt)
	if errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists) {
		return fmt.Errorf("conflict: another program has just changed %s; nothing was written; try again", c.path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	now, err := os.ReadFile(c.path)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if !bytes.Equal(now, c.after) {
		return fmt.Errorf("verify %s: the file does not hold what was written; another program may have changed it", c.path)
	}
	return nil
}

// backUp copies the file to a new one beside it.
func (m Machine) backUp(c fileChange) (string, error) {
	root, err := os.OpenRoot(filepath.Dir(c.path))
	if err != nil {
		return "", fmt.Errorf("back up %s: %w", c.path, err)
	}
	defer root.Close() //nolint:errcheck // opened only to name the file
	stem := filepath.Base(c.path) + ".bak-lectern-" + m.Now().UTC().Format("20060102T150405Z")
	name := stem
	for n := 2; ; n++ {
		err := atomicfile.Write(root, name, c.before, atomicfile.Options{Perm: 0o600, Create: true})
		if err == nil {
			return filepath.Join(filepath.Dir(c.path), name), nil
		}
		if !errors.Is(err, atomicfile.ErrExists) {
			return "", fmt.Errorf("back up %s: %w", c.path, err)
		}
		name = fmt.Sprintf("%s-%d", stem, n)
	}
}

// revert makes a change that removes what its receipt records, then removes
// the backups and the folders that are empty now.
func (m Machine) revert(c fileChange) error {
	if c.after != nil {
		if err := c.write(); err != nil {
			return err
		}
	} else if err := c.removeFile(); err != nil {
		return err
	}
	return m.cleanUp(c.receipt)
}

// removeFile removes a file, if it is still what it was.
func (c fileChange) removeFile() error {
	now, err := readFile(c.path)
	if err != nil || now == nil {
		return err
	}
	if !bytes.Equal(now, c.before) {
		return fmt.Errorf("conflict: another program has just changed %s; nothing was removed; try again", c.path)
	}
	if err := os.Remove(c.path); err != nil {
		return fmt.Errorf("remove file: %w", err)
	}
	return nil
}

// cleanUp removes the backups and folders of a receipt, and the receipt.
func (m Machine) cleanUp(r receipt) error {
	for _, b := range r.Backups {
		if err := ignoreNotExist(os.Remove(b)); err != nil {
			return fmt.Errorf("remove backup: %w", err)
		}
	}
	for _, dir := range slices.Backward(r.Folders) {
		if os.Remove(dir) != nil {
			break // something else is in it by now, or it no longer exists
		}
	}
	return m.receipts().remove(r)
}

// missingFolders lists the folders of a path that do not exist, outermost first.
func missingFolders(dir string) []string {
	var list []string
	for !isFolder(dir) && filepath.Dir(dir) != dir {
		list = append([]string{dir}, list...)
		dir = filepath.Dir(dir)
	}
	return list
}
