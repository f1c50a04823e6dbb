package markdown

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// relocate moves files and rewrites links, so that every link leads where it led:
// those in the moved pages and those to them; without wiki only Markdown links. It
// returns the new paths of all pages that change.
func (d *draft) relocate(ctx context.Context, o *outline, m moves, wiki bool) ([]string, LinkReport, error) {
	if len(m) == 0 {
		return nil, LinkReport{}, nil
	}
	plan, err := d.planLinks(ctx, o, m, wiki)
	if err != nil {
		return nil, LinkReport{}, err
	}
	var changed []string
	for _, from := range m.sources() {
		if err := d.MoveFile(from, m[from]); err != nil {
			return nil, LinkReport{}, d.n.toolError(from, err)
		}
		if isPage(m[from]) {
			changed = append(changed, m[from])
		}
	}
	for _, e := range plan.edits {
		if err := d.SetContent(e.file, e.data); err != nil {
			return nil, LinkReport{}, d.n.toolError(e.file, err)
		}
		changed = append(changed, e.file)
	}
	slices.Sort(changed)
	return slices.Compact(changed), plan.report, nil
}

// A linkPlan is the new bytes of the files whose links change, at the paths that they
// will have.
type linkPlan struct {
	edits  []fileEdit
	report LinkReport
}

type fileEdit struct {
	file string
	data []byte
	from string // the path that it has
}

// planLinks resolves every link of the notebook as it is and as it will be. A link
// that would lead elsewhere is written in another way, which is tried in turn: its
// own form, the name, the path.
func (d *draft) planLinks(ctx context.Context, o *outline, m moves, wiki bool) (linkPlan, error) {
	found, err := d.findAffected(ctx, o, m)
	if err != nil {
		return linkPlan{}, err
	}
	all, plan := found.sources, linkPlan{}
	for _, file := range found.unreadable {
		plan.report.add(reportOn(LinkOutcome{File: file, Outcome: linkUnreadable}))
	}
	r := relinker{m: m, wiki: wiki, was: found.was, becomes: found.becomes, moved: map[string]bool{}}
	for _, to := range m {
		r.moved[folder.FoldName(path.Base(stem(to)))] = true
	}
	if d.n.graph != nil {
		r.titles = map[string]string{}
		for _, s := range m.newSources(all) {
			r.titles[s.file] = s.title
			r.moved[folder.FoldName(s.title)] = true
		}
		for _, to := range m {
			if _, known := r.titles[to]; !known && o.isPage(to) { // a page is merged into it
				r.titles[to] = d.n.head(to).title()
			}
		}
	}
	others := o.filesWith(".canvas", ".base")
	edits, reports := make([]fileEdit, len(all)+len(others)), make([]LinkReport, len(all)+len(others))
	var mu sync.Mutex
	var failed error
	err = folder.ForEach(ctx, len(edits), func(i int) {
		var err error
		switch {
		case i < len(all):
			edits[i], reports[i], err = r.relinkPage(d, all[i])
		case isBase(others[i-len(all)]):
			reports[i] = r.checkBase(d, o, others[i-len(all)])
		default:
			edits[i], reports[i] = r.relinkCanvas(d, others[i-len(all)])
		}
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			failed = err
		}
	})
	if err = errors.Join(err, failed); err == nil {
		err = found.failed()
	}
	for _, report := range reports {
		plan.report.add(report)
	}
	plan.edits = slices.DeleteFunc(edits, func(e fileEdit) bool { return e.data == nil })
	return plan, err
}

// A relinker writes links so that they lead where they led.
type relinker struct {
	m            moves
	wiki         bool
	was, becomes *linkResolver
	moved        map[string]bool   // the names that moved pages and files will have
	titles       map[string]string // that moved pages will have, in a Logseq graph
}

// relinkPage is the page with its links as they must be; without data: it stays.
func (r *relinker) relinkPage(d *draft, c linkSource) (fileEdit, LinkReport, error) {
	if c.unreadable {
		return fileEdit{}, reportOn(LinkOutcome{File: c.file, Outcome: linkUnreadable}), nil
	}
	var splices []folder.Splice
	var report LinkReport
	for _, l := range c.links {
		to, outcome := r.newTarget(c.file, l)
		report.add(reportOn(LinkOutcome{File: c.file, Line: l.Line, Link: l.written, To: to, Outcome: outcome}))
		if to != "" {
			splices = append(splices, folder.Splice{Start: l.Start, End: l.End, New: to})
		}
	}
	if len(splices) == 0 {
		return fileEdit{}, report, nil
	}
	p, err := d.readPage(c.file)
	if err != nil {
		return fileEdit{}, report, err
	}
	at := 0
	for _, l := range c.links {
		if l.End > len(p.text) || p.text[l.Start:l.End] != l.written {
			return fileEdit{}, report, conflictError(p.etag()) // edited while the links were read
		}
		at = max(at, l.End)
	}
	return fileEdit{r.m.newPath(c.file), folder.ApplySplices(p.data, splices), c.file}, report, nil
}

// newTarget is what to write as the target of a link, and what becomes of it; empty: it
// stays as it is, and if the outcome is empty too it leads where it should.
func (r *relinker) newTarget(from string, l writtenLink) (to string, outcome linkOutcome) {
	if l.Target == "" {
		return "", ""
	}
	found, form := r.was.resolve(from, l.Link)
	touched := slices.ContainsFunc(found, func(f string) bool { return r.m.newPath(f) != f })
	switch {
	case len(found) == 0:
		return "", ""
	case len(found) > 1 && touched:
		return "", linkAmbiguous
	case len(found) > 1:
		return "", ""
	case !touched && r.m.newPath(from) == from && !r.moved[r.calledName(l.Link)]:
		return "", ""
	}
	want := []string{r.m.newPath(found[0])}
	there := r.m.newPath(from)
	// A link that would lead there by less than it did, as by a title, is one that some
	// programs would not follow.
	now, by := r.becomes.resolve(there, l.Link)
	if slices.Equal(now, want) && by <= form && namesFile(l.Link, want[0]) {
		return "", ""
	}
	if written, ok := r.respell(l.Link, form, there, want); ok {
		return written, linkRewritten
	}
	if len(now) > 1 {
		return "", linkNewlyAmbiguous
	}
	return "", linkLeft
}

// respell writes a link on a page as it will be, so that it leads where it should.
func (r *relinker) respell(l links.Link, form linkForm, there string, want []string) (written string, ok bool) {
	if l.Wiki && !r.wiki {
		return "", false
	}
	for _, target := range r.spellings(l, form, there, want[0]) {
		try := l
		try.Target = target
		if now, _ := r.becomes.resolve(there, try); !slices.Equal(now, want) || !namesFile(try, want[0]) {
			continue
		}
		if written, ok := writeTarget(l, target, r.was.graph != nil); ok {
			return written, true
		}
	}
	return "", false
}

// namesFile reports whether a Markdown link with an extension names this very file:
// Title.md is no name of Title/_index.md to other programs.
func namesFile(l links.Link, file string) bool {
	return l.Wiki || !isPage(l.Target) || folder.FoldName(path.Base(l.Target)) == folder.FoldName(path.Base(file))
}

// calledName is the name by which a link calls a page, as in moved.
func (r *relinker) calledName(l links.Link) string {
	if r.was.graph != nil && l.Wiki {
		return folder.FoldName(r.was.graph.Canonical(l.Target))
	}
	return folder.FoldName(strings.TrimSuffix(path.Base(l.Target), ".md"))
}

// spellings are those of the function, and in a Logseq graph the title.
func (r *relinker) spellings(l links.Link, form linkForm, from, to string) []string {
	if title, ok := r.titles[to]; ok && l.Wiki {
		return []string{title}
	}
	return spellings(l, form, from, to)
}

// spellings are the targets that may name the file to on the page from, the one most
// like the link first.
func spellings(l links.Link, form linkForm, from, to string) []string {
	file := to
	if isPage(to) && !isPage(l.Target) && !strings.HasSuffix(l.Target, "/"+rootIndex) && l.Target != rootIndex {
		file = stem(to)
	} else if isPage(to) && !isPage(l.Target) {
		file = strings.TrimSuffix(to, path.Ext(to))
	}
	relative := relativePath(path.Dir(from), file)
	if !strings.HasPrefix(relative, "../") && (strings.HasPrefix(l.Target, "./") || l.Wiki) {
		relative = "./" + relative
	}
	name := path.Base(file)
	if isPage(to) && isIndex(to) && isPage(l.Target) {
		name = path.Base(path.Dir(to))
	}
	switch {
	case form == relativeForm:
		return []string{relative, file}
	case form == rootForm:
		return []string{"/" + file}
	case form == nameForm:
		return []string{name, file, relative}
	case form == titleForm && l.Wiki:
		return []string{file, relative}
	}
	return []string{file, relative}
}

// writeTarget is a target as it stands in a page, of a Logseq graph or not; false: it
// cannot stand there.
func writeTarget(l links.Link, target string, graph bool) (string, bool) {
	switch {
	case l.Tag && !links.IsGraphTag(target), l.Listed && strings.ContainsAny(target, ",#"):
		return "[[" + target + "]]", !strings.ContainsAny(target, "[]")
	case l.Tag, l.Listed:
		return target, true
	case l.Wiki && graph && !l.FrontMatter:
		return target, !strings.ContainsAny(target, "[]")
	case l.FrontMatter && l.Wiki:
		return target, !strings.ContainsAny(target, unlinkable+`"'\`)
	case l.Wiki:
		return target, !strings.ContainsAny(target, unlinkable)
	}
	escape := links.Escape
	if l.Angle {
		escape = links.EscapeAngle
	}
	target = escape(target)
	if l.FrontMatter { // it may stand in a string of YAML
		target = strings.NewReplacer(`"`, "%22", "'", "%27").Replace(target)
	}
	return target, true
}

// pageFiles lists the files of all pages in order.
func (o *outline) pageFiles() []string {
	var files []string
	for _, file := range o.listed {
		if isPage(file) && o.isPage(file) {
			files = append(files, file)
		}
	}
	return files
}

// pageNode returns the node whose page is file.
func (o *outline) pageNode(file string) (*node, bool) {
	for _, place := range []string{stem(file), file} {
		if at := o.places.at(place); at != nil && at.page == file {
			return at, true
		}
	}
	return nil, false
}
