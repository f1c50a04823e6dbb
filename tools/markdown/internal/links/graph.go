package links

import (
	"strings"
	"unicode"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/logseqfile"
)

// TagEnds are the characters that end a tag of Logseq, besides blanks.
const TagEnds = "#[](){}<>,;!?'\"`"

// IsGraphTag reports whether #name is a link to the page of that name in a Logseq
// graph, so that it needs no brackets.
func IsGraphTag(name string) bool { return name != "" && graphTag(name) == len(name) }

// graphTag is the length of the name of a tag at the beginning of rest: up to a blank
// or a sign that ends it, without the full stops and colons that end a sentence.
func graphTag(rest string) int {
	end := strings.IndexFunc(rest, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune(TagEnds, r)
	})
	if end < 0 {
		end = len(rest)
	}
	return len(strings.TrimRight(rest[:end], ".:*_~=|\\"))
}

// tagLink reads the name of a tag, which begins at a position of the line, and returns
// its length.
func (s *scanner) tagLink(rest string, at int) int {
	n := graphTag(rest)
	if n > 0 {
		start := s.offset + at
		s.found = append(s.found, Link{Wiki: true, Tag: true, Target: rest[:n], Line: s.line, Start: start, End: start + n})
	}
	return n
}

// property reads a line of a property whose value is not searched for links as text
// is: names of the page itself, and the names of pages in tags. It reports whether the
// line is one.
func (s *scanner) property(line string) bool {
	p, ok := logseqfile.ReadProperty(strings.TrimPrefix(strings.TrimLeft(line, " \t"), "- "), 0)
	if !ok {
		return false
	}
	switch p.Key {
	case "title", "alias", "aliases":
		return true
	case "tags":
		at := strings.LastIndex(line, p.Value)
		for part := range strings.SplitSeq(p.Value, ",") {
			if name := strings.TrimSpace(part); name != "" && !strings.ContainsAny(name, "#[]") {
				start := s.offset + at + strings.Index(part, name)
				s.found = append(s.found, Link{Wiki: true, Listed: true, Target: name, Line: s.line, Start: start, End: start + len(name)})
			}
			at += len(part) + 1
		}
	}
	return false
}
