package orgexport

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

// elements writes elements one after the other. parent is what they stand in, nil
// for a section.
func (h *htmlWriter) elements(list []*node, parent *node) string {
	var b strings.Builder
	for i, n := range list {
		text := h.element(n, parent, list[i+1:], i == 0)
		if text = strings.TrimRight(text, "\n"); text != "" {
			b.WriteString(text + strings.Repeat("\n", n.Blank+1))
		}
	}
	return b.String()
}

// element writes one element; rest is what follows it.
func (h *htmlWriter) element(n, parent *node, rest []*node, first bool) string {
	attrs := h.attributes(n)
	switch n.Kind {
	case orgelement.Paragraph:
		return h.paragraph(n, parent, rest, first, attrs)
	case orgelement.PlainList:
		tag := listTag(n)
		return fmt.Sprintf("<%s class=\"org-%s\"%s>\n%s</%s>", tag, tag, attrs, h.items(n), tag)
	case orgelement.Table:
		return h.table(n, attrs)
	case orgelement.SourceBlock:
		return h.source(n)
	case orgelement.ExampleBlock:
		return "<pre class=\"example\" id=\"" + h.elementAnchor(n) + "\">\n" + h.codeText(n) + "</pre>"
	case orgelement.FixedWidth:
		if h.set.fixed {
			return "<pre class=\"example\">\n" + escapeHTML(endLine(n.Code(h.text))) + "</pre>"
		}
	case orgelement.ExportBlock:
		if n.Key == "HTML" {
			return n.Code(h.text)
		}
	case orgelement.KeywordLine:
		return h.keywordLine(n)
	case orgelement.VerseBlock:
		return "<p class=\"verse\">\n" + h.verse(n) + "</p>"
	case orgelement.QuoteBlock:
		return "<blockquote" + h.nameID(n) + attrs + ">\n" + h.elements(n.Children, n) + "</blockquote>"
	case orgelement.CenterBlock:
		return "<div class=\"org-center\">\n" + h.elements(n.Children, n) + "</div>"
	case orgelement.SpecialBlock:
		return fmt.Sprintf("<div class=\"%s\" id=\"%s\"%s>\n%s\n</div>", n.Key, h.elementAnchor(n), attrs, h.elements(n.Children, n))
	case orgelement.DynamicBlock:
		return h.elements(n.Children, n)
	case orgelement.Drawer:
		if h.set.drawer(n.Key) {
			return h.elements(h.drawerElements(n), n)
		}
	case orgelement.HorizontalRule:
		return "<hr />"
	case orgelement.LatexEnvironment:
		if h.set.tex {
			return h.environmentText(n)
		}
	case orgelement.ClockLine, orgelement.DiaryLine:
		if n.Kind == orgelement.ClockLine && h.set.clocks {
			return "<p>\n<span class=\"timestamp-wrapper\">" + escapeHTML(strings.TrimSpace(string(h.text[n.Contents.Start:n.Contents.End]))) +
				"</span>\n</p>"
		}
	case orgelement.InlineTask:
		if h.set.inlineTasks {
			return h.inlineTask(n)
		}
	default: // comments, calls and definitions of notes leave nothing where they stand
	}
	return ""
}

func listTag(n *node) string {
	switch {
	case n.Item.HasTag:
		return "dl"
	case n.Ordered():
		return "ol"
	}
	return "ul"
}

func endLine(s string) string { return strings.TrimSuffix(s, "\n") + "\n" }

// drawerElements parses what a drawer holds.
func (d *document) drawerElements(n *node) []*node {
	if n.Children == nil && !n.Contents.Empty() {
		n.Children = orgelement.Elements(d.text, n.Contents, d.file.Settings.InlineStars())
	}
	return n.Children
}

// environmentText returns a LaTeX environment without common indentation.
func (d *document) environmentText(n *node) string {
	copied := *n
	copied.Kind = orgelement.SourceBlock
	return endLine(copied.Code(d.text))
}

func (h *htmlWriter) attributes(n *node) string {
	keys, values := attributes(n, "ATTR_HTML")
	var out strings.Builder
	for _, k := range keys {
		if v := values[k]; v != "" && v != "nil" {
			out.WriteString(" " + k + `="` + strings.ReplaceAll(escapeHTML(v), `"`, "&quot;") + `"`)
		}
	}
	return out.String()
}

func (d *document) elementAnchor(n *node) string {
	if name := n.Last("NAME"); name != "" {
		if t := d.targets[normalName(name)]; t != nil {
			return t.anchor
		}
	}
	return d.newAnchor("element")
}

func (h *htmlWriter) nameID(n *node) string {
	if n.Last("NAME") == "" {
		return ""
	}
	return ` id="` + h.elementAnchor(n) + `"`
}

// paragraphText writes the text of a paragraph without the indentation that its
// lines share. The first line does not count where a bullet stands in front.
func (x *inliner) paragraphText(n *node) string {
	lines := strings.Split(strings.TrimRight(x.objects(x.d.text, n.Contents, orgelement.InText), "\n"), "\n")
	common := -1
	source := string(x.d.text[n.Contents.Start:n.Contents.End])
	if at := n.Contents.Start; at > 0 && x.d.text[at-1] != '\n' {
		_, source, _ = strings.Cut(source, "\n")
	}
	for line := range strings.SplitSeq(source, "\n") {
		if rest := strings.TrimLeft(line, " \t"); rest != "" && (common < 0 || len(line)-len(rest) < common) {
			common = len(line) - len(rest)
		}
	}
	for i, line := range lines {
		rest := strings.TrimLeft(line, " \t")
		lines[i] = line[min(max(common, 0), len(line)-len(rest)):]
	}
	return strings.Join(lines, "\n")
}

// trimBlanks cuts blanks and line breaks off, and no other space.
func trimBlanks(s string) string { return strings.Trim(s, " \t\n") }

func (h *htmlWriter) paragraph(n, parent *node, rest []*node, first bool, attrs string) string {
	text := trimBlanks(h.paragraphText(n))
	if parent != nil && parent.Kind == orgelement.Item && first && (len(rest) == 0 || len(rest) == 1 && rest[0].Kind == orgelement.PlainList) {
		return text
	}
	if image := h.loneImage(n); image {
		h.images++
		label := ""
		if c := caption(n); c != "" {
			h.blocks++
			label = fmt.Sprintf("<p><span class=\"figure-number\">Figure %d: </span>%s</p>\n", h.blocks, h.line(c))
		}
		text = strings.Replace(text, " />", attrs+" />", 1)
		return "<div id=\"" + h.elementAnchor(n) + "\" class=\"figure\">\n<p>" + text + "\n</p>\n" + label + "</div>"
	}
	if attrs != "" && strings.HasPrefix(text, "<a ") {
		text = "<a" + attrs + text[2:]
		attrs = ""
	}
	return "<p" + attrs + ">\n" + text + "\n</p>"
}

// loneImage says whether a paragraph is nothing but one image.
func (d *document) loneImage(n *node) bool {
	found := false
	for _, o := range orgelement.Objects(d.text, n.Contents, orgelement.InText) {
		switch {
		case o.Kind == orgelement.Text && strings.TrimSpace(string(d.text[o.Span.Start:o.Span.End])) == "":
		case o.Kind == orgelement.Link && !found && o.Contents.Empty() && imageName.MatchString(o.Link.Path) &&
			(o.Link.Type == "file" || o.Link.Type == "https" || o.Link.Type == "http"):
			found = true
		default:
			return false
		}
	}
	return found
}

func (h *htmlWriter) items(list *node) string {
	var b strings.Builder
	tag := listTag(list)
	for _, item := range list.Children {
		class, box := "", ""
		switch item.Item.Checkbox {
		case 'X':
			class, box = ` class="on"`, "<code>[X]</code> "
		case ' ':
			class, box = ` class="off"`, "<code>[&#xa0;]</code> "
		case '-':
			class, box = ` class="trans"`, "<code>[-]</code> "
		}
		contents := strings.TrimSpace(h.elements(item.Children, item))
		term := ""
		if item.Item.HasTag {
			term = h.objects(h.text, item.Item.Tag, orgelement.InLine)
		}
		attribute := func(name, value string) string {
			if value == "" {
				return ""
			}
			return " " + name + `="` + value + `"`
		}
		switch tag {
		case "dl":
			b.WriteString("<dt" + class + ">" + box + cmp.Or(term, "(no term)") + "</dt><dd>" + contents + "</dd>\n")
		case "ol":
			b.WriteString("<li" + class + attribute("value", cmp.Or(term, item.Item.Counter)) + ">" + box + contents + "</li>\n")
		default:
			b.WriteString("<li" + class + attribute("id", cmp.Or(term, item.Item.Counter)) + ">" + box + contents + "</li>\n")
		}
	}
	return b.String()
}

// codeText writes the lines of a block with numbers and labels.
func (h *htmlWriter) codeText(n *node) string {
	lines := h.codeLines(n)
	digits := 1
	if last := lines[len(lines)-1].number; last > 0 {
		digits = len(fmt.Sprint(last))
	}
	var b strings.Builder
	for _, line := range lines {
		text := escapeHTML(line.text)
		if line.number > 0 {
			text = fmt.Sprintf(`<span class="linenr">%*d: </span>%s`, digits, line.number, text)
		}
		if line.ref != "" {
			text = fmt.Sprintf(`<span id="coderef-%s" class="coderef-off">%s</span>`, line.ref, text)
		}
		b.WriteString(text + "\n")
	}
	return b.String()
}

func (h *htmlWriter) source(n *node) string {
	code := h.codeText(n)
	if n.Key == "" {
		return "<pre class=\"example\"" + h.nameID(n) + ">\n" + code + "</pre>"
	}
	label := ""
	if c := caption(n); c != "" {
		h.images++
		label = fmt.Sprintf("<label class=\"org-src-name\"><span class=\"listing-number\">Listing %d: </span>%s</label>\n", h.images, h.line(c))
	}
	return fmt.Sprintf("<div class=\"org-src-container\">\n%s<pre class=\"src src-%s\"%s>%s</pre>\n</div>", label, n.Key, h.nameID(n), code)
}

func (h *htmlWriter) keywordLine(n *node) string {
	switch n.Key {
	case "HTML":
		return n.Value
	case "TOC":
		if strings.HasPrefix(n.Value, "headlines") {
			return h.localTOC(n.Value)
		}
	case "TARGET":
		return `<a id="` + h.targetAnchor(n.Value) + `"></a>`
	}
	return ""
}

// localTOC writes the contents list of "#+TOC: headlines 2 local".
func (h *htmlWriter) localTOC(value string) string {
	list := h.tocOf(value)
	if len(list) == 0 {
		return ""
	}
	toc := newHTML(h.document)
	if list[0].parent != nil {
		toc.tocTop = list[0].parent.level
	}
	text := toc.tocList(list)
	if strings.Contains(value, "local") {
		return "<div id=\"text-table-of-contents\" role=\"doc-toc\">\n" + text + "</div>"
	}
	return "<div id=\"table-of-contents\" role=\"doc-toc\">\n<h2>Table of Contents</h2>\n<div id=\"text-table-of-contents\" " +
		"role=\"doc-toc\">\n" + text + "</div>\n</div>"
}

func (d *document) tocOf(value string) []*heading {
	list := d.headings
	if strings.Contains(value, "local") && d.home != nil {
		list = d.home.children
	}
	return d.inTOC(list)
}

var leadingBlanks = regexp.MustCompile(`(?m)^[ \t]+`)

func (x *inliner) verse(n *node) string {
	text := endLine(x.objects(x.d.text, n.Contents, orgelement.InText))
	text = removeCommon(text)
	text = strings.ReplaceAll(strings.ReplaceAll(text, "<br />\n", "\n"), "\n", "<br />\n")
	return leadingBlanks.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("&#xa0;", width(s)) })
}

// removeCommon takes away the indentation that all lines share.
func removeCommon(text string) string {
	n := node{Kind: orgelement.VerseBlock}
	n.Contents.End = int32(len(text))
	return n.Code([]byte(text))
}

func (h *htmlWriter) inlineTask(n *node) string {
	return "<div class=\"inlinetask\">\n<b>" + h.line(n.Arguments) + "</b><br />\n" + h.elements(n.Children, n) + "</div>"
}

func (h *htmlWriter) table(n *node, attrs string) string {
	if !h.set.tables {
		return ""
	}
	if n.Key == "table.el" {
		return "<pre class=\"example\">\n" + escapeHTML(string(h.text[n.Contents.Start:n.Contents.End])) + "</pre>"
	}
	g := h.grid(n)
	if len(g.align) == 0 {
		return ""
	}
	var b strings.Builder
	defaults := ` border="2" cellspacing="0" cellpadding="6" rules="groups" frame="hsides"`
	if attrs != "" {
		defaults = mergeAttributes(defaults, attrs)
	}
	b.WriteString("<table" + h.nameID(n) + defaults + ">\n")
	if c := caption(n); c != "" {
		h.tables++
		fmt.Fprintf(&b, "<caption class=\"t-above\"><span class=\"table-number\">Table %d:</span> %s</caption>\n", h.tables, h.line(c))
	}
	writeColumnGroups(&b, g)
	for i, group := range g.groups {
		tag, cellTag := "tbody", "td"
		if i == 0 && g.header {
			tag, cellTag = "thead", "th"
		}
		b.WriteString("<" + tag + ">\n")
		for _, cells := range group {
			h.tableRow(&b, g, cells, cellTag)
		}
		b.WriteString("</" + tag + ">\n")
	}
	return b.String() + "</table>"
}

// columnClasses are the classes of cells by the alignment of their column.
var columnClasses = map[byte]string{'l': "org-left", 'c': "org-center", 'r': "org-right"}

func writeColumnGroups(b *strings.Builder, g *tableGrid) {
	b.WriteString("\n<colgroup>\n")
	for i, a := range g.align {
		if i > 0 && g.starts[i] {
			b.WriteString("</colgroup>\n\n<colgroup>\n")
		}
		b.WriteString("<col  class=\"" + columnClasses[a] + "\" />\n")
	}
	b.WriteString("</colgroup>\n")
}

func (h *htmlWriter) tableRow(b *strings.Builder, g *tableGrid, cells []*node, tag string) {
	scope := ""
	if tag == "th" {
		scope = ` scope="col"`
	}
	b.WriteString("<tr>\n")
	for c, cell := range cells {
		text := "&#xa0;"
		if !cell.Contents.Empty() {
			text = h.objects(h.text, cell.Contents, orgelement.InLine)
		}
		fmt.Fprintf(b, "<%s%s class=\"%s\">%s</%s>\n", tag, scope, columnClasses[g.align[c]], text, tag)
	}
	b.WriteString("</tr>\n")
}

var attributePattern = regexp.MustCompile(` ([^ =]+)="([^"]*)"`)

// mergeAttributes puts attributes over defaults.
func mergeAttributes(defaults, attrs string) string {
	set := map[string]string{}
	for _, m := range attributePattern.FindAllStringSubmatch(attrs, -1) {
		set[m[1]] = m[0]
	}
	var out strings.Builder
	for _, m := range attributePattern.FindAllStringSubmatch(defaults, -1) {
		if given, ok := set[m[1]]; ok {
			out.WriteString(given)
			delete(set, m[1])
			continue
		}
		out.WriteString(m[0])
	}
	for _, m := range attributePattern.FindAllStringSubmatch(attrs, -1) {
		if given, ok := set[m[1]]; ok {
			out.WriteString(given)
			delete(set, m[1])
		}
	}
	return out.String()
}
