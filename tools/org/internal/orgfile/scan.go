package orgfile

import (
	"bytes"
	"slices"
	"strings"
)

// A Keyword is a line "#+KEY: value" that configures the file.
type Keyword struct {
	Key   string // upper case
	Value string // without blanks around it
}

// A scanner finds the headings and the keyword lines of a file in one pass. It
// looks at the first bytes of each line only.
type scanner struct {
	src       []byte
	pos       int
	crlf      bool
	inline    int // stars from which on a line is no heading, 0: always one
	headlines []Headline
	keywords  []Keyword

	// A verbatim block whose end was not seen yet. A heading ends it, and then
	// it was none: what looked like text in it counts.
	block      string // its kind in lower case, "" outside of blocks
	blockBegin int    // the line after "#+begin_"
	pending    bool   // a keyword line was seen since
}

func (s *scanner) run() {
	for s.pos < len(s.src) {
		line := s.pos
		end := len(s.src)
		s.pos = end
		if i := bytes.IndexByte(s.src[line:], '\n'); i >= 0 {
			end, s.pos = line+i, line+i+1
			if s.crlf {
				end--
			}
		}
		if end == line {
			continue
		}
		switch s.src[line] {
		case '*':
			if level := headingLevel(s.src[line:end]); level > 0 && (s.inline == 0 || level < s.inline) {
				s.finishSection(line)
				s.reserve()
				s.headlines = append(s.headlines, Headline{Begin: int32(line), LineEnd: int32(end), Level: int32(level)})
			}
		case '#', ' ', '\t':
			s.hashLine(s.src[line:end])
		}
	}
	s.finishSection(len(s.src))
}

// reserve makes room for the headlines of the whole file, if it goes on as it
// began: growing step by step would copy the records of a large file many times.
func (s *scanner) reserve() {
	if n := len(s.headlines); n == cap(s.headlines) && n >= 256 {
		more := float64(n) * float64(len(s.src)-s.pos) / float64(s.pos)
		s.headlines = slices.Grow(s.headlines, int(more*1.05)+16)
	}
}

// Stars counts the stars of a line of a heading or an inline task, 0 for any other
// line. What follows the line in b does not matter.
func Stars(b []byte) int { return headingLevel(b) }

// HeadingLevel is [Stars] without inline tasks.
func (s *Settings) HeadingLevel(b []byte) int {
	n := headingLevel(b)
	if inline := s.InlineStars(); inline > 0 && n >= inline {
		return 0
	}
	return n
}

// headingLevel counts the stars of a heading line: stars at its start and a
// space behind them. It is 0 for any other line.
func headingLevel(line []byte) int {
	i := 0
	for i < len(line) && line[i] == '*' {
		i++
	}
	if i < len(line) && line[i] == ' ' {
		return i
	}
	return 0
}

// verbatimBlocks are the blocks whose text is not Org.
var verbatimBlocks = []string{"src", "example", "export", "comment", "verse"}

func (s *scanner) hashLine(line []byte) {
	line = trimBlanks(line)
	if len(line) < 3 || line[0] != '#' || line[1] != '+' {
		return
	}
	line = line[2:]
	if kind, ok := cutFold(line, "begin_"); ok && s.block == "" {
		name, _, _ := bytes.Cut(kind, []byte(" "))
		name, _, _ = bytes.Cut(name, []byte("\t"))
		for _, b := range verbatimBlocks {
			if strings.EqualFold(string(name), b) {
				s.block, s.blockBegin, s.pending = b, s.pos, false
			}
		}
		return
	}
	if kind, ok := cutFold(line, "end_"); ok {
		if s.block != "" && strings.EqualFold(string(kind), s.block) {
			s.block = ""
		}
		return
	}
	k, ok := parseKeyword(line)
	switch {
	case !ok:
	case s.block != "":
		s.pending = true
	default:
		s.keywords = append(s.keywords, k)
	}
}

// finishSection is called at a heading and at the end of the file. A block that
// is still open was no block: keywords behind its first line count. At most one
// more pass for each kind of block is made.
func (s *scanner) finishSection(end int) {
	var unclosed []string
	for s.block != "" && s.pending {
		unclosed = append(unclosed, s.block)
		again := scanner{src: s.src[:end], pos: s.blockBegin, crlf: s.crlf}
		again.rescan(unclosed)
		s.keywords = append(s.keywords, again.keywords...)
		s.block, s.blockBegin, s.pending = again.block, again.blockBegin, again.pending
	}
	s.block, s.pending = "", false
}

// rescan reads the rest of a section in which blocks of the kinds in unclosed do
// not end.
func (s *scanner) rescan(unclosed []string) {
	for s.pos < len(s.src) {
		line := s.pos
		end := len(s.src)
		s.pos = end
		if i := bytes.IndexByte(s.src[line:], '\n'); i >= 0 {
			end, s.pos = line+i, line+i+1
		}
		was := s.block
		s.hashLine(s.src[line:end])
		if was == "" && s.block != "" && slices.Contains(unclosed, s.block) {
			s.block = ""
		}
	}
}

// settingKeys are the keywords that change how a file is read or edited.
var settingKeys = []string{
	"TODO", "SEQ_TODO", "TYP_TODO", "TAGS", "FILETAGS", "STARTUP", "PROPERTY", "CATEGORY", "ARCHIVE",
	"PRIORITIES", "SETUPFILE", "TITLE", "LINK",
}

// parseKeyword reads what follows "#+".
func parseKeyword(line []byte) (Keyword, bool) {
	colon := bytes.IndexByte(line, ':')
	if colon < 0 {
		return Keyword{}, false
	}
	for _, key := range settingKeys {
		if len(key) == colon && strings.EqualFold(string(line[:colon]), key) {
			return Keyword{key, string(trimBlanks(line[colon+1:]))}, true
		}
	}
	return Keyword{}, false
}

// cutFold cuts a prefix of lower case letters off b, whatever b's case is.
func cutFold(b []byte, prefix string) ([]byte, bool) {
	if len(b) < len(prefix) || !strings.EqualFold(string(b[:len(prefix)]), prefix) {
		return nil, false
	}
	return b[len(prefix):], true
}

// trimBlanks cuts spaces, tabs and a carriage return off both ends.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && isBlank(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && (isBlank(b[len(b)-1]) || b[len(b)-1] == '\r') {
		b = b[:len(b)-1]
	}
	return b
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }
