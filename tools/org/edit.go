package org

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	udiff "github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgedit"
)

// maxChanged is the maximum number of bytes of the files that one call changes.
const maxChanged = 128 << 20

// maxDrafted is maxChanged for all calls on a drafted source together.
const maxDrafted = 512 << 20

// WriteOptions are the arguments that every tool that writes has.
type WriteOptions struct {
	IfMatch string `json:"ifMatch,omitempty" jsonschema:"etag"`
	DryRun  bool   `json:"dryRun,omitempty" jsonschema:"show the diff"`
}

// An edit is the files that one call changes, as it will leave them. It is worked
// out completely before anything is written. The owner holds s.writing.
type edit struct {
	s     *catalog
	ctx   context.Context
	c     tools.CallContext
	env   orgedit.Env
	ids   map[string]bool // that it has made
	files []*editedFile   // in the order in which they were opened
	roots map[*root]*folder.Draft

	archives bool // it says where headlines were archived from
}

// An editedFile is one file of an edit. Its headlines are those of the whole file.
type editedFile struct {
	*orgedit.Draft
	name    string
	root    *root
	rel     string
	before  []byte
	created bool
	shown   *shownFile // before the edit; nil: it did not exist
}

// edit runs work on drafts and then makes its changes, or with DryRun only returns
// them as a diff of what agents see. Of an error nothing is written.
func (s *editor) edit(ctx context.Context, c tools.CallContext, opt WriteOptions, work func(e *edit) error) (diff string, err error) {
	if err := s.writing.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer s.writing.Release(1)
	s.observe(ctx)
	e := &edit{s: s.catalog, ctx: ctx, c: c, ids: map[string]bool{}, roots: map[*root]*folder.Draft{}}
	e.env = s.editEnv(c, e.ids)
	if err := work(e); err != nil {
		return "", err
	}
	after, err := e.finish()
	if err != nil {
		return "", err
	}
	if opt.DryRun {
		return e.diff(after), nil
	}
	if err := e.commit(); err != nil {
		return "", err
	}
	var changed []string
	for i, f := range e.files {
		s.forget(f.name)
		if after[i] != nil && f.Changed() {
			s.ids.add(after[i])
			changed = append(changed, f.name)
		}
	}
	s.announce(ctx, changed...)
	return "", nil
}

// forget drops what is kept of a file that was written.
func (s *editor) forget(name string) {
	if s.cache != nil {
		s.cache.remove(name)
	}
}

// open returns the file of that name for editing.
func (e *edit) open(name string) (*editedFile, error) {
	if i := slices.IndexFunc(e.files, func(f *editedFile) bool { return f.name == name }); i >= 0 {
		return e.files[i], nil
	}
	r, rel, ok := e.s.locate(name)
	if !ok {
		return nil, notAllowedError(name)
	}
	d := e.roots[r]
	if d == nil {
		d = folder.NewDraft(r.view, r.modes, maxChanged)
		e.roots[r] = d
	}
	st, err := d.Hold(rel)
	if err != nil {
		return nil, e.s.toolError(name, err)
	}
	f := &editedFile{name: name, root: r, rel: rel, before: st.Data, created: !st.Exists}
	if st.Exists {
		if f.shown, err = e.s.parse(name, r, rel, st.Data); err != nil {
			return nil, e.s.toolError(name, err)
		}
	} else if _, err := r.view.CheckDestination(rel, ""); err != nil {
		return nil, e.s.toolError(name, err)
	}
	settings := e.s.settings
	if f.shown != nil && f.shown.index != nil {
		settings.EnforceDependency = false // setState asks what is shown: nothing hidden blocks
	}
	if f.Draft, err = orgedit.NewDraft(st.Data, r.path(rel), settings, e.s.readSetup, e.env); err != nil {
		return nil, e.s.toolError(name, err)
	}
	e.files = append(e.files, f)
	return f, nil
}

// existing is open for a file that must exist.
func (e *edit) existing(name string) (*editedFile, error) {
	f, err := e.open(name)
	if err == nil && f.shown == nil {
		return nil, notAllowedError(name)
	}
	return f, err
}

// headline opens the file of the headline that a URI means and finds it there, by
// its index in the whole file. ifMatch is checked if it is not empty.
func (e *edit) headline(uri, ifMatch string) (*editedFile, int, error) {
	f, i, err := e.at(uri, ifMatch)
	if err == nil && i < 0 {
		return nil, 0, tools.Errorf(tools.Invalid, "URI must identify a headline, not a whole file").
			WithHint("Add /headline/ and the titles from the top down.")
	}
	return f, i, err
}

// at is headline for a URI that may mean a file too, with index -1.
func (e *edit) at(uri, ifMatch string) (*editedFile, int, error) {
	t, err := e.s.parseTarget(e.ctx, uri)
	if err != nil {
		return nil, 0, err
	}
	if t.id != "" {
		found, _, err := e.s.findID(e.ctx, t.id)
		if err != nil {
			return nil, 0, err
		}
		t.file = found.name
	}
	f, err := e.existing(t.file)
	if err != nil {
		return nil, 0, err
	}
	now, err := e.present(f)
	if err != nil {
		return nil, 0, err
	}
	i, err := e.s.findIn(now, t)
	if err != nil {
		return nil, 0, err
	}
	if etag := now.etag(i); ifMatch != "" && strings.Trim(ifMatch, `"`) != etag {
		return nil, 0, tools.Errorf(tools.Conflict, "The headline was changed since it was read").
			WithHint("Read it again, then write with the new etag.").WithData(errorData{etag: etag, uri: e.s.uri(now, i)})
	}
	return f, now.wholeIndex(i), nil
}

// present is a file as agents will see it after what was done so far.
func (e *edit) present(f *editedFile) (*shownFile, error) {
	if !f.Changed() && f.shown != nil {
		return f.shown, nil
	}
	now, err := e.s.parse(f.name, f.root, f.rel, orgedit.Apply(f.before, f.Edits()))
	if err == nil && f.shown != nil {
		now.unsaved = f.shown.unsaved // what was read from a buffer is written into it
	}
	return now, err
}

// finish puts the edited texts into the drafts of the folders. It refuses an edit
// that would hide a headline or show a hidden one.
func (e *edit) finish() (after []*shownFile, err error) {
	after = make([]*shownFile, len(e.files))
	hidden := 0
	for i, f := range e.files {
		if f.shown != nil {
			hidden -= f.shown.hidden()
		}
		data := orgedit.Apply(f.before, f.Edits())
		if f.created && len(data) == 0 {
			continue
		}
		if after[i], err = e.s.parse(f.name, f.root, f.rel, data); err != nil {
			return nil, e.s.toolError(f.name, err)
		}
		hidden += after[i].hidden()
		if !f.Changed() {
			continue
		}
		if f.mayHide(data) {
			return nil, hiddenError()
		}
		d := e.roots[f.root]
		if f.created {
			err = d.AddFile(f.rel, data)
		} else {
			err = d.SetContent(f.rel, data)
		}
		if err != nil {
			return nil, e.s.toolError(f.name, err)
		}
	}
	if hidden != 0 {
		return nil, hiddenError()
	}
	if err := e.checkOrigins(); err != nil {
		return nil, err
	}
	return after, e.checkIDs(after)
}

// originLine is where something was archived from, as a property says it.
var originLine = regexp.MustCompile(`(?im)^[ \t]*(?:#\+PROPERTY:[ \t]*|:)ARCHIVE_(?:FILE|OLPATH)\+?[ :].*$`)

// checkOrigins refuses an edit that says of something where it was archived from, if it
// does not archive it. That could hide it, which depends on more than what agents see.
func (e *edit) checkOrigins() error {
	count := map[string]int{}
	for _, f := range e.files {
		if e.archives || !f.root.hidesParts() || !f.Changed() {
			continue
		}
		for _, line := range originLine.FindAll(orgedit.Apply(f.before, f.Edits()), -1) {
			count[string(bytes.TrimSpace(line))]++
		}
		for _, line := range originLine.FindAll(f.before, -1) {
			count[string(bytes.TrimSpace(line))]--
		}
	}
	for _, more := range count {
		if more > 0 {
			return hiddenError()
		}
	}
	return nil
}

// mayHide reports whether the file would be set up by one that did not set it up before.
// That could hide it, which depends on more than what agents see.
func (f *editedFile) mayHide(data []byte) bool {
	if !f.root.hidesParts() {
		return false
	}
	rules, _ := f.root.rules.(privacyRules)
	before := rules.setupFiles(f.before)
	return slices.ContainsFunc(rules.setupFiles(data), func(name string) bool { return !slices.Contains(before, name) })
}

// checkIDs refuses an ID that the agent has chosen, whatever tool has written it: it may
// be that of something hidden, and to say which are free would tell of these.
func (e *edit) checkIDs(after []*shownFile) error {
	count := map[string]int{}
	for i, f := range e.files {
		if f.shown != nil {
			for _, id := range fileIDs(f.shown) {
				count[id]++
			}
		}
		if after[i] != nil {
			for _, id := range fileIDs(after[i]) {
				count[id]--
			}
		}
	}
	for id, left := range count {
		if left < 0 && id != "" && !e.ids[id] {
			return tools.Errorf(tools.Invalid, "ID: an ID is made by Lectern, not chosen").
				WithHint("Leave it out. A headline without one gets it by org-set-properties with the property ID and an empty text.")
		}
	}
	return nil
}

// diff is the difference that an edit makes in what agents see.
func (e *edit) diff(after []*shownFile) string {
	var b strings.Builder
	for i, f := range e.files {
		var old, now string
		if f.shown != nil {
			old = string(f.shown.Source)
		}
		if after[i] != nil {
			now = string(after[i].Source)
		}
		if old != now {
			b.WriteString(udiff.Unified(f.name, f.name, old, now))
		}
	}
	return b.String()
}

// commit reports the changes of all folders at once and then makes them. If one
// folder fails, those before it are put back.
func (e *edit) commit() error {
	if slices.ContainsFunc(e.files, e.archivesHidden) {
		return hiddenError()
	}
	var reported []tools.Change
	var drafts []*root
	for _, r := range e.s.roots() {
		if d := e.roots[r]; d != nil && len(d.Changes()) > 0 {
			drafts = append(drafts, r)
			reported = append(reported, r.toolChanges(d.Changes())...)
			if file, found := folder.FindReadOnly(d.Changes()); found {
				return tools.Errorf(tools.Denied, "The file is read-only: %s; nothing was changed", r.prefix+file).
					WithHint("Ask the user; chmod u+w on the file lets it be changed.")
			}
		}
	}
	told := false
	report := func([]folder.Change) error {
		if told {
			return nil
		}
		told = true
		return e.c.BeforeWrite(e.ctx, reported...)
	}
	var done []rootWrite
	for _, r := range drafts {
		to := r.store
		if e.c.IsDryRun() { // a draft knows nothing of hidden names that are taken
			to = folder.NewDraft(r.view, r.modes, maxChanged)
		}
		written, err := to.Commit(e.roots[r], report)
		done = append(done, rootWrite{r, written})
		if err != nil {
			return endWrites(e.c, done, err, e.commitError(r, err))
		}
	}
	return endWrites(e.c, done, nil, nil)
}

// archivesHidden reports whether a new file is the archive or a copy of a hidden one, and
// would be hidden as that is. A dry run does not know, as of other hidden names.
func (e *edit) archivesHidden(f *editedFile) bool {
	source, ok := madeFrom(f.rel)
	if !ok || !f.created || e.c.IsDryRun() || f.root.store != store(f.root.disk) {
		return false
	}
	exists, hidden := f.root.disk.Look(source)
	return exists && hidden
}

func (e *edit) commitError(r *root, err error) error {
	conflict, isConflict := errors.AsType[*folder.ConflictError](err)
	if _, partly := errors.AsType[*folder.PartlyWrittenError](err); isConflict && !partly {
		return e.s.toolError(r.prefix+conflict.Target, atomicfile.ErrChanged)
	}
	return e.s.toolError(r.prefix, err)
}

// writeFile implements [folder.Writer].
func writeFile(dir *os.Root, file string, before, after folder.State) error {
	opt := atomicfile.Options{Mode: fs.FileMode(after.Mode), Create: !before.Exists}
	if before.Exists {
		opt.IfHash = new(sha256.Sum256(before.Data))
	}
	var err error
	if after.Exists {
		err = atomicfile.Write(dir, file, after.Data, opt)
	} else {
		err = atomicfile.Remove(dir, file, *opt.IfHash)
	}
	if errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists) ||
		!before.Exists && errors.Is(err, atomicfile.ErrNotRegular) {
		return &folder.ConflictError{Target: file}
	}
	return err
}

// probeModes finds out the permission bits of new files and folders.
func probeModes(dir *os.Root) (file, folder uint32, err error) {
	f, d, err := atomicfile.ProbeModes(dir)
	return uint32(f), uint32(d), err
}
