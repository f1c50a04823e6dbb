package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Read returns the content of the regular file at name. It never blocks on a
// pipe, never follows a link, and returns ErrTooLarge rather than part of a file.
func (f *Folder) Read(name string) ([]byte, error) {
	b, err := f.read(name, f.maxBytes, false)
	return b, f.wrapError("read", name, err)
}

// ReadHead returns at most the first n bytes of the regular file at name.
func (f *Folder) ReadHead(name string, n int64) ([]byte, error) {
	b, err := f.read(name, n, true)
	return b, f.wrapError("read", name, err)
}

func (f *Folder) read(name string, limit int64, head bool) ([]byte, error) {
	if err := f.checkPath(name); err != nil {
		return nil, err
	}
	return readRegular(f.root, name, limit, head)
}

// checkPath checks name, and returns ErrNotRegular if a parent folder in it is a
// symbolic link.
func (f *Folder) checkPath(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		info, err := f.root.Lstat(name[:i])
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return ErrNotRegular
		}
	}
	return nil
}

// readRegular reads at most limit bytes of a regular file. It opens the file
// without blocking and checks that it is the one that Lstat saw, so that a pipe or
// link that replaced it in between is not read.
func readRegular(root *os.Root, name string, limit int64, head bool) ([]byte, error) {
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
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || !os.SameFile(seen, info):
		return nil, ErrNotRegular
	case info.Size() > limit && !head:
		return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, info.Size(), limit)
	}
	var b bytes.Buffer
	b.Grow(int(min(info.Size(), limit)) + bytes.MinRead)
	switch n, err := b.ReadFrom(io.LimitReader(f, limit+1)); {
	case err != nil:
		return nil, err
	case n > limit && head:
		b.Truncate(int(limit))
	case n > limit:
		return nil, fmt.Errorf("%w: it grew while it was read, at most %d", ErrTooLarge, limit)
	}
	return b.Bytes(), nil
}

// ReadOutside returns the content of a regular file of at most limit bytes that is
// below one of the allowed folders; otherwise the error is ErrNotAllowed. Both
// file and allowed are absolute paths of the operating system.
func ReadOutside(file string, allowed []string, limit int64) ([]byte, error) {
	for _, dir := range allowed {
		rel, ok := relativeTo(dir, file)
		if !ok {
			continue
		}
		outside, err := Open(dir, Options{MaxBytes: limit})
		if err != nil {
			return nil, err
		}
		b, err := outside.Read(rel)
		return b, errors.Join(err, outside.Close())
	}
	return nil, ErrNotAllowed
}

// ErrNotAllowed means that a file is below none of the allowed folders.
var ErrNotAllowed = errors.New("the file is outside every allowed folder")

func relativeTo(dir, file string) (string, bool) {
	if !filepath.IsAbs(file) {
		return "", false
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Find returns the name under which a file or folder exists: name itself, or the
// only one that differs from it just in case or accents. Otherwise the error is
// fs.ErrNotExist or ErrAmbiguous.
func (f *Folder) Find(name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	if f.Exists(name) {
		return name, nil
	}
	found := "."
	for part := range strings.SplitSeq(name, "/") {
		actual, err := f.findIn(found, part)
		if err != nil {
			return "", err
		}
		found = path.Join(found, actual)
	}
	return found, nil
}

func (f *Folder) findIn(dir, part string) (string, error) {
	entries, err := f.entries(dir)
	if err != nil {
		return "", err
	}
	var near []string
	for _, e := range entries {
		switch {
		case e.Name() == part:
			return part, nil
		case FoldName(e.Name()) == FoldName(part):
			near = append(near, e.Name())
		}
	}
	switch len(near) {
	case 0:
		return "", fs.ErrNotExist
	case 1:
		return near[0], nil
	}
	for _, n := range near { // prefer the same letters with accents composed differently
		if norm.NFC.String(n) == norm.NFC.String(part) {
			return n, nil
		}
	}
	return "", ErrAmbiguous
}

// FindVariants returns every existing name that equals name or differs from it
// only in case or accents.
func (f *Folder) FindVariants(name string) ([]string, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	found := []string{"."}
	for part := range strings.SplitSeq(name, "/") {
		var next []string
		for _, dir := range found {
			names, err := f.Names(dir)
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
	return found, nil
}

// wrapError adds the verb and the name. If a file is missing because the whole
// folder is gone, the error is ErrGone.
func (f *Folder) wrapError(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if gone := f.Check(); gone != nil {
			return gone
		}
	}
	if _, ok := errors.AsType[*NameError](err); ok {
		return err
	}
	return fmt.Errorf("%s %s: %w", verb, name, err)
}
