package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/lectern-mcp/lectern/internal/rename"
)

// The functions below change exactly one name and create nothing on the way:
// they are for callers that have planned all their changes and can undo them.
// Existing names may break [CheckNew], so only [CheckName] applies here; for a
// new name call [View.CheckDestination] first.

// checkedRoot returns the os.Root through which name may be written, after checking
// that name is valid and leads through no symbolic link.
func (f *Folder) checkedRoot(name string) (*os.Root, error) {
	return f.root, f.wrapError("write", name, f.checkPath(name))
}

// makeFolder creates one folder with exactly these permission bits, regardless of
// the umask. If the name exists, the error is ErrExists.
func (f *Folder) makeFolder(name string, perm fs.FileMode) error {
	root, err := f.checkedRoot(name)
	if err != nil {
		return err
	}
	switch err := root.Mkdir(name, perm); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("make folder %s: %w", name, ErrExists)
	case err != nil:
		return f.wrapError("make folder", name, err)
	}
	info, err := root.Lstat(name)
	if err == nil && info.Mode().Perm() != perm {
		err = root.Chmod(name, info.Mode()&^fs.ModePerm|perm)
	}
	return f.wrapError("make folder", name, err)
}

// move renames a regular file into a folder that exists. It never replaces a
// file: if to exists, even since a moment ago, the error is ErrExists.
func (f *Folder) move(from, to string) error {
	for _, name := range []string{from, to} {
		if _, err := f.checkedRoot(name); err != nil {
			return err
		}
	}
	err := f.checkRegular(from)
	if err == nil {
		err = f.renameFile(from, to)
	}
	return f.wrapError("move", from, err)
}

func (f *Folder) checkRegular(name string) error {
	info, err := f.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return ErrNotRegular
	}
	return err
}

// removeEmpty removes the folder at name if it is empty.
func (f *Folder) removeEmpty(name string) {
	if f.checkPath(name) == nil && f.isDir(name) {
		_ = f.root.Remove(name) // fails if it is not empty
	}
}

// renameFile never replaces a file that has the new name. Where the file system
// cannot promise that it links the new name before it removes the old one; what
// somebody puts at the old name between the two is lost.
func (f *Folder) renameFile(from, to string) error {
	if from == to {
		return nil
	}
	err := rename.NoReplace(f.root, from, to)
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrExist) {
		err = f.root.Link(from, to)
	}
	switch {
	case err == nil:
		if err := f.root.Remove(from); err != nil {
			return errors.Join(err, f.root.Remove(to))
		}
		return nil
	case errors.Is(err, fs.ErrExist) && !f.sameFile(from, to):
		return ErrExists
	}
	// Only the case differs, or the file system has no hard links.
	if f.exists(to) && !f.sameFile(from, to) {
		return ErrExists
	}
	return f.root.Rename(from, to)
}

func (f *Folder) sameFile(a, b string) bool {
	one, err := f.root.Lstat(a)
	if err != nil {
		return false
	}
	other, err := f.root.Lstat(b)
	return err == nil && os.SameFile(one, other)
}

// exists reports whether anything has exactly this name.
func (f *Folder) exists(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

func (f *Folder) isDir(name string) bool {
	info, err := f.root.Lstat(name)
	return err == nil && info.IsDir()
}
