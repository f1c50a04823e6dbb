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

// A change is what a file held and what it is to hold.
type change struct {
	path    string
	before  []byte // nil: it is not there
	after   []byte // nil: it is to be removed
	perm    fs.FileMode
	receipt receipt // of what the change is about
	backup  bool    // the file is somebody else's: keep a copy of what it held
}

// readFile is the content of a file of the user's; nil: there is none.
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
		return nil, fmt.Errorf("read file: %s has %d bytes, more than the %d we edit", path, info.Size(), maxFile)
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

// maxFile bounds what we read of other programs' files, in bytes.
const maxFile = 16 << 20

// resolveLink follows symbolic links and refuses those that lead out of top: what
// is there belongs to other machines, other users or the system.
func resolveLink(top, path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return "", fmt.Errorf("%s is a symbolic link to nothing; remove it or make what it points to", path)
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

// describe is the change in words.
func (c change) describe() string {
	switch {
	case c.before == nil:
		return "write " + c.path
	case c.after == nil:
		return "remove " + c.path
	default:
		return "edit " + c.path
	}
}

func (c change) diff() string {
	from, to := c.path, c.path
	if c.before == nil {
		from = os.DevNull
	}
	if c.after == nil {
		to = os.DevNull
	}
	return udiff.Unified(from, to, string(c.before), string(c.after))
}

// apply carries the change out: note what is done, copy what is there, write in
// one step, read back.
func (m Machine) apply(c change) error {
	if old, err := m.findReceipt(c.receipt.Kind, c.receipt.Path, c.receipt.Name); err != nil {
		return err
	} else if old != nil {
		c.receipt.Made, c.receipt.Created = old.Made, old.Created
		c.receipt.Folders, c.receipt.Backups = old.Folders, old.Backups
	} else {
		c.receipt.Created = c.before == nil
	}
	dir := filepath.Dir(c.path)
	c.receipt.Folders = append(c.receipt.Folders, missingFolders(dir)...)
	if c.backup && c.before != nil {
		backup, err := m.backUp(c)
		if err != nil {
			return err
		}
		c.receipt.Backups = append(c.receipt.Backups, backup)
	}
	if err := m.addReceipt(c.receipt); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	return c.write()
}

// write puts the new content in place, if the old is still what it was.
func (c change) write() error {
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
		return fmt.Errorf("%s was changed by another program just now; nothing was written; try again", c.path)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c.path, err)
	}
	now, err := os.ReadFile(c.path)
	if err != nil {
		return fmt.Errorf("read back: %w", err)
	}
	if !bytes.Equal(now, c.after) {
		return fmt.Errorf("read back: %s does not hold what was written; another program may have changed it", c.path)
	}
	return nil
}

// backUp keeps what the file holds in a new file beside it.
func (m Machine) backUp(c change) (string, error) {
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

// revert takes away what a change of this mark once brought: the change itself,
// then the folders that are empty now.
func (m Machine) revert(c change) error {
	if c.after != nil {
		if err := c.write(); err != nil {
			return err
		}
	} else if err := m.removeFile(c); err != nil {
		return err
	}
	return m.cleanUp(c.receipt)
}

// removeFile removes a file that is still what it was.
func (m Machine) removeFile(c change) error {
	now, err := readFile(c.path)
	if err != nil || now == nil {
		return err
	}
	if !bytes.Equal(now, c.before) {
		return fmt.Errorf("%s was changed by another program just now; nothing was removed; try again", c.path)
	}
	if err := os.Remove(c.path); err != nil {
		return fmt.Errorf("remove file: %w", err)
	}
	return nil
}

// cleanUp removes the copies and folders of a mark, and the mark.
func (m Machine) cleanUp(x receipt) error {
	for _, b := range x.Backups {
		if err := ignoreNotExist(os.Remove(b)); err != nil {
			return fmt.Errorf("remove copy: %w", err)
		}
	}
	for _, v := range slices.Backward(x.Folders) {
		if os.Remove(v) != nil {
			break // something else is in it by now, or it is gone
		}
	}
	return m.deleteReceipt(x)
}

// missingFolders lists the folders of a path that are not there, outermost first.
func missingFolders(dir string) []string {
	var list []string
	for !isFolder(dir) && filepath.Dir(dir) != dir {
		list = append([]string{dir}, list...)
		dir = filepath.Dir(dir)
	}
	return list
}
