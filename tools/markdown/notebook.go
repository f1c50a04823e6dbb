package markdown

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// Config holds the keys of a [[source]] table with kind "markdown".
type Config struct {
	Path   tools.Folder `json:"path" jsonschema:"the folder that holds the pages"`
	Tenant string       `json:"tenant,omitempty" jsonschema:"a folder directly below path to use as the whole source"`
	Inbox  []string     `json:"inbox,omitempty" jsonschema:"absolute paths of folders that add_attachment may take files from"`
	Sync   tools.Secret `json:"sync,omitzero" jsonschema:"URL of a PostgreSQL database whose table of pages is kept in step with the folder"`
}

// maxWritesAtOnce is how many pages a call rewrites at the same time: where 20 pages
// link to one that is renamed, they wait for the disk together.
const maxWritesAtOnce = 8

// A Notebook is an open folder of pages. Its methods may be called from any
// goroutine; writes run one at a time.
type Notebook struct {
	view     *folder.View // all that tools see of the folder
	store    store
	rules    folder.Rules // nil: nothing is hidden
	modes    func() (file, folder uint32, err error)
	layout   layout
	graph    *logseqfile.Graph                 // nil unless the layout is that of Logseq
	settings func(file string) ([]byte, error) // of the application whose layout it has
	name     string
	tenant   bool
	inbox    []string
	now      func() time.Time
	log      *slog.Logger
	changed  func(uri string)
	writing  *semaphore.Weighted
	index    *pageIndex    // nil: there is none
	scans    chan struct{} // held while files are searched
	report   tools.Reporter
	versions *pageVersions
	sync     *syncer                          // nil: there is no database
	release  func() error                     // closes the folder
	sweep    func(func(*os.Root) error) error // nil: it is a draft, which has no files
}

// A store carries out what tools have drafted and takes Changes back: on disk, or
// in a draft of the notebook.
type store interface {
	State(target string) (folder.State, error)
	Look(file string) (exists, hidden bool)
	Commit(d *folder.Draft, report func([]folder.Change) error) (written []folder.Change, err error)
	Restore(changes []folder.Change, report func([]folder.Change) error) (written []folder.Change, err error)
}

// Open opens a folder. The error is Unavailable, with the path in the message, if
// the folder does not exist or cannot be read.
func Open(_ context.Context, c Config, env tools.Env) (*Notebook, error) {
	f, err := folder.Open(string(c.Path), folder.Options{Tenant: c.Tenant})
	if err != nil {
		return nil, openError(c, err)
	}
	all := folder.NewView(f, nil)
	found := findLayout(all, c.Tenant != "")
	graph := readGraph(found, f.Settings)
	rules := newRules(env.Privacy, graph)
	view := folder.NewView(f, rules)
	disk := newCommitter(view, found, f.Settings)
	disk.WriteAtOnce(maxWritesAtOnce)
	n := &Notebook{
		view: view, store: disk, rules: rules, modes: disk.Modes, layout: found, graph: graph, settings: f.Settings,
		name: env.Name, tenant: c.Tenant != "", inbox: c.Inbox, now: env.Now, log: env.Log, changed: env.ResourceChanged,
		writing: semaphore.NewWeighted(1), versions: new(pageVersions), release: f.Close, sweep: f.Sweep,
		scans: make(chan struct{}, 1), report: env.Report,
	}
	if env.Cache != "" {
		n.index = newPageIndex(n, env.Cache, append(describeRules(env.Privacy), describeGraph(n.graph)...))
	}
	n.sync = newSyncer(n, c, disk, all, env)
	return n, nil
}

func openError(c Config, err error) error {
	where := string(c.Path)
	if c.Tenant != "" {
		where = fmt.Sprintf("%s (tenant %q)", c.Path, c.Tenant)
	}
	wrong := "cannot open the folder"
	hint := "Restore the folder, or correct its path, by `lectern source set` or by e in Sources of the panel."
	if _, named := errors.AsType[*folder.NameError](err); named {
		return &tools.Error{
			Code: tools.Invalid, Message: fmt.Sprintf("tenant %q is not the name of a folder directly below %s", c.Tenant, c.Path), Cause: err,
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		wrong = "no such folder"
	case errors.Is(err, fs.ErrPermission):
		wrong, hint = "permission denied", "Give the user that runs Lectern permission to read the folder and its files."
	case errors.Is(err, folder.ErrNotFolder):
		wrong = "not a folder"
	}
	return &tools.Error{
		Code: tools.Unavailable, Message: fmt.Sprintf("open pages at %s: %s", where, wrong),
		Hint: hint, Cause: err,
	}
}

// describeRules are rules as text, those that hide before those that show.
func describeRules(p tools.Privacy) (rules []string) {
	for _, r := range p.Exclude {
		rules = append(rules, "exclude "+r.String())
	}
	for _, r := range p.Only {
		rules = append(rules, "only "+r.String())
	}
	return rules
}

// Close closes the index and the folder.
func (n *Notebook) Close() (err error) {
	if n.sync != nil {
		err = n.sync.close()
	}
	if n.index != nil {
		err = errors.Join(err, n.index.close())
	}
	return errors.Join(err, n.release())
}

// Check reports that the folder is missing or was replaced. Its hint is for the
// user, not for an agent.
func (n *Notebook) Check(context.Context) error {
	if err := n.view.Check(); err != nil {
		return &tools.Error{
			Code: tools.Unavailable, Message: fmt.Sprintf("the folder %s is missing or was replaced by another one", n.view.Path()),
			Hint: "Restore the folder; Lectern checks again every 30 s. " +
				"Or correct its path, by `lectern source set` or by e in Sources of the panel.",
			Cause: err,
		}
	}
	return nil
}

// Run implements [tools.Runner]: it removes temporary files that a killed process
// has left in the folder, keeps the index of the pages, and keeps the folder in step
// with a database.
func (n *Notebook) Run(ctx context.Context) error {
	if n.sweep == nil {
		return nil
	}
	if n.index == nil && n.sync == nil {
		sweepFiles(ctx, n)
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	beside.Go(func() { sweepFiles(ctx, n) })
	if n.sync != nil {
		beside.Go(func() { n.sync.run(ctx) })
	}
	if n.index != nil {
		return n.index.keep(ctx)
	}
	<-ctx.Done()
	return nil
}

// sweepFiles removes temporary files. What it may not remove is no reason to try
// again. It looks at every file, so the comparison that calls wait for comes first.
func sweepFiles(ctx context.Context, n *Notebook) {
	if n.index != nil {
		if _, err := n.look(ctx); err != nil {
			n.log.Warn("look at the folder before it is swept", "err", err)
		}
	}
	_ = n.sweep(func(root *os.Root) error { // the function returns nil
		removed, err := atomicfile.Sweep(ctx, root, n.now)
		if removed > 0 || err != nil {
			n.log.Info("removed temporary files that killed writers left", "removed", removed, "err", err)
		}
		return nil
	})
}

// uri is the URI of a page as a resource.
func (n *Notebook) uri(page string) string {
	return "markdown://" + n.name + "/" + (&url.URL{Path: page}).EscapedPath()
}

// announce tells subscribers that pages, and with them the tree, have changed.
func (n *Notebook) announce(pages ...string) {
	for _, page := range pages {
		n.changed(n.uri(page))
	}
	n.changed("markdown://" + n.name + "/")
}
