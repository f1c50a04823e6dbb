package safetext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"pgregory.net/rapid"
)

// A cut text is as long as it may be without a part of a character.
func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		text string
		size int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abc", 2, "ab"},
		{"abc", 0, ""},
		{"abc", -1, ""},
		{"grün", 3, "gr"},
		{"cafe\u0301", 4, "caf"},
		{"a\r\nb", 2, "a"},
		{"🇩🇪🇫🇷", 8, "🇩🇪"},
		{"🇩🇪🇫🇷", 12, "🇩🇪"},
		{"x👩‍👩‍👧y", 8, "x"},
		{"日本語", 7, "日本"},
		{"caf\xe9 is Latin-1", 5, "caf\xe9 "},
		{"a" + strings.Repeat("\u0301", 9), 4, "a\u0301"}, // it has no shorter whole
	} {
		if got := Truncate(c.text, c.size); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.text, c.size, got, c.want)
		}
	}
}

// Wherever a text is cut, the result is what whole characters from its beginning make.
func TestTruncateKeepsWholeCharacters(t *testing.T) {
	parts := []string{"a", "Z", " ", "\r", "\n", "é", "e\u0301", "\u0301", "日", "🇩", "🇪", "👩", "\u200d", "\ufe0f", "각", "ᄀ", "ᅡ", "\xe9", "नि"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom(parts)).Draw(t, "parts"), "")
		size := rapid.IntRange(0, len(text)+1).Draw(t, "size")
		longest, first := 0, 0
		for i := graphemes.FromString(text); i.Next(); {
			if first == 0 {
				first = i.End()
			}
			if i.End() <= size {
				longest = i.End()
			}
		}
		got := Truncate(text, size)
		if first <= size && got != text[:longest] {
			t.Errorf("Truncate(%q, %d) = %q, want %q", text, size, got, text[:longest])
		}
		if len(got) > size || !strings.HasPrefix(text, got) || utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("Truncate(%q, %d) = %q", text, size, got)
		}
		short := Shorten(text, max(size, 3))
		if len(short) > max(size, 3) || short != text && (!strings.HasSuffix(short, "…") || !strings.HasPrefix(text, strings.TrimSuffix(short, "…"))) {
			t.Errorf("Shorten(%q, %d) = %q", text, max(size, 3), short)
		}
	})
}
