package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// CopyTo writes the content of the regular file at name to w, however large it is, and
// holds little of it at once. It is for files whose name tells whether they are hidden:
// any other does not exist. A draft returns [errors.ErrUnsupported].
func (v *View) CopyTo(name string, w io.Writer) error {
	switch v.tree.(type) {
	case *Folder, *filteredFolder:
	default:
		return fmt.Errorf("read %s: %w", name, errors.ErrUnsupported)
	}
	if err := CheckName(name); err != nil {
		return err
	}
	if v.rules != nil {
		if hidden, _, decided := hidesPath(v.rules, name); hidden || !decided {
			return fmt.Errorf("read %s: %w", name, fs.ErrNotExist)
		}
	}
	if err := v.f.checkNoSymlinks(name); err != nil {
		return v.f.wrapError("read", name, err)
	}
	f, err := openRegular(v.f.root, name)
	if err != nil {
		return v.f.wrapError("read", name, err)
	}
	defer f.Close() //nolint:errcheck // only read
	_, err = io.Copy(w, f)
	return v.f.wrapError("read", name, err)
}

// openRegular opens a regular file without blocking, and checks that it is the one that
// Lstat saw, so that a pipe or link that replaced it in between is not opened. Another
// regular file, as editors make one when they save, is looked at again.
func openRegular(root *os.Root, name string) (*os.File, error) {
	for range maxReplaced {
		if f, err := openSeen(root, name); !errors.Is(err, errReplaced) {
			return f, err
		}
	}
	return nil, ErrNotRegular
}

// maxReplaced bounds how often one read begins again.
const maxReplaced = 100

var errReplaced = errors.New("another file has taken the name")

func openSeen(root *os.Root, name string) (*os.File, error) {
	seen, err := root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, ErrNotRegular
	}
	f, err := root.OpenFile(name, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = ErrNotRegular
	case !os.SameFile(seen, info):
		err = errReplaced
	default:
		return f, nil
	}
	return nil, errors.Join(err, f.Close())
}
