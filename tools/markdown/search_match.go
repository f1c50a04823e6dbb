package markdown

import (
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/index"
)

// match is the best place of the query in p; false: p has nothing of it. What has all words
// comes first, and of several such places the title.
func match(p *page, query searchQuery) (PageMatch, bool) {
	m := PageMatch{Path: p.file, Title: p.title()}
	lines := strings.Split(p.text, "\n")
	body := strings.Count(p.text[:p.body], "\n")
	title := query.count(index.Tokens(m.Title))
	tags := query.count(index.Tokens(strings.Join(append(p.fields.Texts("tags"), p.fields.Texts("tag")...), "\n")))
	best, most := bestLine(lines[body:], query)
	where, front := bestFront(p, lines[:body], query)
	all := len(query.tokens)
	switch {
	case title == all, title > max(most, front, tags):
		m.Match = titleMatch
		first, last := p.front.Lines("title")
		m.MatchLine, m.MatchContext = lineOf(lines, first, last, query), m.Title
	case tags > 0 && tags >= max(most, front, min(all, most+1)):
		first, last := p.front.Lines("tags")
		if first == 0 {
			first, last = p.front.Lines("tag")
		}
		m.Match, m.MatchLine = propertyMatch+"tags", lineOf(lines, first, last, query)
	case most > 0 && (most >= all || most >= front):
		m.MatchLine = body + best + 1
	case front > 0:
		m.Match, m.MatchLine = where.name, where.line
	default: // a phrase over two lines
		return m, query.count(index.Tokens(p.frontText()+p.text[p.body:])) > 0
	}
	if m.MatchLine > 0 && m.Match != titleMatch {
		m.MatchContext = lines[m.MatchLine-1]
	}
	m.MatchContext = around(m.MatchContext, query)
	return m, true
}

// Where a match stands, if in no line of the text: of a property its key follows.
const (
	titleMatch    = "title"
	frontMatch    = "front matter"
	propertyMatch = "property: "
)

// A frontPlace is a place in the front matter.
type frontPlace struct {
	name string
	line int
}

// bestFront is the property that has most of the query, and how many terms that are.
func bestFront(p *page, lines []string, query searchQuery) (best frontPlace, most int) {
	if p.yamlError != nil {
		line, n := bestLine(lines, query)
		return frontPlace{frontMatch, line + 1}, n
	}
	for _, v := range p.front.Properties() {
		if n := query.count(index.Tokens(v.Value)); n > most && !isTitleOrTags(v.Top) {
			first, last := p.front.Lines(v.Top)
			best, most = frontPlace{propertyMatch + v.Key, lineOf(lines, first, last, query)}, n
		}
	}
	return best, most
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
// first; 0 if the text is on no line, as when a title comes from the file name.
func lineOf(lines []string, first, last int, query searchQuery) int {
	best, most := first, 0
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
