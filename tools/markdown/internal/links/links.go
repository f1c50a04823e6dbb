// Package links finds the links in the text of a page: wikilinks, embeds and
// Markdown links. It reads line by line and knows enough Markdown to ignore
// fenced and inline code, comments and display maths. It does not resolve
// links.
//
// Only tools/markdown imports it. Start reading at [Scan].
package links

import (
	"net/url"
	"regexp"
	"strings"
)

// A Link is one link as written.
type Link struct {
	Wiki    bool   // [[...]], rather than [...](...)
	Embed   bool   // ![[...]] or ![...](...)
	Target  string // decoded, without heading and block; "" means the page itself
	Heading string // after "#"; nested headings are joined by "#"
	Block   string // after "^"
	Text    string // the text shown instead, if any
	Line    int    // 1-based
	// Start and End are the byte offsets of the written target, without
	// heading, block and angle brackets: what a new target replaces.
	Start, End int
}

// Scan returns the links in text from the byte offset body, in order.
func Scan(text string, body int) []Link {
	s := scanner{line: strings.Count(text[:body], "\n") + 1}
	s.scan(text, body)
	return s.found
}

func (s *scanner) scan(text string, body int) {
	for at := body; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		s.scanLine(text, at, at+end)
		s.line++
		at += end + 1
	}
}

// scanner tracks whether a line is inside code, a comment or maths.
type scanner struct {
	found  []Link
	tags   []string
	line   int
	fence  string // the backticks or tildes that opened a code block
	until  string // the end of a comment or display maths
	offset int
}

func (s *scanner) scanLine(text string, start, end int) {
	line := text[start:end]
	if s.until == "" && s.fenceLine(line) {
		return
	}
	s.offset = start
	for i := 0; i < len(line); {
		if s.until != "" {
			stop := strings.Index(line[i:], s.until)
			if stop < 0 {
				return
			}
			i += stop + len(s.until)
			s.until = ""
			continue
		}
		i = s.step(line, i)
	}
}

// fenceLine reports whether the line opens, closes or is inside fenced code.
func (s *scanner) fenceLine(line string) bool {
	t := strings.TrimLeft(line, " \t>")
	if s.fence != "" {
		if strings.HasPrefix(t, s.fence) && strings.Trim(t, s.fence[:1]+" \t\r") == "" {
			s.fence = ""
		}
		return true
	}
	t = strings.TrimLeft(strings.TrimLeft(t, "-*+0123456789.)"), " \t") // a fence may open a list entry
	for _, mark := range []string{"`", "~"} {
		run := len(t) - len(strings.TrimLeft(t, mark))
		if run >= 3 && (mark == "~" || !strings.Contains(t[run:], "`")) {
			s.fence = t[:run]
			return true
		}
	}
	return false
}

// step reads what begins at line[i] and returns the position after it.
func (s *scanner) step(line string, i int) int {
	rest := line[i:]
	switch {
	case rest[0] == '\\':
		return i + 2
	case rest[0] == '`':
		return i + codeSpan(rest)
	case rest[0] == '#':
		return i + s.tag(line, i)
	case strings.HasPrefix(rest, "<!--"):
		s.until = "-->"
		return i + 4
	case strings.HasPrefix(rest, "%%"):
		s.until = "%%"
		return i + 2
	case strings.HasPrefix(rest, "$$"):
		s.until = "$$"
		return i + 2
	case strings.HasPrefix(rest, "[["):
		return i + s.wiki(rest, i, i > 0 && line[i-1] == '!')
	case strings.HasPrefix(rest, "]("):
		return i + s.inline(line, i)
	case rest[0] == '[' && strings.TrimSpace(line[:i]) == "":
		return i + s.definition(rest, i)
	}
	return i + 1
}

// codeSpan returns the length of the code span at the beginning of rest, or of
// its backticks if it is not closed.
func codeSpan(rest string) int {
	run := len(rest) - len(strings.TrimLeft(rest, "`"))
	for at := run; at < len(rest); {
		next := strings.IndexByte(rest[at:], '`')
		if next < 0 {
			break
		}
		at += next
		closing := len(rest[at:]) - len(strings.TrimLeft(rest[at:], "`"))
		at += closing
		if closing == run {
			return at
		}
	}
	return run
}

// wiki reads [[target#heading^block|text]]; in a table the bar is "\|".
func (s *scanner) wiki(rest string, at int, embed bool) int {
	inner, _, closed := strings.Cut(rest[2:], "]]")
	if !closed || inner == "" || strings.ContainsAny(inner, "[]") {
		return 2
	}
	dest, text, _ := strings.Cut(inner, "|")
	dest = strings.TrimSuffix(dest, `\`)
	target := dest
	if i := strings.IndexAny(dest, "#^"); i >= 0 {
		target = dest[:i]
	}
	heading, block := anchor(dest[len(target):])
	lead := len(target) - len(strings.TrimLeft(target, " "))
	start := s.offset + at + 2 + lead
	trimmed := strings.TrimSpace(target)
	s.found = append(s.found, Link{
		Wiki: true, Embed: embed, Target: trimmed, Heading: heading, Block: block,
		Text: strings.TrimSpace(text), Line: s.line, Start: start, End: start + len(trimmed),
	})
	return 2 + len(inner) + 2
}

// anchor splits "#heading", "#a#b", "#^block" and "^block".
func anchor(s string) (heading, block string) {
	heading, block, _ = strings.Cut(strings.TrimPrefix(s, "#"), "^")
	return strings.Trim(strings.TrimSpace(heading), "#"), strings.TrimSpace(block)
}

// inline reads the "](target)" of a Markdown link.
func (s *scanner) inline(line string, at int) int {
	open := strings.LastIndexByte(line[:at], '[')
	if open < 0 {
		return 2
	}
	written, skip, after := destination(line[at+2:])
	if closing := strings.TrimLeft(line[at+2+after:], " \t"); !strings.HasPrefix(closing, ")") && !strings.HasPrefix(closing, `"`) && !strings.HasPrefix(closing, "'") {
		return 2
	}
	s.markdown(written, at+2+skip, open > 0 && line[open-1] == '!', line[open+1:at])
	return 2 + after
}

var reference = regexp.MustCompile(`^\[([^\[\]]+)\]:[ \t]*`)

// definition reads "[name]: target" at the beginning of a line.
func (s *scanner) definition(rest string, at int) int {
	m := reference.FindStringSubmatch(rest)
	if m == nil || strings.HasPrefix(m[1], "^") { // [^1]: is a footnote
		return 1
	}
	written, skip, after := destination(rest[len(m[0]):])
	s.markdown(written, at+len(m[0])+skip, false, m[1])
	return len(m[0]) + after
}

// destination returns the target at the beginning of rest: in angle brackets,
// or up to a space or an unmatched bracket. It starts skip bytes in and ends
// at after.
func destination(rest string) (written string, skip, after int) {
	lead := len(rest) - len(strings.TrimLeft(rest, " \t"))
	rest = rest[lead:]
	if strings.HasPrefix(rest, "<") {
		if end := strings.IndexByte(rest, '>'); end > 0 {
			return rest[1:end], lead + 1, lead + end + 1
		}
	}
	depth := 0
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth < 0 || rest[i] == ' ' || rest[i] == '\t' || rest[i] == '\r' {
			return rest[:i], lead, lead + i
		}
	}
	return rest, lead, lead + len(rest)
}

var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]+:|^//`)

// markdown adds a link unless it is a URL or stays on the page.
func (s *scanner) markdown(written string, at int, embed bool, text string) {
	path, fragment, _ := strings.Cut(written, "#")
	if path == "" || scheme.MatchString(path) {
		return
	}
	target, err := url.PathUnescape(path)
	if err != nil {
		target = path
	}
	heading, block := anchor(fragment)
	if decoded, err := url.PathUnescape(heading); err == nil {
		heading = decoded
	}
	start := s.offset + at
	s.found = append(s.found, Link{
		Embed: embed, Target: target, Heading: heading, Block: block, Text: text,
		Line: s.line, Start: start, End: start + len(path),
	})
}

// Escape percent-encodes what would end a Markdown link.
func Escape(target string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "#", "%23", "?", "%3F", `\`, "%5C", "\t", "%09").Replace(target)
}
