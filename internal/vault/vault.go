// Package vault is a folder of people's files, opened so that no name leads
// out of it: every operation goes through one os.Root, on names checked by one
// set of rules, on regular files only. No symbolic link is followed, not even
// one that stays inside, so that one file has one name.
//
// It knows nothing of what is in the files, keeps no index and no cache, and
// does not watch. The Systems whose data is files (tools/markdown, tools/org)
// stand on it. Start reading at [Open], then [CheckName].
package vault

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
	"time"
)

var (
	// ErrGone says that the folder itself is not there any more, which is
	// another thing than a folder without files.
	ErrGone = errors.New("the folder is gone")
	// ErrNotFolder says that the path to open is something else.
	ErrNotFolder = errors.New("not a folder")
	// ErrNotRegular says that a name is no regular file: a symbolic link, a
	// folder, a pipe, a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge says that a file is over Options.MaxBytes.
	ErrTooLarge = errors.New("the file is too large")
	// ErrExists says that a name is taken.
	ErrExists = errors.New("the name is taken")
	// ErrAmbiguous says that several files differ from the name in case or
	// accents only.
	ErrAmbiguous = errors.New("several files have that name but for case or accents")
)

// Options are the choices of whoever opens a [Vault].
type Options struct {
	// Tenant is a folder directly below the path that is to be the whole
	// world. Empty: the path itself is.
	Tenant string
	// MaxBytes is the size up to which files are read; 0 means 16 MiB.
	MaxBytes int64
}

// A Vault is an open folder. Its methods may be used from any goroutine, but
// for those that change something, which are to follow one another.
type Vault struct {
	root     *os.Root
	path     string
	maxBytes int64
}

// Open opens the folder at path. The error is fs.ErrNotExist,
// fs.ErrPermission, ErrNotFolder or, for the tenant, a [NameError].
func Open(path string, opt Options) (*Vault, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	if info, err := os.Stat(abs); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("open vault %s: %w", abs, ErrNotFolder)
	}
	root, err := os.OpenRoot(abs)
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	v := &Vault{root: root, path: abs, maxBytes: opt.MaxBytes}
	if v.maxBytes == 0 {
		v.maxBytes = 16 << 20
	}
	if opt.Tenant != "" {
		err = v.enter(opt.Tenant)
	}
	if err == nil {
		_, err = v.entries(".") // a folder that may not be listed is no use
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open vault: %w", err), v.root.Close())
	}
	return v, nil
}

// enter makes the tenant's folder the whole world. Its name must be exact to
// the byte, also on file systems that do not care about case.
func (v *Vault) enter(tenant string) error {
	if err := CheckName(tenant); err != nil {
		return fmt.Errorf("tenant: %w", err)
	}
	if strings.Contains(tenant, "/") {
		return bad("tenant: must be the name of one folder, without a slash")
	}
	entries, err := v.entries(".")
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == tenant && e.IsDir() }) {
		return fmt.Errorf("tenant %s: %w", tenant, fs.ErrNotExist)
	}
	sub, err := v.root.OpenRoot(tenant)
	if err != nil {
		return fmt.Errorf("tenant: %w", err)
	}
	err = v.root.Close()
	v.root, v.path = sub, filepath.Join(v.path, tenant)
	return err
}

// Close closes the folder.
func (v *Vault) Close() error { return v.root.Close() }

// Path is the absolute path of the folder, for messages to people.
func (v *Vault) Path() string { return v.path }

// Check returns ErrGone when the path does not lead to the opened folder any
// more: removed, renamed, unmounted or replaced. It is cheap.
func (v *Vault) Check() error {
	there, err := os.Stat(v.path)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	here, err := v.root.Stat(".")
	if err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	if !os.SameFile(here, there) {
		return fmt.Errorf("%w: another folder is at %s", ErrGone, v.path)
	}
	return nil
}

// Has says whether a folder or a file of that very name is there, whatever it
// is. It also sees hidden names.
func (v *Vault) Has(name string) bool {
	_, err := v.root.Lstat(name)
	return err == nil
}

// Stat is how many bytes the regular file has, and when it was written; zero
// for what is not there or is none.
func (v *Vault) Stat(name string) (size int64, modified time.Time) {
	info, err := v.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return 0, time.Time{}
	}
	return info.Size(), info.ModTime()
}

// HasDir says whether name is a folder.
func (v *Vault) HasDir(name string) bool {
	info, err := v.root.Lstat(name)
	return err == nil && info.IsDir()
}

// Etag is the precondition that agents hand back: the SHA-256 of a file's
// bytes in bare lower-case hexadecimal.
func Etag(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
