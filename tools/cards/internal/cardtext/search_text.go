package cardtext

import (
	"html"
	"strings"

	htmlparser "golang.org/x/net/html"
	"golang.org/x/text/unicode/norm"
)

// FoldText is text as searches compare it: in one spelling of its characters, without letter
// case, and with one space for any.
func FoldText(text string) string { return ComposeText(strings.ToLower(norm.NFC.String(text))) }

// ComposeText is text in one spelling of its characters, and with one space for any.
func ComposeText(text string) string {
	text = strings.NewReplacer("\uFFFE", "\uFFFD", "\uFFFF", "\uFFFD").Replace(text) // SQLite takes them for the same
	return norm.NFC.String(strings.Join(strings.Fields(text), " "))
}

// VisibleText is what a reader sees of HTML: without tags, of which those within a line part no
// words, and with entities as the characters that they stand for.
func VisibleText(content string) string {
	if !strings.ContainsAny(content, "<&") {
		return content
	}
	var b strings.Builder
	z := newTagReader(closedComments(content))
	for {
		kind, raw, name, open := z.next()
		switch kind {
		case htmlparser.ErrorToken:
			return b.String()
		case htmlparser.TextToken:
			b.WriteString(html.UnescapeString(raw))
		case htmlparser.StartTagToken, htmlparser.EndTagToken, htmlparser.SelfClosingTagToken:
			switch {
			case open:
				b.WriteString(raw)
			case name == "br" || name == "img" || !lineElements[name]:
				b.WriteByte(' ')
			}
		case htmlparser.CommentToken, htmlparser.DoctypeToken:
		}
	}
}

// Around is a text with so many characters on each side of the first place of one of the words,
// whatever their letter case; empty: none is in it.
func Around(text string, words []string, around int) string {
	text = ComposeText(text)
	runes, lower := []rune(text), []rune(text)
	for i, r := range lower {
		lower[i] = []rune(strings.ToLower(string(r)))[0]
	}
	folded := string(lower)
	for _, word := range words {
		if at := strings.Index(folded, FoldText(word)); at >= 0 {
			first := len([]rune(folded[:at]))
			return string(runes[max(first-around, 0):min(first+len([]rune(word))+around, len(runes))])
		}
	}
	return ""
}
