package markdown

import (
	"context"
	"encoding/json"
	"errors"
	"path"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/watch"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/frontmatter"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagestore"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/pagesync"
)

const (
	syncClient = "sync:database"
	syncAction = "sync"

	// A call of syncClient writes at most this many pages and about this many bytes.
	maxSyncSteps = 64
	maxSyncBytes = 8 << 20
)

// A syncFolder is the folder of a notebook as the mirror sees it, hidden pages
// included: it is the owner's. What it writes are Changes like those of tools.
type syncFolder struct {
	n       *Notebook
	disk    *folder.Committer
	all     *folder.View // without rules
	calls   tools.ClientCaller
	watcher *watch.Watcher

	listed *pagesync.Files // that the last call returned; nil: it failed
	known  map[string]syncFile
	failed error // of a step that could not be carried out, since the last Files
}

// A syncFile is a file as it was read.
type syncFile struct {
	stamp index.Stamp
	page  mirror.File
	ok    bool // it can be mirrored
}

// Files implements [pagesync.Folder]. It reads what has changed.
func (f *syncFolder) Files(ctx context.Context) (pagesync.Files, error) {
	f.failed = nil
	if err := f.all.Check(); err != nil {
		return pagesync.Files{}, f.n.toolError(".", err)
	}
	change := f.watcher.Take()
	if f.listed != nil && !change.All && len(change.Names) == 0 {
		same := *f.listed
		same.Same = true
		return same, nil
	}
	f.listed = nil
	for _, name := range change.Names {
		delete(f.known, name)
	}
	l, err := f.disk.List(ctx, func(name string, dir bool) bool { return dir && isForeign(name) })
	if err != nil {
		return pagesync.Files{}, err
	}
	files := pagesync.Files{Incomplete: len(l.Skipped) > 0}
	exists := map[string]bool{}
	for _, file := range l.Files {
		exists[file] = true
	}
	var served []string
	var stats []folder.FileStat
	for i, file := range l.Files {
		if isServed(func(file string) bool { return exists[file] }, file) && !isConflictCopy(file) {
			served, stats = append(served, file), append(stats, l.Stats[i])
		}
	}
	read := make([]syncFile, len(served))
	if err := folder.ForEach(ctx, len(served), func(i int) { read[i] = f.read(served[i], stats[i]) }); err != nil {
		return pagesync.Files{}, err
	}
	f.known = make(map[string]syncFile, len(served))
	for i, file := range served {
		if !read[i].ok {
			files.Unreadable = append(files.Unreadable, file)
			continue
		}
		f.known[file] = read[i]
		files.Pages = append(files.Pages, read[i].page)
	}
	f.listed = &files
	return files, nil
}

// read reads a file, unless it is as it was by what the listing says of it.
func (f *syncFolder) read(file string, now folder.FileStat) syncFile {
	if known, read := f.known[file]; read && known.stamp.Matches(now.Size, now.Modified) {
		return known
	}
	stamp := index.Stamp{Size: now.Size, Modified: now.Modified.UnixNano(), Recent: f.n.now().Sub(now.Modified).Abs() < 2*time.Second}
	st, err := f.disk.State(file)
	if err != nil || !st.Exists || !pagestore.IsText(string(st.Data)) {
		return syncFile{}
	}
	content := string(st.Data)
	return syncFile{stamp, mirror.File{Page: mirror.Page{Path: file, Content: content}, ID: readFields(content).Text("id")}, true}
}

func readFields(content string) frontmatter.Fields {
	text, _ := folder.Text([]byte(content))
	block, _, _ := frontmatter.Split(text)
	fields, _ := frontmatter.Parse(block) // of a block that cannot be read there are none
	return fields
}

// readColumns reads the columns of a page in the table from its content.
func readColumns(p mirror.Page) (title, frontMatter string) {
	fields := readFields(p.Content)
	title = fields.Text("title")
	if title == "" {
		title = path.Base(stem(p.Path))
	}
	data, err := json.Marshal(fields.Values)
	if err != nil || strings.Contains(string(data), `\u0000`) { // which JSON in PostgreSQL cannot have
		data = []byte("{}")
	}
	return strings.ReplaceAll(strings.ToValidUTF8(title, ""), "\x00", ""), string(data)
}

// isSyncPath reports whether a page of the table may be a file.
func isSyncPath(file string, known bool) bool {
	check := folder.CheckNew
	if known {
		check = folder.CheckName
	}
	return check(file) == nil && isServed(func(string) bool { return true }, file) && !isConflictCopy(file)
}

// errLate means that a file is not as a step has it.
var errLate = errors.New("the file was changed meanwhile")

// Take implements [pagesync.Folder]. Several steps are one call; if one of them fails
// they are tried one by one.
func (f *syncFolder) Take(ctx context.Context, steps []mirror.Step) (late map[string]bool, err error) {
	late = map[string]bool{}
	for len(steps) > 0 {
		n := syncBatch(steps)
		some := steps[:n]
		steps = steps[n:]
		err := f.write(ctx, some)
		if err == nil {
			continue
		}
		for _, s := range some {
			if n > 1 {
				err = f.write(ctx, []mirror.Step{s})
			}
			switch {
			case err == nil:
			case ctx.Err() != nil, errors.Is(err, errUnrecorded):
				return late, err
			default:
				late[s.ID] = true
				if !errors.Is(err, errLate) {
					f.failed = err
				}
			}
		}
	}
	return late, nil
}

// syncBatch is how many steps are one call: no two may touch one path.
func syncBatch(steps []mirror.Step) int {
	touched, size := map[string]bool{}, 0
	for n, s := range steps {
		var names []string
		for _, p := range []*mirror.Page{s.Before, s.After} {
			if p != nil {
				names, size = append(names, folder.FoldName(p.Path)), size+len(p.Content)
			}
		}
		for _, name := range names {
			if n > 0 && (touched[name] || n == maxSyncSteps || size > maxSyncBytes) {
				return n
			}
		}
		for _, name := range names {
			touched[name] = true
		}
	}
	return len(steps)
}

// errUnrecorded means that Changes could not be recorded, so that nothing is written.
var errUnrecorded = errors.New("changes cannot be recorded")

// write carries out steps as one call.
func (f *syncFolder) write(ctx context.Context, steps []mirror.Step) error {
	outcome := make(chan error, 1)
	err := f.calls.WriteAs(ctx, syncClient, syncAction, func(ctx context.Context, c tools.CallContext) error {
		err := f.apply(ctx, c, steps)
		outcome <- err
		return err
	})
	select {
	case own := <-outcome:
		return own
	default: // it did not come to apply, or left it running
		return errors.Join(errUnrecorded, err)
	}
}

func (f *syncFolder) apply(ctx context.Context, c tools.CallContext, steps []mirror.Step) error {
	if err := f.n.writing.Acquire(ctx, 1); err != nil {
		return err
	}
	defer f.n.writing.Release(1)
	var changes []folder.Change
	for _, s := range steps {
		more, err := f.changes(s)
		if err != nil {
			return err
		}
		changes = append(changes, more...)
	}
	changes = append(changes, emptiedFolders(changes)...)
	if file, found := folder.FindReadOnly(changes); found {
		return readOnlyError(file)
	}
	r := changeReport{ctx: ctx, c: c, first: "."}
	err := r.restore(f.disk, changes)
	switch _, conflict := errors.AsType[*folder.ConflictError](err); {
	case r.err != nil:
		return errors.Join(errUnrecorded, r.err)
	case isPartlyWritten(err):
		return partlyWrittenError(err)
	case conflict:
		return errLate
	case err != nil:
		return f.n.toolError(r.first, err)
	}
	f.n.announceVisible(changes)
	return nil
}

// changes are what a step does to files.
func (f *syncFolder) changes(s mirror.Step) ([]folder.Change, error) {
	var before, after folder.State
	if s.Before != nil {
		var err error
		if before, err = f.disk.State(s.Before.Path); err != nil {
			return nil, err
		}
		if !before.Exists || string(before.Data) != s.Before.Content {
			return nil, errLate
		}
	}
	if s.After == nil {
		return []folder.Change{{Target: s.Before.Path, Before: before}}, nil
	}
	after = folder.State{Exists: true, Data: []byte(s.After.Content), Mode: before.Mode}
	if s.Before == nil {
		mode, _, err := f.disk.Modes()
		if err != nil {
			return nil, err
		}
		after.Mode = mode
	}
	if s.Before != nil && s.Before.Path == s.After.Path {
		return []folder.Change{{Target: s.After.Path, Before: before, After: after}}, nil
	}
	changes := []folder.Change{{Target: s.After.Path, After: after}}
	if s.Before != nil {
		changes = append(changes, folder.Change{Target: s.Before.Path, Before: before})
	}
	return changes, nil
}

// emptiedFolders are the folders of files that go; those that are not empty then stay.
func emptiedFolders(changes []folder.Change) (dirs []folder.Change) {
	seen := map[string]bool{".": true}
	for _, c := range changes {
		if c.After.Exists {
			continue
		}
		for dir := path.Dir(c.Target); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			dirs = append(dirs, folder.Change{Target: folder.DirTarget(dir)})
		}
	}
	return dirs
}
