package markdown

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools"
)

// SearchPagesIn are the arguments of search_pages.
type SearchPagesIn struct {
	Query  string       `json:"query" jsonschema:"text to find; case is ignored"`
	Path   string       `json:"path,omitempty" jsonschema:"only this page or folder and the pages below it"`
	Limit  tools.Limit  `json:"limit,omitempty" jsonschema:"maximum number of pages"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"pages to skip"`
}

// SearchPagesOut is the answer of search_pages.
type SearchPagesOut struct {
	Matches   []PageMatch `json:"matches" jsonschema:"one entry per page: title matches first, then tags, then text"`
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
	rank         int
}

func searchPages() tools.Tool[*Notebook] {
	return tools.Define(tools.Spec[SearchPagesIn, SearchPagesOut]{
		Name: "search_pages", Title: "Search pages", Effect: tools.Reads,
		Doc: "Finds pages whose title, tags or text contain the query.\n" +
			"The query is one literal phrase without operators, like grep -i -F. If nothing is found, try other words.",
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
	query := lower(strings.TrimSpace(in.Query))
	if query == "" {
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
	slices.SortFunc(found, func(a, b PageMatch) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Path, b.Path)) })
	out := SearchPagesOut{Total: len(found), Note: skippedNote(o)}
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
	inText
)

// match is the first match of the lower-case query in p; its Path is empty if
// there is none.
func match(p *page, query string) PageMatch {
	m := PageMatch{Path: p.file, Title: p.title()}
	lines := strings.Split(p.text, "\n")
	switch {
	case strings.Contains(lower(m.Title), query):
		first, last := p.fields.Lines("title")
		m.rank, m.MatchLine, m.MatchContext = inTitle, lineOf(lines, first, last, query), m.Title
	case slices.ContainsFunc(p.fields.Texts("tags"), func(tag string) bool { return strings.Contains(lower(tag), query) }):
		first, last := p.fields.Lines("tags")
		m.rank, m.MatchLine = inTags, lineOf(lines, first, last, query)
		m.MatchContext = lines[m.MatchLine-1]
	default:
		body := lower(p.text[p.body:])
		at := strings.Index(body, query)
		if at < 0 {
			return PageMatch{}
		}
		m.rank, m.MatchLine = inText, strings.Count(p.text[:p.body], "\n")+strings.Count(body[:at], "\n")+1
		m.MatchContext = lines[m.MatchLine-1]
	}
	m.MatchContext = around(m.MatchContext, query)
	return m
}

// lineOf returns the line from first to last that has the query, or else first; 1
// if the text is on no line, as when a title comes from the file name.
func lineOf(lines []string, first, last int, query string) int {
	for i := first; i >= 1 && i <= min(last, len(lines)); i++ {
		if strings.Contains(lower(lines[i-1]), query) {
			return i
		}
	}
	return max(first, 1)
}

// around cuts a line to about 200 characters around the query.
func around(line, query string) string {
	const width = 200
	rs := []rune(strings.TrimSpace(line))
	if len(rs) <= width {
		return string(rs)
	}
	at := 0
	if i := strings.Index(lower(string(rs)), query); i > 0 {
		at = len([]rune(lower(string(rs))[:i]))
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

// lower is the form in which texts are compared. It keeps line breaks.
func lower(s string) string {
	if !norm.NFC.IsNormalString(s) {
		s = norm.NFC.String(s)
	}
	return strings.ToLower(s)
}
