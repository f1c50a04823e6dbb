package folder

import (
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"syscall"
)

// A FileState is a file or folder as it is on disk.
type FileState struct {
	Dir  bool
	Data []byte      // of a regular file
	Perm fs.FileMode // permission bits
}

// ReadState returns the complete state of name, spelled exactly. A missing name is
// not an error; anything but a regular file or a folder is ErrNotRegular, and a
// file of more than limit bytes is ErrTooLarge.
func (f *Folder) ReadState(name string, limit int64) (state FileState, exists bool, err error) {
	err = f.checkPath(name)
	var info fs.FileInfo
	if err == nil {
		info, err = f.root.Lstat(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && !f.hasExactCase(name):
		return FileState{}, false, f.Check()
	case err != nil:
		return FileState{}, false, f.wrapError("look at", name, err)
	case info.IsDir():
		return FileState{Dir: true, Perm: info.Mode().Perm()}, true, nil
	}
	data, err := readRegular(f.root, name, limit, false)
	if err != nil {
		return FileState{}, false, f.wrapError("look at", name, err)
	}
	return FileState{Data: data, Perm: info.Mode().Perm()}, true, nil
}

// hasExactCase reports whether name, which exists, has exactly this spelling, on
// systems whose file systems accept others for it.
func (f *Folder) hasExactCase(name string) bool {
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		return true
	}
	names, err := f.Names(path.Dir(name))
	return err == nil && slices.Contains(names, path.Base(name))
}
