package orgexport

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

// A markdownWriter writes Markdown as ox-md does, but for tables, which are those
// of GitHub and not HTML. What Markdown has no form for is HTML.
type markdownWriter struct {
	*htmlWriter
	inliner
}

func newMarkdown(d *document) *markdownWriter {
	m := &markdownWriter{htmlWriter: newHTML(d)}
	m.inliner = inliner{d: d, w: m, seen: map[*footnote]bool{}}
	m.htmlWriter.seen = m.seen
	return m
}

func (m *markdownWriter) page(body string) string {
	title := ""
	if m.set.title && m.title != "" {
		title = "# " + m.inliner.line(m.title) + "\n\n"
	}
	return title + body
}

func (m *markdownWriter) body() string {
	text := m.elements(m.first, nil) + m.sections(m.headings)
	if list := m.inTOC(m.headings); m.set.toc != 0 && len(list) > 0 {
		toc := newMarkdown(m.document)
		text = "\n# Table of Contents\n\n" + toc.tocList(m.headings) + "\n" + text
	}
	return withoutUnused(text + m.footnotes())
}

var headingAnchor = regexp.MustCompile(`\n<a id="([^"]+)"></a>\n\n#`)

// withoutUnused removes the anchors above headings that nothing links to.
func withoutUnused(text string) string {
	used := map[string]bool{}
	for _, m := range linkToAnchor.FindAllStringSubmatch(text, -1) {
		used[m[1]] = true
	}
	return headingAnchor.ReplaceAllStringFunc(text, func(s string) string {
		if used[headingAnchor.FindStringSubmatch(s)[1]] {
			return s
		}
		return "\n#"
	})
}

var linkToAnchor = regexp.MustCompile(`\]\(#([^)]+)\)|href="#([^"]+)"`)

func (m *markdownWriter) tocList(list []*heading) string {
	var b strings.Builder
	var down func(list []*heading, level int)
	down = func(list []*heading, level int) {
		for _, s := range m.inTOC(list) {
			bullet := "-   "
			if s.number != nil && !m.lowLevel(s) {
				bullet = strconv.Itoa(s.number[len(s.number)-1]) + "."
				bullet += strings.Repeat(" ", max(1, 4-len(bullet)))
			}
			tags := ""
			if m.set.tagsOfTOC && m.set.tags && len(s.tags) > 0 {
				tags = ":" + strings.Join(s.tags, ":") + ":"
			}
			title := m.inliner.tocTitle(s)
			b.WriteString(strings.Repeat("    ", s.level-1) + bullet + "[" + title + "](#" + s.anchor + ")" + tags + "\n")
			down(s.children, level+1)
		}
	}
	down(list, 0)
	return b.String()
}

func (m *markdownWriter) sections(list []*heading) string {
	var b strings.Builder
	for _, s := range list {
		m.home = s
		text := ""
		if m.set.todo && s.todo != "" {
			text = s.todo + " "
		}
		if m.set.priority && s.priority != "" {
			text += "[#" + s.priority + "] "
		}
		text += m.inliner.objects(m.text, s.title, orgelement.InLine)
		tags := ""
		if m.set.tags && len(s.tags) > 0 {
			tags = "     :" + strings.Join(s.tags, ":") + ":"
		}
		contents := m.elements(s.body, nil)
		if m.lowLevel(s) || s.level > 6 {
			bullet := "-"
			if s.number != nil {
				bullet = strconv.Itoa(s.number[len(s.number)-1]) + "."
			}
			bullet += strings.Repeat(" ", max(1, 4-len(bullet)))
			below := contents + m.sections(s.children)
			b.WriteString(bullet + text + tags + "\n\n")
			if strings.TrimSpace(below) != "" {
				b.WriteString(indentLines(below, "    ") + "\n")
			}
			continue
		}
		fmt.Fprintf(&b, "\n<a id=\"%s\"></a>\n\n%s %s%s\n\n%s%s", s.anchor, strings.Repeat("#", s.level), text, tags, contents,
			m.sections(s.children))
	}
	return b.String()
}

func indentLines(text, indent string) string {
	return indent + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n"+indent)
}

func (m *markdownWriter) footnotes() string {
	if len(m.noteOrder) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n# Footnotes\n\n")
	for i := 0; i < len(m.noteOrder); i++ {
		note := m.noteOrder[i]
		var text string
		if note.isInline {
			text = m.inliner.objects(m.text, note.inline, orgelement.InText)
		} else {
			text = m.elements(note.elements, nil)
		}
		fmt.Fprintf(&b, "<sup><a id=\"fn.%d\" href=\"#fnr.%d\">%d</a></sup> %s\n\n", note.number, note.number, note.number,
			strings.TrimSpace(text))
	}
	return b.String()
}

// elements writes elements with an empty line between them.
func (m *markdownWriter) elements(list []*node, parent *node) string {
	var b strings.Builder
	for i, n := range list {
		text := strings.TrimRight(m.element(n, parent, list[i+1:], i == 0), "\n")
		if text == "" {
			continue
		}
		b.WriteString(text + "\n")
		if !(parent != nil && parent.Kind == orgelement.Item && n.Kind == orgelement.Paragraph && i+1 < len(list) &&
			list[i+1].Kind == orgelement.PlainList) {
			b.WriteString("\n")
		}
	}
	return b.String()
}

func (m *markdownWriter) element(n, parent *node, rest []*node, first bool) string {
	switch n.Kind {
	case orgelement.Paragraph:
		text := trimBlanks(m.inliner.paragraphText(n))
		if strings.HasPrefix(text, "#") && text != "" {
			return `\` + text
		}
		return text
	case orgelement.PlainList:
		return m.list(n)
	case orgelement.SourceBlock, orgelement.ExampleBlock, orgelement.FixedWidth:
		return m.code(n)
	case orgelement.QuoteBlock:
		return "> " + strings.ReplaceAll(strings.TrimRight(m.elements(n.Children, n), "\n"), "\n", "\n> ")
	case orgelement.HorizontalRule:
		return "---"
	case orgelement.ExportBlock:
		if n.Key == "MARKDOWN" || n.Key == "MD" {
			return n.Code(m.text)
		}
	case orgelement.Table:
		if n.Key == "" && m.set.tables {
			return m.pipeTable(n)
		}
	case orgelement.KeywordLine:
		switch {
		case n.Key == "MARKDOWN" || n.Key == "MD":
			return n.Value
		case n.Key == "TOC" && strings.HasPrefix(n.Value, "headlines"):
			if list := m.tocOf(n.Value); len(list) > 0 {
				return newMarkdown(m.document).tocList(list)
			}
			return ""
		}
	case orgelement.DynamicBlock:
		return m.elements(n.Children, n)
	case orgelement.Drawer:
		if m.set.drawer(n.Key) {
			return m.elements(m.drawerElements(n), n)
		}
		return ""
	case orgelement.VerseBlock:
		return "<p class=\"verse\">\n" + m.inliner.verse(n) + "</p>"
	default: // Markdown lacks the others and takes HTML
	}
	return m.htmlWriter.element(n, parent, rest, first)
}

func (m *markdownWriter) code(n *node) string {
	var text string
	if n.Kind == orgelement.FixedWidth {
		text = n.Code(m.text)
	} else {
		lines := m.codeLines(n)
		digits := len(fmt.Sprint(lines[len(lines)-1].number))
		for _, line := range lines {
			if line.number > 0 {
				text += fmt.Sprintf("%*d  ", digits, line.number)
			}
			text += line.text
			if line.ref != "" {
				text += " (" + line.ref + ")"
			}
			text += "\n"
		}
	}
	return indentLines(text, "    ")
}

func (m *markdownWriter) list(n *node) string {
	var b strings.Builder
	number := 0
	for _, item := range n.Children {
		bullet := "-"
		if number++; n.Ordered() && !n.Item.HasTag {
			if v, err := strconv.Atoi(item.Item.Counter); err == nil {
				number = v
			}
			bullet = strconv.Itoa(number) + "."
		}
		bullet += strings.Repeat(" ", max(1, 4-len(bullet)))
		box := map[byte]string{'X': "[X] ", ' ': "[ ] ", '-': "[-] "}[item.Item.Checkbox]
		term := ""
		if item.Item.HasTag {
			term = "**" + m.inliner.objects(m.text, item.Item.Tag, orgelement.InLine) + ":** "
		}
		text := strings.TrimSpace(m.elements(item.Children, item))
		b.WriteString(bullet + box + term + strings.ReplaceAll(text, "\n", "\n    ") + "\n")
		if item.Blank > 0 {
			b.WriteString(strings.Repeat("\n", item.Blank))
		}
	}
	return b.String()
}

// pipeTable writes a table as GitHub reads it.
func (m *markdownWriter) pipeTable(n *node) string {
	g := m.grid(n)
	if len(g.align) == 0 {
		return ""
	}
	var b strings.Builder
	row := func(cells []*node) {
		for c := range g.align {
			text := ""
			if c < len(cells) {
				text = strings.ReplaceAll(m.inliner.objects(m.text, cells[c].Contents, orgelement.InLine), "|", `\|`)
			}
			b.WriteString("| " + text + " ")
		}
		b.WriteString("|\n")
	}
	if !g.header { // there must be one
		row(nil)
		m.tableRule(&b, g)
	}
	for i, group := range g.groups {
		for at, cells := range group {
			if row(cells); i == 0 && at == 0 && g.header {
				m.tableRule(&b, g)
			}
		}
	}
	return b.String()
}

func (m *markdownWriter) tableRule(b *strings.Builder, g *tableGrid) {
	rules := map[byte]string{'l': "|---", 'c': "|:---:", 'r': "|---:"}
	for _, a := range g.align {
		b.WriteString(rules[a])
	}
	b.WriteString("|\n")
}

var markdownSpecial = regexp.MustCompile("[`*_\\\\]")

func (m *markdownWriter) plainText(s string) string {
	if m.set.smartQuotes {
		s = smartQuotes(s, [4]string{"&ldquo;", "&rdquo;", "&lsquo;", "&rsquo;"})
	}
	s = markdownSpecial.ReplaceAllString(s, `\$0`)
	s = strings.ReplaceAll(s, "\n#", "\n\\#")
	s = strings.ReplaceAll(s, "![", `\![`)
	if m.set.special {
		s = replaceSpecial(s, "&#x00ad;", "&#x2013;", "&#x2014;", "&#x2026;")
	}
	if m.set.breaks {
		s = strings.ReplaceAll(s, "\n", "  \n")
	}
	return s
}

func (m *markdownWriter) object(n *node, text []byte, contents string) string {
	switch n.Kind {
	case orgelement.Bold:
		return "**" + contents + "**"
	case orgelement.Italic:
		return "*" + contents + "*"
	case orgelement.Code, orgelement.Verbatim, orgelement.InlineSource:
		return codeSpan(n.Value)
	case orgelement.LineBreak:
		return "  \n"
	case orgelement.ExportSnippet:
		if strings.EqualFold(n.Key, "md") || strings.EqualFold(n.Key, string(Markdown)) {
			return n.Value
		}
	case orgelement.LatexFragment:
		return m.fragment(n.Value)
	default: // Markdown lacks the others and takes HTML
	}
	return m.htmlWriter.object(n, text, contents)
}

// codeSpan puts code between more backquotes than stand in it.
func codeSpan(code string) string {
	switch {
	case strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`"):
		return "`` " + code + " ``"
	case strings.Contains(code, "`"):
		return "``" + code + "``"
	}
	return "`" + code + "`"
}

// fragment writes LaTeX between dollar signs.
func (m *markdownWriter) fragment(code string) string {
	switch {
	case !m.set.tex:
		return m.plainText(code)
	case strings.HasPrefix(code, `\(`):
		return "$" + code[2:len(code)-2] + "$"
	case strings.HasPrefix(code, `\[`):
		return "$$" + code[2:len(code)-2] + "$$"
	}
	return code
}

func (m *markdownWriter) noteReference(note *footnote, first bool) string {
	return m.htmlWriter.noteReference(note, first)
}

func (m *markdownWriter) link(l resolvedLink) string {
	desc := l.description
	if l.linked != nil {
		desc = m.link(*l.linked)
	}
	switch l.kind {
	case "image":
		path := l.url
		if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
			path = "file://" + path
		}
		return "![img](" + path + ")"
	case "url":
		if desc == "" {
			if !strings.Contains(l.url, ":") {
				return "<" + l.url + ">"
			}
			return "<" + l.link.Type + ":" + l.link.Path + ">"
		}
		if strings.Contains(l.url, ":") && l.link.Type != "info" {
			return "[" + desc + "](" + l.link.Type + ":" + l.link.Path + ")"
		}
		return "[" + desc + "](" + l.url + ")"
	case "file":
		to := fileURL(l.url, "", "md")
		if desc == "" {
			return "<" + to + ">"
		}
		return "[" + desc + "](" + to + ")"
	case "coderef":
		return l.codeText()
	case "heading":
		if desc == "" {
			desc = m.headingReference(l.heading)
		}
		return "[" + desc + "](#" + l.heading.anchor + ")"
	case "target":
		if desc == "" {
			desc = m.targetReference(l.target)
		}
		return "[" + desc + "](#" + l.target.anchor + ")"
	}
	return "[BROKEN LINK: " + m.htmlWriter.plainText(l.url) + "]"
}
