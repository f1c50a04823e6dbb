package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// A View is a folder as agents may see it: in which the names that [Rules] hide do
// not exist. Nothing that it answers depends on what is hidden, and it looks up no
// name that a rule covers by its name or by a folder on the way to it. It cannot
// write. Its methods are safe for concurrent use.
type View struct {
	tree  tree
	rules Rules // nil: nothing is hidden
	f     *Folder
}

// A tree is what a View reads: a folder, one without its hidden names, or a draft.
// Names have been checked.
type tree interface {
	lstat(name string) (fileInfo, error)
	names(dir string) ([]string, error) // may have names that lstat does not find
	read(name string, limit int64, head bool) ([]byte, error)
	list(ctx context.Context, skip func(name string, dir bool) bool) (Listing, error)
}

// fileInfo is what a tree knows of a name.
type fileInfo struct {
	dir, regular bool
	size         int64
	modified     time.Time
	mode         fs.FileMode
	onDisk       fs.FileInfo // nil in a draft
}

// NewView is f without what rules hide; nil hides nothing.
func NewView(f *Folder, rules Rules) *View {
	if rules == nil {
		return &View{tree: f, f: f}
	}
	return &View{tree: &filteredFolder{f, f, rules}, rules: rules, f: f}
}

// Path is the absolute path of the folder, for messages.
func (v *View) Path() string { return v.f.Path() }

// Check is [Folder.Check].
func (v *View) Check() error { return v.f.Check() }

// Hides reports whether a write that leaves data in a file of that name must be
// refused, because the file would be hidden. It looks nothing up.
func (v *View) Hides(name string, data []byte) bool {
	return v.hidesName(name) || v.rules != nil && v.rules.HidesContent(name, data)
}

// hidesName reports whether a rule covers the name of a file.
func (v *View) hidesName(name string) bool {
	if v.rules == nil {
		return false
	}
	hidden, _, _ := hidesPath(v.rules, name)
	return hidden
}

// Exists reports whether anything has exactly this name, dot files included.
func (v *View) Exists(name string) bool {
	_, err := v.tree.lstat(name)
	return err == nil
}

// IsDir reports whether name is a folder.
func (v *View) IsDir(name string) bool {
	info, err := v.tree.lstat(name)
	return err == nil && info.dir
}

// FindSymlink returns the part of a name that is a symbolic link, of the file or of a
// folder on the way to it.
func (v *View) FindSymlink(name string) (link string, found bool) {
	if CheckName(name) != nil {
		return "", false
	}
	for i := range len(name) + 1 {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := v.tree.lstat(name[:i])
		if err != nil {
			return "", false
		}
		if info.onDisk != nil && info.onDisk.Mode()&fs.ModeSymlink != 0 {
			return name[:i], true
		}
	}
	return "", false
}

// Stat returns the size in bytes and the modification time of a regular file, or
// zero values if name is not one.
func (v *View) Stat(name string) (size int64, modified time.Time) {
	info, err := v.tree.lstat(name)
	if err != nil || !info.regular {
		return 0, time.Time{}
	}
	return info.size, info.modified
}

// Read returns the content of the regular file at name. It never blocks on a pipe,
// never follows a link, and returns ErrTooLarge rather than part of a file.
func (v *View) Read(name string) ([]byte, error) { return v.ReadUpTo(name, v.f.maxBytes) }

// ReadUpTo is Read for a file of at most limit bytes.
func (v *View) ReadUpTo(name string, limit int64) ([]byte, error) {
	return v.read(name, limit, false)
}

// ReadHead returns at most the first n bytes of the regular file at name.
func (v *View) ReadHead(name string, n int64) ([]byte, error) { return v.read(name, n, true) }

func (v *View) read(name string, limit int64, head bool) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	b, err := v.tree.read(name, limit, head)
	return b, v.f.wrapError("read", name, err)
}

// List lists everything but what skip leaves out: a folder for which it returns
// true with all below it, or a file. The error is ErrGone if the folder no longer
// exists.
func (v *View) List(ctx context.Context, skip func(name string, dir bool) bool) (Listing, error) {
	if err := v.f.Check(); err != nil {
		return Listing{}, err
	}
	if _, err := v.f.entries("."); err != nil {
		return Listing{}, v.f.wrapError("list", ".", err)
	}
	return v.tree.list(ctx, skip)
}

// Find returns the name under which a file or folder exists: name itself, or the
// only one that differs from it just in case or accents. Otherwise the error is
// fs.ErrNotExist or ErrAmbiguous.
func (v *View) Find(name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	if v.Exists(name) {
		return name, nil
	}
	if v.rules != nil {
		if asFile, asFolder, _ := hidesPath(v.rules, name); asFile && asFolder {
			return "", fmt.Errorf("find %s: %w", name, fs.ErrNotExist)
		}
	}
	near, err := v.findVariants(name)
	if err != nil {
		return "", err
	}
	composed := slices.IndexFunc(near, func(s string) bool { return norm.NFC.String(s) == norm.NFC.String(name) })
	switch {
	case len(near) == 1:
		return near[0], nil
	case composed >= 0: // prefer the same letters with accents composed differently
		return near[composed], nil
	case len(near) > 1:
		return "", ErrAmbiguous
	}
	return "", fmt.Errorf("find %s: %w", name, fs.ErrNotExist)
}

// findVariants returns every existing name that differs from name only in case or
// accents.
func (v *View) findVariants(name string) ([]string, error) {
	found := []string{"."}
	for part := range strings.SplitSeq(name, "/") {
		var next []string
		for _, dir := range found {
			names, err := v.tree.names(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			for _, n := range names {
				if FoldName(n) == FoldName(part) && !IsHidden(n) {
					next = append(next, path.Join(dir, n))
				}
			}
		}
		found = next
	}
	return slices.DeleteFunc(found, func(name string) bool { return !v.Exists(name) }), nil
}

// CheckDestination checks, without changing anything, that name can be written,
// or, unless from is empty, that from can be renamed to it. It returns the name to
// use: the composed (NFC) form of a new name. An existing file may be rewritten
// whatever its name; a new name must pass [CheckNew] and differ from every
// existing one in more than case or accents. A name that a rule covers is
// ErrHidden whether or not something has it.
func (v *View) CheckDestination(name, from string) (string, error) {
	if err := CheckName(name); err != nil {
		return name, err
	}
	if v.hidesName(name) {
		return name, ErrHidden
	}
	if err := v.Check(); err != nil {
		return name, err
	}
	dir, parts := ".", strings.Split(name, "/")
	for i, part := range parts {
		at, last := path.Join(dir, part), i == len(parts)-1
		info, err := v.tree.lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return v.checkNewDestination(dir, strings.Join(parts[i:], "/"), from)
		case err != nil:
			return name, err
		case last && from != "" && at != from && !v.SameFile(at, from):
			return name, ErrExists
		case last && from == "" && !info.regular, !last && !info.dir:
			return name, ErrNotRegular
		}
		dir = at
	}
	return name, nil
}

// checkNewDestination checks the part of a path that does not exist yet.
func (v *View) checkNewDestination(dir, rest, from string) (string, error) {
	rest = norm.NFC.String(rest)
	name := path.Join(dir, rest)
	if err := CheckNew(rest); err != nil {
		return name, err
	}
	first, _, _ := strings.Cut(rest, "/")
	names, err := v.tree.names(dir)
	if err != nil && (v.rules == nil || !errors.Is(err, fs.ErrNotExist)) {
		return name, err
	}
	for _, n := range names {
		if at := path.Join(dir, n); FoldName(n) == FoldName(first) && at != from && v.Exists(at) {
			return name, &CaseConflictError{Existing: at}
		}
	}
	return name, nil
}

// SameFile reports whether two names are those of one file or folder, as in a folder
// whose disk ignores letter case or how accents are written.
func (v *View) SameFile(a, b string) bool {
	one, err := v.tree.lstat(a)
	if err != nil || one.onDisk == nil {
		return false
	}
	other, err := v.tree.lstat(b)
	return err == nil && other.onDisk != nil && os.SameFile(one.onDisk, other.onDisk)
}

// A CaseConflictError means that a new name differs from an existing one only in
// case or accents, so that some systems could not tell them apart.
type CaseConflictError struct {
	Existing string // the path that exists
}

// Error implements error.
func (e *CaseConflictError) Error() string {
	return "the name differs only in case or accents from " + e.Existing
}

// lstat implements tree.
func (f *Folder) lstat(name string) (fileInfo, error) {
	if err := f.checkNoSymlinks(name); err != nil {
		return fileInfo{}, err
	}
	info, err := f.root.Lstat(name)
	if err != nil {
		return fileInfo{}, err
	}
	return fileInfo{
		dir: info.IsDir(), regular: info.Mode().IsRegular(), size: info.Size(), modified: info.ModTime(), mode: info.Mode().Perm(), onDisk: info,
	}, nil
}

// list implements tree.
func (f *Folder) list(ctx context.Context, skip func(name string, dir bool) bool) (Listing, error) {
	var l Listing
	err := f.walk(ctx, &l, skip)
	return l, err
}
