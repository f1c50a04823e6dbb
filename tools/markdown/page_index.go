package markdown

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/sqliteconn"
	"github.com/lectern-mcp/lectern/internal/watch"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// indexBroken is raised while pages cannot be indexed.
var indexBroken = status.ProblemType{
	Code: "markdown.index", Severity: status.Warning,
	Description: "The index of a source's pages cannot be written, so each search reads the files. The results are the same, but take " +
		"longer. The index is only a cache: it can be deleted at any time.",
	Title: "the pages of {source} cannot be indexed: {why}",
	Fix:   "Do what the message says; Lectern tries again automatically.",
}

// maxInline is how many pages a call reads into the index before it answers. If more
// have changed, [Notebook.Run] reads them, and the call reads files.
const maxInline = 300

// minIndexed is the smallest number of pages that is indexed: a few are read as fast.
const minIndexed = 100

// indexBatch is how many pages are put into the index at once: many take less time than
// several times few, and are in memory meanwhile. A new index needs fewer.
const (
	indexBatch    = 500
	newIndexBatch = 200
)

// A pageIndex keeps an index of the pages that agents may see. What a call finds is
// never older than the call: unless the system says that nothing has changed, it
// first compares the files with what was read of them. Calls that come while that
// is under way share the next comparison.
type pageIndex struct {
	n      *Notebook
	least  int // pages that are indexed
	file   string
	ctx    context.Context //nolint:containedctx // comparisons are shared by calls and end with the source
	cancel context.CancelFunc

	mu     sync.Mutex
	next   *comparison   // that has not begun
	made   chan struct{} // closed when an index is complete that was not before
	filled chan struct{} // closed when the filling under way ends; nil: none is, and comparisons use the index

	comparing sync.Mutex // held by the comparison under way
	fills     sync.Mutex // held while the index is filled, before busy

	busy    sync.Mutex // held while pages are looked up or put into the index, after comparing
	watcher *watch.Watcher
	last    *comparison  // that still holds if nothing has changed; nil: none does
	x       *index.Index // nil: it is not open
	known   index.StampList
	bad     map[string]bool // pages that could not be read
	behind  chan struct{}   // wakes Run

	moved movedPages
}

// A comparison is the outline of the vault, and the index as it was brought up to
// date with it.
type comparison struct {
	done    chan struct{}
	entries folder.Listing
	outline *outline
	x       *index.Index    // nil: the index is not up to date
	made    <-chan struct{} // closed when an index is complete; nil: there will be none
	unread  []string        // pages that could not be read
	err     error
	cache   *stateCache // of comparisons between which nothing has changed
}

// newPageIndex prepares an index in a folder of the source's own. Rules are a part
// of its name: what another rule has let in is not in it.
func newPageIndex(n *Notebook, dir string, rules []string) *pageIndex {
	sum := sha256.Sum256([]byte(strings.Join(append([]string{n.view.Path()}, rules...), "\x00")))
	ctx, cancel := context.WithCancel(context.Background())
	return &pageIndex{
		n: n, least: minIndexed, file: filepath.Join(dir, "pages-"+hex.EncodeToString(sum[:8])+".db"),
		ctx: ctx, cancel: cancel, behind: make(chan struct{}, 1), made: make(chan struct{}), bad: map[string]bool{},
		watcher: watch.New(watch.Options{Folder: n.view.Path(), Skip: isForeign, Now: n.now}),
	}
}

// close waits for the comparison under way.
func (p *pageIndex) close() error {
	p.cancel()
	p.comparing.Lock()
	defer p.comparing.Unlock()
	p.busy.Lock()
	defer p.busy.Unlock()
	return errors.Join(p.watcher.Close(), p.closeLocked())
}

func (p *pageIndex) closeLocked() error {
	if p.x == nil {
		return nil
	}
	err := p.x.Close()
	p.x, p.known, p.last, p.bad = nil, nil, nil, map[string]bool{}
	return err
}

// look compares the files with the index, beginning no earlier than now.
func (n *Notebook) look(ctx context.Context) (*comparison, error) {
	p := n.index
	if p == nil {
		entries, err := n.entries(ctx)
		if err != nil {
			return nil, err
		}
		return &comparison{entries: entries, outline: newOutline(entries), cache: new(stateCache)}, nil
	}
	p.mu.Lock()
	c := p.next
	if c == nil {
		c = &comparison{done: make(chan struct{}), cache: new(stateCache)}
		p.next = c
		go p.compare(c)
	}
	p.mu.Unlock()
	select {
	case <-c.done:
		return c, c.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pageIndex) compare(c *comparison) {
	defer close(c.done)
	p.comparing.Lock()
	defer p.comparing.Unlock()
	p.mu.Lock()
	p.next, c.made = nil, p.made
	p.mu.Unlock()
	if p.isFilling() {
		p.list(c)
		return
	}
	p.busy.Lock()
	defer p.busy.Unlock()
	opened := p.openBeside()
	followed := p.follow(c, p.watcher.Take())
	var entries folder.Listing
	if !followed {
		p.last = nil
		entries = p.list(c)
	}
	if opened(); followed {
		return
	}
	if c.err != nil || p.isFilling() {
		return
	}
	files := c.outline.pageFiles()
	if len(files) < p.least {
		p.last = c
		return
	}
	changed, gone, err := p.changed(entries, files)
	switch {
	case err != nil:
		p.fail(err)
	case len(changed) > maxInline:
		p.wake()
	default:
		if err = p.update(p.ctx, changed, gone); err != nil {
			p.fail(err)
			return
		}
		c.x, c.unread = p.x, slices.Sorted(maps.Keys(p.bad))
		p.last = c
	}
}

// list lists the folder for a comparison.
func (p *pageIndex) list(c *comparison) (entries folder.Listing) {
	if entries, c.err = p.n.entries(p.ctx); c.err == nil {
		c.entries, c.outline = entries, newOutline(entries)
		c.entries.Stats = nil // nobody keeps them up to date
	}
	return entries
}

// wake has Run fill the index.
func (p *pageIndex) wake() {
	select {
	case p.behind <- struct{}{}:
	default: // it is awake
	}
}

// fail gives the index up: the next comparison opens it again. Its caller holds busy.
func (p *pageIndex) fail(err error) {
	if p.ctx.Err() != nil {
		return
	}
	p.n.log.Warn("the index of pages is not used", "err", errors.Join(err, p.closeLocked()))
	p.n.report.Raise(indexBroken, status.Args{"source": p.n.name, "why": describeIndexFailure(err)})
}

// describeIndexFailure is why the index cannot be written. Where the disk is full, which
// statement was on the way to it is for the log.
func describeIndexFailure(err error) string {
	if sqliteconn.IsDiskFull(err) {
		return "the disk is full"
	}
	return err.Error()
}

// drop gives up an index that cannot be read.
func (p *pageIndex) drop(err error) {
	p.busy.Lock()
	defer p.busy.Unlock()
	if p.x == nil {
		return
	}
	p.fail(err)
	if err := os.Remove(p.file); err != nil {
		p.n.log.Warn("remove index", "err", err)
	}
	p.wake()
}

// An openedIndex is an open index with what it knows of pages.
type openedIndex struct {
	x     *index.Index
	known index.StampList
	err   error
}

// open opens the index.
func (p *pageIndex) open() (o openedIndex) {
	p.removeOthers()
	if o.x, o.err = index.Open(p.ctx, p.file); o.err != nil {
		return o
	}
	if o.known, o.err = o.x.Known(p.ctx); o.err != nil {
		o.err = errors.Join(o.err, o.x.Close())
	}
	return o
}

// openBeside begins to open an index that exists already and is not open, while the
// folder is listed; opened waits for it. A small folder has none.
func (p *pageIndex) openBeside() (opened func()) {
	if _, err := os.Stat(p.file); p.x != nil || err != nil {
		return func() {}
	}
	done := make(chan openedIndex, 1)
	go func() { done <- p.open() }()
	return func() {
		if o := <-done; o.err == nil { // who needs it tries again, and fails
			p.x, p.known = o.x, o.known
		}
	}
}

// changed returns those of the pages whose files differ from what was read of them, and
// those that are gone. It opens the index.
func (p *pageIndex) changed(l folder.Listing, files []string) (changed, gone []string, err error) {
	if p.x == nil {
		o := p.open()
		if o.err != nil {
			return nil, nil, o.err
		}
		p.x, p.known = o.x, o.known
	}
	at := 0
	changed, gone = p.known.Compare(files, func(i int, stamp index.Stamp) bool {
		for l.Files[at] != files[i] { // both are in order, and all pages are files
			at++
		}
		return stamp.Matches(l.Stats[at].Size, l.Stats[at].Modified)
	})
	return changed, gone, nil
}

// removeOthers removes the indexes of other rules, and what other builds have left beside
// this one.
func (p *pageIndex) removeOthers() {
	others, err := filepath.Glob(filepath.Join(filepath.Dir(p.file), "pages-*.db*"))
	if err != nil {
		return
	}
	for _, file := range others {
		if !slices.Contains(index.Files(p.file), file) {
			if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				p.n.log.Warn("remove old index", "err", err)
			}
		}
	}
}

// A pageBatch is pages that were read for the index.
type pageBatch struct {
	pages []index.Page
	bad   []bool // those that could not be read
	err   error
}

// read reads pages for the index. A page that cannot be read has its name alone, and is
// tried again the next time.
func (p *pageIndex) read(ctx context.Context, files []string, stat fileStat) pageBatch {
	b := pageBatch{pages: make([]index.Page, len(files)), bad: make([]bool, len(files))}
	failed := make([]error, len(files))
	err := folder.ForEach(ctx, len(files), func(i int) {
		b.pages[i], b.bad[i] = p.n.indexedPage(files[i], stat)
		failed[i] = b.pages[i].Prepare()
	})
	b.err = errors.Join(append(failed, err)...)
	return b
}

// readAhead reads pages batch by batch, the next one while the last is written.
func (p *pageIndex) readAhead(ctx context.Context, files []string, size int, stat fileStat) <-chan pageBatch {
	batches := make(chan pageBatch)
	go func() {
		defer close(batches)
		for some := range slices.Chunk(files, size) {
			select {
			case batches <- p.read(ctx, some, stat):
			case <-ctx.Done():
				return
			}
		}
	}()
	return batches
}

// update reads pages into the index.
func (p *pageIndex) update(ctx context.Context, changed, gone []string) error {
	if len(changed)+len(gone) == 0 {
		p.n.report.Clear(indexBroken)
		return nil
	}
	return p.put(ctx, p.read(ctx, changed, p.n.view.Stat), gone)
}

// put writes pages into the index, and removes others.
func (p *pageIndex) put(ctx context.Context, b pageBatch, gone []string) error {
	err := b.err
	var moved map[string]string
	if err == nil {
		moved, err = p.pairMoves(ctx, b.pages, gone)
	}
	if err == nil {
		err = p.x.Update(ctx, b.pages, gone)
	}
	if err != nil {
		return err
	}
	p.moved.add(moved)
	if !p.isFilling() { // a part of an index says nothing: the disk may be full before its end
		p.n.report.Clear(indexBroken)
	}
	read := make([]index.FileStamp, len(b.pages))
	for i, page := range b.pages {
		read[i] = index.FileStamp{File: page.File, Stamp: page.Stamp}
		if delete(p.bad, page.File); b.bad[i] {
			p.bad[page.File] = true
		}
	}
	for _, file := range gone {
		delete(p.bad, file)
	}
	p.known = p.known.Update(read, gone)
	return nil
}

// A fileStat is the size of a file and when it was modified, at some time before it is
// read: a page that has changed since is read again.
type fileStat func(file string) (size int64, modified time.Time)

// listedStat is that of a listing.
func listedStat(l folder.Listing) fileStat {
	return func(file string) (int64, time.Time) {
		at, found := slices.BinarySearch(l.Files, file)
		if !found {
			return 0, time.Time{}
		}
		return l.Stats[at].Size, l.Stats[at].Modified
	}
}

// indexedPage reads a page for the index; its stamp is from before.
func (n *Notebook) indexedPage(file string, stat fileStat) (page index.Page, unreadable bool) {
	size, modified := stat(file)
	stamp := index.StampOf(size, modified, n.now())
	p, err := n.read(file)
	if err != nil {
		p, stamp.Recent = parsePage(n.graph, file, nil), true
	}
	lines := p.lines()
	found, tags := scanPage(p, lines)
	s := index.Source{
		File: file, Stamp: stamp, Title: p.title(), Text: p.text, Body: p.body, Front: p.frontText(), Fields: p.fields,
		Lines: lines, Links: found, Tags: tags,
		Head: index.Head{
			ID: p.fields.Text("id"), Icon: p.fields.Text("icon"), Named: p.fields.Text("title") == "", Foreign: err != nil || !p.utf8,
			Aliases: p.aliases(),
		},
	}
	s.Names = pageNames(file, s.Title, s.Head.Aliases)
	s.LinkKey = func(l links.Link) []string { return linkKeys(n.graph, file, l) }
	if position, ok := p.position(); ok {
		s.Head.Position = &position
	}
	return index.Read(s), err != nil
}
