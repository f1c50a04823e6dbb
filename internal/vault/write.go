package vault

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A TwinError says that a new name differs from one that exists in case or
// accents only, so that some systems could not tell them apart.
type TwinError struct {
	Existing string // the path that exists
}

// Error implements error.
func (e *TwinError) Error() string {
	return "the name differs only in case or accents from " + e.Existing
}

// Prepare makes ready for writing a file: it checks the name, makes the
// folders that are missing and returns the root and the name to write with,
// which is the composed (NFC) form of a new name. What exists under an unwise
// name may be rewritten; what is new must pass [CheckNew] and have no twin.
// The Vault does not write itself: internal/atomicfile does.
//
// Prepare and the methods below are to be called one at a time.
func (v *Vault) Prepare(name string) (*os.Root, string, error) {
	name, err := v.Placed(name, "")
	if err != nil {
		return nil, "", v.wrap("write", name, err)
	}
	if dir := path.Dir(name); dir != "." {
		if err := v.root.MkdirAll(dir, 0o777); err != nil {
			return nil, "", v.wrap("make folder of", name, err)
		}
	}
	return v.root, name, nil
}

// Placed checks, without touching anything, that name could be written, or
// that from could be renamed to it if from is not empty, and returns the name
// to use.
func (v *Vault) Placed(name, from string) (string, error) {
	if err := CheckName(name); err != nil {
		return name, err
	}
	if err := v.Check(); err != nil {
		return name, err
	}
	dir, parts := ".", strings.Split(name, "/")
	for i, part := range parts {
		at, last := path.Join(dir, part), i == len(parts)-1
		info, err := v.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return v.placedNew(dir, strings.Join(parts[i:], "/"), from)
		case err != nil:
			return name, err
		case last && from != "" && at != from && !v.same(at, from):
			return name, ErrExists
		case last && from == "" && !info.Mode().IsRegular(), !last && !info.IsDir():
			return name, ErrNotRegular
		}
		dir = at
	}
	return name, nil
}

// placedNew checks the part of a name that does not exist yet.
func (v *Vault) placedNew(dir, rest, from string) (string, error) {
	rest = norm.NFC.String(rest)
	if err := CheckNew(rest); err != nil {
		return path.Join(dir, rest), err
	}
	first, _, _ := strings.Cut(rest, "/")
	entries, err := v.entries(dir)
	if err != nil {
		return path.Join(dir, rest), err
	}
	for _, e := range entries {
		if at := path.Join(dir, e.Name()); Fold(e.Name()) == Fold(first) && at != from {
			return path.Join(dir, rest), &TwinError{Existing: at}
		}
	}
	return path.Join(dir, rest), nil
}

// Remove removes the regular file at name.
func (v *Vault) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := v.noLinks(name); err != nil {
		return v.wrap("remove", name, err)
	}
	info, err := v.root.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err == nil {
		err = v.root.Remove(name)
	}
	return v.wrap("remove", name, err)
}

// RemoveEmpty removes the folder at name if nothing is in it, and says whether
// it did.
func (v *Vault) RemoveEmpty(name string) bool {
	return CheckName(name) == nil && v.noLinks(name) == nil && v.HasDir(name) && v.root.Remove(name) == nil
}

// Rename gives a file or a folder another name, and makes the folders that
// are missing. It never replaces anything: a taken name is ErrExists, also
// when it is taken at the last instant. The new name is checked like that of
// a new file and returned as used.
func (v *Vault) Rename(from, to string) (string, error) {
	if err := CheckName(from); err != nil {
		return "", err
	}
	if err := v.noLinks(from); err != nil {
		return "", v.wrap("rename", from, err)
	}
	info, err := v.root.Lstat(from)
	if err != nil {
		return "", v.wrap("rename", from, err)
	}
	if strings.HasPrefix(to, from+"/") {
		return "", bad("a folder cannot move into itself")
	}
	if to, err = v.Placed(to, from); err != nil {
		return "", v.wrap("rename to", to, err)
	}
	if dir := path.Dir(to); dir != "." {
		if err := v.root.MkdirAll(dir, 0o777); err != nil {
			return "", v.wrap("make folder of", to, err)
		}
	}
	switch {
	case info.IsDir():
		err = v.renameUnlinked(from, to)
	case info.Mode().IsRegular():
		err = v.renameFile(from, to)
	default:
		err = ErrNotRegular
	}
	return to, v.wrap("rename", from, err)
}

// renameFile gives the file its second name before it takes the first away,
// since a rename would replace what has the second name.
func (v *Vault) renameFile(from, to string) error {
	if from == to {
		return nil
	}
	err := v.root.Link(from, to)
	switch {
	case err == nil:
		if err := v.root.Remove(from); err != nil {
			return errors.Join(err, v.root.Remove(to))
		}
		return nil
	case errors.Is(err, fs.ErrExist) && !v.same(from, to):
		return ErrExists
	}
	return v.renameUnlinked(from, to) // another case of the same name, or no hard links here
}

// renameUnlinked is for folders, which a system replaces only when empty, and
// for where hard links are not to be had.
func (v *Vault) renameUnlinked(from, to string) error {
	if from == to {
		return nil
	}
	if v.Has(to) && !v.same(from, to) {
		return ErrExists
	}
	return v.root.Rename(from, to)
}

func (v *Vault) same(a, b string) bool {
	one, err := v.root.Lstat(a)
	if err != nil {
		return false
	}
	other, err := v.root.Lstat(b)
	return err == nil && os.SameFile(one, other)
}
