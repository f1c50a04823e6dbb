// Package rename moves names in ways that package os does not have: it swaps two
// names in one step, moves a file to a name that must be free, and has names survive a
// power failure.
//
// It looks at no content and keeps nothing. What cannot be done on this file system
// is errors.ErrUnsupported, and it is for the caller to say what is lost by that.
//
// It is imported by internal/atomicfile and internal/folder. Start reading at
// [Exchange].
package rename

import (
	"os"
	"path"
)

// Exchange swaps what two names below root stand for, in one step. Both must exist,
// else the error wraps fs.ErrNotExist; it is errors.ErrUnsupported on Windows and on
// file systems that cannot do it. A symbolic link is swapped, not followed.
func Exchange(root *os.Root, a, b string) error { return do(root, a, b, swap) }

// NoReplace renames a file. If to exists the error wraps fs.ErrExist, and nothing has
// happened. It is errors.ErrUnsupported as for [Exchange].
func NoReplace(root *os.Root, from, to string) error { return do(root, from, to, keep) }

// do renames by handles of the folders, which root keeps below itself.
func do(root *os.Root, from, to string, how flag) error {
	source, err := root.Open(path.Dir(from))
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // opened only to name files
	dest := source
	if path.Dir(from) != path.Dir(to) {
		if dest, err = root.Open(path.Dir(to)); err != nil {
			return err
		}
		defer dest.Close() //nolint:errcheck // opened only to name files
	}
	if err := renameAt(source, path.Base(from), dest, path.Base(to), how); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}
