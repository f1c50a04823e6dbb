package markdown

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/taskfields"
)

// SearchPagesIn are the arguments of search_pages.
type SearchPagesIn struct {
	Query    string       `json:"query,omitempty" jsonschema:"words, \"a phrase\", OR, -word, (), key:value, key>=value"`
	Path     string       `json:"path,omitempty" jsonschema:"only below it"`
	Kind     SearchKind   `json:"kind,omitempty" jsonschema:"what to find"`
	Mode     SearchMode   `json:"mode,omitempty" jsonschema:"words ignore case, accents"`
	Tag      string       `json:"tag,omitempty" jsonschema:"pages with it"`
	Property string       `json:"property,omitempty" jsonschema:"key, key=value, due<2026-12-01"`
	Since    string       `json:"since,omitempty" jsonschema:"modified: 7d, date, from..to"`
	Tasks    TaskFilter   `json:"tasks,omitempty" jsonschema:"state"`
	Sort     TaskOrder    `json:"sort,omitempty" jsonschema:"tasks"`
	LinksTo  string       `json:"links_to,omitempty" jsonschema:"a page"`
	Links    LinkFilter   `json:"links,omitempty" jsonschema:"of pages"`
	Limit    tools.Limit  `json:"limit,omitempty" jsonschema:"at most"`
	Offset   tools.Offset `json:"offset,omitempty" jsonschema:"to skip"`
}

// enumeration is the schema of a word out of several; the first is the default.
func enumeration(words ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// SearchKind says what a search finds.
type SearchKind string

// The kinds of search; pages when omitted.
const (
	findPages       SearchKind = "page"
	findLines       SearchKind = "line"
	findTasks       SearchKind = "task"
	findHeadings    SearchKind = "heading"
	findTags        SearchKind = "tag"
	findAttachments SearchKind = "attachment"
)

// JSONSchema implements [tools.SchemaProvider].
func (SearchKind) JSONSchema() *jsonschema.Schema {
	return enumeration("page", "line", "task", "heading", "tag", "attachment")
}

// SearchMode says how a query is read.
type SearchMode string

// The modes of search; words when omitted.
const (
	byWords SearchMode = "words"
	byText  SearchMode = "exact"
	byRegex SearchMode = "regex"
	bySpell SearchMode = "fuzzy"
)

// readsWords reports whether the query is words, and not text.
func (m SearchMode) readsWords() bool { return m == byWords || m == bySpell }

// JSONSchema implements [tools.SchemaProvider].
func (SearchMode) JSONSchema() *jsonschema.Schema {
	return enumeration("words", "exact", "regex", "fuzzy")
}

// TaskFilter selects by the state of tasks.
type TaskFilter string

// JSONSchema implements [tools.SchemaProvider].
func (TaskFilter) JSONSchema() *jsonschema.Schema { return enumeration("open", "done", "any") }

// TaskOrder is what tasks are ordered by; by their places when omitted.
type TaskOrder string

// JSONSchema implements [tools.SchemaProvider].
func (TaskOrder) JSONSchema() *jsonschema.Schema {
	return enumeration("due", "priority")
}

// LinkFilter selects pages by their links.
type LinkFilter string

// The link filters; none when omitted.
const (
	orphanPages LinkFilter = "orphan"
	brokenLinks LinkFilter = "broken"
	fileLinks   LinkFilter = "attachment"
)

// JSONSchema implements [tools.SchemaProvider].
func (LinkFilter) JSONSchema() *jsonschema.Schema {
	return enumeration("orphan", "broken", "attachment")
}

// SearchPagesOut is the answer of search_pages.
type SearchPagesOut struct {
	Matches   []PageMatch `json:"matches" jsonschema:"the best first"`
	Total     int         `json:"total" jsonschema:"number of matches"`
	Truncated bool        `json:"truncated,omitempty" jsonschema:"there are more; note says how to get them"`
	Note      string      `json:"note,omitempty" jsonschema:"what was cut or left out"`
}

// PageMatch is what was found, with the page where it is.
type PageMatch struct {
	Path         string `json:"path,omitempty" jsonschema:"file of the page or attachment; missing for a tag"`
	Title        string `json:"title,omitempty" jsonschema:"title of the page; the tag"`
	Match        string `json:"match,omitempty" jsonschema:"where it matches besides the text: title, property: KEY"`
	MatchLine    int    `json:"matchLine" jsonschema:"line of the match, from 1; 0: none"`
	MatchContext string `json:"matchContext,omitempty" jsonschema:"that line, cut around the match"`
	Count        int    `json:"count,omitempty" jsonschema:"number of pages with the tag"`
	Modified     string `json:"modified,omitempty" jsonschema:"when the page was modified, with since"`
	// Task is nil unless it is a task.
	Task *taskfields.Fields `json:"task,omitempty" jsonschema:"what the task says of itself"`
}

func searchPages() tools.Tool[*Notebook] {
	return tools.Define(tools.Spec[SearchPagesIn, SearchPagesOut]{
		Name: "search_pages", Title: "Search pages", Effect: tools.Reads,
		Normalize: aliases("query", "path", "limit"),
		Doc:       "Finds pages, lines, tasks, tags and more, best first.",
		Errors:    []tools.Code{tools.NotFound, tools.Conflict},
		Hits:      searchHits, HitTotal: func(out SearchPagesOut) int { return out.Total },
		Redact: SearchPagesOut.redact, Computes: SearchPagesIn.readsFiles,
		Examples: []tools.Example[SearchPagesIn, SearchPagesOut]{{
			Purpose: "find a phrase", In: SearchPagesIn{Query: "architecture diagram", Limit: 20},
			Want: SearchPagesOut{
				Total: 1, Matches: []PageMatch{{
					Path: "Projects/Alpha.md", Title: "Alpha", MatchLine: 11, MatchContext: "Please see the Architecture Diagram below.",
				}},
			},
		}, {
			Purpose: "list the tags in use", In: SearchPagesIn{Kind: findTags, Limit: 50}, AnyAnswer: true,
		}},
	}, (*Notebook).SearchPages)
}

// readsFiles reports whether the search reads all pages, and not the index alone.
func (in SearchPagesIn) readsFiles() bool {
	return in.Kind == findLines || (in.Kind == "" || in.Kind == findPages) && (in.Mode == byText || in.Mode == byRegex)
}

// SearchPages implements search_pages.
func (n *Notebook) SearchPages(ctx context.Context, in SearchPagesIn) (SearchPagesOut, error) {
	for {
		if out, err := searchOnce(ctx, n, in); !errors.Is(err, errIndexMade) {
			return out, err
		}
	}
}

func searchOnce(ctx context.Context, n *Notebook, in SearchPagesIn) (SearchPagesOut, error) {
	s, err := newSearch(ctx, n, in)
	if err != nil {
		return SearchPagesOut{}, err
	}
	out, err := s.run(ctx)
	if _, said := errors.AsType[*tools.Error](err); err != nil && !said && s.x != nil && ctx.Err() == nil {
		n.index.drop(err)
		unindexed := *s.comparison // which other calls use, too
		unindexed.x = nil
		s.comparison = &unindexed
		out, err = s.run(ctx)
	}
	if err != nil {
		return SearchPagesOut{}, err
	}
	out.Note = skippedNote(s.outline) + s.note + out.Note
	if out.Total == 0 {
		out.Note += orgNote(n, s.outline, argumentPlace(in.Path))
	}
	if len(s.unread) > 0 {
		out.Note += fmt.Sprintf("%d pages could not be read and were not searched: %s; `lectern doctor` tells the user. ", len(s.unread),
			firstNames(s.unread))
	}
	if next := s.offset + len(out.Matches); out.Truncated || next < out.Total {
		out.Truncated = true
		out.Note += fmt.Sprintf("%d more: call again with offset %d.", max(out.Total-next, 1), next)
	}
	out.Note = strings.TrimSpace(out.Note)
	return out, nil
}

// run answers from the index, or from the files if there is none. What is spelled like
// the words is found if that is asked for, or if nothing else is.
func (s *search) run(ctx context.Context) (SearchPagesOut, error) {
	if s.mode == bySpell {
		if _, err := s.respell(ctx); err != nil {
			return SearchPagesOut{}, err
		}
	}
	out, err := s.find(ctx)
	if err != nil || out.Total > 0 {
		return out, err
	}
	leftOut, err := s.leftOutNote(ctx)
	if err != nil {
		return out, err
	}
	if out, err = s.findSpelled(ctx, out); err != nil || out.Total > 0 || s.query.Tag == "" {
		out.Note = leftOut + out.Note
		return out, err
	}
	near, err := s.nearTag(ctx)
	if near != "" {
		out.Note += fmt.Sprintf("No page has the tag %s; there is %s. ", s.query.Tag, near)
	}
	out.Note = leftOut + out.Note
	return out, err
}

// no says that nothing of a kind was found, of all or of what the filters select.
func (s *search) no(what string) string {
	if !s.isFiltered() {
		return "No " + what
	}
	return "No " + what + " that the filters select"
}

// leftOutNote says what a query finds that found nothing, but for its filters; empty: that
// is nothing too.
func (s *search) leftOutNote(ctx context.Context) (string, error) {
	all := s.withoutFilters()
	if strings.TrimSpace(s.text) == "" || !s.isFiltered() || s.mode.readsWords() && len(all.parts) == 0 {
		return "", nil
	}
	all.offset, all.limit = 0, 1
	out, err := all.find(ctx)
	if err != nil || out.Total > 0 {
		return fmt.Sprintf("Without path, tag and the other filters %d match. ", out.Total), err
	}
	if all.query.Excluded = nil; len(s.query.Excluded) > 0 {
		out, err = all.find(ctx)
	}
	if err != nil || out.Total == 0 {
		return "", err
	}
	return fmt.Sprintf("%d match on pages that the application excludes, such as %s; give its path to see it. ", out.Total,
		out.Matches[0].Path), nil
}

// find answers once.
func (s *search) find(ctx context.Context) (SearchPagesOut, error) {
	switch {
	case s.kind == findAttachments:
		return s.attachments()
	case s.kind == findTags:
		return s.tags(ctx)
	case s.kind == findTasks || s.kind == findHeadings:
		return s.marked(ctx)
	case s.kind == findLines || !s.mode.readsWords():
		return s.lines(ctx)
	}
	return s.pages(ctx)
}

// redact leaves out the matches on covered pages.
func (out SearchPagesOut) redact(covered func(page string) bool) SearchPagesOut {
	shown := len(out.Matches)
	out.Matches = slices.DeleteFunc(out.Matches, func(m PageMatch) bool { return m.Path != "" && covered(m.Path) })
	if left := shown - len(out.Matches); left > 0 {
		out.Total -= left
		note := fmt.Sprintf("%d pages are left out, because the user's policy does not let you read them.", left)
		out.Note = strings.TrimSpace(out.Note + " " + note)
	}
	return out
}
