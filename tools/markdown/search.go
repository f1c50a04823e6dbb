package markdown

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/taskfields"
)

// A search is a call of search_pages with what it needs to know of the vault.
type search struct {
	*comparison

	n             *Notebook
	kind          SearchKind
	mode          SearchMode
	text          string // of the query
	words         searchQuery
	parts         []queryPart // of the query, which hold together
	note          string      // how it was read, unless that is plain
	query         index.Query
	task          func(taskfields.Fields) bool // nil: all
	order         TaskOrder
	limit, offset int
	unread        []string // pages that could not be read
}

func newSearch(ctx context.Context, n *Notebook, in SearchPagesIn) (*search, error) {
	s := &search{
		n: n, kind: cmp.Or(in.Kind, findPages), mode: cmp.Or(in.Mode, byWords), text: in.Query, limit: int(in.Limit),
		offset: int(in.Offset), order: in.Sort,
	}
	if err := s.readFilter(in, n.now()); err != nil {
		return nil, err
	}
	now, top, err := lookAt(ctx, n, in.Path)
	if err != nil {
		return nil, err
	}
	s.comparison, s.unread = now, now.unread
	if s.mode.readsWords() {
		if err := s.readQuery(ctx, n.now()); err != nil {
			return nil, err
		}
		if strings.TrimSpace(in.Query) != "" && len(s.parts) == 0 {
			return nil, tools.Errorf(tools.Invalid, "query: %q has no letters or digits", safetext.Truncate(in.Query, 50)).
				WithHint("Use mode exact.")
		}
	}
	s.query.Excluded = excludedPages(n, now.outline, top.place)
	if argumentPlace(in.Path) != "" {
		s.query.Page, s.query.Below = top.page, top.place+"/"
	}
	if in.LinksTo != "" || in.Links != "" {
		s.query.Files, err = s.linkedFiles(ctx, in)
	}
	return s, err
}

// readFilter reads the arguments that say which pages to select.
func (s *search) readFilter(in SearchPagesIn, now time.Time) error {
	filtered := in.Tag+in.Property+in.Since+string(in.Tasks)+in.LinksTo+string(in.Links) != ""
	switch {
	case strings.TrimSpace(in.Query) == "" && s.mode != byWords:
		return tools.Errorf(tools.Invalid, "query: must not be empty with mode %s", s.mode)
	case strings.TrimSpace(in.Query) == "" && (s.kind == findLines || s.kind == findPages && !filtered):
		return tools.Errorf(tools.Invalid, "query: must not be empty").
			WithHint("Give words, or a filter such as tag or since, or kind task, tag, heading or attachment.")
	}
	switch {
	case in.Sort != "" && s.kind != findTasks:
		return tools.Errorf(tools.Invalid, "sort: orders tasks only").WithHint("Give kind task, or leave it out.")
	case s.mode == bySpell && s.kind == findAttachments:
		return tools.Errorf(tools.Invalid, "mode: names of attachments cannot be searched by fuzzy").WithHint("Use words, exact or regex.")
	}
	s.query.Tag = strings.TrimPrefix(in.Tag, "#")
	s.query.Tasks = index.TaskState(in.Tasks)
	if in.Property != "" {
		if err := s.readProperty(in.Property, now); err != nil {
			return err
		}
	}
	if in.Since != "" {
		return readTimes(&s.query.Filter, in.Since, now)
	}
	return nil
}

// parseSince reads a date, a time, or an age such as 7d.
func parseSince(text string, now time.Time) (time.Time, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if d, err := time.ParseDuration(days + "h"); err == nil {
			return now.Add(-24 * d), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil {
		return now.Add(-d), nil
	}
	if t, err := time.ParseInLocation(time.DateOnly, text, now.Location()); err == nil {
		return t, nil
	}
	if t, err := time.Parse(time.RFC3339, text); err == nil {
		return t, nil
	}
	return time.Time{}, tools.Errorf(tools.Invalid, "since: %q is not a date (2026-11-01), time (RFC 3339) or age (7d, 12h)",
		safetext.Truncate(text, 50))
}

// linkedFiles are the pages that link to one, that no page links to, or that have
// broken links.
func (s *search) linkedFiles(ctx context.Context, in SearchPagesIn) (map[string]bool, error) {
	files := map[string]bool{}
	if in.LinksTo != "" {
		target, err := s.linkTarget(in.LinksTo)
		if err != nil {
			return nil, err
		}
		p, err := s.n.read(target)
		if err != nil {
			return nil, err
		}
		linking, err := s.linkingFiles(ctx, p)
		if err != nil {
			return nil, err
		}
		for _, file := range linking {
			files[file] = file != target
		}
	}
	if in.Links == "" {
		return withoutFalse(files), nil
	}
	odd, err := s.oddLinks(ctx, s.n)
	if err != nil {
		return nil, err
	}
	var wanted map[string]bool
	switch in.Links {
	case orphanPages:
		wanted = odd.orphans
	case brokenLinks:
		wanted = odd.broken
	case fileLinks:
		wanted = odd.attached
	}
	if in.LinksTo == "" {
		return wanted, nil
	}
	for file := range files {
		files[file] = files[file] && wanted[file]
	}
	return withoutFalse(files), nil
}

// linkingFiles are the pages with a link to p.
func (s *search) linkingFiles(ctx context.Context, p *page) (files []string, err error) {
	find := func(ctx context.Context) error {
		var err error
		files, _, _, err = s.linkingTo(ctx, s.n, p)
		return err
	}
	if s.x != nil {
		err = find(ctx)
	} else {
		err = s.scan(ctx, s.n, find)
	}
	return files, err
}

// linkTarget is the page that links_to names: by its path, or as a wikilink does
// by its file's name alone, where only one page has that.
func (s *search) linkTarget(arg string) (string, error) {
	file, err := s.n.find(arg)
	if err == nil || tools.AsError(err).Code != tools.NotFound || strings.Contains(arg, "/") {
		return file, err
	}
	var named []string
	wanted := folder.FoldName(strings.TrimSuffix(arg, ".md"))
	for _, page := range s.outline.pageFiles() {
		if folder.FoldName(path.Base(stem(page))) == wanted {
			named = append(named, page)
		}
	}
	switch len(named) {
	case 0:
		return "", err
	case 1:
		return named[0], nil
	}
	return "", tools.Errorf(tools.Invalid, "links_to: %d pages are named %s", len(named), safetext.Truncate(arg, 100)).
		WithHint("Use the path of one: %s.", strings.Join(named[:min(5, len(named))], ", "))
}

func withoutFalse(files map[string]bool) map[string]bool {
	maps.DeleteFunc(files, func(_ string, is bool) bool { return !is })
	return files
}

// oddPages are the pages that no other page links to, those with a broken link, and
// those with a link to a file that is no page.
type oddPages struct{ orphans, broken, attached map[string]bool }

// A stateCache keeps what takes long to find out, until a page changes.
type stateCache struct {
	mu  sync.Mutex
	odd *oddPages // takes all links of the vault
}

// oddLinks follows every link, once for a state of the vault. Its answer must not be
// changed.
func (c *comparison) oddLinks(ctx context.Context, n *Notebook) (*oddPages, error) {
	c.cache.mu.Lock()
	defer c.cache.mu.Unlock()
	if c.cache.odd != nil {
		return c.cache.odd, nil
	}
	all, err := c.linkSources(ctx, n)
	if err != nil {
		return nil, err
	}
	odd := &oddPages{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, s := range all {
		odd.orphans[s.file] = true
	}
	r := n.newLinkResolver(c.outline.files, all)
	for _, s := range all {
		for _, l := range s.links {
			if l.Target == "" {
				continue
			}
			found, _ := r.resolve(s.file, l.Link)
			switch {
			case len(found) > 0 && !c.outline.isPage(found[0]):
				odd.attached[s.file] = true
			case len(found) == 1 && found[0] != s.file:
				delete(odd.orphans, found[0])
			case len(found) == 0 && !isOutside(l.Link) && !l.Tag && !l.Listed:
				odd.broken[s.file] = true
			}
		}
	}
	c.cache.odd = odd
	return odd, nil
}

// marked finds tasks or headings.
func (s *search) marked(ctx context.Context) (out SearchPagesOut, err error) {
	matches, _, err := s.lineMatcher()
	if err != nil {
		return out, err
	}
	var found []PageMatch
	add := func(page string, line int, text string, fields *taskfields.Fields) {
		if matches(page, text, fields) {
			found = append(found, PageMatch{Path: page, MatchLine: line, MatchContext: around(text, s.words), Task: fields})
		}
	}
	filter := s.query.Filter
	if s.kind == findTasks {
		filter.Tasks = cmp.Or(filter.Tasks, index.AnyTasks)
	}
	err = s.eachMarked(ctx, filter, func(t index.Task) {
		fields := taskfields.Parse(t.Text, t.State, t.Planning)
		if s.task == nil || s.task(fields) {
			add(t.Page, t.Line, structure.Task{State: t.State, Word: t.Word, Text: t.Text}.Written(), &fields)
		}
	}, func(h index.Heading) { add(h.Page, h.Line, strings.Repeat("#", h.Level)+" "+h.Text, nil) })
	if s.order != "" {
		slices.SortStableFunc(found, s.compareTasks)
	}
	return s.answer(found), err
}

// answer is the part of what was found that was asked for.
func (s *search) answer(found []PageMatch) (out SearchPagesOut) {
	out.Total = len(found)
	if out.Total == 0 && !s.mode.readsWords() {
		out.Note = s.no(string(s.kind)) + " matches; case matters. Try mode words. "
	}
	out.Matches = part(found, s.offset, s.limit)
	return out
}

// eachMarked visits the tasks or the headings of the selected pages, in order.
func (s *search) eachMarked(ctx context.Context, filter index.Filter, task func(index.Task), heading func(index.Heading)) error {
	if s.x != nil && s.kind == findTasks {
		return s.x.Tasks(ctx, filter, task)
	}
	if s.x != nil {
		return s.x.Headings(ctx, filter, heading)
	}
	pages, err := s.readAll(ctx)
	for _, p := range pages {
		if !filter.Selects(p) {
			continue
		}
		for _, t := range p.Tasks {
			if s.kind == findTasks && filter.Tasks.Selects(t) {
				task(t)
			}
		}
		for _, h := range p.Headings {
			if s.kind == findHeadings {
				heading(h)
			}
		}
	}
	return err
}

// tags lists tags, the most used first.
func (s *search) tags(ctx context.Context) (SearchPagesOut, error) {
	matches, _, err := s.lineMatcher()
	if err != nil {
		return SearchPagesOut{}, err
	}
	counts := map[string]int{}
	written := map[string]string{}
	count := func(tag string, pages int) {
		folded := index.Fold(tag)
		if !matches("", tag, nil) {
			return
		}
		counts[folded] += pages
		if old, ok := written[folded]; !ok || tag < old {
			written[folded] = tag
		}
	}
	filter := s.tagPages()
	if s.x != nil {
		err = s.x.Tags(ctx, filter, count)
	} else {
		var pages []index.Page
		pages, err = s.readAll(ctx)
		for _, p := range pages {
			if !filter.Selects(p) {
				continue
			}
			for _, tag := range p.Tags {
				count(tag, 1)
			}
		}
	}
	var found []PageMatch
	for folded, n := range counts {
		found = append(found, PageMatch{Title: written[folded], Count: n})
	}
	slices.SortFunc(found, func(a, b PageMatch) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Title, b.Title)) })
	return s.answer(found), err
}

// attachments lists files that are no pages, by their names.
func (s *search) attachments() (SearchPagesOut, error) {
	matches, _, err := s.lineMatcher()
	var found []PageMatch
	for _, file := range s.outline.files {
		if !s.query.Excluded[file] && (s.query.Below == "" || strings.HasPrefix(file, s.query.Below)) && err == nil && matches(file, file, nil) {
			found = append(found, PageMatch{Path: file})
		}
	}
	return s.answer(found), err
}

// part is the part of a list that an answer has.
func part(found []PageMatch, offset, limit int) []PageMatch {
	from := min(offset, len(found))
	return found[from:min(from+limit, len(found))]
}
