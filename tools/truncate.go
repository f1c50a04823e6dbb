package tools

import "unicode/utf8"

// Truncate shortens text to at most size bytes without splitting a character.
func Truncate(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
