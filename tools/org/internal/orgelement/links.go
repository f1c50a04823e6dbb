package orgelement

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// linkTypes are the types of links that Org knows when none was added to it.
var linkTypes = map[string]bool{
	"bbdb": true, "bibtex": true, "docview": true, "doi": true, "elisp": true, "eww": true,
	"file": true, "file+emacs": true, "file+sys": true, "ftp": true, "gnus": true, "help": true,
	"http": true, "https": true, "info": true, "irc": true, "mailto": true, "mhe": true,
	"news": true, "rmail": true, "shell": true, "w3m": true,
}

var (
	bracketPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\[\[((?:[^\]\[\\]|\\(?:\\\\)*[\]\[]|\\+[^\]\[])+)\](\[|\])`)
	})
	unescapePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\\+)([\]\[]|$)`) })
)

// bracketLink parses "[[path]]" and "[[path][description]]".
func (l *lexer) bracketLink(i int) *Node {
	stop := l.find("]", i+2)
	if stop < 0 {
		return nil
	}
	m := bracketPath().FindSubmatchIndex(l.rest(i))
	if m == nil {
		return nil
	}
	n := &Node{Kind: Link}
	path := string(l.text[i+m[2] : i+m[3]])
	if l.text[i+m[4]] == ']' {
		n.Span = span(i, i+m[1])
	} else {
		start := i + m[1]
		end := l.find("]]", start+1)
		if end < 0 {
			return nil
		}
		n.Span, n.Contents = span(i, end+2), span(start, end)
	}
	path = unescapePath().ReplaceAllStringFunc(path, func(s string) string {
		slashes := strings.Count(s, `\`)
		return strings.Repeat(`\`, slashes/2) + strings.TrimLeft(s, `\`)
	})
	n.Link = ParsePath(strings.Join(strings.Fields(path), " "))
	n.Link.Form = '['
	return n
}

var searchOption = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?)::(.*)$`) })

// ParsePath reads the path of a link in brackets.
func ParsePath(raw string) LinkParts {
	kind, path, ok := strings.Cut(raw, ":")
	switch {
	case strings.HasPrefix(raw, "/") || strings.HasPrefix(raw, "./") || strings.HasPrefix(raw, "../") || strings.HasPrefix(raw, "~"):
		p := typedLink("file", raw)
		p.Raw = raw
		return p
	case ok && (linkTypes[kind] || kind == "id" || kind == "attachment"):
		return typedLink(kind, path)
	case strings.HasPrefix(raw, "(") && strings.HasSuffix(raw, ")"):
		return LinkParts{Type: "coderef", Path: raw[1 : len(raw)-1], Raw: raw}
	case strings.HasPrefix(raw, "#"):
		return LinkParts{Type: "custom-id", Path: raw[1:], Raw: raw}
	}
	return LinkParts{Type: "fuzzy", Path: raw, Raw: raw}
}

func typedLink(kind, path string) LinkParts {
	p := LinkParts{Type: kind, Path: path, Raw: kind + ":" + path}
	if strings.HasPrefix(kind, "file") {
		p.Type = "file"
		if m := searchOption().FindStringSubmatch(path); m != nil {
			p.Path, p.Search = m[1], m[2]
		}
		if strings.HasPrefix(p.Path, "///") {
			p.Path = "/" + strings.TrimLeft(p.Path, "/")
		}
	}
	return p
}

// plainLink parses a link without brackets, whose colon stands at i.
func (l *lexer) plainLink(i int) *Node {
	if l.place == InDescription {
		return nil
	}
	start := i
	for start > l.from && (isASCIILetter(l.text[start-1]) || l.text[start-1] == '+' ||
		l.text[start-1] >= '0' && l.text[start-1] <= '9') && i-start < 16 {
		start--
	}
	kind := string(l.text[start:i])
	for !linkTypes[kind] { // "xyz+file:" holds "file:"
		plus := strings.IndexByte(kind, '+')
		if plus < 0 {
			return nil
		}
		start, kind = start+plus+1, kind[plus+1:]
	}
	if r, _ := utf8.DecodeLastRune(l.text[l.from:start]); start > l.from && (isWord(r) || r == '\'') {
		return nil
	}
	size := plainPath(l.rest(i + 1))
	if size == 0 {
		return nil
	}
	n := &Node{Kind: Link, Span: span(start, i+1+size), Link: typedLink(kind, string(l.text[i+1:i+1+size]))}
	n.Link.Form = 'p'
	return n
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// plainPath returns how long the path of a link without brackets is: up to a
// blank, bracket or angle, with balanced parentheses, and without punctuation at
// its end.
func plainPath(b []byte) int {
	end, pieces := 0, 0
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		switch {
		case bytes.IndexByte([]byte("[] \t\n<>)"), b[i]) >= 0:
			return end
		case r == '(':
			n := parenthesized(b[i:])
			if n == 0 {
				return end
			}
			i += n
			if pieces++; pieces > 1 {
				end = i
			}
			continue
		case r == '/' || !isASCIIPunct(r) && !isPunct(r):
			if pieces++; pieces > 1 {
				end = i + size
			}
		default:
			pieces++
		}
		i += size
	}
	return end
}

func isPunct(r rune) bool {
	return strings.ContainsRune("…–—’‘“”«»。，、！？；：", r)
}

// parenthesized returns the length of "(...)" at the start of b, one more pair
// allowed in it, 0 if b starts with no such thing.
func parenthesized(b []byte) int {
	depth := 0
	for i, c := range b {
		switch c {
		case '(':
			if depth++; depth > 2 {
				return 0
			}
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case '[', ']', ' ', '\t', '\n', '<', '>':
			return 0
		}
	}
	return 0
}
