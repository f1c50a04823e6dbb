package cardtext

import (
	"bytes"
	"fmt"
	stdhtml "html"
	"regexp"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	htmlparser "golang.org/x/net/html"
)

// A Converter converts between Markdown and HTML. Links and nests pass it byte for
// byte. It is safe for concurrent use.
type Converter struct {
	markdown goldmark.Markdown
	policy   *bluemonday.Policy
	back     *converter.Converter
}

// NewConverter returns a Converter, which takes a millisecond.
func NewConverter() *Converter {
	return &Converter{
		markdown: newMarkdown(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe())),
		policy:   newPolicy(),
		back:     newBackConverter(),
	}
}

// newBackConverter makes Markdown of HTML.
func newBackConverter() *converter.Converter {
	c := converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(commonmark.WithBulletListMarker("-"), commonmark.WithListEndComment(false)),
		strikethrough.NewStrikethroughPlugin(), table.NewTablePlugin(table.WithHeaderPromotion(true),
			table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithNewlineBehavior(table.NewlineBehaviorPreserve)),
	))
	for _, name := range []string{"details", "summary"} {
		c.Register.RendererFor(name, converter.TagTypeBlock, renderElement, converter.PriorityEarly)
	}
	return c
}

// renderElement keeps an element that Markdown has as HTML, with Markdown in it.
func renderElement(ctx converter.Context, w converter.Writer, n *htmlparser.Node) converter.RenderStatus {
	open, space := n.Data, "\n\n"
	if len(n.Attr) > 0 { // open is all that there is
		open += " open"
	}
	if n.Data == "summary" {
		space = ""
	}
	_, _ = w.WriteString("\n\n<" + open + ">" + space) // the writer is memory
	ctx.RenderChildNodes(ctx, w, n)
	_, _ = w.WriteString(space + "</" + n.Data + ">\n\n")
	return converter.RenderSuccess
}

func newPolicy() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "div", "span", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "strong", "em", "b", "i",
		"u", "s", "strike",
		"ins", "del", "a", "img", "blockquote", "pre", "code", "table", "thead", "tbody", "tfoot", "tr", "th", "td", "hr", "sub", "sup", "small",
		"caption", "cite", "details", "summary")
	p.AllowNoAttrs().OnElements("a", "span", "div", "img")
	p.AllowAttrs("class", "id", "title").Globally()
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("src", "alt", "width", "height").OnElements("img")
	p.AllowAttrs("colspan", "rowspan").OnElements("td", "th")
	p.AllowAttrs("align").Matching(regexp.MustCompile("^(?:left|center|right)$")).OnElements("td", "th")
	p.AllowAttrs("start").OnElements("ol")
	p.AllowAttrs("open").OnElements("details")
	p.AllowURLSchemes("http", "https", "mailto")
	p.AllowRelativeURLs(true)
	return p
}

// What follows the end of a script on its line is text and not part of it.
var afterScript = regexp.MustCompile(`(?i)(</(?:script|style)>)[ \t]*(\S)`)

// HTML converts Markdown. Unless trusted, elements and attributes that could run
// something are dropped, and the text of a script is shown as text.
func (c *Converter) HTML(markdown string, trusted bool) (string, error) {
	plain, kept := protect(strings.ReplaceAll(markdown, "\x00", "\uFFFD"))
	out, err := c.render(plain, trusted)
	if err != nil {
		return "", err
	}
	if !trusted {
		out = c.sanitize(out)
	}
	return kept.restoreHTML(endLine(out)), nil
}

// convert is HTML of Markdown whose links and nests are protected.
func (c *Converter) convert(plain string) (string, error) {
	out, err := c.render(plain, false)
	if err != nil {
		return "", err
	}
	return endLine(c.sanitize(out)), nil
}

// endLine is HTML with the end of its last line, and no empty lines around it.
func endLine(text string) string {
	if text = strings.Trim(text, "\n"); text == "" {
		return ""
	}
	return text + "\n"
}

// render is HTML of Markdown: with tags that hold raw text as they are only if it is trusted.
func (c *Converter) render(plain string, trusted bool) (string, error) {
	source := []byte(afterScript.ReplaceAllString(plain, "$1\n$2"))
	var b bytes.Buffer
	w := htmlWriter{out: &b, source: source, inline: c.markdown.Renderer(), trusted: trusted}
	pc := parser.NewContext()
	if trusted {
		pc.Set(trustedKey, true)
	}
	if err := w.blocks(c.markdown.Parser().Parse(text.NewReader(source), parser.WithContext(pc)), 0); err != nil {
		return "", fmt.Errorf("convert Markdown: %w", err)
	}
	return b.String(), nil
}

// sanitize applies the policy, and spells quotes in text as they were.
func (c *Converter) sanitize(text string) string {
	text = c.policy.Sanitize(showScripts(text))
	var b strings.Builder
	z := htmlparser.NewTokenizer(strings.NewReader(text))
	for z.Next() != htmlparser.ErrorToken {
		raw := string(z.Raw())
		if raw[0] != '<' {
			raw = strings.NewReplacer("&#34;", `"`, "&#39;", "'").Replace(raw)
		}
		b.WriteString(raw)
	}
	return b.String()
}

// showScripts drops the tags of what has no text of its own for a reader, and keeps
// what is between them as text. One that is not closed is text itself.
func showScripts(text string) string {
	var b strings.Builder
	z := newTagReader(closedComments(text))
	for {
		kind, raw, name, open := z.next()
		switch kind {
		case htmlparser.ErrorToken:
			return b.String()
		case htmlparser.StartTagToken, htmlparser.EndTagToken, htmlparser.SelfClosingTagToken:
			if open {
				b.WriteString(stdhtml.EscapeString(raw))
				continue
			}
			switch name {
			case "input":
				raw = taskBox(tagToken(z, kind, name))
			case "script", "style", "iframe", "noscript", "noembed", "noframes", "xmp", "plaintext", "title", "textarea", "object", "embed",
				"template", "svg", "math":
				continue
			}
		case htmlparser.TextToken:
			raw = strings.ReplaceAll(raw, "<", "&lt;")
		case htmlparser.CommentToken, htmlparser.DoctypeToken:
			continue
		}
		b.WriteString(raw)
	}
}

// Markdown converts HTML to GitHub's Markdown. What [Converter.HTML] has made of a text,
// it makes of the answer again.
func (c *Converter) Markdown(content string) (string, error) {
	plain, kept := protect(content)
	out, err := c.convertBack(plain)
	if err != nil {
		return "", fmt.Errorf("convert HTML: %w", err)
	}
	return c.faithful(plain, out+lineEnd(content), kept), nil
}

// convertBack is Markdown of HTML whose links and nests are protected.
func (c *Converter) convertBack(plain string) (string, error) {
	out, err := c.back.ConvertString(flattenCells(showScripts(plain)))
	return tidyMarkdown(out), err
}

var (
	delimiterRow = regexp.MustCompile(`^\|(?::?-+:?\|)+$`)
	delimiter    = regexp.MustCompile(`(:?)-+(:?)\|`)
	escapedTask  = regexp.MustCompile(`^([ \t>]*(?:[-*+]|\d+[.)]) )\\\[([ x])\]( |$)`)
	listItem     = regexp.MustCompile(`^[ \t]+(?:[-*+]|\d+\.) `)
)

// tidyMarkdown writes tables, lists within lists and tasks as most people do: a space
// within each cell, <br> for a new line in it, no empty line before a list that belongs to an
// item, and [x] without a backslash.
func tidyMarkdown(markdown string) string {
	lines := strings.Split(markdown, "\n")
	out, inCode := lines[:0:0], false
	for i, line := range lines {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			inCode = !inCode
		}
		switch {
		case inCode:
		case i > 0 && i+1 < len(lines) && line != "" && strings.TrimSpace(line) == "" && listItem.MatchString(lines[i+1]):
			continue
		case delimiterRow.MatchString(line):
			line = "|" + delimiter.ReplaceAllString(line[1:], " ${1}---${2} |")
		case strings.HasPrefix(line, "|"):
			line = cellBullet.ReplaceAllString(cellBreak.ReplaceAllString(line, "<br>"), "$1$2$3")
		default:
			line = escapedTask.ReplaceAllString(line, "$1[$2]$3")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// lineEnd is how Markdown of this HTML ends: an empty line after a paragraph, so
// that what is appended is another one.
func lineEnd(content string) string {
	content = strings.TrimSpace(content)
	switch {
	case strings.HasSuffix(content, "</p>"):
		return "\n\n"
	case strings.HasSuffix(content, ">"):
		return "\n"
	}
	return ""
}
