package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/lectern-mcp/lectern/internal/rename"
)

// ErrTrash means that a file could not be put into the application's trash, so it was
// not deleted.
var ErrTrash = errors.New("the trash cannot be written")

// maxInTrash is how many files of one name the trash takes.
const maxInTrash = 1000

// UseTrash has c keep the files that a [Draft.TrashFile] deletes where an application
// keeps those that its users delete. name is where that is for a file, below a folder
// whose name begins with a dot, so that no [View] shows it; empty: the file is only
// deleted. It must be called before c is used.
//
// What is in the trash is no target of a Change: agents can neither name nor see it,
// under whatever name rules would hide the file itself. A Restore that brings the same
// bytes back takes them out of it.
func (c *Committer) UseTrash(name func(file string) string) { c.trash = name }

// TrashFile is RemoveFile for a file that a person would find in the application's
// trash.
func (d *Draft) TrashFile(file string) error {
	if err := d.RemoveFile(file); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.trashed[file] = true
	return nil
}

// putInTrash gives a file a second name in the trash, under which it stays when the
// first is removed. It returns that name; empty: there is no trash.
func (c *Committer) putInTrash(file string, holds State) (string, error) {
	if c.trash == nil || c.trash(file) == "" {
		return "", nil
	}
	to := c.trash(file)
	if err := c.makeTrashFolder(path.Dir(to)); err != nil {
		return "", fmt.Errorf("%w: %w", ErrTrash, err)
	}
	for i := 1; i <= maxInTrash; i++ {
		try := to
		if i > 1 {
			try = NumberedName(to, i)
		}
		err := c.f.root.Link(file, try)
		if err != nil && !errors.Is(err, fs.ErrExist) && !c.f.exists(try) { // no hard links
			err = c.write(c.f.root, try, State{}, holds)
		}
		if err == nil {
			return try, rename.Flush(c.f.root, path.Dir(try))
		}
		if !c.f.exists(try) {
			return "", fmt.Errorf("%w: %w", ErrTrash, err)
		}
	}
	return "", fmt.Errorf("%w: %d files are named %s", ErrTrash, maxInTrash, to)
}

// makeTrashFolder creates a folder of the trash and those that it stands in. A symbolic
// link is no folder: it may lead to where files are shown.
func (c *Committer) makeTrashFolder(dir string) error {
	if dir == "." || c.f.isDir(dir) {
		return c.f.checkNoSymlinks(dir)
	}
	if err := c.makeTrashFolder(path.Dir(dir)); err != nil {
		return err
	}
	_, mode, err := c.Modes()
	if err != nil {
		return err
	}
	err = c.f.root.Mkdir(dir, fs.FileMode(mode))
	if errors.Is(err, fs.ErrExist) && c.f.isDir(dir) {
		return nil
	}
	return errors.Join(err, rename.Flush(c.f.root, path.Dir(dir)))
}

// removeFromTrash removes a name in the trash, and the folders there that are empty
// then.
func (c *Committer) removeFromTrash(name string) error {
	err := c.f.root.Remove(name)
	for dir := path.Dir(name); err == nil && isDotted(dir); dir = path.Dir(dir) {
		if c.f.root.Remove(dir) != nil { // it is not empty
			break
		}
	}
	return err
}

// takeFromTrash removes what the trash has of the files that changes have brought back,
// where it is the same.
func (c *Committer) takeFromTrash(changes []Change) {
	for _, change := range changes {
		file, isFolder := ParseTarget(change.Target)
		if isFolder || change.Before.Exists || !change.After.Exists || c.trash == nil || c.trash(file) == "" {
			continue
		}
		to := c.trash(file)
		for i := 1; i <= maxInTrash; i++ {
			try := to
			if i > 1 {
				try = NumberedName(to, i)
			}
			if !c.f.exists(try) {
				break
			}
			data, err := readRegular(c.f.root, try, int64(len(change.After.Data)), false)
			if err == nil && bytes.Equal(data, change.After.Data) {
				_ = c.removeFromTrash(try) // if it stays, the page exists in both places
				break
			}
		}
	}
}
