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

// Placed checks, without touching anything, that name could be written, or
// that from could be renamed to it if from is not empty, and returns the name
// to use, which is the composed (NFC) form of a new name. What exists under an
// unwise name may be rewritten; what is new must pass [CheckNew] and have no
// twin.
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
	// Another case of the same name, or no hard links here.
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
