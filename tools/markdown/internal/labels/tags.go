package labels

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// findTags returns every #tag and #[[tag]] in a text, in each form in which one of
// the programs may read it.
func findTags(text string) (tags []string) {
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '#')
		if next < 0 {
			return tags
		}
		at += next + 1
		if !isAnchor(text[:at-1]) {
			tags = appendTags(tags, text[at:])
		}
	}
}

// maxLookBack bounds how far a link or a tag in brackets is looked for, in bytes.
const maxLookBack = 1000

// isAnchor reports whether a # ends a link, so that what follows names a place in
// its target: after a letter or digit of an address or of [[a link.
func isAnchor(before string) bool {
	last, _ := utf8.DecodeLastRuneInString(before)
	if !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != '/' && last != ')' {
		return false
	}
	line := before[max(0, len(before)-maxLookBack):]
	line = line[strings.LastIndexByte(line, '\n')+1:]
	if open := strings.LastIndex(line, "[["); open >= 0 && !strings.Contains(line[open:], "]]") && line[max(open-1, 0)] != '#' {
		return true
	}
	word := line[strings.LastIndexAny(line, " \t")+1:]
	return strings.Contains(word, "](") || strings.Contains(word, "://")
}

// appendTags adds the forms of the tag that begins with rest.
func appendTags(tags []string, rest string) []string {
	if inside, ok := strings.CutPrefix(rest, "[["); ok {
		line, _, _ := strings.Cut(inside[:min(len(inside), maxLookBack)], "\n")
		name, _, closed := strings.Cut(line, "]]")
		if !closed {
			return tags
		}
		return appendForms(tags, name)
	}
	word := rest[:endOfRun(rest, func(r rune) bool { return r != '#' && !unicode.IsSpace(r) })]
	for _, form := range []string{word, word[:endOfRun(word, isInTag)], word[:endOfRun(word, isInAnyTag)]} {
		tags = appendForms(tags, form)
	}
	return tags
}

// endOfRun is the length of the run of characters at the beginning of s.
func endOfRun(s string, in func(rune) bool) int {
	if end := strings.IndexFunc(s, func(r rune) bool { return !in(r) }); end >= 0 {
		return end
	}
	return len(s)
}

// isInTag is about the characters that all programs have in tags, isInAnyTag about
// those that some have.
func isInTag(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || strings.ContainsRune("_/-", r)
}

func isInAnyTag(r rune) bool {
	return isInTag(r) || unicode.IsMark(r) || unicode.IsSymbol(r) || unicode.Is(unicode.Cf, r)
}
