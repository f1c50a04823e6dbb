package orgelement

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

var (
	blockLine   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^[ \t]*#\+begin_(\S+)[ \t]*(.*)$`) })
	dynamicLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^[ \t]*#\+begin:[ \t]+(\S+)(.*)$`) })
	environment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[ \t]*\\begin\{([A-Za-z0-9*]+)\}`) })
)

var blockKinds = map[string]Kind{
	"SRC": SourceBlock, "EXAMPLE": ExampleBlock, "EXPORT": ExportBlock, "COMMENT": CommentBlock,
	"VERSE": VerseBlock, "QUOTE": QuoteBlock, "CENTER": CenterBlock,
}

// blockEnd returns the match of the opening line at pos, its kind of end, and
// where that is. ok is false if no block starts there.
func (p *parser) blockEnd(pos, limit int) (m [][]byte, end int, dynamic, ok bool) {
	lineEnd, next := p.line(pos, limit)
	line := p.text[pos:lineEnd]
	if t := trim(line); len(t) < 8 || t[1] != '+' || t[2]|0x20 != 'b' {
		return nil, 0, false, false
	}
	if m = blockLine().FindSubmatch(line); m != nil {
		end, ok = p.find("end_"+strings.ToLower(string(m[1])), next, limit)
	} else if m = dynamicLine().FindSubmatch(line); m != nil {
		dynamic = true
		end, ok = p.find("end:", next, limit)
	}
	return m, end, dynamic, ok
}

func (p *parser) startsBlock(pos, limit int) bool {
	_, _, _, ok := p.blockEnd(pos, limit)
	return ok
}

// block parses a block, nil if its end is missing.
func (p *parser) block(pos, limit int) *Node {
	m, end, dynamic, ok := p.blockEnd(pos, limit)
	if !ok {
		return nil
	}
	_, content := p.line(pos, limit)
	_, after := p.line(end, limit)
	n := &Node{
		Kind: SpecialBlock, Span: span(pos, after), Contents: span(content, end), Key: string(m[1]), Arguments: strings.TrimSpace(string(m[2])),
	}
	if dynamic {
		n.Kind = DynamicBlock
	} else if kind, ok := blockKinds[strings.ToUpper(n.Key)]; ok {
		n.Kind, n.Key = kind, ""
	}
	switch n.Kind {
	case SourceBlock, ExportBlock:
		n.Key, n.Arguments, _ = strings.Cut(n.Arguments, " ")
		if n.Kind == ExportBlock {
			n.Key = strings.ToUpper(n.Key)
		}
	case QuoteBlock, CenterBlock, SpecialBlock, DynamicBlock:
		n.Children = p.nested(content, end, nil)
	default: // the others hold text only, which Code and Objects read
	}
	return n
}

// Code returns the text of a block, fixed-width lines or an export block as it is
// meant: without commas that protect lines, colons and common indentation.
func (n *Node) Code(text []byte) string {
	code := string(text[n.Contents.Start:n.Contents.End])
	lines := strings.SplitAfter(code, "\n")
	for i, line := range lines {
		t := strings.TrimLeft(line, " \t")
		switch {
		case n.Kind == FixedWidth:
			lines[i] = strings.TrimPrefix(strings.TrimPrefix(t, ":"), " ")
		case n.Kind != VerseBlock && strings.HasPrefix(t, ","):
			if rest := strings.TrimLeft(t, ","); strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "#+") {
				lines[i] = line[:len(line)-len(t)] + t[1:]
			}
		}
	}
	removeIndentation(lines)
	return strings.Join(lines, "")
}

// removeIndentation takes away what all lines that are not blank are indented by.
func removeIndentation(lines []string) {
	common := -1
	for _, line := range lines {
		if rest := strings.TrimLeft(line, " \t"); strings.Trim(rest, "\r\n") != "" {
			if width := columnAt(line[:len(line)-len(rest)]); common < 0 || width < common {
				common = width
			}
		}
	}
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		switch width := columnAt(line[:len(line)-len(rest)]); {
		case common <= 0:
		case strings.Trim(rest, "\r\n") == "":
			lines[i] = rest
		default:
			lines[i] = strings.Repeat(" ", width-common) + rest
		}
	}
}

// columnAt returns the column behind blanks.
func columnAt(blanks string) int {
	n := 0
	for _, c := range blanks {
		if n++; c == '\t' {
			n = (n + 7) / 8 * 8
		}
	}
	return n
}

func (p *parser) drawer(pos, limit int) *Node {
	lineEnd, content := p.line(pos, limit)
	m := drawerLine().FindSubmatch(p.text[pos:lineEnd])
	if m == nil {
		return nil
	}
	end, ok := p.find(":end:", content, limit)
	if !ok {
		return nil
	}
	_, after := p.line(end, limit)
	return &Node{Kind: Drawer, Key: string(m[1]), Span: span(pos, after), Contents: span(content, end)}
}

// latexEnvironment takes an environment with its lines as they stand.
func (p *parser) latexEnvironment(pos, limit int) *Node {
	lineEnd, _ := p.line(pos, limit)
	m := environment().FindSubmatch(p.text[pos:lineEnd])
	if m == nil {
		return nil
	}
	end, ok := p.find(strings.ToLower(`\end{`+string(m[1])+"}"), pos, limit)
	if !ok {
		return nil
	}
	_, after := p.line(end, limit)
	return &Node{Kind: LatexEnvironment, Key: string(m[1]), Span: span(pos, after), Contents: span(pos, after)}
}

// taskLevel returns the number of stars of a line that is an inline task, 0 if it
// is none.
func (p *parser) taskLevel(line []byte) int {
	if level := orgfile.Stars(line); p.tasks > 0 && level >= p.tasks {
		return level
	}
	return 0
}

// inlineTask ends at its END line, or with its first line where the next task
// comes first.
func (p *parser) inlineTask(pos, limit int) *Node {
	lineEnd, next := p.line(pos, limit)
	title := bytes.TrimLeft(p.text[pos:lineEnd], "*")
	n := &Node{Kind: InlineTask, Span: span(pos, next), Arguments: strings.TrimSpace(string(title))}
	end, ok := p.find("*end", next, limit)
	if !ok || n.Arguments == "END" {
		return n
	}
	for at := next; at < end; {
		e, after := p.line(at, limit)
		if p.text[at] == '*' && p.taskLevel(p.text[at:e]) > 0 {
			return n
		}
		at = after
	}
	_, after := p.line(end, limit)
	n.Span.End, n.Contents = int32(after), span(next, end)
	n.Children = p.nested(next, end, nil)
	return n
}
