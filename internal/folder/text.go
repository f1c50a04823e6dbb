package folder

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const bom = "\uFEFF"

// Text returns the content of a file as an agent reads it: without the byte order
// mark and with "\n" line endings. The second result is false if data is not
// UTF-8; invalid bytes then read as U+FFFD, and the file must not be rewritten
// from this text.
func Text(data []byte) (string, bool) {
	ok := utf8.Valid(data)
	text := strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), bom)
	return strings.ReplaceAll(text, "\r\n", "\n"), ok
}

// Rewrite returns the bytes to write when text replaces the content of a file
// whose bytes are old. It keeps the byte order mark and the line endings: lines
// before the first and after the last change keep theirs, and the lines between
// get the ending that most lines have.
func Rewrite(old []byte, text string) []byte {
	if same, ok := Text(old); ok && same == text {
		return old
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, bom), "\r\n", "\n")
	rest, marked := bytes.CutPrefix(old, []byte(bom))
	var out []byte
	if marked {
		out = append(out, bom...)
	}
	crlf, all := bytes.Count(rest, []byte("\r\n")), bytes.Count(rest, []byte("\n"))
	switch {
	case crlf == 0:
		return append(out, text...)
	case crlf == all:
		return append(out, strings.ReplaceAll(text, "\n", "\r\n")...)
	}
	return append(out, mergeLineEndings(bytes.SplitAfter(rest, []byte("\n")), strings.SplitAfter(text, "\n"), crlf*2 > all)...)
}

// mergeLineEndings keeps the endings of the lines before the first and after the
// last change.
func mergeLineEndings(old [][]byte, lines []string, crlf bool) []byte {
	plain := func(line []byte) string { return strings.ReplaceAll(string(line), "\r\n", "\n") }
	head, tail := 0, 0
	for head < min(len(old), len(lines)) && plain(old[head]) == lines[head] {
		head++
	}
	for tail < min(len(old), len(lines))-head && plain(old[len(old)-1-tail]) == lines[len(lines)-1-tail] {
		tail++
	}
	out := bytes.Join(old[:head], nil)
	for _, line := range lines[head : len(lines)-tail] {
		if crlf {
			line = strings.ReplaceAll(line, "\n", "\r\n")
		}
		out = append(out, line...)
	}
	return append(out, bytes.Join(old[len(old)-tail:], nil)...)
}

// A Splice replaces the bytes from Start to End, offsets in the [Text] of a file, by
// New. Start equals End to insert.
type Splice struct {
	Start, End int
	New        string
}

// ApplySplices returns the bytes of a file after splices of its text, which are in
// order and do not overlap. Every byte outside of them stays: a line ending of New
// becomes that of the line it stands on, or else of most lines. data is UTF-8.
func ApplySplices(data []byte, splices []Splice) []byte {
	if len(splices) == 0 {
		return data
	}
	crlf := bytes.Count(data, []byte("\r\n"))
	mostly := crlf*2 > bytes.Count(data, []byte("\n"))
	at, offset := 0, 0 // in data and in its text
	if bytes.HasPrefix(data, []byte(bom)) {
		at = len(bom)
	}
	begin := at
	advance := func(to int) { // text byte by text byte, of which "\r\n" is one
		for offset < to {
			if data[at] == '\r' && at+1 < len(data) && data[at+1] == '\n' {
				at++
			}
			at++
			offset++
		}
	}
	var out []byte
	out = append(out, data[:begin]...)
	kept := begin
	for _, s := range splices {
		advance(s.Start)
		out = append(out, data[kept:at]...)
		advance(s.End)
		kept = at
		text := strings.ReplaceAll(s.New, "\r\n", "\n")
		if crlf > 0 && endsInCRLF(data, at, mostly) {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		out = append(out, text...)
	}
	return append(out, data[kept:]...)
}

// endsInCRLF reports whether the line at a position ends in "\r\n"; for the last
// line the one before it tells.
func endsInCRLF(data []byte, at int, otherwise bool) bool {
	end := at + bytes.IndexByte(data[at:], '\n')
	if end < at {
		if end = bytes.LastIndexByte(data[:at], '\n'); end < 0 {
			return otherwise
		}
	}
	return end > 0 && data[end-1] == '\r'
}

// TextAfter is the [Text] of a file after splices.
func TextAfter(text string, splices []Splice) string {
	var b strings.Builder
	at := 0
	for _, s := range splices {
		b.WriteString(text[at:s.Start])
		b.WriteString(strings.ReplaceAll(s.New, "\r\n", "\n"))
		at = s.End
	}
	b.WriteString(text[at:])
	return b.String()
}
