package vault

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"runtime"
	"slices"
	"syscall"
)

// What follows changes one name at a time, exactly as it is spelled, and makes
// nothing along the way: it is for callers that have worked out the whole of
// what they do, and can take it back. Names that exist may be unwise, so only
// [CheckName] is asked; who wants a new name asks [Vault.Placed] first.

// A Held is what a name holds.
type Held struct {
	Dir  bool
	Data []byte      // of a regular file
	Perm fs.FileMode // permission bits
}

// Look returns what is at name, whole. A name that is not there is no error;
// what is neither a regular file nor a folder is ErrNotRegular, and a file of
// more than limit bytes ErrTooLarge.
func (v *Vault) Look(name string, limit int64) (held Held, there bool, err error) {
	if err := CheckName(name); err != nil {
		return Held{}, false, err
	}
	err = v.noLinks(name)
	var info fs.FileInfo
	if err == nil {
		info, err = v.root.Lstat(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && !v.spelled(name):
		return Held{}, false, v.Check()
	case err != nil:
		return Held{}, false, v.wrap("look at", name, err)
	case info.IsDir():
		return Held{Dir: true, Perm: info.Mode().Perm()}, true, nil
	}
	data, err := readRegular(v.root, name, limit, false)
	if err != nil {
		return Held{}, false, v.wrap("look at", name, err)
	}
	return Held{Data: data, Perm: info.Mode().Perm()}, true, nil
}

// spelled says whether name, which is there, is there under that very
// spelling, on systems that take several spellings for one.
func (v *Vault) spelled(name string) bool {
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		return true
	}
	names, err := v.Names(path.Dir(name))
	return err == nil && slices.Contains(names, path.Base(name))
}

// Names are all names in a folder, hidden ones too.
func (v *Vault) Names(dir string) ([]string, error) {
	entries, err := v.entries(dir)
	if err != nil {
		return nil, v.wrap("list", dir, err)
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// Root is what to write the file name with: internal/atomicfile does that.
func (v *Vault) Root(name string) (*os.Root, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if err := v.noLinks(name); err != nil {
		return nil, v.wrap("write", name, err)
	}
	return v.root, nil
}

// MakeFolder makes one folder with those permission bits, whatever the umask
// says. A taken name is ErrExists.
func (v *Vault) MakeFolder(name string, perm fs.FileMode) error {
	root, err := v.Root(name)
	if err != nil {
		return err
	}
	switch err := root.Mkdir(name, perm); {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("make folder %s: %w", name, ErrExists)
	case err != nil:
		return v.wrap("make folder", name, err)
	}
	info, err := root.Lstat(name)
	if err == nil && info.Mode().Perm() != perm {
		err = root.Chmod(name, info.Mode()&^fs.ModePerm|perm)
	}
	return v.wrap("make folder", name, err)
}

// Move gives the regular file from the name to, in a folder that exists. It
// never replaces anything: a taken name is ErrExists, also when it is taken at
// the last instant.
func (v *Vault) Move(from, to string) error {
	for _, name := range []string{from, to} {
		if _, err := v.Root(name); err != nil {
			return err
		}
	}
	info, err := v.root.Lstat(from)
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err == nil {
		err = v.renameFile(from, to)
	}
	return v.wrap("move", from, err)
}
