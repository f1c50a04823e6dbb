package markdown

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/taskfields"
)

// A searchUnit is what a query may find: a line, a task, a heading, a tag or an attachment.
type searchUnit struct {
	file   string // empty: a tag, which is on many pages
	tokens []string
	task   *taskfields.Fields
}

// A queryPart is a part of a query: as a condition on pages, and as one on units of them.
type queryPart struct {
	page   index.Condition
	unit   func(searchUnit) bool
	onText bool // there are words in it
	onPage bool // there is something in it that pages have, and not texts
}

// readQuery reads the query as words and conditions on pages.
func (s *search) readQuery(ctx context.Context, now time.Time) error {
	query, err := status.ParseSearch(s.text)
	if err != nil {
		return tools.Errorf(tools.Invalid, "query: %v", err)
	}
	r := queryReader{search: s, now: now, filters: map[string]*pageFilter{}}
	if err := r.readConditions(ctx, query); err != nil {
		return err
	}
	var where []index.Condition
	for _, e := range query.Conjuncts() {
		part, counts := r.read(e, false)
		switch {
		case !counts:
			continue
		case s.kind == findTags && part.onText && part.onPage:
			return tools.Errorf(tools.Invalid, "query: %q joins words of tags with conditions on pages", safetext.Truncate(e.String(), 50)).
				WithHint("Let the conditions stand beside the words.")
		}
		s.parts, where = append(s.parts, part), append(where, part.page)
	}
	s.query.Terms = s.words.tokens
	if slices.ContainsFunc(where, func(c index.Condition) bool { return c.Op != index.Has }) {
		s.query.Where = &index.Condition{Of: where}
	} else {
		s.words.phrase = strings.Join(s.words.terms, " ")
	}
	return nil
}

// A queryReader reads the parts of a query.
type queryReader struct {
	*search

	now     time.Time
	filters map[string]*pageFilter // by conditions as they are written
}

// A pageFilter is a condition on pages or on tasks.
type pageFilter struct {
	index.Filter

	path  string          // which the file has in its name, folded
	task  bool            // Filter is about a task
	known bool            // some page has such a property
	files map[string]bool // the pages that it selects
}

func (f *pageFilter) selectsTask(fields *taskfields.Fields) bool {
	value := fields.Value(f.Property)
	return value != "" && f.SelectsValue(index.Fold(value))
}

// readConditions finds out which pages the conditions of a query select.
func (r *queryReader) readConditions(ctx context.Context, query *status.SearchExpr) (err error) {
	query.Walk(func(e *status.SearchExpr) {
		if err == nil && e.Op == status.SearchCondition && e.Value != "" && r.filters[e.Text] == nil {
			r.filters[e.Text], err = r.readFilter(e)
		}
	})
	if err != nil || len(r.filters) == 0 {
		return err
	}
	if r.x == nil {
		return r.readFiles(ctx)
	}
	for _, f := range r.filters {
		if f.Property != "" && !f.task {
			if f.known, err = r.x.HasProperty(ctx, f.Property); err != nil {
				return err
			}
		}
		if f.files != nil {
			continue
		}
		if f.files, err = r.x.SelectFiles(ctx, f.Filter); err != nil {
			return err
		}
	}
	return nil
}

// readFiles reads all pages for what they meet.
func (r *queryReader) readFiles(ctx context.Context) error {
	pages, err := r.readAll(ctx)
	for _, f := range r.filters {
		wanted := f.files == nil
		if wanted {
			f.files = map[string]bool{}
		}
		for _, p := range pages {
			f.known = f.known || f.Property != "" && slices.ContainsFunc(p.Properties, func(has index.Property) bool {
				return has.Key == index.Fold(f.Property)
			})
			if wanted && f.Selects(p) {
				f.files[p.File] = true
			}
		}
	}
	return err
}

func (r *queryReader) readFilter(e *status.SearchExpr) (*pageFilter, error) {
	f := &pageFilter{}
	equal := e.Sign == ":" || e.Sign == "="
	switch key := strings.ToLower(e.Key); {
	case equal && (key == "tag" || key == "tags"):
		f.known, f.Tag = true, strings.TrimPrefix(e.Value, "#")
	case equal && key == "path":
		f.known, f.path, f.files = true, folder.FoldName(e.Value), map[string]bool{}
		for _, file := range r.outline.pageFiles() {
			f.files[file] = strings.Contains(folder.FoldName(file), f.path)
		}
		f.files = withoutFalse(f.files)
	default:
		if f.task = r.kind == findTasks && slices.Contains(taskfields.Names(), key); f.task {
			f.known, f.files = true, map[string]bool{}
		}
		return f, setProperty(&f.Filter, e.Key, e.Sign, e.Value, r.now)
	}
	return f, nil
}

// read reads a part of the query, or what is to hold if that does not. False: it does not
// count, as signs without letters do not.
func (r *queryReader) read(e status.SearchExpr, negated bool) (part queryPart, counts bool) {
	switch e.Op {
	case status.SearchNot:
		return r.read(e.Of[0], !negated)
	case status.SearchAll, status.SearchAny:
		return r.join(e, (e.Op == status.SearchAll) != negated, negated)
	case status.SearchCondition:
		if f := r.filters[e.Text]; f != nil && f.known {
			return f.part(negated), true
		} else if f != nil {
			r.note += fmt.Sprintf("No page has the property %s, so %s is searched for as words. ", safetext.Truncate(e.Key, 50),
				safetext.Truncate(e.Text, 50))
		}
	case status.SearchWord, status.SearchPhrase:
	}
	if negated {
		term := index.Tokens(e.Text)
		r.query.Unwanted = append(r.query.Unwanted, term)
		return queryPart{
			page: index.Condition{Op: index.Lacks, Term: len(r.query.Unwanted) - 1}, onText: true,
			unit: func(u searchUnit) bool { return !containsWords(u.tokens, term) },
		}, len(term) > 0
	}
	term, counts := r.words.addTerm(e.Text)
	s := r.search
	return queryPart{
		page: index.Condition{Op: index.Has, Term: term}, onText: true,
		unit: func(u searchUnit) bool { return s.words.has(term, u.tokens) },
	}, counts
}

func (r *queryReader) join(e status.SearchExpr, all, negated bool) (joined queryPart, counts bool) {
	joined.page.Op = index.Any
	if all {
		joined.page.Op = index.All
	}
	var units []func(searchUnit) bool
	for _, of := range e.Of {
		part, counts := r.read(of, negated)
		if !counts {
			continue
		}
		joined.page.Of, units = append(joined.page.Of, part.page), append(units, part.unit)
		joined.onText, joined.onPage = joined.onText || part.onText, joined.onPage || part.onPage
	}
	joined.unit = func(u searchUnit) bool { // all hold, or one does
		return slices.ContainsFunc(units, func(holds func(searchUnit) bool) bool { return holds(u) != all }) != all
	}
	return joined, len(units) > 0
}

func (f *pageFilter) part(negated bool) queryPart {
	op := index.InFiles
	if negated {
		op = index.NotInFiles
	}
	return queryPart{
		page: index.Condition{Op: op, Files: f.files}, onPage: true,
		unit: func(u searchUnit) bool {
			switch {
			case u.file == "":
				return true
			case f.task:
				return f.selectsTask(u.task) != negated
			case f.path != "":
				return strings.Contains(folder.FoldName(u.file), f.path) != negated
			}
			return f.files[u.file] != negated
		},
	}
}

// holdsFor reports whether the query finds a unit.
func (s *search) holdsFor(u searchUnit) bool {
	return !slices.ContainsFunc(s.parts, func(p queryPart) bool { return !p.unit(u) })
}

// withoutFilters is the search without what only leaves pages out.
func (s *search) withoutFilters() *search {
	all := *s
	all.task, all.query.Filter = nil, index.Filter{Excluded: s.query.Excluded}
	all.parts = slices.DeleteFunc(slices.Clone(s.parts), func(p queryPart) bool { return !p.page.NeedsTerm() })
	if s.query.Where != nil {
		all.query.Where = &index.Condition{}
		for _, p := range all.parts {
			all.query.Where.Of = append(all.query.Where.Of, p.page)
		}
	}
	return &all
}

// isFiltered reports whether something besides words decides what is found.
func (s *search) isFiltered() bool {
	return !s.query.SelectsAll() || s.task != nil || slices.ContainsFunc(s.parts, func(p queryPart) bool { return !p.page.NeedsTerm() })
}

// tagPages are the only pages whose tags are counted, by the conditions of the query.
func (s *search) tagPages() index.Filter {
	f := s.query.Filter
	for _, p := range s.parts {
		if !p.onPage {
			continue
		}
		files := map[string]bool{}
		for _, file := range s.outline.pageFiles() {
			files[file] = (f.Files == nil || f.Files[file]) && p.page.Holds(file, nil, nil)
		}
		f.Files = withoutFalse(files)
	}
	return f
}
