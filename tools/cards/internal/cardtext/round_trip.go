package cardtext

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	parser "golang.org/x/net/html"
)

// Markdown that is edited and written back must not change what nobody edited. What
// Markdown has no words for stays HTML, block by block, where that makes the whole
// become the same HTML again.

// faithful is Markdown that becomes exactly this HTML: of a content that HTML made. For
// another content it is the Markdown that reads best. Links and nests are back in it.
func (c *Converter) faithful(content, markdown string, kept protected) string {
	whole := kept.restore(content)
	isExact := func(text string) bool {
		got, err := c.HTML(text, false)
		return err == nil && got == whole && kept.sameIn(text)
	}
	if text := kept.restore(markdown); isExact(text) {
		return text
	}
	var b strings.Builder
	asText := false
	for _, one := range groups(content) {
		text, exact := c.groupMarkdown(one.text)
		b.WriteString(text + one.after)
		asText = asText || !exact
	}
	if !strings.HasSuffix(content, "\n") {
		b.WriteString(lineEnd(content))
	}
	if text := kept.restore(b.String()); asText && kept.sameIn(text) || isExact(text) {
		return text
	}
	raw, exact := c.rawBlock(content)
	if !exact {
		raw = beginBlock + raw
	}
	if text := kept.restore(raw); isExact(text) {
		return text
	}
	return kept.restore(markdown)
}

// sameIn reports whether a text has all that was taken out and nothing else, in any order.
func (p protected) sameIn(text string) bool {
	_, again := protect(text)
	return slices.Equal(slices.Sorted(maps.Values(again)), slices.Sorted(maps.Values(p)))
}

func (c *Converter) becomes(markdown, content string) bool {
	got, err := c.convert(markdown)
	return err == nil && got == content
}

// groupMarkdown is one group of blocks: Markdown, or HTML as it is if Markdown would not
// become it again. Not exact is a text that stands in no element, and a table, which are
// written so that they can be read.
func (c *Converter) groupMarkdown(group string) (text string, exact bool) {
	out, err := c.convertBack(group)
	if err == nil {
		// Blocks without an empty line between them may need one between them.
		for _, text := range []string{out, strings.ReplaceAll(out, "\n\n", "\n")} {
			if text = strings.Trim(text, "\n"); text != "" && c.becomes(text, group+"\n") {
				return text, true
			}
		}
	}
	text = strings.Trim(out, "\n")
	if text != "" && c.isTable(text, group) {
		return text, false
	}
	raw, exact := c.rawBlock(group + "\n")
	switch {
	case exact:
	case text != "" && !beginsBlock(group) && c.saysSame(text, group):
		return text, false
	default:
		raw = beginBlock + raw
	}
	return strings.TrimSuffix(raw, "\n"), true
}

func (c *Converter) isTable(markdown, group string) bool {
	got, err := c.convert(markdown)
	return err == nil && strings.HasPrefix(group, "<table") && isSameTable(got, flattenCells(group))
}

// saysSame reports whether Markdown becomes HTML with the same text, apart from space.
func (c *Converter) saysSame(markdown, content string) bool {
	got, err := c.convert(markdown)
	visible := func(text string) string { return strings.Join(strings.Fields(PlainText(text)), "") }
	return err == nil && visible(got) == visible(content)
}

// beginsBlock reports whether HTML begins with an element that is no part of a line of text.
func beginsBlock(content string) bool {
	name, _ := tagName(content)
	return name != "" && !lineElements[name]
}

var lineElements = map[string]bool{
	"a": true, "b": true, "i": true, "u": true, "s": true, "em": true, "strong": true, "ins": true, "del": true, "strike": true, "sup": true,
	"sub": true, "small": true, "code": true, "cite": true, "span": true, "br": true, "img": true,
}

// beginBlock is an element that no content keeps, and that begins a block of HTML.
const beginBlock = "<section>"

// rawBlock is HTML as one block of Markdown, in which a line without text would end it; exact:
// it becomes the content again.
func (c *Converter) rawBlock(content string) (raw string, exact bool) {
	var b strings.Builder
	lines := strings.SplitAfter(content, "\n")
	for i, line := range lines {
		switch text := strings.TrimSuffix(line, "\n"); {
		case strings.Trim(text, " \t\r\v\f") != "", i == len(lines)-1:
			b.WriteString(line)
		case text == "":
			b.WriteString("&#10;")
		default:
			fmt.Fprintf(&b, "&#%d;%s", line[0], line[1:])
		}
	}
	return b.String(), c.becomes(b.String(), content)
}

// A group is blocks that no empty line parts, and the line ends behind them.
type group struct{ text, after string }

// groups are the parts of HTML between empty lines, of which none is within an element.
func groups(content string) (all []group) {
	start := 0
	for _, end := range append(emptyLineEnds(content), len(content)) {
		text := strings.TrimRight(content[start:end], "\n")
		if after := content[start+len(text) : end]; text != "" || len(all) == 0 {
			all = append(all, group{text, after})
		} else {
			all[len(all)-1].after += after
		}
		start = end
	}
	return all
}

// emptyLineEnds are where text goes on after empty lines that no element is around.
func emptyLineEnds(content string) (ends []int) {
	depth, at := 0, 0
	z := parser.NewTokenizer(strings.NewReader(content))
	for {
		kind := z.Next()
		raw := string(z.Raw())
		switch kind {
		case parser.ErrorToken:
			return ends
		case parser.StartTagToken:
			if name, _ := z.TagName(); !hasNoEnd(string(name)) {
				depth++
			}
		case parser.EndTagToken:
			if name, _ := z.TagName(); !hasNoEnd(string(name)) {
				depth = max(depth-1, 0)
			}
		case parser.TextToken:
			for _, lines := range emptyLines().FindAllStringIndex(raw, -1) {
				if depth == 0 {
					ends = append(ends, at+lines[1])
				}
			}
		case parser.SelfClosingTagToken, parser.CommentToken, parser.DoctypeToken:
		}
		at += len(raw)
	}
}

var emptyLines = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\n\n+`) })

// hasNoEnd reports whether an element has no end, or is around blocks in Markdown too.
func hasNoEnd(element string) bool {
	return slices.Contains([]string{"br", "hr", "img", "details", "summary"}, element)
}
