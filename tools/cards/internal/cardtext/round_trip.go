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
	for _, candidate := range []func() string{
		func() string { return markdown },
		func() string {
			var b strings.Builder
			for _, one := range groups(content) {
				b.WriteString(c.groupMarkdown(one.text) + one.after)
			}
			return b.String()
		},
		func() string { return c.rawBlock(content) },
	} {
		text := kept.restore(candidate())
		if got, err := c.HTML(text, false); err == nil && got == whole && kept.sameIn(text) {
			return text
		}
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
// become it again.
func (c *Converter) groupMarkdown(group string) string {
	if out, err := c.back.ConvertString(showScripts(group)); err == nil {
		// Blocks without an empty line between them may need one between them.
		for _, text := range []string{tidyMarkdown(out), strings.ReplaceAll(tidyMarkdown(out), "\n\n", "\n")} {
			if text = strings.Trim(text, "\n"); text != "" && c.becomes(text, group+"\n") {
				return text
			}
		}
	}
	return strings.TrimSuffix(c.rawBlock(group+"\n"), "\n")
}

// rawBlock is HTML as one block of Markdown: a line without text would end it.
func (c *Converter) rawBlock(content string) string {
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
	if raw := b.String(); c.becomes(raw, content) {
		return raw
	}
	return "<section>" + b.String() // which no content keeps, and which begins a block
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
			depth = max(depth-1, 0)
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

func hasNoEnd(element string) bool {
	return element == "br" || element == "hr" || element == "img"
}
