package folder

import (
	"errors"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A CaseConflictError means that a new name differs from an existing one only in
// case or accents, so that some systems could not tell them apart.
type CaseConflictError struct {
	Existing string // the path that exists
}

// Error implements error.
func (e *CaseConflictError) Error() string {
	return "the name differs only in case or accents from " + e.Existing
}

// CheckDestination checks, without changing anything, that name can be written,
// or, unless from is empty, that from can be renamed to it. It returns the name to
// use: the composed (NFC) form of a new name. An existing file may be rewritten
// whatever its name; a new name must pass [CheckNew] and differ from every
// existing one in more than case or accents.
func (f *Folder) CheckDestination(name, from string) (string, error) {
	if err := CheckName(name); err != nil {
		return name, err
	}
	if err := f.Check(); err != nil {
		return name, err
	}
	dir, parts := ".", strings.Split(name, "/")
	for i, part := range parts {
		at, last := path.Join(dir, part), i == len(parts)-1
		info, err := f.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return f.checkNewDestination(dir, strings.Join(parts[i:], "/"), from)
		case err != nil:
			return name, err
		case last && from != "" && at != from && !f.sameFile(at, from):
			return name, ErrExists
		case last && from == "" && !info.Mode().IsRegular(), !last && !info.IsDir():
			return name, ErrNotRegular
		}
		dir = at
	}
	return name, nil
}

// checkNewDestination checks the part of a path that does not exist yet.
func (f *Folder) checkNewDestination(dir, rest, from string) (string, error) {
	rest = norm.NFC.String(rest)
	if err := CheckNew(rest); err != nil {
		return path.Join(dir, rest), err
	}
	first, _, _ := strings.Cut(rest, "/")
	entries, err := f.entries(dir)
	if err != nil {
		return path.Join(dir, rest), err
	}
	for _, e := range entries {
		if at := path.Join(dir, e.Name()); FoldName(e.Name()) == FoldName(first) && at != from {
			return path.Join(dir, rest), &CaseConflictError{Existing: at}
		}
	}
	return path.Join(dir, rest), nil
}
