package markdown

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// maxChanged is the maximum number of bytes that one call moves, rewrites or
// deletes. All of them are kept so that the call can be undone.
const maxChanged = 256 << 20

// maxDrafted is maxChanged for all calls on a drafted notebook together.
const maxDrafted = 512 << 20

// A draft is the notebook as a call will leave it. It is worked out completely
// before anything is written, and its methods see the folder as it will be. The
// owner of a draft holds n.writing. Only readPage may be called from several
// goroutines.
type draft struct {
	*folder.Draft
	n       *Notebook
	entries *folder.Listing // of the folder as it is; nil until outline is called
}

func (n *Notebook) draft() *draft {
	return &draft{Draft: folder.NewDraft(n.view, n.modes, maxChanged), n: n}
}

// Draft implements [tools.Drafter]: the notebook over a draft that is never
// committed.
func (n *Notebook) Draft(context.Context) (tools.Source, error) {
	over := folder.NewDraft(n.view, n.modes, maxDrafted)
	return &Notebook{
		view: over.View(), store: over, rules: n.rules, modes: n.modes, layout: n.layout, graph: n.graph, settings: n.settings, name: n.name,
		tenant: n.tenant, inbox: n.inbox,
		now: n.now, log: n.log, changed: func(string) {}, writing: semaphore.NewWeighted(1), versions: n.versions,
		release: func() error { return nil },
		scans:   n.scans, report: n.report,
	}, nil
}

// readPage returns a page as it will be.
func (d *draft) readPage(file string) (*page, error) {
	data, err := d.View().Read(file)
	if err != nil {
		return nil, d.n.toolError(file, err)
	}
	return parsePage(d.n.graph, file, data), nil
}

// outline returns the outline of the folder as it will be.
func (d *draft) outline(ctx context.Context) (*outline, error) {
	if d.entries == nil {
		now, err := d.n.look(ctx)
		if err != nil {
			return nil, err
		}
		d.entries = &now.entries
	}
	return newOutline(d.Overlay(*d.entries)), nil
}

// replacePage replaces the text of page p, unless the file has changed since p
// was read. It keeps the line endings and the byte order mark.
func (d *draft) replacePage(p *page, text string) error {
	if !p.utf8 {
		return notUTF8Error(p.file)
	}
	return d.setContent(p, folder.Rewrite(p.data, text))
}

// setContent replaces the bytes of page p, unless the file has changed since p was
// read.
func (d *draft) setContent(p *page, data []byte) error {
	st, err := d.Hold(p.file)
	if err != nil {
		return d.n.toolError(p.file, err)
	}
	if !bytes.Equal(st.Data, p.data) { // edited while the call was running
		return conflictError(versionOf(st.Data))
	}
	return d.n.toolError(p.file, d.SetContent(p.file, data))
}

// commit reports the changes and then writes them. If it fails, nothing has
// changed.
func (d *draft) commit(ctx context.Context, c tools.CallContext) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	r, to := changeReport{ctx: ctx, c: c, first: "."}, d.n.store
	if c.IsDryRun() { // a draft knows nothing of hidden names that are taken
		to = folder.NewDraft(d.n.view, d.n.modes, maxChanged)
	}
	written, err := to.Commit(d.Draft, func(changes []folder.Change) error {
		if file, found := folder.FindReadOnly(changes); found {
			r.err = readOnlyError(file)
			return r.err
		}
		return r.report(changes)
	})
	c.ReportWritten(toolChanges(written)...)
	if err == nil || r.err != nil {
		return r.err
	}
	if isPartlyWritten(err) {
		return partlyWrittenError(err)
	}
	if e, ok := errors.AsType[*folder.ConflictError](err); ok && !errors.Is(err, folder.ErrHidden) {
		name, _ := folder.ParseTarget(e.Target)
		if now, readErr := d.n.read(name); readErr == nil && d.Replaces(e.Target) {
			return conflictError(now.etag())
		}
		return d.n.toolError(name, folder.ErrExists)
	}
	return d.n.toolError(r.first, err)
}

// toolChanges are Changes of the folder as those of tools.
func toolChanges(changes []folder.Change) []tools.Change {
	all := make([]tools.Change, len(changes))
	for i, c := range changes {
		all[i] = tools.Change{Target: c.Target, Before: toolState(c.Before), After: toolState(c.After)}
	}
	return all
}

func toolState(s folder.State) tools.State {
	return tools.State{Exists: s.Exists, Data: s.Data, Mode: s.Mode}
}

// A changeReport calls BeforeWrite and AfterWrite with Changes of the folder.
type changeReport struct {
	ctx   context.Context
	c     tools.CallContext
	first string // path of the first target
	err   error  // of BeforeWrite, which the tool returns unchanged
}

func (r *changeReport) report(changes []folder.Change) error {
	if len(changes) > 0 {
		r.first, _ = folder.ParseTarget(changes[0].Target)
	}
	r.err = r.c.BeforeWrite(r.ctx, toolChanges(changes)...)
	return r.err
}

// restore has to make changes, reported before and after.
func (r *changeReport) restore(to store, changes []folder.Change) error {
	written, err := to.Restore(changes, r.report)
	r.c.ReportWritten(toolChanges(written)...)
	return err
}

// writeFile implements [folder.Writer].
func writeFile(root *os.Root, file string, before, after folder.State) error {
	opt := atomicfile.Options{Mode: fs.FileMode(after.Mode), Create: !before.Exists}
	if before.Exists {
		opt.IfHash = new(sha256.Sum256(before.Data))
	}
	var err error
	if after.Exists {
		err = atomicfile.Write(root, file, after.Data, opt)
	} else {
		err = atomicfile.Remove(root, file, *opt.IfHash)
	}
	if errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists) ||
		!before.Exists && errors.Is(err, atomicfile.ErrNotRegular) {
		return &folder.ConflictError{Target: file}
	}
	return err
}

// probeModes finds out the permission bits of new files and folders.
func probeModes(root *os.Root) (file, folder uint32, err error) {
	f, d, err := atomicfile.ProbeModes(root)
	return uint32(f), uint32(d), err
}
