// Package pagesync carries out the plans of tools/markdown/internal/mirror: it brings a
// folder of pages and a table of pages into step, pass by pass.
//
// No pass has to end: each begins with what both sides hold then, so that one that was
// killed anywhere is followed by another that finishes its work. It opens neither side
// and has no loop; tools/markdown does. Start reading at [Mirror.Reconcile].
package pagesync

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/mirror"
)

const (
	// missingFor is how long a file must be missing until its page counts as deleted: a
	// move is a file that goes and another one that comes, in any order.
	missingFor = 2 * time.Second
	// minVanished is the smallest number of pages whose disappearance together is not
	// believed, if they are more than half of all or all below a folder: a disk that is not
	// mounted looks like it.
	minVanished = 10
	// chunk is after how many steps progress is told.
	chunk = 200
)

// A Folder is the side of the files.
type Folder interface {
	// Files reads the pages.
	Files(ctx context.Context) (Files, error)
	// Take carries out steps in order, but for those whose file is not as the step has
	// it: it returns the ids of their pages.
	Take(ctx context.Context, steps []mirror.Step) (late map[string]bool, err error)
}

// Files are the pages in a folder.
type Files struct {
	Pages []mirror.File
	// Unreadable are the paths of pages that exist and cannot be mirrored. They stay as
	// they are, here and there.
	Unreadable []string
	// Incomplete means that folders could not be read, so that a page which is not in Pages
	// may exist.
	Incomplete bool
	// Same means that nothing has changed since the last call.
	Same bool
}

// A Table is the side of the database. Refresh reads it, Pages is what was read, and
// Take is as for a Folder.
type Table interface {
	Refresh(ctx context.Context) (changed bool, err error)
	Pages() mirror.Tree
	Take(ctx context.Context, steps []mirror.Step) (late map[string]bool, err error)
}

// A Base keeps what both sides held when they last agreed. Its methods are those of
// pagestore.Base.
type Base interface {
	Load(ctx context.Context) (mirror.Tree, error)
	Keep(ctx context.Context, copies []mirror.ConflictCopy) error
	Update(ctx context.Context, pages mirror.Tree, gone []string) error
}

// A Mirror keeps a Folder and a Table in step. One goroutine uses it.
type Mirror struct {
	Folder Folder
	Table  Table
	Base   Base
	Now    func() time.Time
	NewID  func() string
	// Allowed reports whether a page of the table may be a file: by its path, and known
	// if it is one already.
	Allowed func(path string, known bool) bool
	// Progress is told how many of all steps are done.
	Progress func(done, total int)

	loaded  bool
	base    mirror.Tree
	missing map[string]time.Time // since when files are missing, by id
	settled *Result              // of the last Reconcile, if it left nothing to do
}

// A Result is what a Reconcile has done and left.
type Result struct {
	Pages      int // that both sides hold
	ToFolder   int // steps carried out
	ToTable    int
	Skipped    int      // pages that somebody changed meanwhile: the next Reconcile has them
	Unreadable []string // paths of files that cannot be mirrored
	Refused    []string // paths of the table that cannot be files
	Again      bool     // another Reconcile is needed soon, although nobody changes anything
}

// A VanishedError reports that one side has lost many pages at once, so that nothing was
// done.
type VanishedError struct {
	InFolder  bool // else it was the table
	Gone, All int
	Below     string // the folder of which all pages are gone; empty: they are more than half of all
}

// Error implements error.
func (e *VanishedError) Error() string {
	where := "database"
	if e.InFolder {
		where = "folder"
	}
	switch {
	case e.Gone == e.All:
		return fmt.Sprintf("all %d pages are gone from the %s at once", e.All, where)
	case e.Below != "":
		return fmt.Sprintf("all %d pages below %s/ are gone from the %s at once", e.Gone, e.Below, where)
	}
	return fmt.Sprintf("%d of %d pages are gone from the %s at once", e.Gone, e.All, where)
}

// Reconcile brings both sides into step. accept has it believe that a side has lost many
// pages; otherwise the error is a [VanishedError] then.
func (m *Mirror) Reconcile(ctx context.Context, accept bool) (Result, error) {
	if err := m.load(ctx); err != nil {
		return Result{}, err
	}
	files, err := m.Folder.Files(ctx)
	if err != nil {
		return Result{}, err
	}
	changed, err := m.Table.Refresh(ctx)
	if err != nil {
		return Result{}, err
	}
	if files.Same && !changed && m.settled != nil {
		return *m.settled, nil
	}
	m.settled = nil
	p := pass{m: m, result: Result{Unreadable: files.Unreadable}}
	p.trees = mirror.Trees{Base: maps.Clone(m.base), Database: maps.Clone(m.Table.Pages())}
	p.trees.Disk = mirror.Identify(m.base, p.trees.Database, files.Pages, m.NewID)
	p.leaveOut(files, accept)
	if !accept {
		if err := p.checkVanished(); err != nil {
			return p.result, err
		}
	}
	err = p.run(ctx)
	if r := p.result; err == nil && r.ToFolder+r.ToTable+r.Skipped == 0 && !r.Again {
		m.settled = &r
	}
	return p.result, err
}

// load reads the base once: only the Mirror writes it.
func (m *Mirror) load(ctx context.Context) (err error) {
	if m.loaded {
		return nil
	}
	m.missing = map[string]time.Time{}
	m.base, err = m.Base.Load(ctx)
	m.loaded = err == nil
	return err
}

// A pass is one Reconcile.
type pass struct {
	m      *Mirror
	trees  mirror.Trees
	result Result
}

// leaveOut takes pages out of all trees about which nothing can be decided now.
func (p *pass) leaveOut(files Files, accept bool) {
	leave := func(id string) {
		delete(p.trees.Base, id)
		delete(p.trees.Disk, id)
		delete(p.trees.Database, id)
	}
	for id, page := range p.trees.Database {
		if _, known := p.m.base[id]; !p.m.Allowed(page.Path, known) {
			p.result.Refused = append(p.result.Refused, page.Path)
			leave(id)
		}
	}
	slices.Sort(p.result.Refused)
	unreadable := map[string]bool{}
	for _, file := range files.Unreadable {
		unreadable[file] = true
	}
	missing := map[string]time.Time{}
	for id, page := range p.m.base {
		if _, exists := p.trees.Disk[id]; exists {
			continue
		}
		since, known := p.m.missing[id]
		if now := p.m.Now(); !known || now.Before(since) {
			since = now
		}
		missing[id] = since
		waits := p.m.Now().Sub(since) < missingFor && !accept
		if waits || files.Incomplete || unreadable[page.Path] {
			p.result.Again = p.result.Again || waits
			leave(id)
		}
	}
	p.m.missing = missing
	for id, page := range p.trees.Database { // it cannot be read here, so it is not new
		if _, exists := p.trees.Disk[id]; !exists && unreadable[page.Path] {
			leave(id)
		}
	}
}

// checkVanished returns a VanishedError if a side has lost too many pages for a pass to
// believe it.
func (p *pass) checkVanished() error {
	if e := vanishedFrom(p.trees.Disk, p.trees.Database, p.trees.Base, p.m.base); e != nil {
		e.InFolder = true
		return e
	}
	if e := vanishedFrom(p.trees.Database, p.trees.Disk, p.trees.Base, p.m.base); e != nil {
		return e
	}
	return nil
}

// vanishedFrom looks at the pages that a side has lost and the other one has; base are those
// about which the pass decides, of all.
func vanishedFrom(side, other, base, all mirror.Tree) *VanishedError {
	gone, goneBelow, allBelow := 0, map[string]int{}, map[string]int{}
	for id, page := range all {
		countFolders(allBelow, page.Path)
		_, decides := base[id]
		_, here := side[id]
		if _, there := other[id]; decides && !here && there {
			gone++
			countFolders(goneBelow, page.Path)
		}
	}
	switch {
	case gone < minVanished:
		return nil
	case 2*gone > len(all):
		return &VanishedError{Gone: gone, All: len(all)}
	}
	for _, folder := range slices.Sorted(maps.Keys(goneBelow)) { // the outermost first
		if n := goneBelow[folder]; n >= minVanished && n == allBelow[folder] {
			return &VanishedError{Gone: n, All: len(all), Below: folder}
		}
	}
	return nil
}

// countFolders counts a page in every folder that it is below.
func countFolders(counts map[string]int, file string) {
	for folder := path.Dir(file); folder != "."; folder = path.Dir(folder) {
		counts[folder]++
	}
}

// run plans, and carries out the plan.
func (p *pass) run(ctx context.Context) error {
	plan := mirror.MakePlan(p.trees)
	toFolder, toTable := mirror.MakeSteps(p.trees.Disk, plan.Want), mirror.MakeSteps(p.trees.Database, plan.Want)
	p.result.Pages = len(plan.Want)
	if len(plan.Copies) > 0 {
		if err := p.m.Base.Keep(ctx, plan.Copies); err != nil {
			return err
		}
	}
	total := len(toFolder) + len(toTable)
	lateHere, err := p.take(ctx, p.m.Folder.Take, toFolder, 0, total)
	if err != nil {
		return err
	}
	lateThere, err := p.take(ctx, p.m.Table.Take, toTable, len(toFolder), total)
	if err != nil {
		return err
	}
	p.result.ToFolder, p.result.ToTable = len(toFolder)-len(lateHere), len(toTable)-len(lateThere)
	return p.agree(ctx, plan.Want, lateHere, lateThere)
}

// take carries out the steps of one side and says how far it is.
func (p *pass) take(
	ctx context.Context, side func(context.Context, []mirror.Step) (map[string]bool, error), steps []mirror.Step, done, total int,
) (map[string]bool, error) {
	late := map[string]bool{}
	for some := range slices.Chunk(steps, chunk) {
		more, err := side(ctx, some)
		if err != nil {
			return nil, err
		}
		maps.Copy(late, more)
		done += len(some)
		p.m.Progress(done, total)
	}
	return late, nil
}

// agree keeps what both sides hold now, also when ctx has ended: without it, an edit
// of each side before the next Reconcile would be a conflict.
func (p *pass) agree(ctx context.Context, want mirror.Tree, lateHere, lateThere map[string]bool) error {
	late := maps.Clone(lateHere)
	if late == nil {
		late = map[string]bool{}
	}
	maps.Copy(late, lateThere)
	p.result.Skipped = len(late)
	agreed, gone := mirror.Tree{}, []string{}
	for id, page := range want {
		if known, exists := p.trees.Base[id]; !late[id] && (!exists || known != page) {
			agreed[id] = page
		}
	}
	for id := range p.trees.Base {
		if _, exists := want[id]; !exists && !late[id] {
			gone = append(gone, id)
		}
	}
	if len(agreed)+len(gone) == 0 {
		return nil
	}
	if err := p.m.Base.Update(context.WithoutCancel(ctx), agreed, gone); err != nil {
		return err
	}
	maps.Copy(p.m.base, agreed)
	for _, id := range gone {
		delete(p.m.base, id)
	}
	return nil
}
