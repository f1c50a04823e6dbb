package folder

import (
	"bytes"
	"errors"
	"io/fs"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// A State is everything that a target holds at one moment: the bytes and the
// permission bits of a file, or the permission bits of a folder. It has the fields
// of a tools.State, so that one converts to the other.
type State struct {
	Exists bool
	Data   []byte
	Mode   uint32
}

// equal reports whether two States are the same.
func (s State) equal(o State) bool {
	return s.Exists == o.Exists && s.Mode == o.Mode && bytes.Equal(s.Data, o.Data)
}

// A Change is what a draft does to one target: a file by its path, or a folder by
// its path with a final slash.
type Change struct {
	Target        string
	Before, After State
}

// DirTarget is the target of a folder.
func DirTarget(dir string) string { return dir + "/" }

// ParseTarget returns the path in a target, and whether it is a folder.
func ParseTarget(target string) (name string, isFolder bool) { return strings.CutSuffix(target, "/") }

// readState returns what target holds, spelled exactly. A missing target is not an
// error; anything but a regular file or a folder is ErrNotRegular, and a file of
// more than limit bytes is ErrTooLarge. blocked means that the name is taken by
// something that is not the target.
func (f *Folder) readState(target string, limit int64) (state State, blocked bool, err error) {
	name, isFolder := ParseTarget(target)
	err = f.checkPath(name)
	var info fs.FileInfo
	if err == nil {
		info, err = f.root.Lstat(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && !hasExactCase(f.names, name):
		return State{}, false, f.Check()
	case err != nil:
		return State{}, true, f.wrapError("look at", name, err)
	case info.IsDir() != isFolder && (info.IsDir() || info.Mode().IsRegular()):
		return State{}, true, nil
	case info.IsDir():
		return State{Exists: true, Mode: uint32(info.Mode().Perm())}, false, nil
	}
	data, err := f.readRegular(name, limit, false)
	if err != nil {
		return State{}, true, f.wrapError("look at", name, err)
	}
	return State{Exists: true, Data: data, Mode: uint32(info.Mode().Perm())}, false, nil
}

// hasExactCase reports whether name, which exists, has exactly this spelling, on
// systems whose file systems accept others for it. names lists a folder.
func hasExactCase(names func(dir string) ([]string, error), name string) bool {
	if runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		return true
	}
	all, err := names(path.Dir(name))
	return err == nil && slices.Contains(all, path.Base(name))
}
