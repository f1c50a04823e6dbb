package links

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// Tags returns the tags in text from the byte offset body, such as work/plans
// for #work/plans, and Logseq's #[[two words]]. It ignores code, comments and
// maths, and numbers. A tag begins a line, or follows a blank: {#a} is an id of a heading.
func Tags(text string, body int) []string {
	return namesOf(FindTags(text, structure.Lines(text, body)))
}

func namesOf(tags []Tag) (names []string) {
	for _, t := range tags {
		names = append(names, t.Name)
	}
	return names
}

// A Tag is a tag as written.
type Tag struct {
	Name  string // without #
	Start int    // byte offset of the name
}

// FindTags are the tags of a text whose lines are known, in order.
func FindTags(text string, lines []structure.Line) []Tag {
	s := scanner{}
	s.scan(text, lines)
	return s.tags
}

// IsTag reports whether #name is a tag.
func IsTag(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return !isTagRune(r) }) &&
		strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsDigit(r) })
}

// tag reads a possible tag at line[i], which is "#", and returns its length.
func (s *scanner) tag(line string, i int) int {
	before, _ := utf8.DecodeLastRuneInString(line[:i])
	switch {
	case i == 0 || unicode.IsSpace(before):
	case !s.graph, isTagRune(before), before == '&', before == '#':
		return 1
	}
	rest := line[i+1:]
	if words, ok := strings.CutPrefix(rest, "[["); ok {
		if end := strings.Index(words, "]]"); end > 0 {
			s.tags = append(s.tags, Tag{words[:end], s.offset + i + 3})
		}
		return 1 // the words are a link as well
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !isTagRune(r) })
	if end < 0 {
		end = len(rest)
	}
	if s.graph {
		return 1 + s.tagLink(rest, i+1)
	}
	if strings.ContainsFunc(rest[:end], func(r rune) bool { return !unicode.IsDigit(r) }) {
		s.tags = append(s.tags, Tag{rest[:end], s.offset + i + 1})
	}
	return 1 + end
}

func isTagRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' || r == '/'
}
