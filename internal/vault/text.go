package vault

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

const bom = "\uFEFF"

// Text is the content of a file as an agent reads it: without the byte order
// mark, every line ended by "\n" alone. It is false when data is not UTF-8;
// then what is not text is shown as U+FFFD and the file must not be rewritten
// from it.
func Text(data []byte) (string, bool) {
	ok := utf8.Valid(data)
	text := strings.TrimPrefix(strings.ToValidUTF8(string(data), "\uFFFD"), bom)
	return strings.ReplaceAll(text, "\r\n", "\n"), ok
}

// Rewrite is the bytes that make text the content of a file whose bytes were
// old: it keeps the byte order mark and the line endings. Lines that did not
// change keep theirs; lines in between get the ending that most lines have.
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
	return append(out, mixed(bytes.SplitAfter(rest, []byte("\n")), strings.SplitAfter(text, "\n"), crlf*2 > all)...)
}

// mixed keeps the endings of the lines before the first change and after the
// last.
func mixed(was [][]byte, lines []string, crlf bool) []byte {
	plain := func(line []byte) string { return strings.ReplaceAll(string(line), "\r\n", "\n") }
	head, tail := 0, 0
	for head < min(len(was), len(lines)) && plain(was[head]) == lines[head] {
		head++
	}
	for tail < min(len(was), len(lines))-head && plain(was[len(was)-1-tail]) == lines[len(lines)-1-tail] {
		tail++
	}
	out := bytes.Join(was[:head], nil)
	for _, line := range lines[head : len(lines)-tail] {
		if crlf {
			line = strings.ReplaceAll(line, "\n", "\r\n")
		}
		out = append(out, line...)
	}
	return append(out, bytes.Join(was[len(was)-tail:], nil)...)
}
