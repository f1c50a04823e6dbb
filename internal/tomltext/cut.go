package tomltext

import (
	"bytes"
	"slices"
)

// Cut returns text without what is at path and below it: whole lines, with the
// comments inside and those directly above unless these begin the file, and
// one blank line. It returns false if nothing is at path on lines of its own.
// The text must be valid TOML and may begin with a byte order mark.
func Cut(text []byte, path string) ([]byte, bool) {
	bare := bytes.TrimPrefix(text, []byte(BOM))
	mark := text[:len(text)-len(bare)]
	pieces := ParseOutline(bare).linesOf(path)
	if len(pieces) == 0 {
		return nil, false
	}
	cuts := merge(bare, pieces)
	cuts[0].from = above(bare, cuts[0].from)
	var after []byte
	at := 0
	for _, s := range cuts {
		s = withGap(bare, s)
		after = append(after, bare[at:s.from]...)
		at = s.to
	}
	after = append(after, bare[at:]...)
	return append(slices.Clone(mark), after...), true
}

// merge joins spans with only comments and blank lines between them, which are
// inside the table.
func merge(text []byte, pieces []span) []span {
	joined := []span{pieces[0]}
	for _, p := range pieces[1:] {
		last := &joined[len(joined)-1]
		if onlyComments(text[last.to:max(p.from, last.to)]) {
			last.to = max(last.to, p.to)
		} else {
			joined = append(joined, p)
		}
	}
	return joined
}

func onlyComments(text []byte) bool {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return false
		}
	}
	return true
}

// above moves from up over the comment lines that touch it, unless these are
// the first thing in the file.
func above(text []byte, from int) int {
	top := from
	for top > 0 {
		start := bytes.LastIndexByte(text[:top-1], '\n') + 1
		line := bytes.TrimSpace(text[start:top])
		if len(line) == 0 || line[0] != '#' {
			return top
		}
		top = start
	}
	return from
}

// withGap includes one blank line, so that the ones before and after do not
// add up: the one before, or at the top of the file the one after.
func withGap(text []byte, s span) span {
	if s.from > 0 {
		start := bytes.LastIndexByte(text[:s.from-1], '\n') + 1
		if len(bytes.TrimSpace(text[start:s.from])) == 0 {
			s.from = start
		}
		return s
	}
	if n := bytes.IndexByte(text[s.to:], '\n'); n >= 0 && len(bytes.TrimSpace(text[s.to:s.to+n])) == 0 {
		s.to += n + 1
	}
	return s
}
