package cardtext

import (
	"net/url"
	"strings"

	parser "golang.org/x/net/html"
)

// The private characters that stand for links and nests while a text is converted.
// No converter gives them a meaning.
const firstPrivate, lastPrivate = '\U00100000', '\U0010FFFD'

// protected are the links and nests that were taken out of a text.
type protected map[rune]string

// protect puts a private character, which the text does not contain, in the place of
// every link and nest. Those that contain < or > stay: as part of HTML they would
// be more than names.
func protect(text string) (string, protected) {
	used := map[rune]bool{}
	for _, r := range text {
		if r >= firstPrivate {
			used[r] = true
		}
	}
	out := protected{}
	var b strings.Builder
	at, next := 0, firstPrivate
	for _, t := range Tokens(text) {
		whole := text[t.Start:t.End]
		for used[next] {
			next++
		}
		if next > lastPrivate || strings.ContainsAny(whole, "<>\n") {
			continue
		}
		b.WriteString(text[at:t.Start])
		b.WriteRune(next)
		out[next] = whole
		at = t.End
		next++
	}
	b.WriteString(text[at:])
	return b.String(), out
}

// restore puts links and nests back, byte for byte.
func (p protected) restore(text string) string {
	if len(p) == 0 {
		return text
	}
	pairs := make([]string, 0, 4*len(p))
	for r, whole := range p {
		pairs = append(pairs, string(r), whole, url.PathEscape(string(r)), whole)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// restoreHTML is restore for HTML: within an element quotes are escaped, so that a
// name cannot end an attribute.
func (p protected) restoreHTML(text string) string {
	var b strings.Builder
	z := parser.NewTokenizer(strings.NewReader(text))
	for z.Next() != parser.ErrorToken {
		raw := string(z.Raw())
		if raw[0] != '<' {
			b.WriteString(p.restore(raw))
			continue
		}
		inside := make(protected, len(p))
		for r, whole := range p {
			inside[r] = strings.NewReplacer(`"`, "&#34;", `'`, "&#39;").Replace(whole)
		}
		b.WriteString(inside.restore(raw))
	}
	return b.String()
}
