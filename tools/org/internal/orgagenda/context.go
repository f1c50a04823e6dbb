package orgagenda

import (
	"bytes"
	"regexp"
	"sync"
)

// A lineContext says what a place in an entry is.
type lineContext int

const (
	inText lineContext = iota
	inComment
	inSource  // a block of code
	inLiteral // text that is not Org: other blocks, keywords, fixed width, verbatim, links
)

// A contextScanner tells what places in an entry are, asked from its start on.
type contextScanner struct {
	src   []byte // to the end of the entry
	next  int    // the first line not looked at
	block string // the kind of the open block in lower case, "" for none
}

// at returns what place pos is.
func (s *contextScanner) at(pos int) lineContext {
	for {
		end := lineEnd(s.src, s.next, len(s.src))
		line := s.src[s.next:end]
		if pos <= end {
			return s.context(line, pos-s.next)
		}
		s.enter(line, end)
		s.next = end + 1
	}
}

var (
	blockBegin  = regexp.MustCompile(`(?i)^[ \t]*#\+begin_(src|example|export|comment)(?:[ \t]|\r?$)`)
	keywordLine = regexp.MustCompile(`^#\+[^\s\[]+(?:\[.*\])?:`)
	literalText = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|[\s\-({'"])(=(?:[^\s=]|[^\s=].*?\S)=|~(?:[^\s~]|[^\s~].*?\S)~)(?:$|[\s\-.,:!?;'")}\\\[])`)
	})
)

// enter notes what block a line opens or closes. One that is never closed is no
// block.
func (s *contextScanner) enter(line []byte, end int) {
	hash := bytes.IndexByte(line, '#')
	if hash < 0 || len(bytes.TrimLeft(line[:hash], " \t")) > 0 {
		return
	}
	if s.block != "" {
		if blockEnds(line, s.block) {
			s.block = ""
		}
		return
	}
	m := blockBegin.FindSubmatch(line)
	if m == nil {
		return
	}
	kind := string(bytes.ToLower(m[1]))
	for at := end + 1; at < len(s.src); {
		end := lineEnd(s.src, at, len(s.src))
		if blockEnds(s.src[at:end], kind) {
			s.block = kind
			return
		}
		at = end + 1
	}
}

func blockEnds(line []byte, kind string) bool {
	line = bytes.TrimSpace(line)
	return len(line) == len("#+end_")+len(kind) && bytes.EqualFold(line[:6], []byte("#+end_")) && bytes.EqualFold(line[6:], []byte(kind))
}

func (s *contextScanner) context(line []byte, column int) lineContext {
	text := bytes.TrimLeft(line, " \t")
	switch {
	case len(text) > 0 && text[0] == '#' && (len(text) == 1 || text[1] == ' '):
		return inComment
	case s.block == "src":
		return inSource
	case s.block != "" || isLiteralLine(text) || inLink(line, column):
		return inLiteral
	}
	if bytes.ContainsAny(line[:column], "=~") {
		for _, m := range literalText().FindAllSubmatchIndex(line, -1) {
			if column > m[2] && column < m[3] {
				return inLiteral
			}
		}
	}
	return inText
}

// isLiteralLine says whether a line, without blanks before it, is a keyword or of
// fixed width.
func isLiteralLine(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	switch text[0] {
	case ':':
		return len(text) == 1 || text[1] == ' ' || text[1] == '\r'
	case '#':
		return keywordLine.Match(text)
	}
	return false
}

// inLink says whether a column lies between "[[" and "]]".
func inLink(line []byte, column int) bool {
	begin := bytes.LastIndex(line[:column], []byte("[["))
	return begin >= 0 && !bytes.Contains(line[begin:column], []byte("]]")) && bytes.Contains(line[column:], []byte("]]"))
}
