package orgelement

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A parser reads the elements of one range. It knows where every closing line
// is, so that an opening line without one costs no search.
type parser struct {
	text  []byte
	tasks int
	depth int
	ends  map[string][]int // line starts by what they close: "end_src", ":end:", "\end{x}", "end:", "fn", "blank"
}

func newParser(text []byte, from, to, tasks int) *parser {
	p := &parser{text: text, tasks: tasks, ends: map[string][]int{}}
	blank := 0
	for pos := from; pos < to; {
		end, next := p.line(pos, to)
		p.indexLine(pos, text[pos:end])
		if len(trim(text[pos:end])) > 0 {
			blank = 0
		} else if blank++; blank == 2 {
			p.ends["blank"] = append(p.ends["blank"], pos)
		}
		pos = next
	}
	return p
}

func (p *parser) indexLine(pos int, line []byte) {
	t := trim(line)
	switch {
	case len(t) < 5:
	case t[0] == ':' && strings.EqualFold(string(t), ":end:"):
		p.close(":end:", pos)
	case t[0] == '#' && t[1] == '+' && len(t) < 80 && strings.EqualFold(string(t[2:5]), "end") && !bytes.ContainsAny(t, " \t"):
		p.close(strings.ToLower(string(t[2:])), pos)
	case t[0] == '*' && p.taskLevel(line) > 0 && string(bytes.TrimLeft(t, "* ")) == "END":
		p.close("*end", pos)
	case bytes.HasPrefix(line, []byte("[fn:")) && footnoteLabel().Match(line):
		p.close("fn", pos)
	}
	if t = bytes.TrimRight(line, " \t"); len(t) > 0 && t[len(t)-1] == '}' {
		if i := bytes.LastIndex(t, []byte(`\end{`)); i >= 0 {
			p.close(strings.ToLower(string(t[i:])), pos)
		}
	}
}

func (p *parser) close(key string, pos int) { p.ends[key] = append(p.ends[key], pos) }

// find returns the first closing line of a kind from on, if it is before limit.
func (p *parser) find(key string, from, limit int) (int, bool) {
	list := p.ends[key]
	i := sort.SearchInts(list, from)
	if i == len(list) || list[i] >= limit {
		return 0, false
	}
	return list[i], true
}

// line returns the end of the line at pos without its line break, and the start
// of the next.
func (p *parser) line(pos, limit int) (end, next int) {
	if i := bytes.IndexByte(p.text[pos:limit], '\n'); i >= 0 {
		return pos + i, pos + i + 1
	}
	return limit, limit
}

func trim(b []byte) []byte { return bytes.Trim(b, " \t\r") }

func (p *parser) blankLine(pos, limit int) bool {
	end, _ := p.line(pos, limit)
	return len(trim(p.text[pos:end])) == 0
}

func span(a, b int) orgfile.Span { return orgfile.Span{Start: int32(a), End: int32(b)} }

// elements parses a range. structure is that of the list that the range is in an
// item of, nil outside.
func (p *parser) elements(from, to int, structure *listStructure) []*Node {
	var out []*Node
	var last *Node
	for pos := from; pos < to; {
		if p.blankLine(pos, to) {
			if _, pos = p.line(pos, to); last != nil {
				last.Blank++
			}
			continue
		}
		if p.depth >= maxDepth {
			last = &Node{Kind: Paragraph, Span: span(pos, to), Contents: span(pos, to)}
			return append(out, last)
		}
		for _, last = range p.element(pos, to, structure) {
			out = append(out, last)
			pos = int(last.Span.End)
		}
	}
	return out
}

var affiliatedLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[ \t]*#\+(caption|results|name|plot|data|label|headers?|resname|source|srcname|tblname|result|attr_[-a-z0-9_]+)(?:\[(.*)\])?:[ \t]*(.*)$`)
})

var presentNames = map[string]string{
	"DATA": "NAME", "LABEL": "NAME", "RESNAME": "NAME", "SOURCE": "NAME", "SRCNAME": "NAME", "TBLNAME": "NAME",
	"RESULT": "RESULTS", "HEADERS": "HEADER",
}

// element parses the element at pos. It returns several where keyword lines that
// belong to nothing stand alone.
func (p *parser) element(pos, limit int, structure *listStructure) []*Node {
	atLineStart := pos == 0 || p.text[pos-1] == '\n'
	if !atLineStart {
		return []*Node{p.paragraph(pos, limit)}
	}
	start := pos
	var keywords []*Node
	var affiliated []Affiliated
	for pos < limit {
		end, next := p.line(pos, limit)
		m := affiliatedLine().FindSubmatch(p.text[pos:end])
		if m == nil {
			break
		}
		key, value := strings.ToUpper(string(m[1])), strings.TrimRight(string(m[3]), " \t\r")
		keywords = append(keywords, &Node{Kind: KeywordLine, Span: span(pos, next), Key: key, Value: value})
		if present := presentNames[key]; present != "" {
			key = present
		}
		affiliated = append(affiliated, Affiliated{key, string(m[2]), value})
		pos = next
	}
	if pos >= limit || p.blankLine(pos, limit) {
		return keywords
	}
	n := p.elementAt(pos, limit, structure)
	switch n.Kind {
	case Comment, ClockLine, InlineTask, BabelCall, KeywordLine:
		return append(keywords, n)
	default: // all others own the keyword lines above them
		n.Span.Start, n.Affiliated = int32(start), affiliated
		return []*Node{n}
	}
}

var (
	clockLine   = regexp.MustCompile(`^[ \t]*CLOCK:`)
	drawerLine  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*:([-_\pL\pN]+):[ \t\r]*$`) })
	keywordLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*#\+(\S*):[ \t]*(.*)$`) })
	ruleLine    = regexp.MustCompile(`^[ \t]*-{5,}[ \t\r]*$`)
	tableElRule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*\+(?:-+\+)+[ \t\r]*$`) })

	footnoteLabel = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[fn:([-_\pL\pN]+)\]`) })
)

func (p *parser) elementAt(pos, limit int, structure *listStructure) *Node {
	end, next := p.line(pos, limit)
	line := p.text[pos:end]
	first := trim(line)
	simple := func(kind Kind) *Node { return &Node{Kind: kind, Span: span(pos, next), Contents: span(pos, end)} }
	switch c := first[0]; {
	case c == '*' && p.taskLevel(line) > 0:
		return p.inlineTask(pos, limit)
	case c == 'C' && clockLine.Match(line):
		return simple(ClockLine)
	case c == '\\':
		if n := p.latexEnvironment(pos, limit); n != nil {
			return n
		}
	case c == ':':
		if n := p.colonElement(pos, limit); n != nil {
			return n
		}
	case c == '#':
		if n := p.hashElement(pos, limit); n != nil {
			return n
		}
	case c == '[' && line[0] == '[':
		if m := footnoteLabel().FindSubmatch(line); m != nil {
			return p.footnoteDefinition(pos, limit, string(m[1]))
		}
	case c == '-' && ruleLine.Match(line):
		return simple(HorizontalRule)
	case c == '%' && bytes.HasPrefix(line, []byte("%%(")):
		return simple(DiaryLine)
	case c == '|':
		return p.table(pos, limit)
	case c == '+' && tableElRule().Match(line):
		n := p.lines(Table, pos, limit, func(t []byte) bool { return t[0] == '|' || t[0] == '+' })
		n.Key = "table.el"
		return n
	}
	if itemBullet(line) > 0 {
		return p.plainList(pos, limit, structure)
	}
	return p.paragraph(pos, limit)
}

func isFixedWidth(t []byte) bool { return t[0] == ':' && (len(t) == 1 || t[1] == ' ') }
func isComment(t []byte) bool    { return t[0] == '#' && (len(t) == 1 || t[1] == ' ') }

// lines takes the lines from pos on for which holds is true, given without blanks
// around them.
func (p *parser) lines(kind Kind, pos, limit int, holds func([]byte) bool) *Node {
	start := pos
	for pos < limit {
		end, next := p.line(pos, limit)
		if t := trim(p.text[pos:end]); len(t) == 0 || !holds(t) {
			break
		}
		pos = next
	}
	return &Node{Kind: kind, Span: span(start, pos), Contents: span(start, pos)}
}

// colonElement parses what starts with ":", nil if that is text.
func (p *parser) colonElement(pos, limit int) *Node {
	end, _ := p.line(pos, limit)
	if isFixedWidth(trim(p.text[pos:end])) {
		return p.lines(FixedWidth, pos, limit, isFixedWidth)
	}
	return p.drawer(pos, limit)
}

// hashElement parses what starts with "#", nil if that is text.
func (p *parser) hashElement(pos, limit int) *Node {
	end, next := p.line(pos, limit)
	line := p.text[pos:end]
	if isComment(trim(line)) {
		return p.lines(Comment, pos, limit, isComment)
	}
	if n := p.block(pos, limit); n != nil {
		return n
	}
	m := keywordLine().FindSubmatch(line)
	if m == nil {
		return nil
	}
	n := &Node{Kind: KeywordLine, Span: span(pos, next), Key: strings.ToUpper(string(m[1])), Value: strings.TrimRight(string(m[2]), " \t\r")}
	if n.Key == "CALL" {
		n.Kind = BabelCall
	}
	return n
}

// paragraph takes lines up to one that starts something else.
func (p *parser) paragraph(pos, limit int) *Node {
	start := pos
	_, pos = p.line(pos, limit)
	for pos < limit && !p.endsParagraph(pos, limit) {
		_, pos = p.line(pos, limit)
	}
	return &Node{Kind: Paragraph, Span: span(start, pos), Contents: span(start, pos)}
}

func (p *parser) endsParagraph(pos, limit int) bool {
	end, _ := p.line(pos, limit)
	line := p.text[pos:end]
	t := trim(line)
	if len(t) == 0 {
		return true
	}
	switch t[0] {
	case '|':
		return true
	case '*':
		return p.taskLevel(line) > 0 || itemBullet(line) > 0
	case '+':
		return tableElRule().Match(line) || itemBullet(line) > 0
	case '-':
		return ruleLine.Match(line) || itemBullet(line) > 0
	case ':':
		return isFixedWidth(t) || p.drawer(pos, limit) != nil
	case '#':
		return isComment(t) || p.startsBlock(pos, limit) || keywordLine().Match(line)
	case '%':
		return bytes.HasPrefix(line, []byte("%%("))
	case '[':
		return line[0] == '[' && footnoteLabel().Match(line)
	case '\\':
		return p.latexEnvironment(pos, limit) != nil
	case 'C':
		return clockLine.Match(line)
	}
	return itemBullet(line) > 0
}

// footnoteDefinition ends at the next one or at two blank lines.
func (p *parser) footnoteDefinition(pos, limit int, label string) *Node {
	_, next := p.line(pos, limit)
	end := limit
	if at, ok := p.find("fn", next, end); ok {
		end = at
	}
	if at, ok := p.find("blank", next, end); ok {
		end = at
	}
	content := pos + len("[fn:]") + len(label)
	for content < end && isBlank(p.text[content]) {
		content++
	}
	last := p.withoutBlankLines(content, end)
	n := &Node{Kind: FootnoteDefinition, Key: label, Span: span(pos, last), Contents: span(content, max(content, last))}
	n.Children = p.nested(content, int(n.Contents.End), nil)
	return n
}

// nested parses what an element contains.
func (p *parser) nested(from, to int, structure *listStructure) []*Node {
	p.depth++
	defer func() { p.depth-- }()
	return p.elements(from, to, structure)
}

// withoutBlankLines returns the end of the last line before end that is not blank.
func (p *parser) withoutBlankLines(from, end int) int {
	at := end
	for at > from && strings.IndexByte(" \t\r\n", p.text[at-1]) >= 0 {
		at--
	}
	if i := bytes.IndexByte(p.text[at:end], '\n'); i >= 0 {
		return at + i + 1
	}
	return end
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
