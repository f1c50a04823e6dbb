package markdown

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path"
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// maxChanged is the maximum number of bytes that one call moves, rewrites or
// deletes. All of them are kept so that the call can be undone.
const maxChanged = 256 << 20

// A draft is the folder as a call will leave it. It is worked out completely
// before anything is written, and its methods see the folder as it will be. The
// owner of a draft holds n.writing. Only readPage may be called from several
// goroutines.
type draft struct {
	n             *Notebook
	entries       *entries // of the folder as it is; nil until outline is called
	before, after map[string]tools.State
	movedFrom     map[string]string // old path of a moved file, by its new path
	size          int
}

func (n *Notebook) draft() *draft {
	return &draft{n: n, before: map[string]tools.State{}, after: map[string]tools.State{}, movedFrom: map[string]string{}}
}

// state returns what a target will hold, and remembers what it holds now.
func (d *draft) state(target string) (tools.State, error) {
	if st, ok := d.after[target]; ok {
		return st, nil
	}
	st, err := d.n.State(context.Background(), target)
	if err != nil {
		return tools.State{}, err
	}
	if d.size += len(st.Data); d.size > maxChanged {
		return tools.State{}, tools.Errorf(tools.Limited, "More than %d bytes would change at once", maxChanged).
			WithHint("Ask the user to do it, or move smaller parts.")
	}
	d.before[target], d.after[target] = st, st
	return st, nil
}

// exists reports whether there will be a file or folder with that name.
func (d *draft) exists(name string) bool {
	file, isFile := d.after[name]
	folder, isFolder := d.after[folderTarget(name)]
	if file.Exists || folder.Exists {
		return true
	}
	return !isFile && !isFolder && d.n.vault.Exists(name)
}

// hasFolder reports whether there will be a folder with that name.
func (d *draft) hasFolder(name string) bool {
	if st, ok := d.after[folderTarget(name)]; ok {
		return st.Exists
	}
	return d.n.vault.IsDir(name)
}

// readPage returns a page as it will be.
func (d *draft) readPage(file string) (*page, error) {
	if st, ok := d.after[file]; ok && st.Exists {
		return parse(file, st.Data), nil
	}
	return d.n.read(file)
}

// setContent replaces the content of an existing file.
func (d *draft) setContent(file string, data []byte) error {
	st, err := d.state(file)
	st.Data = data
	d.after[file] = st
	return err
}

// addFile creates a file.
func (d *draft) addFile(file string, data []byte) error {
	mode, _, err := d.n.modes()
	if err != nil {
		return err
	}
	return d.placeFile(file, tools.State{Exists: true, Data: data, Mode: mode})
}

// placeFile creates a file with a State, and the folders it needs.
func (d *draft) placeFile(file string, st tools.State) error {
	if d.exists(file) {
		return d.n.nameTakenError(file)
	}
	if err := d.addFolder(path.Dir(file), 0); err != nil {
		return err
	}
	if _, err := d.state(file); err != nil {
		return err
	}
	d.after[file] = st
	return nil
}

// addFolder creates a folder and its parents if they are missing; mode 0 means
// the default permissions.
func (d *draft) addFolder(dir string, mode uint32) error {
	if dir == "." || d.hasFolder(dir) {
		return nil
	}
	if d.exists(dir) {
		return d.n.nameTakenError(dir)
	}
	if err := d.addFolder(path.Dir(dir), 0); err != nil {
		return err
	}
	if _, err := d.state(folderTarget(dir)); err != nil {
		return err
	}
	if mode == 0 {
		var err error
		if _, mode, err = d.n.modes(); err != nil {
			return err
		}
	}
	d.after[folderTarget(dir)] = tools.State{Exists: true, Mode: mode}
	return nil
}

// removeFile deletes a file.
func (d *draft) removeFile(file string) error {
	_, err := d.state(file)
	d.after[file] = tools.State{}
	return err
}

// moveFile gives a file another path.
func (d *draft) moveFile(from, to string) error {
	st, err := d.state(from)
	if err != nil {
		return err
	}
	if err := d.removeFile(from); err != nil {
		return err
	}
	if err := d.placeFile(to, st); err != nil {
		return err
	}
	d.movedFrom[to] = cmp.Or(d.movedFrom[from], from)
	delete(d.movedFrom, from)
	return nil
}

// removeEmpty deletes a folder if it will be empty, and reports whether it did.
func (d *draft) removeEmpty(dir string) (bool, error) {
	if dir == "." || dir == "" || !d.hasFolder(dir) {
		return false, nil
	}
	names, err := d.n.vault.Names(dir)
	if err != nil && d.n.vault.IsDir(dir) {
		return false, nil // keep a folder that cannot be listed
	}
	for _, name := range names {
		if d.exists(path.Join(dir, name)) {
			return false, nil
		}
	}
	for target, st := range d.after {
		if name, _ := parseFolderTarget(target); st.Exists && path.Dir(name) == dir {
			return false, nil
		}
	}
	_, err = d.state(folderTarget(dir))
	d.after[folderTarget(dir)] = tools.State{}
	return err == nil, err
}

// changes lists what the draft changes, ordered by target.
func (d *draft) changes() []tools.Change {
	var changes []tools.Change
	for _, target := range slices.Sorted(maps.Keys(d.after)) {
		if c := (tools.Change{Target: target, Before: d.before[target], After: d.after[target]}); !sameState(c.Before, c.After) {
			changes = append(changes, c)
		}
	}
	return changes
}

// commit reports the changes and then writes them. If it fails, nothing has
// changed.
func (d *draft) commit(ctx context.Context, c tools.CallContext) error {
	changes := d.changes()
	if len(changes) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.checkPrivacy(changes); err != nil {
		return err
	}
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	moved := moves{}
	for to, from := range d.movedFrom {
		moved[from] = to
	}
	err := d.n.apply(changes, moved)
	if e, ok := errors.AsType[*editedError](err); ok {
		if now, readErr := d.n.read(e.target); readErr == nil && d.before[e.target].Exists {
			return conflictError(now.etag())
		}
		return d.n.toolError(e.target, folder.ErrExists)
	}
	if err != nil {
		name, _ := parseFolderTarget(changes[0].Target)
		return d.n.toolError(name, err)
	}
	return nil
}

// outline returns the outline of the folder as it will be.
func (d *draft) outline(ctx context.Context) (*outline, error) {
	if d.entries == nil {
		there, err := d.n.entries(ctx)
		if err != nil {
			return nil, err
		}
		d.entries = &there
	}
	gone := func(target string) bool { st, known := d.after[target]; return known && !st.Exists }
	e := entries{
		dirs:    slices.DeleteFunc(slices.Clone(d.entries.dirs), func(dir string) bool { return gone(folderTarget(dir)) }),
		files:   slices.DeleteFunc(slices.Clone(d.entries.files), gone),
		skipped: d.entries.skipped,
	}
	for target, st := range d.after {
		name, isFolder := parseFolderTarget(target)
		switch {
		case !st.Exists || d.before[target].Exists:
		case isFolder:
			e.dirs = append(e.dirs, name)
		default:
			e.files = append(e.files, name)
		}
	}
	slices.Sort(e.dirs)
	slices.Sort(e.files)
	return e.outline(), nil
}
