package folder

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"sync"
	"syscall"
)

// A Draft is a folder as a call will leave it: a [View] with writes over it, in
// memory. It is worked out completely before anything is written, and its own View
// shows the folder as it will be. It knows nothing of what is hidden, so neither
// does anything that is worked out in it; [Committer.Commit] finds out.
//
// One goroutine at a time changes a Draft; any number may read its View meanwhile.
type Draft struct {
	base  *View
	modes func() (file, folder uint32, err error)
	limit int

	mu            sync.RWMutex
	before, after map[string]State  // by target
	movedFrom     map[string]string // old path of a moved file, by its new path
	trashed       map[string]bool   // deleted files that the application's trash keeps
	size          int
}

// maxFile is the maximum size of a file that a draft changes, in bytes.
const maxFile = 50 << 20

// NewDraft is v before any write. modes returns the permission bits of new files
// and folders; limit is the maximum number of bytes that the draft changes, moves
// or deletes, all of which it holds.
func NewDraft(v *View, modes func() (file, folder uint32, err error), limit int) *Draft {
	return &Draft{
		base: v, modes: modes, limit: limit, before: map[string]State{}, after: map[string]State{}, movedFrom: map[string]string{},
		trashed: map[string]bool{},
	}
}

// View is the folder as it will be.
func (d *Draft) View() *View { return &View{tree: d, rules: d.base.rules, f: d.base.f} }

// State returns what a target will hold. Files of more than 50 MB are ErrTooLarge.
func (d *Draft) State(target string) (State, error) {
	if st, ok := d.changed(target); ok {
		return st, nil
	}
	return d.base.state(target)
}

// Hold is State, and remembers what the target holds now: that is the Before of its
// Change. At its limit the draft answers ErrLimit.
func (d *Draft) Hold(target string) (State, error) {
	if st, ok := d.changed(target); ok {
		return st, nil
	}
	st, err := d.base.state(target)
	if err != nil {
		return State{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.size += len(st.Data); d.size > d.limit {
		return State{}, ErrLimit
	}
	d.before[target], d.after[target] = st, st
	return st, nil
}

// state returns what a target holds; a missing one is not an error.
func (v *View) state(target string) (State, error) {
	name, isFolder := ParseTarget(target)
	if err := CheckName(name); err != nil {
		return State{}, err
	}
	info, err := v.tree.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), err == nil && !hasExactCase(v.tree.names, name):
		return State{}, v.Check()
	case err != nil:
		return State{}, v.f.wrapError("look at", name, err)
	case isFolder && info.dir:
		return State{Exists: true, Mode: uint32(info.mode)}, nil
	case isFolder || info.dir:
		return State{}, nil
	}
	data, err := v.tree.read(name, maxFile, false)
	if err != nil {
		return State{}, v.f.wrapError("look at", name, err)
	}
	return State{Exists: true, Data: data, Mode: uint32(info.mode)}, nil
}

// changed returns what a target will hold, if the draft knows it.
func (d *Draft) changed(target string) (State, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	st, ok := d.after[target]
	return st, ok
}

func (d *Draft) set(target string, st State) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.after[target] = st
}

func (d *Draft) exists(name string) bool {
	_, err := d.lstat(name)
	return err == nil
}

func (d *Draft) isDir(name string) bool {
	info, err := d.lstat(name)
	return err == nil && info.dir
}

// SetContent replaces the content of an existing file.
func (d *Draft) SetContent(file string, data []byte) error {
	st, err := d.Hold(file)
	if err != nil {
		return err
	}
	st.Data = data
	d.set(file, st)
	return nil
}

// AddFile creates a file, and the folders it needs. If the name is taken the error
// is ErrExists.
func (d *Draft) AddFile(file string, data []byte) error {
	mode, _, err := d.modes()
	if err != nil {
		return err
	}
	return d.placeFile(file, State{Exists: true, Data: data, Mode: mode})
}

func (d *Draft) placeFile(file string, st State) error {
	if d.exists(file) {
		return &TakenError{file}
	}
	if err := d.AddFolder(path.Dir(file), 0); err != nil {
		return err
	}
	if _, err := d.Hold(file); err != nil {
		return err
	}
	d.set(file, st)
	return nil
}

// AddFolder creates a folder and its parents if they are missing; mode 0 means
// the default permissions.
func (d *Draft) AddFolder(dir string, mode uint32) error {
	if dir == "." || d.isDir(dir) {
		return nil
	}
	if d.exists(dir) {
		return &TakenError{dir}
	}
	if err := d.AddFolder(path.Dir(dir), 0); err != nil {
		return err
	}
	if _, err := d.Hold(DirTarget(dir)); err != nil {
		return err
	}
	if mode == 0 {
		var err error
		if _, mode, err = d.modes(); err != nil {
			return err
		}
	}
	d.set(DirTarget(dir), State{Exists: true, Mode: mode})
	return nil
}

// SetFolderMode gives a folder that the draft creates other permission bits. It
// reports whether the draft knows the folder.
func (d *Draft) SetFolderMode(dir string, mode uint32) bool {
	if _, ok := d.changed(DirTarget(dir)); !ok {
		return false
	}
	d.set(DirTarget(dir), State{Exists: true, Mode: mode})
	return true
}

// RemoveFile deletes a file.
func (d *Draft) RemoveFile(file string) error {
	if _, err := d.Hold(file); err != nil {
		return err
	}
	d.set(file, State{})
	return nil
}

// MoveFile gives a file another path. If the name is taken the error is ErrExists.
func (d *Draft) MoveFile(from, to string) error {
	st, err := d.Hold(from)
	if err != nil {
		return err
	}
	if err := d.RemoveFile(from); err != nil {
		return err
	}
	if err := d.placeFile(to, st); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.movedFrom[to] = cmp.Or(d.movedFrom[from], from)
	delete(d.movedFrom, from)
	return nil
}

// RemoveEmpty deletes a folder if it will be empty, and reports whether it did. A
// folder that holds only hidden files counts as empty, and stays when the draft is
// committed.
func (d *Draft) RemoveEmpty(dir string) (bool, error) {
	if dir == "." || dir == "" || !d.isDir(dir) {
		return false, nil
	}
	names, err := d.names(dir)
	if err != nil {
		return false, nil //nolint:nilerr // keep a folder that cannot be listed
	}
	if slices.ContainsFunc(names, func(name string) bool { return d.exists(path.Join(dir, name)) }) {
		return false, nil
	}
	if _, err := d.Hold(DirTarget(dir)); err != nil {
		return false, err
	}
	d.set(DirTarget(dir), State{})
	return true, nil
}

// Changes lists what the draft changes, ordered by target.
func (d *Draft) Changes() []Change {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var changes []Change
	for _, target := range slices.Sorted(maps.Keys(d.after)) {
		if c := (Change{Target: target, Before: d.before[target], After: d.after[target]}); !c.Before.equal(c.After) {
			changes = append(changes, c)
		}
	}
	return changes
}

// Replaces reports whether a target that the draft changes exists now.
func (d *Draft) Replaces(target string) bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return d.before[target].Exists
}

// moves are the files that the draft moves: their old paths by their new ones.
func (d *Draft) moves() map[string]string {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return maps.Clone(d.movedFrom)
}

// trashedFiles are the deleted files that the application's trash keeps.
func (d *Draft) trashedFiles() map[string]bool {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return maps.Clone(d.trashed)
}

// checkHidden returns ErrHidden if the draft writes what is hidden then.
func (d *Draft) checkHidden(changes []Change) error {
	if d.base.rules == nil {
		return nil
	}
	for _, c := range changes {
		name, isFolder := ParseTarget(c.Target)
		if !c.After.Exists {
			continue
		}
		if _, asFolder, _ := hidesPath(d.base.rules, name); isFolder && asFolder || !isFolder && d.base.Hides(name, c.After.Data) {
			return ErrHidden
		}
	}
	return nil
}

// A TakenError is an [ErrExists] with the name that is taken.
type TakenError struct{ Name string }

// Error implements error.
func (e *TakenError) Error() string { return e.Name + ": " + ErrExists.Error() }

// Is makes it an ErrExists.
func (e *TakenError) Is(target error) bool { return target == ErrExists }

// The methods below implement tree: the base with what the draft changes.

func (d *Draft) lstat(name string) (fileInfo, error) {
	file, isFile := d.changed(name)
	dir, isDir := d.changed(DirTarget(name))
	switch {
	case file.Exists:
		return fileInfo{regular: true, size: int64(len(file.Data)), mode: fs.FileMode(file.Mode)}, nil
	case dir.Exists:
		return fileInfo{dir: true, mode: fs.FileMode(dir.Mode)}, nil
	case isFile || isDir:
		return fileInfo{}, fs.ErrNotExist
	}
	return d.base.tree.lstat(name)
}

// targets is what the draft knows, at this moment.
func (d *Draft) targets() map[string]State {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return maps.Clone(d.after)
}

func (d *Draft) names(dir string) ([]string, error) {
	names, err := d.base.tree.names(dir)
	made, _ := d.changed(DirTarget(dir))
	if err != nil && !made.Exists {
		return nil, err
	}
	for target, st := range d.targets() {
		if name, _ := ParseTarget(target); st.Exists && path.Dir(name) == dir && !slices.Contains(names, path.Base(name)) {
			names = append(names, path.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d *Draft) read(name string, limit int64, head bool) ([]byte, error) {
	st, changed := d.changed(name)
	switch {
	case !changed:
		return d.base.tree.read(name, limit, head)
	case !st.Exists:
		return nil, fs.ErrNotExist
	case int64(len(st.Data)) > limit && !head:
		return nil, ErrTooLarge
	}
	return st.Data[:min(int64(len(st.Data)), limit)], nil
}

func (d *Draft) list(ctx context.Context, skip func(name string, dir bool) bool) (Listing, error) {
	l, err := d.base.tree.list(ctx, skip)
	if err != nil {
		return Listing{}, err
	}
	l = d.Overlay(l)
	l.Folders = slices.DeleteFunc(l.Folders, func(dir string) bool { return skip(dir, true) })
	l.Files = slices.DeleteFunc(l.Files, func(file string) bool { return skip(file, false) })
	return l, nil
}

// Overlay is a listing of the View that the draft is over, with what it changes.
func (d *Draft) Overlay(l Listing) Listing {
	targets := d.targets()
	known := func(target string) bool { _, ok := targets[target]; return ok }
	out := Listing{
		Folders: slices.DeleteFunc(slices.Clone(l.Folders), func(dir string) bool { return known(DirTarget(dir)) }),
		Files:   slices.DeleteFunc(slices.Clone(l.Files), known),
		Skipped: l.Skipped, Unnamed: l.Unnamed, Ignored: l.Ignored,
	}
	for target, st := range targets {
		switch name, isFolder := ParseTarget(target); {
		case !st.Exists:
		case isFolder:
			out.Folders = append(out.Folders, name)
		default:
			out.Files = append(out.Files, name)
		}
	}
	slices.Sort(out.Folders)
	slices.Sort(out.Files)
	if d.base.rules != nil {
		return out.withoutEmptyFolders()
	}
	return out
}
