package markdown

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"slices"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// apply makes changes, which verify has found possible: the folders first,
// then the files that move, that are new, that change and that go, then the
// folders that are left empty. Each step has its own precondition; when one
// is refused, those before it are taken back. The caller holds n.writing.
func (n *Notebook) apply(changes []tools.Change, moved moves) error {
	a := applying{n: n, by: map[string]tools.Change{}}
	for _, c := range changes {
		a.by[c.Target] = c
	}
	if err := a.all(changes, moved); err != nil {
		return errors.Join(err, a.takeBack())
	}
	for _, c := range slices.Backward(changes) { // what is deeper comes first
		if dir, isFolder := folderOf(c.Target); isFolder && !c.After.Exists {
			n.vault.RemoveEmpty(dir)
		}
	}
	return nil
}

// applying is changes in the making.
type applying struct {
	n    *Notebook
	by   map[string]tools.Change
	done []func() error // what takes back each step so far
}

func (a *applying) all(changes []tools.Change, moved moves) error {
	for _, c := range changes {
		if dir, isFolder := folderOf(c.Target); isFolder && c.After.Exists {
			if err := a.did(a.n.vault.MakeFolder(dir, fs.FileMode(c.After.Mode)), func() error { a.n.vault.RemoveEmpty(dir); return nil }); err != nil {
				return err
			}
		}
	}
	for _, from := range moved.sorted() {
		if err := a.move(from, moved[from]); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if _, isFolder := folderOf(c.Target); isFolder {
			continue
		}
		if err := a.file(a.by[c.Target]); err != nil {
			return err
		}
	}
	return nil
}

// did notes how a step that worked is taken back.
func (a *applying) did(err error, back func() error) error {
	if err == nil {
		a.done = append(a.done, back)
	}
	return err
}

func (a *applying) takeBack() error {
	var errs []error
	for _, back := range slices.Backward(a.done) {
		errs = append(errs, back())
	}
	return errors.Join(errs...)
}

// move renames a file, after which its old target is done and its new one has
// its content to change at most.
func (a *applying) move(from, to string) error {
	gone, made := a.by[from], a.by[to]
	if gone.After.Exists || made.Before.Exists || !gone.Before.Exists || !made.After.Exists {
		return nil // something else is in its place before or afterwards
	}
	if err := a.still(gone); err != nil {
		return err
	}
	err := a.n.vault.Move(from, to)
	if errors.Is(err, folder.ErrExists) {
		return &editedError{to}
	}
	if err := a.did(err, func() error { return a.n.vault.Move(to, from) }); err != nil {
		return err
	}
	gone.Before, made.Before = tools.State{}, gone.Before
	a.by[from], a.by[to] = gone, made
	return nil
}

// still checks that a file that is to move or to go is as it was, since no
// step of the file system does that.
func (a *applying) still(c tools.Change) error {
	held, there, err := a.n.vault.ReadState(c.Target, maxAttachment)
	if err != nil {
		return err
	}
	if !there || held.Dir || string(held.Data) != string(c.Before.Data) {
		return &editedError{c.Target}
	}
	return nil
}

// file makes one file what its Change says.
func (a *applying) file(c tools.Change) error {
	switch {
	case sameState(c.Before, c.After):
		return nil
	case c.After.Exists:
		return a.did(a.write(c.Target, c.Before, c.After), func() error {
			if !c.Before.Exists {
				return a.n.vault.Remove(c.Target)
			}
			return a.write(c.Target, c.After, c.Before)
		})
	}
	if err := a.still(c); err != nil {
		return err
	}
	return a.did(a.n.vault.Remove(c.Target), func() error { return a.write(c.Target, tools.State{}, c.Before) })
}

// write writes a file that holds before.
func (a *applying) write(file string, before, after tools.State) error {
	root, err := a.n.vault.CheckedRoot(file)
	if err != nil {
		return err
	}
	opt := atomicfile.Options{Mode: fs.FileMode(after.Mode), Create: !before.Exists}
	if before.Exists {
		opt.IfHash = new(sha256.Sum256(before.Data))
	}
	err = atomicfile.Write(root, file, after.Data, opt)
	if errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists) {
		return &editedError{file}
	}
	return err
}

// triedModes are atomicfile.Modes as a State has them.
func (n *Notebook) triedModes() (file, folder uint32, err error) {
	root, err := n.vault.CheckedRoot("new")
	if err != nil {
		return 0, 0, err
	}
	f, d, err := atomicfile.ProbeModes(root)
	return uint32(f), uint32(d), err
}
