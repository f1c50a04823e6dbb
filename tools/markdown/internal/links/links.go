// Package links finds the links in the text of a page: wikilinks, embeds and
// Markdown links. It reads line by line and knows enough Markdown to ignore
// code, comments and maths. It does not resolve
// links.
//
// Only tools/markdown imports it. Start reading at [Scan].
package links

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// A Link is one link as written. The index keeps it as JSON, without what it lacks.
type Link struct {
	Wiki    bool   `json:",omitempty"` // [[...]], rather than [...](...)
	Embed   bool   `json:",omitempty"` // ![[...]] or ![...](...)
	Target  string `json:",omitempty"` // decoded, without heading and block; "" means the page itself
	Heading string `json:",omitempty"` // after "#"; nested headings are joined by "#"
	Block   string `json:",omitempty"` // after "^"
	Text    string `json:",omitempty"` // the text shown instead, if any
	Line    int    // 1-based
	// FrontMatter: it stands in a value of the front matter.
	FrontMatter bool `json:",omitempty"`
	// Tag: it is written #target, in a Logseq graph. Listed: it is a name without
	// brackets in a property of Logseq that lists pages. Both are Wiki.
	Tag    bool `json:",omitempty"`
	Listed bool `json:",omitempty"`
	// Angle: the target stands between < and >.
	Angle bool `json:",omitempty"`
	// Start and End are the byte offsets of the written target, without
	// heading, block and angle brackets: what a new target replaces.
	Start, End int
}

// Scan returns the links in text from the byte offset body, in order.
func Scan(text string, body int) []Link {
	s := scanner{}
	s.scan(text, structure.Lines(text, body))
	return s.found
}

// ScanLines is [Scan] and [Tags] at once, of a text whose lines are known.
func ScanLines(text string, lines []structure.Line) (found []Link, tags []string) {
	s := scanner{}
	s.scan(text, lines)
	return s.found, namesOf(s.tags)
}

// ScanGraph is [Scan] for a page of a Logseq graph: what stands in [[...]] is the whole
// title of a page, and #tag, #[[two words]] and the values of tags:: are links too.
func ScanGraph(text string, body int) []Link {
	s := scanner{graph: true}
	s.scan(text, structure.GraphLines(text, body))
	return s.found
}

// FrontMatter returns the wikilinks and the Markdown links in the front matter of text,
// which ends at the byte offset body.
func FrontMatter(text string, body int) []Link {
	s := scanner{}
	for at, line := 0, 1; at < body; line++ {
		end := strings.IndexByte(text[at:body], '\n')
		if end < 0 {
			end = body - at
		}
		s.line, s.offset = line, at
		for l, i := text[at:at+end], 0; i+2 < len(l); {
			switch comment := strings.HasPrefix(strings.TrimLeft(l, " "), "#"); {
			case strings.HasPrefix(l[i:], "[[") && !comment:
				i += s.wiki(l[i:], i, false)
			case strings.HasPrefix(l[i:], "](") && !comment:
				i += s.inline(l, i)
			default:
				i++
			}
		}
		at += end + 1
	}
	for i := range s.found {
		s.found[i].FrontMatter = true
	}
	return s.found
}

func (s *scanner) scan(text string, lines []structure.Line) {
	for _, l := range lines {
		if s.until != "" || !l.Code {
			s.line = l.Number
			s.scanLine(text, l.Start, l.End)
		}
	}
}

// scanner tracks whether a line is inside code, a comment or maths.
type scanner struct {
	found  []Link
	tags   []Tag
	graph  bool // of Logseq
	line   int
	until  string // the end of a comment, display maths or HTML code
	ticks  int    // backticks that end a code span of several lines
	offset int
}

func (s *scanner) scanLine(text string, start, end int) {
	line := text[start:end]
	s.offset = start
	i := 0
	if s.ticks > 0 {
		end := closingTicks(line, s.ticks)
		if end < 0 {
			return
		}
		i, s.ticks = end, 0
	}
	if s.graph && s.until == "" && i == 0 && s.property(line) {
		return
	}
	for i < len(line) {
		if s.until != "" {
			stop := strings.Index(line[i:], s.until)
			if stop < 0 {
				return
			}
			i += stop + len(s.until)
			s.until = ""
			continue
		}
		if isMark(line[i]) {
			i = s.step(line, i, text[end:])
		} else {
			i++
		}
	}
}

// isMark reports whether something may begin with a byte: step passes over all others.
func isMark(c byte) bool {
	switch c {
	case '\\', '`', '$', '<', '#', '%', '[', ']':
		return true
	}
	return false
}

// step reads what begins at line[i] and returns the position after it. below is the
// text after the line.
func (s *scanner) step(line string, i int, below string) int {
	rest := line[i:]
	switch {
	case rest[0] == '\\':
		return i + 2
	case rest[0] == '`':
		return i + s.codeSpan(rest, below)
	case rest[0] == '$' && !strings.HasPrefix(rest, "$$"):
		return i + mathSpan(rest)
	case rest[0] == '<' && codeTag(rest) != "":
		s.until = codeTag(rest)
		return i + 1
	case rest[0] == '<' && len(htmlTag.FindString(rest)) > 0:
		return i + len(htmlTag.FindString(rest))
	case rest[0] == '<' && s.opensTag(rest, below):
		return len(line)
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
		return i + s.definition(line, i)
	}
	return i + 1
}

// codeSpan returns the length of the code span at the beginning of rest, or of
// its backticks if it is not closed before its paragraph ends.
func (s *scanner) codeSpan(rest, below string) int {
	run := len(rest) - len(strings.TrimLeft(rest, "`"))
	if end := closingTicks(rest[run:], run); end >= 0 {
		return run + end
	}
	for line := range strings.SplitSeq(strings.TrimPrefix(below, "\n"), "\n") {
		if strings.TrimLeft(line, " \t>\r") == "" || structure.EndsParagraph(line) {
			break
		}
		if closingTicks(line, run) >= 0 {
			s.ticks = run
			return len(rest)
		}
	}
	return run
}

// closingTicks is the position after a run of exactly n backticks; -1: none.
func closingTicks(line string, n int) int {
	for at := 0; at < len(line); {
		next := strings.IndexByte(line[at:], '`')
		if next < 0 {
			break
		}
		at += next
		run := len(line[at:]) - len(strings.TrimLeft(line[at:], "`"))
		at += run
		if run == n {
			return at
		}
	}
	return -1
}

// mathSpan returns the length of the $formula$ at the beginning of rest, or 1. A
// dollar before a blank or a digit is money.
func mathSpan(rest string) int {
	if len(rest) < 3 || rest[1] == ' ' || rest[1] == '\t' {
		return 1
	}
	end := strings.IndexByte(rest[1:], '$')
	if end <= 0 || rest[end] == ' ' || rest[end] == '\t' || end+2 < len(rest) && rest[end+2] >= '0' && rest[end+2] <= '9' {
		return 1
	}
	return end + 2
}

// htmlTag matches a tag of HTML, whose attributes hold no marks of Markdown.
var htmlTag = regexp.MustCompile(`^</?[A-Za-z][A-Za-z0-9-]*(?:\s+[A-Za-z_:@][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>` + "`" + `]+|'[^']*'|"[^"]*"))?)*\s*/?>`)

// opensTag reports whether a tag of HTML begins that goes on below, and notes its end.
func (s *scanner) opensTag(rest, below string) bool {
	paragraph, _, _ := strings.Cut(below[:min(len(below), 1000)], "\n\n")
	if !strings.Contains(paragraph, ">") || htmlTag.FindString(rest+paragraph) == "" {
		return false
	}
	s.until = ">"
	return true
}

// codeTag is what ends the HTML code that begins with rest; empty: it is none.
func codeTag(rest string) string {
	for _, tag := range []string{"code", "pre"} {
		if after, ok := strings.CutPrefix(rest, "<"+tag); ok && (strings.HasPrefix(after, ">") || strings.HasPrefix(after, " ")) {
			return "</" + tag + ">"
		}
	}
	return ""
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
	if s.graph {
		target, dest, text = inner, inner, ""
	} else if i := strings.IndexAny(dest, "#^"); i >= 0 {
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
	if s.graph && strings.HasPrefix(line[at+2:], "[[") { // [text]([[page]])
		return 2
	}
	written, skip, after := destination(line[at+2:])
	if closing := strings.TrimLeft(line[at+2+after:], " \t"); !strings.HasPrefix(closing, ")") && !strings.HasPrefix(closing, `"`) &&
		!strings.HasPrefix(closing, "'") {
		return 2
	}
	s.markdown(line, written, at+2+skip, open > 0 && line[open-1] == '!', line[open+1:at])
	return 2 + after
}

var reference = regexp.MustCompile(`^\[([^\[\]]+)\]:[ \t]*`)

// definition reads "[name]: target" at the beginning of a line.
func (s *scanner) definition(line string, at int) int {
	rest := line[at:]
	m := reference.FindStringSubmatch(rest)
	if m == nil || strings.HasPrefix(m[1], "^") { // [^1]: is a footnote
		return 1
	}
	written, skip, after := destination(rest[len(m[0]):])
	s.markdown(line, written, at+len(m[0])+skip, false, m[1])
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

// markdown adds a link unless it is a URL.
func (s *scanner) markdown(line, written string, at int, embed bool, text string) {
	path, fragment, _ := strings.Cut(written, "#")
	if path == "" && fragment == "" || scheme.MatchString(path) {
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
		Line: s.line, Start: start, End: start + len(path), Angle: at > 0 && line[at-1] == '<',
	})
}

// EscapeAngle percent-encodes what would end a Markdown link in angle brackets.
func EscapeAngle(target string) string {
	return strings.NewReplacer("%", "%25", "<", "%3C", ">", "%3E", "#", "%23", "?", "%3F", `\`, "%5C").Replace(target)
}

// Escape percent-encodes what would end a Markdown link.
func Escape(target string) string {
	return strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "#", "%23", "?", "%3F", `\`, "%5C",
		"\t", "%09").Replace(target)
}
