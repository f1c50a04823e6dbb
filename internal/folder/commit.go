package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/internal/rename"
)

// An ConflictError reports that a target does not hold the Before of its Change.
type ConflictError struct{ Target string }

// Error implements error.
func (e *ConflictError) Error() string { return e.Target + " has been edited" }

// A PartlyWrittenError reports that a commit failed, and that some of what it had
// written could not be taken back. Whoever keeps the Changes takes them back later.
type PartlyWrittenError struct{ Err error }

// Error implements error.
func (e *PartlyWrittenError) Error() string { return "a part is written: " + e.Err.Error() }

// Unwrap returns why the commit failed, and why it could not be taken back.
func (e *PartlyWrittenError) Unwrap() error { return e.Err }

// IsPartlyWritten tells the journal of it.
func (e *PartlyWrittenError) IsPartlyWritten() bool { return true }

// An OutcomeUnknownError reports that a Writer cannot tell whether it has written a file.
type OutcomeUnknownError struct {
	Target string
	Err    error
}

// Error implements error.
func (e *OutcomeUnknownError) Error() string { return e.Err.Error() }

// Unwrap returns why it is not known.
func (e *OutcomeUnknownError) Unwrap() error { return e.Err }

// A Writer writes a file below root in one step, as internal/atomicfile does: from
// one State to another, and in at most one of them it is missing. If the file does not
// hold before, the error is an [ConflictError]; an [OutcomeUnknownError] leaves open whether
// it holds before or after.
type Writer func(root *os.Root, file string, before, after State) error

// A Committer carries out drafts on the real folder, and takes Changes back. It is
// the only thing that sees hidden names and can tell of them, so tools must not ask
// it: its State and Look are for the journal. Commit and Restore run one at a time.
type Committer struct {
	f      *Folder
	view   *View
	write  Writer
	probe  func(root *os.Root) (file, folder uint32, err error)
	isTemp func(name string) bool
	atOnce int                      // files that are rewritten at the same time
	trash  func(file string) string // nil: there is none

	mu                 sync.Mutex
	newFile, newFolder uint32 // 0: not known yet
}

// NewCommitter writes the folder of v, which is no draft's. probe finds out the
// permission bits of new files and folders below root. isTemp tells the names of
// temporary files that a killed Writer leaves: a folder with nothing else is empty.
func NewCommitter(
	v *View, write Writer, probe func(root *os.Root) (file, folder uint32, err error), isTemp func(name string) bool,
) *Committer {
	return &Committer{f: v.f, view: v, write: write, probe: probe, isTemp: isTemp}
}

// WriteAtOnce has up to n files rewritten at the same time: a disk makes several
// durable in little more than the time of one. The Writer is called from as many
// goroutines then, never twice for one file.
func (c *Committer) WriteAtOnce(n int) { c.atOnce = n }

// Modes returns the permission bits of new files and folders. It may be called at
// any time.
func (c *Committer) Modes() (file, folder uint32, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.newFile == 0 {
		if c.newFile, c.newFolder, err = c.probe(c.f.root); err != nil {
			return 0, 0, err
		}
	}
	return c.newFile, c.newFolder, nil
}

// State returns what target holds, hidden or not. A missing target is not an error.
func (c *Committer) State(target string) (State, error) {
	st, _, err := c.f.readState(target, maxFile)
	return st, err
}

// Look reports whether a file exists, and whether it is hidden, or would be: a
// missing file whose content decides is hidden.
func (c *Committer) Look(file string) (exists, hidden bool) {
	info, err := c.f.lstat(file)
	exists = err == nil && info.regular
	t, ok := c.view.tree.(*filteredFolder)
	if !ok {
		return exists, false
	}
	hidden, _, decided := hidesPath(t.rules, file)
	return exists, hidden || !decided && t.hidesFile(file)
}

// List lists everything, hidden or not, but what skip leaves out.
func (c *Committer) List(ctx context.Context, skip func(name string, dir bool) bool) (Listing, error) {
	return c.f.list(ctx, skip)
}

// Commit calls report with the Changes of a draft of this folder and then makes
// them. written are those that it has made: a folder that had to stay, or was there
// already, is not among them. If it fails, none is, unless the error is a
// [PartlyWrittenError]. It is ErrHidden, before report, if a new name is that of something
// hidden, which the draft could not know; it is an [ConflictError] if somebody else has
// written a target.
func (c *Committer) Commit(d *Draft, report func([]Change) error) (written []Change, err error) {
	changes := d.Changes()
	if len(changes) == 0 {
		return nil, nil
	}
	if err := d.checkHidden(changes); err != nil {
		return nil, err
	}
	if err := c.checkNewNames(changes); err != nil {
		return nil, err
	}
	if err := report(changes); err != nil {
		return nil, err
	}
	moved := map[string]string{}
	for to, from := range d.moves() {
		moved[from] = to
	}
	return c.apply(changes, moved, d.trashedFiles())
}

// FindReadOnly returns a file that changes would write or remove although its owner
// has taken the right to write from everybody, which says to leave it. A rename
// would not notice.
func FindReadOnly(changes []Change) (file string, found bool) {
	i := slices.IndexFunc(changes, func(c Change) bool {
		_, isFolder := ParseTarget(c.Target)
		return !isFolder && c.Before.Exists && c.Before.Mode&0o222 == 0
	})
	if i < 0 {
		return "", false
	}
	return changes[i].Target, true
}

// checkNewNames returns ErrHidden if a new file has the name of something hidden, or
// differs only in case or accents from a hidden file, which could then be lost where
// file systems do not tell them apart. A folder in which everything is hidden is used
// as it is.
func (c *Committer) checkNewNames(changes []Change) error {
	if c.view.rules == nil {
		return nil
	}
	all := &View{tree: c.f, f: c.f}
	for _, change := range changes {
		name, isFolder := ParseTarget(change.Target)
		if change.Before.Exists || !change.After.Exists {
			continue
		}
		near := []string{name}
		if !isFolder {
			var err error
			if near, err = all.findVariants(name); err != nil {
				return err
			}
		}
		if slices.ContainsFunc(near, func(n string) bool {
			return c.f.exists(n) && !c.view.Exists(n) && (!c.f.isDir(n) || n == name && !isFolder)
		}) {
			return ErrHidden
		}
	}
	return nil
}

// apply makes changes that have been checked: it creates folders, moves files,
// creates, deletes and rewrites files, and deletes folders that became empty.
// Each step has its own precondition; when a step fails, the steps before it
// are rolled back. written are the changes that stand in the end.
func (c *Committer) apply(changes []Change, moved map[string]string, trashed map[string]bool) (written []Change, err error) {
	a := &changeApplier{Committer: c, byTarget: map[string]Change{}, trashed: trashed}
	for _, change := range changes {
		a.byTarget[change.Target] = change
	}
	if err = errors.Join(a.run(changes, moved), c.flushNames(changes, moved)); err != nil {
		if left := errors.Join(a.rollBack(), c.flushNames(changes, moved)); left != nil {
			err = &PartlyWrittenError{errors.Join(err, left)}
		}
		return a.standing(changes), err
	}
	for _, change := range slices.Backward(changes) { // deepest first
		if dir, isFolder := ParseTarget(change.Target); isFolder && !change.After.Exists {
			c.removeTemps(dir)
			if c.f.removeEmpty(dir); !c.f.exists(dir) {
				a.steps = append(a.steps, madeStep{targets: []string{change.Target}})
				if err := rename.Flush(c.f.root, path.Dir(dir)); err != nil {
					return a.standing(changes), &PartlyWrittenError{err}
				}
			}
		}
	}
	return a.standing(changes), nil
}

// flushNames has new folders and moves survive a power failure. The Writer sees to what
// it writes.
func (c *Committer) flushNames(changes []Change, moved map[string]string) error {
	changed := map[string]bool{}
	for from, to := range moved {
		changed[path.Dir(from)], changed[path.Dir(to)] = true, true
	}
	for _, change := range changes {
		if dir, isFolder := ParseTarget(change.Target); isFolder && change.After.Exists {
			changed[path.Dir(dir)] = true
		}
	}
	for dir := range changed {
		if !c.f.isDir(dir) { // rolled back
			continue
		}
		if err := rename.Flush(c.f.root, dir); err != nil {
			return err
		}
	}
	return nil
}

// removeTemps removes what killed Writers left in a folder that holds nothing else.
func (c *Committer) removeTemps(dir string) {
	names, err := c.f.names(dir)
	if err != nil || c.f.checkPath(dir) != nil || slices.ContainsFunc(names, func(name string) bool { return !c.isTemp(name) }) {
		return
	}
	for _, name := range names {
		_ = c.f.root.Remove(path.Join(dir, name)) // then the folder stays
	}
}

// A changeApplier makes changes and can roll them back.
type changeApplier struct {
	*Committer
	byTarget map[string]Change
	trashed  map[string]bool

	recording sync.Mutex
	steps     []madeStep // so far
}

// A madeStep is one step of a changeApplier.
type madeStep struct {
	back       func() error // rolls it back
	structural bool         // it moves a file or makes a folder
	targets    []string     // that it has written
}

// standing are the changes of which a step was made and not rolled back.
func (a *changeApplier) standing(changes []Change) (made []Change) {
	for _, change := range changes {
		if slices.ContainsFunc(a.steps, func(s madeStep) bool { return slices.Contains(s.targets, change.Target) }) {
			made = append(made, change)
		}
	}
	return made
}

func (a *changeApplier) run(changes []Change, moved map[string]string) error {
	for _, c := range changes {
		if dir, isFolder := ParseTarget(c.Target); isFolder && c.After.Exists && !c.Before.Exists {
			if err := a.addFolder(dir, c); err != nil {
				return err
			}
		}
	}
	for _, from := range slices.Sorted(maps.Keys(moved)) {
		if err := a.moveFile(from, moved[from]); err != nil {
			return err
		}
	}
	var rewritten []Change
	for _, c := range changes {
		c = a.byTarget[c.Target]
		if _, isFolder := ParseTarget(c.Target); isFolder {
			continue
		}
		if c.Before.Exists && c.After.Exists {
			rewritten = append(rewritten, c)
		} else if err := a.applyFile(c); err != nil {
			return err
		}
	}
	return a.rewriteFiles(rewritten)
}

// rewriteFiles gives files other contents. After an error none is begun.
func (a *changeApplier) rewriteFiles(changes []Change) error {
	var writers sync.WaitGroup
	var next, failures atomic.Int64
	failed := make([]error, len(changes))
	for range min(max(a.atOnce, 1), len(changes)) {
		writers.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(changes) && failures.Load() == 0; i = int(next.Add(1)) - 1 {
				if failed[i] = a.applyFile(changes[i]); failed[i] != nil {
					failures.Add(1)
				}
			}
		})
	}
	writers.Wait()
	return errors.Join(failed...)
}

// addFolder creates a folder. An existing one with nothing in it that the draft
// could see is used as it is.
func (a *changeApplier) addFolder(dir string, c Change) error {
	err := a.f.makeFolder(dir, fs.FileMode(c.After.Mode))
	if errors.Is(err, ErrExists) {
		if a.f.isDir(dir) {
			return nil
		}
		return &ConflictError{c.Target}
	}
	return a.record(err, madeStep{structural: true, targets: []string{c.Target}, back: func() error {
		a.removeTemps(dir)
		a.f.removeEmpty(dir)
		if names, err := a.f.names(dir); err == nil && !slices.ContainsFunc(names, func(name string) bool { return !a.isTemp(name) }) {
			return fmt.Errorf("remove folder %s: it stays", dir)
		}
		return nil
	}})
}

// record remembers a step that succeeded.
func (a *changeApplier) record(err error, step madeStep) error {
	if err == nil {
		a.recording.Lock()
		defer a.recording.Unlock()
		a.steps = append(a.steps, step)
	}
	return err
}

// rollBack takes the steps back, the last first, and keeps those that stand. Where the text of a file stays, files
// and folders stay where they are, too, as after a kill: otherwise the text of one could
// come to the place of another, and nobody could tell it from an edit.
func (a *changeApplier) rollBack() error {
	var errs []error
	var standing []madeStep
	for _, step := range slices.Backward(a.steps) {
		if step.structural && len(errs) > 0 {
			standing = append(standing, step)
			continue
		}
		if err := step.back(); err != nil {
			errs, standing = append(errs, err), append(standing, step)
		}
	}
	a.steps = standing
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
	err := a.f.move(from, to)
	if errors.Is(err, ErrExists) {
		return &ConflictError{to}
	}
	step := madeStep{structural: true, targets: []string{from, to}, back: func() error { return a.f.move(to, from) }}
	if err := a.record(err, step); err != nil {
		return err
	}
	gone.Before, made.Before = State{}, gone.Before
	a.byTarget[from], a.byTarget[to] = gone, made
	return nil
}

// checkUnchanged checks that a file to be moved is as it was. What moves
// is what is there then, with a later edit, so that none is lost.
func (a *changeApplier) checkUnchanged(c Change) error {
	held, _, err := a.f.readState(c.Target, maxFile)
	if err != nil {
		return err
	}
	if !held.Exists || string(held.Data) != string(c.Before.Data) {
		return &ConflictError{c.Target}
	}
	return nil
}

// applyFile makes the Change of one file.
func (a *changeApplier) applyFile(c Change) error {
	if c.Before.equal(c.After) {
		return nil
	}
	if a.trashed[c.Target] && !c.After.Exists {
		name, err := a.putInTrash(c.Target, c.Before)
		if err != nil {
			return err
		}
		if name != "" {
			_ = a.record(nil, madeStep{back: func() error { return a.removeFromTrash(name) }})
		}
	}
	err := a.writeFile(c.Target, c.Before, c.After)
	if err == nil || a.isInPlace(c.Target, c.After, err) {
		_ = a.record(nil, madeStep{targets: []string{c.Target}, back: func() error {
			err := a.writeFile(c.Target, c.After, c.Before)
			if a.isInPlace(c.Target, c.Before, err) {
				return nil
			}
			return err
		}})
	}
	return err
}

// isInPlace reports whether a file holds what was written to it although writing it
// failed: only a power failure can still take that away.
func (a *changeApplier) isInPlace(file string, want State, failed error) bool {
	if _, conflict := errors.AsType[*ConflictError](failed); failed == nil || conflict {
		return false // it is what somebody else has written
	}
	now, _, err := a.f.readState(file, maxFile)
	return err == nil && now.equal(want)
}

// writeFile writes a file if it still holds before.
func (a *changeApplier) writeFile(file string, before, after State) error {
	root, err := a.f.checkedRoot(file)
	if err != nil {
		return err
	}
	return a.write(root, file, before, after)
}
