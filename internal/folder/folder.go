// Package folder opens a directory of people's files so that no name leads out
// of it. Every operation goes through one os.Root, checks names with one set of
// rules, and touches regular files only. Symbolic links are never followed, not
// even those that stay inside, so that each file has exactly one name.
//
// A [Folder] is the directory itself. Tools get a [View] of it, in which the names
// that the user hides do not exist; they work out what to write in a [Draft], and
// only a [Committer] carries that out on the real folder.
//
// It does not interpret file contents, keeps no index and no cache, and does not
// watch for changes. Systems whose data is files, such as tools/markdown, import
// it. Start reading at [Open], then [View], [Rules] and [CheckName].
package folder

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

var (
	// ErrGone means that the folder itself no longer exists. An empty folder is
	// not an error.
	ErrGone = errors.New("the folder is gone")
	// ErrNotFolder means that the path to open is not a directory.
	ErrNotFolder = errors.New("not a folder")
	// ErrNotRegular means that a name is not a regular file but a symbolic link,
	// a folder, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge means that a file is larger than Options.MaxBytes.
	ErrTooLarge = errors.New("the file is too large")
	// ErrHidden means that a write would touch a hidden name, or hide what it
	// writes.
	ErrHidden = errors.New("the name is hidden")
	// ErrLimit means that a draft holds more than its limit.
	ErrLimit = errors.New("too much would change at once")
	// ErrExists means that the destination name already exists.
	ErrExists = errors.New("the name is taken")
	// ErrAmbiguous means that several files differ from the name only in case or
	// accents.
	ErrAmbiguous = errors.New("several files have that name, apart from case or accents")
)

// Options configures [Open].
type Options struct {
	// Tenant names a direct subfolder to use as the root instead of the path
	// itself. Empty means no tenant.
	Tenant string
	// MaxBytes is the largest file that Read returns; 0 means 16 MiB.
	MaxBytes int64
	// Unsaved returns what an editor holds of a file and has not saved; ok is
	// false if it holds nothing else than the file. Reads return it in place of
	// the file, and a Writer is given it as what the file holds. Nil: no editor
	// is asked.
	Unsaved func(file string) (text []byte, ok bool)
}

// A Folder is an open directory. It is for opening and closing: tools read through
// a [View].
type Folder struct {
	root     *os.Root
	path     string
	maxBytes int64
	unsaved  func(file string) (text []byte, ok bool)
}

// Open opens the folder at path. The error wraps fs.ErrNotExist,
// fs.ErrPermission, ErrNotFolder or, for the tenant, a [NameError].
func Open(path string, opt Options) (*Folder, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("open folder %s: %w", abs, ErrNotFolder)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	f := &Folder{root: root, path: abs, maxBytes: opt.MaxBytes, unsaved: opt.Unsaved}
	if f.maxBytes == 0 {
		f.maxBytes = 16 << 20
	}
	if opt.Tenant != "" {
		err = f.enterTenant(opt.Tenant)
	}
	if err == nil {
		_, err = f.entries(".") // fail now if the folder cannot be listed
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open folder: %w", err), f.root.Close())
	}
	return f, nil
}

// enterTenant makes the tenant's folder the root. The name must match byte for
// byte, also on case-insensitive file systems.
func (f *Folder) enterTenant(tenant string) error {
	if err := CheckName(tenant); err != nil {
		return fmt.Errorf("tenant: %w", err)
	}
	if strings.Contains(tenant, "/") {
		return nameErrorf("tenant: must be the name of one folder, without a slash")
	}
	entries, err := f.entries(".")
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == tenant && e.IsDir() }) {
		return fmt.Errorf("tenant %s: %w", tenant, fs.ErrNotExist)
	}
	sub, err := f.root.OpenRoot(tenant)
	if err != nil {
		return fmt.Errorf("tenant: %w", err)
	}
	err = f.root.Close()
	f.root, f.path = sub, filepath.Join(f.path, tenant)
	return err
}

// Close releases the folder.
func (f *Folder) Close() error { return f.root.Close() }

// Sweep calls sweep with the root, for what removes what killed writers left.
func (f *Folder) Sweep(sweep func(*os.Root) error) error { return sweep(f.root) }

// Settings reads a file of at most 1 MiB that another application keeps for itself in
// the folder, such as .obsidian/app.json. It is never shown to anyone.
func (f *Folder) Settings(name string) ([]byte, error) {
	return readRegular(f.root, name, 1<<20, false)
}

// Path is the absolute path of the folder, for messages.
func (f *Folder) Path() string { return f.path }

// Check returns ErrGone if the path no longer leads to the opened folder because
// it was removed, renamed, unmounted or replaced. It is cheap.
func (f *Folder) Check() error {
	atPath, err := os.Stat(f.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	opened, err := f.root.Stat(".")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	if !os.SameFile(opened, atPath) {
		return fmt.Errorf("%w: another folder is at %s", ErrGone, f.path)
	}
	return nil
}

// Etag returns the SHA-256 of data in lower-case hexadecimal, which agents hand
// back as a precondition of a write.
func Etag(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
