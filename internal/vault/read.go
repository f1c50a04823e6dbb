package vault

import (
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
// pipe, never follows a link, and answers ErrTooLarge rather than reading a
// part.
func (v *Vault) Read(name string) ([]byte, error) {
	b, err := v.read(name, v.maxBytes, false)
	return b, v.wrap("read", name, err)
}

// ReadHead returns at most n bytes from the beginning of the regular file at
// name.
func (v *Vault) ReadHead(name string, n int64) ([]byte, error) {
	b, err := v.read(name, n, true)
	return b, v.wrap("read", name, err)
}

func (v *Vault) read(name string, limit int64, head bool) ([]byte, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := v.noLinks(name); err != nil {
		return nil, err
	}
	return readRegular(v.root, name, limit, head)
}

// noLinks refuses a name that has a symbolic link anywhere.
func (v *Vault) noLinks(name string) error {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		info, err := v.root.Lstat(name[:i])
		if err != nil {
			return err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return ErrNotRegular
		}
	}
	return nil
}

// readRegular reads at most limit bytes of a regular file. The file is opened
// without waiting and must be the one that was looked at, so that neither a
// pipe nor a link put there in between is read.
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
	b := make([]byte, 0, min(info.Size(), limit)+1)
	for {
		n, err := f.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case int64(len(b)) > limit && head:
			return b[:limit], nil
		case int64(len(b)) > limit:
			return nil, fmt.Errorf("%w: it grew while it was read, at most %d", ErrTooLarge, limit)
		case errors.Is(err, io.EOF):
			return b, nil
		case err != nil:
			return nil, err
		case len(b) == cap(b):
			b = append(b, 0)[:len(b)]
		}
	}
}

// ReadOutside returns the content of a regular file of at most limit bytes
// somewhere below one of the folders in allowed, which are paths of the
// operating system like file. Anything else is ErrNotAllowed.
func ReadOutside(file string, allowed []string, limit int64) ([]byte, error) {
	for _, dir := range allowed {
		rel, ok := below(dir, file)
		if !ok {
			continue
		}
		inbox, err := Open(dir, Options{MaxBytes: limit})
		if err != nil {
			return nil, err
		}
		b, err := inbox.Read(rel)
		return b, errors.Join(err, inbox.Close())
	}
	return nil, ErrNotAllowed
}

// ErrNotAllowed says that a file is below none of the allowed folders.
var ErrNotAllowed = errors.New("the file is outside every allowed folder")

func below(dir, file string) (string, bool) {
	if !filepath.IsAbs(file) {
		return "", false
	}
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// Find returns the name under which a file or folder exists: name itself, or
// else the only one that differs from it in case or accents alone. Otherwise
// it is fs.ErrNotExist or ErrAmbiguous.
func (v *Vault) Find(name string) (string, error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	if v.Has(name) {
		return name, nil
	}
	found := "."
	for part := range strings.SplitSeq(name, "/") {
		actual, err := v.findIn(found, part)
		if err != nil {
			return "", err
		}
		found = path.Join(found, actual)
	}
	return found, nil
}

func (v *Vault) findIn(dir, part string) (string, error) {
	entries, err := v.entries(dir)
	if err != nil {
		return "", err
	}
	var near []string
	for _, e := range entries {
		switch {
		case e.Name() == part:
			return part, nil
		case Fold(e.Name()) == Fold(part):
			near = append(near, e.Name())
		}
	}
	switch len(near) {
	case 0:
		return "", fs.ErrNotExist
	case 1:
		return near[0], nil
	}
	for _, n := range near { // the same letters, composed otherwise, come first
		if norm.NFC.String(n) == norm.NFC.String(part) {
			return n, nil
		}
	}
	return "", ErrAmbiguous
}

// Near returns every name that exists and is name, or differs from it in case
// or accents alone.
func (v *Vault) Near(name string) ([]string, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	found := []string{"."}
	for part := range strings.SplitSeq(name, "/") {
		var next []string
		for _, dir := range found {
			names, err := v.Names(dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			for _, n := range names {
				if Fold(n) == Fold(part) && !Hidden(n) {
					next = append(next, path.Join(dir, n))
				}
			}
		}
		found = next
	}
	return found, nil
}

// wrap adds the verb and the name; a file that is missing because the whole
// folder is gone is ErrGone.
func (v *Vault) wrap(verb, name string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		if gone := v.Check(); gone != nil {
			return gone
		}
	}
	if _, ok := errors.AsType[*NameError](err); ok {
		return err
	}
	return fmt.Errorf("%s %s: %w", verb, name, err)
}
