package orgelement

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A Place says where objects stand, which decides what may be there.
type Place uint8

// The places of objects.
const (
	InText        Place = iota
	InLine              // a heading, an item's tag, a table cell or a caption: no line breaks
	InDescription       // of a link: no links, footnotes, targets and timestamps
)

// Objects parses the objects in a range of text. What is between two objects is
// a node of kind Text. The objects in an object are parsed by another call, with
// its Contents.
func Objects(text []byte, s orgfile.Span, place Place) []*Node {
	l := lexer{text: text, from: int(s.Start), to: int(s.End), place: place}
	var out []*Node
	plain := l.from
	for i := l.from; i < l.to; {
		i += skipPlain(text[i:l.to])
		if i >= l.to {
			break
		}
		n := l.object(i)
		if n == nil {
			i++
			continue
		}
		if int(n.Span.Start) > plain {
			out = append(out, &Node{Kind: Text, Span: span(plain, int(n.Span.Start))})
		}
		out = append(out, n)
		i = int(n.Span.End)
		if n.Kind != LineBreak {
			for i < l.to && isBlank(text[i]) {
				n.Blank++
				i++
			}
		}
		plain = i
	}
	if plain < l.to {
		out = append(out, &Node{Kind: Text, Span: span(plain, l.to)})
	}
	return out
}

// A lexer finds objects in one range. What it looked for and where it found it is
// kept, so that openings without an end cost one search together.
type lexer struct {
	text     []byte
	from, to int
	place    Place
	closers  map[byte][]int // where emphasis may end, by mark
	brackets map[int]int    // closing brackets and braces by their openings
	searched map[string]found
}

type found struct{ from, at int }

// skipPlain returns how many bytes at the start of b certainly start no object.
func skipPlain(b []byte) int {
	for i, c := range b {
		switch c {
		case '*', '/', '_', '+', '=', '~', '^', '\\', '[', '<', '{', '@', '$':
			return i
		case ':':
			// A plain link is found by its colon: its type stands before.
			return i
		}
	}
	return len(b)
}

// find returns where needle next stands at or behind from, -1 if nowhere.
func (l *lexer) find(needle string, from int) int {
	if f, ok := l.searched[needle]; ok && from >= f.from && (f.at < 0 || from <= f.at) {
		return f.at
	}
	at := -1
	if from <= l.to {
		if at = bytes.Index(l.text[from:l.to], []byte(needle)); at >= 0 {
			at += from
		}
	}
	if l.searched == nil {
		l.searched = map[string]found{}
	}
	l.searched[needle] = found{from, at}
	return at
}

func (l *lexer) byteAt(i int) byte {
	if i < l.from || i >= l.to {
		return 0
	}
	return l.text[i]
}

func (l *lexer) rest(i int) []byte { return l.text[i:l.to] }

func (l *lexer) object(i int) *Node {
	switch c := l.text[i]; c {
	case '*', '/', '+', '=', '~':
		return l.emphasis(i)
	case '_':
		if n := l.emphasis(i); n != nil {
			return n
		}
		if n := l.inlineBabel(i); n != nil {
			return n
		}
		return l.script(i)
	case '^':
		return l.script(i)
	case '@':
		return l.snippet(i)
	case '{':
		return l.macro(i)
	case '$':
		return l.dollarFragment(i)
	case '\\':
		return l.backslash(i)
	case '<':
		return l.angle(i)
	case '[':
		return l.bracket(i)
	case ':':
		return l.plainLink(i)
	}
	return nil
}

// emphasis parses the markup that starts at i.
func (l *lexer) emphasis(i int) *Node {
	mark := l.text[i]
	if i > l.from {
		if r, _ := utf8.DecodeLastRune(l.text[l.from:i]); !unicode.IsSpace(r) && !strings.ContainsRune("-('\"{", r) {
			return nil
		}
	}
	if r, _ := utf8.DecodeRune(l.rest(i + 1)); i+2 >= l.to || unicode.IsSpace(r) {
		return nil
	}
	end := l.closer(mark, i+2)
	if end < 0 || bytes.Count(l.text[i:end], []byte("\n")) > 1 {
		return nil
	}
	n := &Node{Span: span(i, end+1), Contents: span(i+1, end)}
	switch mark {
	case '*':
		n.Kind = Bold
	case '/':
		n.Kind = Italic
	case '_':
		n.Kind = Underline
	case '+':
		n.Kind = StrikeThrough
	case '=', '~':
		n.Kind = Verbatim
		if mark == '~' {
			n.Kind = Code
		}
		n.Value, n.Contents = string(l.text[i+1:end]), orgfile.Span{}
	}
	return n
}

// closer returns the first place from on where emphasis with mark may end and
// that is not too far for it, -1 if there is none.
func (l *lexer) closer(mark byte, from int) int {
	if l.closers == nil {
		l.closers = map[byte][]int{}
		for i := l.from; i < l.to; i++ {
			switch c := l.text[i]; c {
			case '*', '/', '_', '+', '=', '~':
				before, _ := utf8.DecodeLastRune(l.text[l.from:i])
				after, _ := utf8.DecodeRune(l.rest(i + 1))
				if i > l.from && !unicode.IsSpace(before) && (i+1 == l.to || unicode.IsSpace(after) || strings.ContainsRune("-.,:!?;'\")}\\[", after)) {
					l.closers[c] = append(l.closers[c], i)
				}
			}
		}
	}
	list := l.closers[mark]
	if i := sort.SearchInts(list, from); i < len(list) && list[i]-from < maxEmphasis {
		return list[i]
	}
	return -1
}

// maxEmphasis bounds the bytes between the marks of emphasis, which may span two
// lines only: no line of a text that a person wrote is longer.
const maxEmphasis = 64 << 10

// match returns the bracket, brace or parenthesis that closes the one at i, -1 if
// none does.
func (l *lexer) match(i int) int {
	if l.brackets == nil {
		l.brackets = map[int]int{}
		stacks := map[byte][]int{}
		for at := l.from; at < l.to; at++ {
			switch c := l.text[at]; c {
			case '[', '{', '(':
				stacks[c] = append(stacks[c], at)
			case ']', '}', ')':
				open := map[byte]byte{']': '[', '}': '{', ')': '('}[c]
				if s := stacks[open]; len(s) > 0 {
					l.brackets[s[len(s)-1]] = at
					stacks[open] = s[:len(s)-1]
				}
			}
		}
	}
	if at, ok := l.brackets[i]; ok {
		return at
	}
	return -1
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// script parses "_x", "_{x}", "^*" and the like behind a character.
func (l *lexer) script(i int) *Node {
	if c := l.byteAt(i - 1); i == l.from || isBlank(c) || c == '\n' {
		return nil
	}
	n := &Node{Kind: Subscript}
	if l.text[i] == '^' {
		n.Kind = Superscript
	}
	switch c := l.byteAt(i + 1); {
	case c == '{':
		end := l.match(i + 1)
		if end < 0 || l.deeper(i+1, end, 4) {
			return nil
		}
		n.Span, n.Contents, n.Key = span(i, end+1), span(i+2, end), "{"
		return n
	case c == '(':
		end := l.match(i + 1)
		if end < 0 || l.deeper(i+1, end, 4) {
			return nil
		}
		n.Span, n.Contents = span(i, end+1), span(i+1, end+1)
		return n
	case c == '*':
		n.Span, n.Contents = span(i, i+2), span(i+1, i+2)
		return n
	}
	at, end := i+1, 0
	if c := l.byteAt(at); c == '+' || c == '-' {
		at++
	}
	for at < l.to {
		r, size := utf8.DecodeRune(l.rest(at))
		if isWord(r) {
			end = at + size
		} else if r != '.' && r != ',' && r != '\\' {
			break
		}
		at += size
	}
	if end == 0 {
		return nil
	}
	n.Span, n.Contents = span(i, end), span(i+1, end)
	return n
}

// deeper says whether braces or parentheses of a kind are nested n deep or more
// between from and to.
func (l *lexer) deeper(from, to, n int) bool {
	open, depth := l.text[from], 0
	for _, c := range l.text[from:to] {
		switch {
		case c == open:
			if depth++; depth >= n {
				return true
			}
		case c == l.text[to]:
			depth--
		}
	}
	return false
}

var (
	snippetPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^@@([-A-Za-z0-9]+):`) })
	macroPattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{\{\{([a-zA-Z][-a-zA-Z0-9_]*)(\(|\}\}\})`) })
	cookiePattern  = regexp.MustCompile(`^\[[0-9]*(?:%|/[0-9]*)\]`)
	citePattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[cite((?:/[-a-zA-Z0-9/_]+)?):[ \t\n]*`) })
	notePattern    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[fn:([-_\pL\pN]*)(:|\])`) })
)

func (l *lexer) snippet(i int) *Node {
	m := snippetPattern().FindSubmatch(l.rest(i))
	if m == nil {
		return nil
	}
	start := i + len(m[0])
	end := l.find("@@", start)
	if end < 0 {
		return nil
	}
	return &Node{Kind: ExportSnippet, Span: span(i, end+2), Key: string(m[1]), Value: string(l.text[start:end])}
}

func (l *lexer) macro(i int) *Node {
	m := macroPattern().FindSubmatch(l.rest(i))
	if m == nil {
		return nil
	}
	n := &Node{Kind: Macro, Key: strings.ToLower(string(m[1])), Span: span(i, i+len(m[0]))}
	if m[2][0] == '(' {
		start := i + len(m[0])
		end := l.find(")}}}", start)
		if end < 0 {
			return nil
		}
		n.Span, n.Arguments = span(i, end+4), string(l.text[start:end])
	}
	return n
}

// dollarFragment parses "$x$" and "$$x$$".
func (l *lexer) dollarFragment(i int) *Node {
	if l.byteAt(i+1) == '$' {
		if end := l.find("$$", i+2); end >= 0 {
			return l.fragment(i, end+2)
		}
		return nil
	}
	if l.byteAt(i-1) == '$' || strings.IndexByte(" \t\n,;.", l.byteAt(i+1)) >= 0 {
		return nil
	}
	end := l.find("$", i+1)
	if end < 0 || bytes.Count(l.text[i:end], []byte("\n")) > 2 || strings.IndexByte(" \t\n,.", l.text[end-1]) >= 0 {
		return nil
	}
	if r, _ := utf8.DecodeRune(l.rest(end + 1)); end+1 < l.to && !unicode.IsSpace(r) && (!isASCIIPunct(r) && !unicode.IsPunct(r)) {
		return nil
	}
	return l.fragment(i, end+1)
}

func (l *lexer) fragment(i, end int) *Node {
	return &Node{Kind: LatexFragment, Span: span(i, end), Value: string(l.text[i:end])}
}

func isASCIIPunct(r rune) bool { return r > 32 && r < 127 && !isWord(r) }

var commandPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\\[a-zA-Z]+\*?(?:\[[^\]\[\n{}]*\]|\{[^{}\n]*\})*`)
})

// backslash parses line breaks, entities and LaTeX fragments.
func (l *lexer) backslash(i int) *Node {
	switch c := l.byteAt(i + 1); {
	case c == '\\':
		at := i + 2
		for at < l.to && isBlank(l.text[at]) {
			at++
		}
		if l.place == InText && l.byteAt(i-1) != '\\' && at < l.to && l.text[at] == '\n' {
			return &Node{Kind: LineBreak, Span: span(i, at+1)}
		}
	case c == '(' || c == '[':
		closing := map[byte]string{'(': `\)`, '[': `\]`}[c]
		if end := l.find(closing, i+2); end >= 0 {
			return l.fragment(i, end+2)
		}
	case c == '_' && l.byteAt(i+2) == ' ':
		at := i + 2
		for at < l.to && at < i+22 && l.text[at] == ' ' {
			at++
		}
		return &Node{Kind: Entity, Key: "_" + string(l.text[i+2:at]), Span: span(i, at)}
	case c|0x20 >= 'a' && c|0x20 <= 'z':
		if end, name := l.entity(i); end > 0 {
			return &Node{Kind: Entity, Key: name, Span: span(i, end)}
		}
		return l.fragment(i, i+len(commandPattern().Find(l.rest(i))))
	}
	return nil
}

// entity returns the name of the entity at i and where it ends.
func (l *lexer) entity(i int) (end int, name string) {
	end = i + 1
	for end < l.to && (l.text[end]|0x20 >= 'a' && l.text[end]|0x20 <= 'z') {
		end++
	}
	for _, odd := range []string{"there4", "sup1", "sup2", "sup3", "frac12", "frac13", "frac14", "frac34"} {
		if bytes.HasPrefix(l.rest(i+1), []byte(odd)) {
			end = i + 1 + len(odd)
		}
	}
	name = string(l.text[i+1 : end])
	if _, ok := LookUpEntity(name); !ok {
		return 0, ""
	}
	if l.byteAt(end) == '{' && l.byteAt(end+1) == '}' {
		end += 2
	}
	return end, name
}

// angle parses targets, timestamps and links in angles.
func (l *lexer) angle(i int) *Node {
	if l.byteAt(i+1) == '<' && l.place != InDescription {
		kind, n := Target, 2
		if l.byteAt(i+2) == '<' {
			kind, n = RadioTarget, 3
		}
		rest := l.rest(i + n)
		stop := bytes.IndexAny(rest, "<>\n")
		if stop > 0 && bytes.HasPrefix(rest[stop:], []byte(">>>"[:n])) && !isBlank(rest[0]) && !isBlank(rest[stop-1]) {
			return &Node{Kind: kind, Span: span(i, i+n+stop+n), Contents: span(i+n, i+n+stop), Value: string(rest[:stop])}
		}
	}
	if n := l.timestamp(i); n != nil {
		return n
	}
	if l.place == InDescription {
		return nil
	}
	rest := l.rest(i + 1)
	stop := bytes.IndexAny(rest, "<>")
	if stop < 0 || rest[stop] != '>' {
		return nil
	}
	kind, path, ok := strings.Cut(string(rest[:stop]), ":")
	if !ok || !linkTypes[kind] || strings.TrimSpace(path) == "" || path[0] == '\n' {
		return nil
	}
	n := &Node{Kind: Link, Span: span(i, i+stop+2)}
	n.Link = typedLink(kind, strings.Join(strings.Fields(path), " "))
	n.Link.Form = '<'
	return n
}

func (l *lexer) timestamp(i int) *Node {
	if l.place == InDescription {
		return nil
	}
	size := orgfile.TimestampLength(l.rest(i))
	if size == 0 {
		return nil
	}
	return &Node{Kind: Timestamp, Span: span(i, i+size), Value: string(l.text[i : i+size])}
}

// bracket parses links, footnotes, citations, cookies and inactive timestamps.
func (l *lexer) bracket(i int) *Node {
	switch c := l.byteAt(i + 1); {
	case c == '[':
		if l.place != InDescription {
			return l.bracketLink(i)
		}
	case c == 'f':
		return l.footnote(i)
	case c == 'c':
		if m := citePattern().FindSubmatch(l.rest(i)); m != nil && l.place != InDescription {
			if end := l.match(i); end > 0 && bytes.IndexByte(l.text[i:end], '@') > 0 {
				return &Node{Kind: Citation, Span: span(i, end+1), Key: string(m[1]), Contents: span(i+len(m[0]), end)}
			}
		}
	case c >= '0' && c <= '9' || c == '/' || c == '%':
		if m := cookiePattern.Find(l.rest(i)); m != nil {
			return &Node{Kind: StatisticsCookie, Span: span(i, i+len(m)), Value: string(m)}
		}
		return l.timestamp(i)
	}
	return nil
}

func (l *lexer) footnote(i int) *Node {
	m := notePattern().FindSubmatch(l.rest(i))
	if m == nil || l.place == InDescription {
		return nil
	}
	n := &Node{Kind: FootnoteReference, Key: string(m[1])}
	if m[2][0] == ']' {
		if n.Key == "" {
			return nil
		}
		n.Span = span(i, i+len(m[0]))
		return n
	}
	end := l.match(i)
	if end < 0 {
		return nil
	}
	n.Span, n.Contents, n.Value = span(i, end+1), span(i+len(m[0]), end), "inline"
	return n
}

var (
	sourceBefore = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|[^\pL\pN_])(src|call)$`) })
	sourceHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^_([^\s\[{]+)(\[|\{)`) })
	callHeader   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^_([^\s()\[\]]+)(?:\[([^\]\n]*)\])?\(`) })
)

// inlineBabel parses "src_lang[header]{code}" and "call_name(arguments)", whose
// underscore stands at i.
func (l *lexer) inlineBabel(i int) *Node {
	word := sourceBefore().FindSubmatch(l.text[max(l.from, i-5):i])
	if word == nil {
		return nil
	}
	start := i - len(word[1])
	if word[1][0] == 's' {
		m := sourceHeader().FindSubmatch(l.rest(i))
		if m == nil {
			return nil
		}
		at := i + len(m[0]) - 1
		if m[2][0] == '[' {
			if at = l.match(at) + 1; at == 0 || l.byteAt(at) != '{' {
				return nil
			}
		}
		end := l.match(at)
		if end < 0 {
			return nil
		}
		return &Node{Kind: InlineSource, Span: span(start, end+1), Key: string(m[1]), Value: string(l.text[at+1 : end])}
	}
	m := callHeader().FindSubmatch(l.rest(i))
	if m == nil {
		return nil
	}
	end := l.match(i + len(m[0]) - 1)
	if end < 0 {
		return nil
	}
	if l.byteAt(end+1) == '[' {
		if at := l.match(end + 1); at > 0 {
			end = at
		}
	}
	return &Node{Kind: InlineCall, Span: span(start, end+1)}
}
