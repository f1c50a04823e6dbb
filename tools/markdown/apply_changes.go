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

// apply makes changes that have been checked: it creates folders, moves files,
// creates, changes and deletes files, and deletes folders that became empty.
// Each step has its own precondition; when a step fails, the steps before it
// are rolled back. The caller holds n.writing.
func (n *Notebook) apply(changes []tools.Change, moved moves) error {
	a := changeApplier{n: n, byTarget: map[string]tools.Change{}}
	for _, c := range changes {
		a.byTarget[c.Target] = c
	}
	if err := a.run(changes, moved); err != nil {
		return errors.Join(err, a.rollBack())
	}
	for _, c := range slices.Backward(changes) { // deepest first
		if dir, isFolder := parseFolderTarget(c.Target); isFolder && !c.After.Exists {
			n.vault.RemoveEmpty(dir)
		}
	}
	return nil
}

// A changeApplier makes changes and can roll them back.
type changeApplier struct {
	n         *Notebook
	byTarget  map[string]tools.Change
	undoSteps []func() error // rolls back each step so far
}

func (a *changeApplier) run(changes []tools.Change, moved moves) error {
	for _, c := range changes {
		if dir, isFolder := parseFolderTarget(c.Target); isFolder && c.After.Exists {
			if err := a.record(a.n.vault.MakeFolder(dir, fs.FileMode(c.After.Mode)), func() error { a.n.vault.RemoveEmpty(dir); return nil }); err != nil {
				return err
			}
		}
	}
	for _, from := range moved.sources() {
		if err := a.moveFile(from, moved[from]); err != nil {
			return err
		}
	}
	for _, c := range changes {
		if _, isFolder := parseFolderTarget(c.Target); isFolder {
			continue
		}
		if err := a.applyFile(a.byTarget[c.Target]); err != nil {
			return err
		}
	}
	return nil
}

// record remembers how to roll back a step that succeeded.
func (a *changeApplier) record(err error, back func() error) error {
	if err == nil {
		a.undoSteps = append(a.undoSteps, back)
	}
	return err
}

func (a *changeApplier) rollBack() error {
	var errs []error
	for _, back := range slices.Backward(a.undoSteps) {
		errs = append(errs, back())
	}
	return errors.Join(errs...)
}

// moveFile renames a file. After that its old target is done, and its new one may
// still need other content.
func (a *changeApplier) moveFile(from, to string) error {
	gone, made := a.byTarget[from], a.byTarget[to]
	if gone.After.Exists || made.Before.Exists || !gone.Before.Exists || !made.After.Exists {
		return nil // not a plain move: another file has its path before or after
	}
	if err := a.checkUnchanged(gone); err != nil {
		return err
	}
	err := a.n.vault.Move(from, to)
	if errors.Is(err, folder.ErrExists) {
		return &editedError{to}
	}
	if err := a.record(err, func() error { return a.n.vault.Move(to, from) }); err != nil {
		return err
	}
	gone.Before, made.Before = tools.State{}, gone.Before
	a.byTarget[from], a.byTarget[to] = gone, made
	return nil
}

// checkUnchanged checks that a file to be moved or deleted is as it was, because
// the file system cannot check that.
func (a *changeApplier) checkUnchanged(c tools.Change) error {
	held, there, err := a.n.vault.ReadState(c.Target, maxAttachment)
	if err != nil {
		return err
	}
	if !there || held.Dir || string(held.Data) != string(c.Before.Data) {
		return &editedError{c.Target}
	}
	return nil
}

// applyFile makes the Change of one file.
func (a *changeApplier) applyFile(c tools.Change) error {
	switch {
	case sameState(c.Before, c.After):
		return nil
	case c.After.Exists:
		return a.record(a.writeFile(c.Target, c.Before, c.After), func() error {
			if !c.Before.Exists {
				return a.n.vault.Remove(c.Target)
			}
			return a.writeFile(c.Target, c.After, c.Before)
		})
	}
	if err := a.checkUnchanged(c); err != nil {
		return err
	}
	return a.record(a.n.vault.Remove(c.Target), func() error { return a.writeFile(c.Target, tools.State{}, c.Before) })
}

// writeFile writes a file if it still holds before.
func (a *changeApplier) writeFile(file string, before, after tools.State) error {
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

// probeModes finds out the permission bits of new files and folders.
func (n *Notebook) probeModes() (file, folder uint32, err error) {
	root, err := n.vault.CheckedRoot("new")
	if err != nil {
		return 0, 0, err
	}
	f, d, err := atomicfile.ProbeModes(root)
	return uint32(f), uint32(d), err
}
