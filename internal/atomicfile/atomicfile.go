// Package atomicfile replaces a file's content in one step: a reader of the
// file, also after a crash or a power failure, finds the old bytes or the new
// ones, never a part and never nothing.
//
// It is not a lock: what another program writes meanwhile stays, and the write fails
// ([Options].IfHash). Where the file system cannot exchange two names ([CheckExchange])
// an edit in the instant before the rename is lost. It keeps no copies of old content.
//
// It is imported by Systems that write people's notes and by everything that
// writes Lectern's own files. Start reading at [Write].
package atomicfile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/lectern-mcp/lectern/internal/rename"
)

var (
	// ErrExists means that Options.Create is set and the name exists.
	ErrExists = errors.New("the file exists already")
	// ErrChanged means that the content does not match Options.IfHash, or that the
	// file no longer exists.
	ErrChanged = errors.New("the file has changed since it was read")
	// ErrNotRegular means that the name is a symbolic link, a folder or a device.
	ErrNotRegular = errors.New("not a regular file")
)

// Options say what must hold before [Write] commits.
type Options struct {
	// Perm is the mode of a new file before umask; 0 means 0o644. An existing file
	// keeps its mode and, if we may set it, its owner.
	Perm fs.FileMode
	// Mode is the mode of the file afterwards, regardless of umask and the old file;
	// 0 leaves it to them.
	Mode fs.FileMode
	// Create requires that the name does not exist yet, else ErrExists. Check and
	// creation are one step on every file system with hard links.
	Create bool
	// IfHash is the SHA-256 that the content must have that is replaced, else
	// ErrChanged. A file that some program has open for writing has changed, too.
	IfHash *[sha256.Size]byte
}

// Write makes data the content of the file name, a slash-separated path below
// root whose folder must exist. After an error the old content is intact and
// no temporary file is left, except after an error of syncing the folder: then
// the new content is in place but may not survive a power failure. Write never
// follows a symbolic link.
func Write(root *os.Root, name string, data []byte, opt Options) error {
	return Stream(root, name, writeAll(data), opt)
}

// Stream is [Write] for large content: put writes it. An error of put is
// returned, and the old content stays.
func Stream(root *os.Root, name string, put func(io.Writer) error, opt Options) error {
	if err := write(root, name, put, opt); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// hashing is put that also writes into h.
func hashing(h hash.Hash, put func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error { return put(io.MultiWriter(w, h)) }
}

// writeAll writes data in one piece.
func writeAll(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// WriteFile is [Write] for one of our own files by its path: it creates or
// replaces it. A symbolic link there is the user's choice, such as a
// configuration file kept elsewhere, so its target is replaced.
func WriteFile(name string, data []byte, perm fs.FileMode) error {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		real, err := filepath.EvalSymlinks(name)
		if err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		name = real
	}
	root, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return fmt.Errorf("write %s: open folder: %w", name, err)
	}
	defer root.Close() //nolint:errcheck // opened only to name files
	if err := write(root, filepath.Base(name), writeAll(data), Options{Perm: perm}); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

const (
	tempPrefix = ".lectern-"
	tempSuffix = ".tmp"
	probeName  = "file" // in the folder of ProbeModes
)

func write(root *os.Root, name string, put func(io.Writer) error, opt Options) error {
	old, err := statRegular(root, name)
	if err != nil {
		return err
	}
	if opt.Create && old != nil {
		return ErrExists
	}
	temp := tempName(name)
	ours := sha256.New()
	if opt.IfHash != nil {
		put = hashing(ours, put)
	}
	if err := writeTemp(root, temp, put, opt, old); err != nil {
		return errors.Join(err, removeTemp(root, temp))
	}
	if err := place(root, temp, name, [sha256.Size]byte(ours.Sum(nil)), opt); err != nil {
		return err
	}
	return rename.Flush(root, path.Dir(name))
}

// statRegular returns the regular file at name, nil if there is none.
func statRegular(root *os.Root, name string) (fs.FileInfo, error) {
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil //nolint:nilnil // absence is not an error here
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrNotRegular
	}
	return info, nil
}

// writeTemp writes the temporary file and makes it durable.
func writeTemp(root *os.Root, temp string, put func(io.Writer) error, opt Options, old fs.FileInfo) (err error) {
	perm, mode := opt.Perm, opt.Mode
	if perm == 0 {
		perm = 0o644
	}
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := put(f); err != nil {
		return err
	}
	if old != nil {
		keepOwner(f, old)
		if mode == 0 {
			mode = old.Mode().Perm()
		}
	}
	if mode != 0 {
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	return f.Sync()
}

// place gives the file temp its name. Afterwards temp is gone, also after an error.
// ours is its hash if opt.IfHash is set.
func place(root *os.Root, temp, name string, ours [sha256.Size]byte, opt Options) error {
	if opt.IfHash != nil {
		return replace(root, temp, name, ours, *opt.IfHash)
	}
	var err error
	if opt.Create {
		err = linkNew(root, temp, name)
	} else {
		err = root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, removeTemp(root, temp))
	}
	return nil
}

// linkNew renames temp to name unless name exists. A rename would replace a
// file that appeared in between; a hard link does not.
func linkNew(root *os.Root, temp, name string) error {
	err := root.Link(temp, name)
	switch {
	case err == nil:
		return root.Remove(temp)
	case errors.Is(err, fs.ErrExist):
		return ErrExists
	}
	// No hard links (FAT, some network folders): reserve the name first.
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ErrExists
	}
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	if err := root.Rename(temp, name); err != nil {
		return errors.Join(err, root.Remove(name))
	}
	return nil
}

// hashFile returns the hash of a file; ErrChanged if it is none, or some program has
// it open for writing.
func hashFile(root *os.Root, name string) (sum [sha256.Size]byte, err error) {
	info, err := statRegular(root, name)
	if err != nil || info == nil {
		return sum, errors.Join(ErrChanged, err)
	}
	f, err := root.Open(name)
	if err != nil {
		return sum, errors.Join(ErrChanged, err)
	}
	defer f.Close() //nolint:errcheck // only read
	if hasWriter(f) {
		return sum, ErrChanged
	}
	h, piece := sha256.New(), make([]byte, min(info.Size()+1, 64<<10))
	if _, err := io.CopyBuffer(h, struct{ io.Reader }{f}, piece); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// ProbeModes returns the permission bits that a new file and a new folder get
// directly below root, given umask and file system. It creates one of each and
// removes them.
func ProbeModes(root *os.Root) (file, folder fs.FileMode, err error) {
	dir := tempName(probeName)
	if err := root.Mkdir(dir, 0o777); err != nil {
		return 0, 0, fmt.Errorf("try modes: %w", err)
	}
	defer func() { err = errors.Join(err, removeTemp(root, dir)) }()
	info, err := root.Lstat(dir)
	if err != nil {
		return 0, 0, fmt.Errorf("try modes: %w", err)
	}
	name := path.Join(dir, probeName)
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return 0, 0, fmt.Errorf("try modes: %w", err)
	}
	made, err := f.Stat()
	if err = errors.Join(err, f.Close(), removeTemp(root, name)); err != nil {
		return 0, 0, fmt.Errorf("try modes: %w", err)
	}
	return made.Mode().Perm(), info.Mode().Perm(), nil
}

// removeTemp removes a temporary file that may not exist.
func removeTemp(root *os.Root, temp string) error {
	if err := root.Remove(temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove temporary file: %w", err)
	}
	return nil
}
