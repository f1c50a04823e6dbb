package cardtext

import (
	"html"
	"regexp"
	"strings"
	"unicode/utf8"
)

// A Heading is a heading in content. Position counts characters from its beginning.
type Heading struct {
	Level    int    `json:"level"`
	Text     string `json:"text"`
	Position int    `json:"position"`
	Format   string `json:"format"` // html or markdown
}

var (
	htmlHeading     = regexp.MustCompile(`(?is)<h([1-6])\b[^>]*>(.*?)</h[1-6]\s*>`)
	markdownHeading = regexp.MustCompile(`(?m)^(#{1,6})[ \t]+(.+?)[ \t]*#*$`)
	tag             = regexp.MustCompile(`<[^>]*>`)
)

// Outline lists the headings of content: of HTML, and where it has none those of
// Markdown.
func Outline(content string) []Heading {
	all := []Heading{}
	for _, m := range htmlHeading.FindAllStringSubmatchIndex(content, -1) {
		text := html.UnescapeString(tag.ReplaceAllString(content[m[4]:m[5]], ""))
		all = append(all, Heading{int(content[m[2]] - '0'), strings.TrimSpace(text), utf8.RuneCountInString(content[:m[0]]), "html"})
	}
	if len(all) > 0 {
		return all
	}
	for _, m := range markdownHeading.FindAllStringSubmatchIndex(content, -1) {
		all = append(all, Heading{m[3] - m[2], content[m[4]:m[5]], utf8.RuneCountInString(content[:m[0]]), "markdown"})
	}
	return all
}

// A Match is a place where a text is found. Numbers count characters.
type Match struct {
	Position     int    `json:"position"`
	Context      string `json:"context"`
	ContextStart int    `json:"context_start"`
	MatchOffset  int    `json:"match_offset_in_context"`
}

// Find lists where query is in content, letter for letter, with so many characters
// around it. Matches do not overlap; at most limit are listed, and all counted.
func Find(content, query string, around, limit int) (matches []Match, total int) {
	matches = []Match{}
	if query == "" {
		return matches, 0
	}
	text, length := []rune(content), utf8.RuneCountInString(query)
	position, rest := 0, content
	for {
		at := strings.Index(rest, query)
		if at < 0 {
			return matches, total
		}
		position += utf8.RuneCountInString(rest[:at])
		if total++; total <= limit {
			from, to := max(position-around, 0), min(position+length+around, len(text))
			matches = append(matches, Match{position, string(text[from:to]), from, position - from})
		}
		position += length
		rest = rest[at+len(query):]
	}
}

// PlainText is HTML without its tags, for a search and for snippets.
func PlainText(content string) string {
	return html.UnescapeString(tag.ReplaceAllString(content, " "))
}
