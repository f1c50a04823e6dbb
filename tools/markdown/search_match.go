package markdown

import (
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// match is the best place of the query in p; false: p has nothing of it.
func match(p *page, query searchQuery) (PageMatch, bool) {
	m := PageMatch{Path: p.file, Title: p.title()}
	lines := strings.Split(p.text, "\n")
	body := strings.Count(p.text[:p.body], "\n")
	tags := strings.Join(append(p.fields.Texts("tags"), p.fields.Texts("tag")...), "\n")
	title := index.Tokens(m.Title)
	best, most := bestLine(lines[body:], query)
	switch {
	case query.inTokens(title):
		first, last := p.fields.Lines("title")
		m.MatchLine, m.MatchContext = lineOf(lines, first, last, query), m.Title
	case tags != "" && query.inTokens(index.Tokens(tags)):
		first, last := p.fields.Lines("tags")
		m.MatchLine = lineOf(lines, first, last, query)
		m.MatchContext = lines[m.MatchLine-1]
	case most > 0:
		m.MatchLine = body + best + 1
		m.MatchContext = lines[m.MatchLine-1]
	case query.count(title) > 0:
		m.MatchLine, m.MatchContext = 1, m.Title
	default:
		first, last := p.fields.Lines("tags")
		if m.MatchLine = lineOf(lines, first, last, query); query.count(index.Tokens(p.text[:p.body])) == 0 {
			return m, query.count(index.Tokens(p.text)) > 0 // a phrase over two lines
		}
		m.MatchContext = lines[m.MatchLine-1]
	}
	m.MatchContext = around(m.MatchContext, query)
	return m, true
}

// bestLine is the line that has the words of the query together, or else the first
// of those that have most of its terms, and how many that are.
func bestLine(lines []string, query searchQuery) (best, most int) {
	for i, line := range lines {
		tokens := index.Tokens(line)
		n := query.count(tokens)
		if n == len(query.tokens) && containsPhrase(tokens, query.joined()) {
			n++
		}
		if n > most {
			best, most = i, n
		}
	}
	return best, most
}

// lineOf returns the line from first to last that has most of the query, or else
// first; 1 if the text is on no line, as when a title comes from the file name.
func lineOf(lines []string, first, last int, query searchQuery) int {
	best, most := max(first, 1), 0
	for i := first; i >= 1 && i <= min(last, len(lines)); i++ {
		if n := query.count(index.Tokens(lines[i-1])); n > most {
			best, most = i, n
		}
	}
	return best
}

// contextWidth is roughly how many characters of a line an answer has.
const contextWidth = 160

// around cuts a line to about contextWidth characters around what it has of the
// query.
func around(line string, query searchQuery) string {
	rs := []rune(strings.TrimSpace(line))
	if len(rs) <= contextWidth {
		return string(rs)
	}
	at := 0
	if folded := index.Fold(string(rs)); query.longest(folded) != "" { // a mark that folding removes moves the cut a little
		at = len([]rune(folded[:strings.Index(folded, query.longest(folded))]))
	}
	from := max(0, min(at-contextWidth/3, len(rs)-contextWidth))
	cut := strings.TrimSpace(string(rs[from : from+contextWidth]))
	if from > 0 {
		cut = "..." + cut
	}
	if from+contextWidth < len(rs) {
		cut += "..."
	}
	return cut
}
