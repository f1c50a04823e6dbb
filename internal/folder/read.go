package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// read returns at most limit bytes of the regular file at name. It never blocks on
// a pipe, never follows a link, and unless only the head is wanted returns
// ErrTooLarge rather than part of a file.
func (f *Folder) read(name string, limit int64, head bool) ([]byte, error) {
	if err := f.checkPath(name); err != nil {
		return nil, err
	}
	return f.readRegular(name, limit, head)
}

// readRegular is the function of that name, but for what an editor has not saved.
// The editor is asked first: it may be about to save, in place.
func (f *Folder) readRegular(name string, limit int64, head bool) ([]byte, error) {
	if f.unsaved == nil {
		return readRegular(f.root, name, limit, head)
	}
	if info, err := f.root.Lstat(name); err == nil && info.Mode().IsRegular() {
		switch text, ok := f.unsaved(name); {
		case !ok:
		case int64(len(text)) <= limit:
			return text, nil
		case head:
			return text[:limit], nil
		default:
			return nil, fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, len(text), limit)
		}
	}
	return readRegular(f.root, name, limit, head)
}

// checkPath checks name, and returns ErrNotRegular if a parent folder in it is a
// symbolic link.
func (f *Folder) checkPath(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return f.checkNoSymlinks(name)
}

func (f *Folder) checkNoSymlinks(name string) error {
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

// readRegular reads at most limit bytes of a regular file.
func readRegular(root *os.Root, name string, limit int64, head bool) ([]byte, error) {
	f, err := openRegular(root, name)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
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
		b, err := outside.read(rel, limit, false)
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

// IsEscape reports whether err is that of a name that leads through a symbolic link,
// which a folder on the way has just become.
func IsEscape(err error) bool {
	return err != nil && (errors.Is(err, syscall.ELOOP) ||
		strings.Contains(err.Error(), "path escapes from parent")) // for which os has no name
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
	if IsEscape(err) {
		err = ErrNotRegular
	}
	return fmt.Errorf("%s %s: %w", verb, name, err)
}
