package markdown

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// SearchPagesIn are the arguments of search_pages.
type SearchPagesIn struct {
	Query  string       `json:"query" jsonschema:"words, or \"a phrase\""`
	Path   string       `json:"path,omitempty" jsonschema:"only below this page or folder"`
	Limit  tools.Limit  `json:"limit,omitempty" jsonschema:"maximum number of pages"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"pages to skip"`
}

// SearchPagesOut is the answer of search_pages.
type SearchPagesOut struct {
	Matches   []PageMatch `json:"matches" jsonschema:"one entry per page, the best first"`
	Total     int         `json:"total" jsonschema:"number of pages that match"`
	Truncated bool        `json:"truncated,omitempty" jsonschema:"there are more; note says how to get them"`
	Note      string      `json:"note,omitempty" jsonschema:"what was cut or left out"`
}

// PageMatch is a page and its first match.
type PageMatch struct {
	Path         string `json:"path" jsonschema:"file of the page"`
	Title        string `json:"title" jsonschema:"title"`
	MatchLine    int    `json:"matchLine" jsonschema:"line of the first match, from 1"`
	MatchContext string `json:"matchContext" jsonschema:"that line, cut around the match"`
	rank, terms  int
}

func searchPages() tools.Tool[*Notebook] {
	return tools.Define(tools.Spec[SearchPagesIn, SearchPagesOut]{
		Name: "search_pages", Title: "Search pages", Effect: tools.Reads,
		Normalize: aliases("query", "path", "limit"),
		Doc: "Finds pages by words in their titles, tags and texts, best first.\n" +
			"Pages with all words come first; case and accents are ignored.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Hits:   searchHits,
		Redact: SearchPagesOut.redact,
		Examples: []tools.Example[SearchPagesIn, SearchPagesOut]{{
			Purpose: "find a phrase", In: SearchPagesIn{Query: "architecture diagram", Limit: 20},
			Want: SearchPagesOut{Total: 1, Matches: []PageMatch{{Path: "Projects/Alpha.md", Title: "Alpha", MatchLine: 11, MatchContext: "Please see the Architecture Diagram below."}}},
		}},
	}, (*Notebook).SearchPages)
}

// SearchPages implements search_pages.
func (n *Notebook) SearchPages(ctx context.Context, in SearchPagesIn) (SearchPagesOut, error) {
	query := parseQuery(in.Query)
	if len(query.terms) == 0 {
		return SearchPagesOut{}, tools.Errorf(tools.Invalid, "query: must not be empty")
	}
	o, top, err := n.findNode(ctx, in.Path)
	if err != nil {
		return SearchPagesOut{}, err
	}
	var files []string
	top.pages(func(at *node) { files = append(files, at.page) })
	found := make([]PageMatch, len(files))
	unreadable := make([]bool, len(files))
	err = folder.ForEach(ctx, len(files), func(i int) {
		p, err := n.read(files[i])
		if err != nil {
			unreadable[i] = true
			return
		}
		found[i] = match(p, query)
	})
	if err != nil {
		return SearchPagesOut{}, err
	}
	found = slices.DeleteFunc(found, func(m PageMatch) bool { return m.Path == "" })
	slices.SortFunc(found, func(a, b PageMatch) int {
		return cmp.Or(cmp.Compare(b.terms, a.terms), cmp.Compare(a.rank, b.rank), cmp.Compare(a.Path, b.Path))
	})
	out := SearchPagesOut{Note: skippedNote(o)}
	switch all := len(query.terms); {
	case len(found) == 0:
		out.Note += "No page has any of these words. Try others, or list_pages. "
	case found[0].terms < all:
		out.Note += fmt.Sprintf("No page has all %d words; these have %d or fewer. ", all, found[0].terms)
	default: // pages with some of the words say nothing beside those with all
		found = slices.DeleteFunc(found, func(m PageMatch) bool { return m.terms < all })
	}
	out.Total = len(found)
	from := min(int(in.Offset), len(found))
	to := min(from+int(in.Limit), len(found))
	out.Matches = found[from:to]
	if bad := len(slices.DeleteFunc(unreadable, func(b bool) bool { return !b })); bad > 0 {
		out.Note += fmt.Sprintf("%d pages could not be read and were not searched. ", bad)
	}
	if to < len(found) {
		out.Truncated = true
		out.Note += fmt.Sprintf("%d more pages: call again with offset %d.", len(found)-to, to)
	}
	return out, nil
}

// redact leaves out the matches on covered pages.
func (out SearchPagesOut) redact(covered func(page string) bool) SearchPagesOut {
	shown := len(out.Matches)
	out.Matches = slices.DeleteFunc(out.Matches, func(m PageMatch) bool { return covered(m.Path) })
	if left := shown - len(out.Matches); left > 0 {
		out.Total -= left
		out.Note += fmt.Sprintf("%d pages are left out, because the user's policy does not let you read them. ", left)
	}
	return out
}

// Where a page matches, in the order of the answer.
const (
	inTitle = iota + 1
	inTags
	asPhrase
	inText
)

// match is the best match of the query in p; its Path is empty if there is none.
func match(p *page, query searchQuery) PageMatch {
	m := PageMatch{Path: p.file, Title: p.title()}
	title, body := fold(m.Title), fold(p.text[p.body:])
	tags := fold(strings.Join(p.fields.Texts("tags"), "\n"))
	all := title + "\n" + tags + "\n" + body
	if m.terms = query.count(all); m.terms == 0 {
		return PageMatch{}
	}
	lines := strings.Split(p.text, "\n")
	switch {
	case query.count(title) == m.terms:
		first, last := p.fields.Lines("title")
		m.rank, m.MatchLine, m.MatchContext = inTitle, lineOf(lines, first, last, query), m.Title
	case query.count(tags) == m.terms:
		first, last := p.fields.Lines("tags")
		m.rank, m.MatchLine = inTags, lineOf(lines, first, last, query)
		m.MatchContext = lines[m.MatchLine-1]
	default:
		m.rank = inText
		if strings.Contains(body, query.phrase) {
			m.rank = asPhrase
		}
		m.MatchLine = strings.Count(p.text[:p.body], "\n") + query.line(body) + 1
		m.MatchContext = lines[m.MatchLine-1]
	}
	m.MatchContext = around(m.MatchContext, query)
	return m
}

// lineOf returns the line from first to last that has most of the query, or else
// first; 1 if the text is on no line, as when a title comes from the file name.
func lineOf(lines []string, first, last int, query searchQuery) int {
	best, most := max(first, 1), 0
	for i := first; i >= 1 && i <= min(last, len(lines)); i++ {
		if n := query.count(fold(lines[i-1])); n > most {
			best, most = i, n
		}
	}
	return best
}

// around cuts a line to about 200 characters around what it has of the query.
func around(line string, query searchQuery) string {
	const width = 200
	rs := []rune(strings.TrimSpace(line))
	if len(rs) <= width {
		return string(rs)
	}
	at := 0
	if folded := fold(string(rs)); query.longest(folded) != "" { // a mark that folding removes moves the cut a little
		at = len([]rune(folded[:strings.Index(folded, query.longest(folded))]))
	}
	from := max(0, min(at-width/3, len(rs)-width))
	cut := strings.TrimSpace(string(rs[from : from+width]))
	if from > 0 {
		cut = "..." + cut
	}
	if from+width < len(rs) {
		cut += "..."
	}
	return cut
}
