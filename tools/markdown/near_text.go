package markdown

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// plainForms are what a keyboard has in the place of signs that editors put there.
var plainForms = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "‟", `"`, "«", `"`, "»", `"`, "‘", "'", "’", "'", "‚", "'", "‛", "'", "′", "'", "″", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "…", "...")

// plainForm is one character as a keyboard has it: quotes that are straight, blanks that
// may break, letters and signs of normal width. What has no width is left out.
func plainForm(r rune) string {
	switch {
	case r < unicode.MaxLatin1 && r != '\u00a0' && r != '\u00ad' && r != '«' && r != '»':
		return string(r)
	case unicode.Is(unicode.Cf, r):
		return ""
	case unicode.Is(unicode.Zs, r):
		return " "
	case r >= '\uff00' && r <= '\uffef':
		return norm.NFKC.String(string(r))
	}
	return plainForms.Replace(string(r))
}

// nearText says what of a text differs from wanted only in plainForm; empty: nothing.
func nearText(text, wanted string) string {
	var folded strings.Builder
	var at []int // of each byte of folded, where its character begins in text
	for i, r := range text {
		form := plainForm(r)
		folded.WriteString(form)
		for range len(form) {
			at = append(at, i)
		}
	}
	var want strings.Builder
	for _, r := range wanted {
		want.WriteString(plainForm(r))
	}
	from := strings.Index(folded.String(), want.String())
	if from < 0 || want.Len() == 0 {
		return ""
	}
	start, end := at[from], len(text)
	if to := from + want.Len(); to < len(at) {
		end = at[to]
	}
	const most, what = 300, "quotes, dashes, blanks or the width of letters"
	line := strings.Count(text[:start], "\n") + 1
	if end-start > most {
		return fmt.Sprintf("On line %d it differs in %s", line, what)
	}
	return fmt.Sprintf("Line %d has %q, which differs in %s", line, text[start:end], what)
}
