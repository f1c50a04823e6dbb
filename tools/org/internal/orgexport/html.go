package orgexport

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

// An htmlWriter writes HTML as ox-html does.
type htmlWriter struct {
	*document
	inliner
	tocTop int // level above the contents list
	tables int
	images int
	blocks int
}

func newHTML(d *document) *htmlWriter {
	h := &htmlWriter{document: d}
	h.inliner = inliner{d: d, w: h, seen: map[*footnote]bool{}}
	return h
}

func (h *htmlWriter) page(body string) string {
	k := h.set.keywords
	title := ""
	if h.set.title && h.title != "" {
		title = `<h1 class="title">` + h.line(h.title)
		if k["SUBTITLE"] != "" {
			title += "\n<br />\n<span class=\"subtitle\">" + h.line(k["SUBTITLE"]) + "</span>"
		}
		title += "</h1>\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "<!DOCTYPE html>\n<html lang=%q>\n<head>\n<meta charset=\"utf-8\" />\n<title>%s</title>\n",
		html.EscapeString(k["LANGUAGE"]), escapeHTML(h.title))
	for _, key := range []string{"AUTHOR", "DESCRIPTION", "KEYWORDS"} {
		if k[key] != "" {
			fmt.Fprintf(&b, "<meta name=\"%s\" content=\"%s\" />\n", strings.ToLower(key), html.EscapeString(k[key]))
		}
	}
	b.WriteString(k["HTML_HEAD"] + k["HTML_HEAD_EXTRA"] + "</head>\n<body>\n<div id=\"content\" class=\"content\">\n" + title + body +
		"</div>\n")
	var lines []string
	if h.set.date && k["DATE"] != "" {
		lines = append(lines, `<p class="date">Date: `+h.line(k["DATE"])+"</p>")
	}
	if h.set.author && k["AUTHOR"] != "" {
		lines = append(lines, `<p class="author">Author: `+h.line(k["AUTHOR"])+"</p>")
	}
	if len(lines) > 0 {
		b.WriteString("<div id=\"postamble\" class=\"status\">\n" + strings.Join(lines, "\n") + "\n</div>\n")
	}
	return b.String() + "</body>\n</html>\n"
}

func (h *htmlWriter) body() string {
	text := h.elements(h.first, nil) + h.sections(h.headings)
	if list := h.inTOC(h.headings); h.set.toc != 0 && len(list) > 0 {
		toc := newHTML(h.document) // references in titles are not counted
		text = "<div id=\"table-of-contents\" role=\"doc-toc\">\n<h2>Table of Contents</h2>\n<div id=\"text-table-of-contents\" " +
			"role=\"doc-toc\">\n" +
			toc.tocList(list) + "</div>\n</div>\n" + text
	}
	return text + h.footnotes()
}

// tocList writes the entries of a contents list. A heading that is deeper than
// its parent by more than one is in as many lists more.
func (h *htmlWriter) tocList(list []*heading) string {
	above := h.tocTop
	if list[0].parent != nil {
		above = list[0].parent.level
	}
	open, closing := "<ul>\n", "</ul>\n"
	for range list[0].level - above - 1 {
		open, closing = open+"<li>\n<ul>\n", "</ul>\n</li>\n"+closing
	}
	var b strings.Builder
	b.WriteString(open)
	for _, s := range list {
		number := ""
		if s.number != nil && !h.lowLevel(s) {
			number = s.numberText() + ". "
		}
		b.WriteString(`<li><a href="#` + s.anchor + `">` + number + h.headingText(s, h.set.tagsOfTOC, true) + "</a>")
		if below := h.inTOC(s.children); len(below) > 0 {
			b.WriteString("\n" + h.tocList(below))
		}
		b.WriteString("</li>\n")
	}
	return b.String() + closing
}

// headingText writes a heading with its keyword, priority and tags.
func (h *htmlWriter) headingText(s *heading, tags, toc bool) string {
	text := ""
	if h.set.todo && s.todo != "" {
		kind := "todo"
		if s.done {
			kind = "done"
		}
		text = fmt.Sprintf(`<span class="%s %s">%s</span> `, kind, s.todo, escapeHTML(s.todo))
	}
	if h.set.priority && s.priority != "" {
		text += `<span class="priority">[` + escapeHTML(s.priority) + "]</span> "
	}
	if toc {
		text += h.tocTitle(s)
	} else {
		text += h.objects(h.text, s.title, orgelement.InLine)
	}
	if tags && h.set.tags && len(s.tags) > 0 {
		var spans []string
		for _, t := range s.tags {
			spans = append(spans, fmt.Sprintf(`<span class="%s">%s</span>`, tagClass(t), t))
		}
		text += `&#xa0;&#xa0;&#xa0;<span class="tag">` + strings.Join(spans, "&#xa0;") + "</span>"
	}
	return text
}

func tagClass(tag string) string {
	return strings.NewReplacer("@", "_", "#", "_", "%", "_").Replace(tag)
}

func (h *htmlWriter) sections(list []*heading) string {
	var b strings.Builder
	for i, s := range list {
		h.home = s
		if h.lowLevel(s) {
			if i == 0 {
				b.WriteString(h.listTag(s, "<"))
			}
			b.WriteString("<li><a id=\"" + s.anchor + "\"></a>" + h.headingText(s, true,
				false) + "<br />\n" + h.sectionText(s) + h.sections(s.children) + "</li>\n")
			if i == len(list)-1 || !h.lowLevel(list[i+1]) {
				b.WriteString(h.listTag(s, "</"))
			}
			continue
		}
		level := s.level + 1
		number := ""
		if s.number != nil {
			number = fmt.Sprintf(`<span class="section-number-%d">%s.</span> `, level, s.numberText())
		}
		class, _ := h.file.Property(s.index, "HTML_CONTAINER_CLASS")
		if class != "" {
			class = " " + class
		}
		fmt.Fprintf(&b, "<div id=\"outline-container-%s\" class=\"outline-%d%s\">\n<h%d id=\"%s\">%s%s</h%d>\n%s%s</div>\n",
			s.anchor, level, class, level, s.anchor, number, h.headingText(s, true, false), level, h.sectionText(s), h.sections(s.children))
	}
	return b.String()
}

func (h *htmlWriter) listTag(s *heading, open string) string {
	tag := "ul"
	if s.number != nil {
		tag = "ol"
	}
	if open == "<" {
		return "<" + tag + ` class="org-` + tag + "\">\n"
	}
	return "</" + tag + ">\n"
}

func (h *htmlWriter) sectionText(s *heading) string {
	text := h.elements(s.body, nil)
	if !s.hasText && len(s.children) == 0 {
		return ""
	}
	id := s.anchor
	if !s.custom && s.number != nil {
		id = strings.ReplaceAll(s.numberText(), ".", "-")
	}
	return fmt.Sprintf("<div class=\"outline-text-%d\" id=\"text-%s\">\n%s</div>\n", s.level+1, id, text)
}

func (h *htmlWriter) footnotes() string {
	if len(h.noteOrder) == 0 {
		return ""
	}
	var b strings.Builder
	for i := 0; i < len(h.noteOrder); i++ { // writing a note may find more
		note := h.noteOrder[i]
		text := ""
		switch {
		case note.isInline:
			text = `<p class="footpara">` + strings.TrimLeft(h.objects(h.text, note.inline, orgelement.InText), " \n") + "</p>"
		case len(note.elements) > 0:
			text = strings.ReplaceAll(h.elements(note.elements, nil), "<p>", `<p class="footpara">`)
		}
		fmt.Fprintf(&b, "<div class=\"footdef\"><sup><a id=\"fn.%d\" class=\"footnum\" href=\"#fnr.%d\" role=\"doc-backlink\">%d</a></sup> "+
			"<div class=\"footpara\" role=\"doc-footnote\">%s</div></div>\n\n",
			note.number, note.number, note.number, strings.TrimSpace(text))
	}
	return "<div id=\"footnotes\">\n<h2 class=\"footnotes\">Footnotes: </h2>\n<div id=\"text-footnotes\">\n\n" + b.String() +
		"\n</div>\n</div>"
}

var htmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func escapeHTML(s string) string { return htmlEscapes.Replace(s) }

var specialStrings = regexp.MustCompile(`--+|\.\.\.|\\-`)

// replaceSpecial writes dashes, dots and soft hyphens. Of a row of hyphens the last
// three are one dash, and the two in front of them another.
func replaceSpecial(s, soft, en, em, dots string) string {
	return specialStrings.ReplaceAllStringFunc(s, func(m string) string {
		n := len(m)
		switch {
		case m == `\-`:
			return soft
		case m == "...":
			return dots
		case n == 2:
			return en
		case n < 5:
			return m[3:] + em
		}
		return m[5:] + en + em
	})
}

func (h *htmlWriter) plainText(s string) string {
	s = escapeHTML(s)
	if h.set.smartQuotes {
		s = smartQuotes(s, [4]string{"&ldquo;", "&rdquo;", "&lsquo;", "&rsquo;"})
	}
	if h.set.special {
		s = replaceSpecial(s, "&#x00ad;", "&#x2013;", "&#x2014;", "&#x2026;")
	}
	if h.set.breaks {
		s = strings.ReplaceAll(s, "\n", "<br />\n")
	}
	return s
}

func (h *htmlWriter) object(n *node, text []byte, contents string) string {
	tag := func(name string) string { return "<" + name + ">" + contents + "</" + name + ">" }
	switch n.Kind {
	case orgelement.Bold:
		return tag("b")
	case orgelement.Italic:
		return tag("i")
	case orgelement.Underline:
		return `<span class="underline">` + contents + "</span>"
	case orgelement.StrikeThrough:
		return tag("del")
	case orgelement.Code, orgelement.Verbatim:
		return "<code>" + escapeHTML(n.Value) + "</code>"
	case orgelement.Subscript:
		return tag("sub")
	case orgelement.Superscript:
		return tag("sup")
	case orgelement.StatisticsCookie:
		return "<code>" + n.Value + "</code>"
	case orgelement.LineBreak:
		return "<br />\n"
	case orgelement.Entity:
		e, _ := orgelement.LookUpEntity(n.Key)
		return e.HTML
	case orgelement.LatexFragment:
		return h.latex(n.Value)
	case orgelement.Timestamp:
		return `<span class="timestamp-wrapper"><span class="timestamp">` + h.plainText(canonicalTimestamp(n.Value)) + "</span></span>"
	case orgelement.ExportSnippet:
		if strings.EqualFold(n.Key, "html") {
			return n.Value
		}
	case orgelement.InlineSource:
		return fmt.Sprintf(`<code class="src src-%s">%s</code>`, n.Key, escapeHTML(n.Value))
	case orgelement.Target, orgelement.RadioTarget:
		desc := ""
		if n.Kind == orgelement.RadioTarget {
			desc = contents
		}
		return `<a id="` + h.targetAnchor(n.Value) + `">` + desc + "</a>"
	case orgelement.FootnoteReference:
		return "<sup>, </sup>"
	case orgelement.Citation:
		return escapeHTML(string(text[n.Span.Start:n.Span.End]))
	default: // text, links and macros are the inliner's, and elements are not objects
	}
	return ""
}

func (d *document) targetAnchor(name string) string {
	if t := d.targets[normalName(name)]; t != nil {
		return t.anchor
	}
	return ""
}

// latex writes a fragment as MathJax reads it.
func (h *htmlWriter) latex(code string) string {
	if !h.set.tex {
		return escapeHTML(code)
	}
	switch {
	case strings.HasPrefix(code, "$$"):
		return `\[` + code[2:len(code)-2] + `\]`
	case strings.HasPrefix(code, "$"):
		return `\(` + code[1:len(code)-1] + `\)`
	}
	return code
}

func (h *htmlWriter) noteReference(note *footnote, first bool) string {
	again := ""
	if !first {
		again = ".100"
	}
	return fmt.Sprintf(`<sup><a id="fnr.%d%s" class="footref" href="#fn.%d" role="doc-backlink">%d</a></sup>`, note.number, again, note.number,
		note.number)
}

// fileURL returns what a link to a file has as its address.
func fileURL(path, search, extension string) string {
	if strings.HasSuffix(path, ".org") && extension != "" {
		path = strings.TrimSuffix(path, "org") + extension
	}
	if strings.HasPrefix(path, "/") || strings.HasPrefix(path, "~") {
		path = "file://" + path
	}
	if strings.HasPrefix(search, "#") && strings.HasSuffix(path, "."+extension) {
		path += search
	}
	return path
}

func (h *htmlWriter) link(l resolvedLink) string {
	anchor := func(to, text string) string { return `<a href="` + escapeHTML(to) + `">` + text + "</a>" }
	desc := l.description
	if l.linked != nil {
		desc = h.image(*l.linked)
	}
	switch l.kind {
	case "image":
		return h.image(l)
	case "url":
		if desc == "" {
			text := l.link.Type + ":" + l.link.Path
			if !strings.Contains(l.url, ":") || l.link.Type == "info" {
				text = l.link.Path
			}
			desc = escapeHTML(text)
		}
		return anchor(l.url, desc)
	case "file":
		to := fileURL(l.url, l.link.Search, "html")
		if desc == "" {
			desc = escapeHTML(to)
		}
		return anchor(to, desc)
	case "coderef":
		id := "coderef-" + l.link.Path
		return fmt.Sprintf(`<a href="#%[1]s" class="coderef" onmouseover="CodeHighlightOn(this, '%[1]s');" `+
			`onmouseout="CodeHighlightOff(this, '%[1]s');">%[2]s</a>`, id, l.codeText())
	case "heading":
		if desc == "" {
			desc = h.headingReference(l.heading)
		}
		return anchor("#"+l.heading.anchor, desc)
	case "target":
		if desc == "" {
			desc = h.targetReference(l.target)
		}
		return anchor("#"+l.target.anchor, desc)
	}
	return "[BROKEN LINK: " + h.plainText(l.url) + "]"
}

// codeText returns what a link to a line of code shows.
func (l *resolvedLink) codeText() string {
	text := l.code.label
	if l.code.line > 0 {
		text = strconv.Itoa(l.code.line)
	}
	if l.description != "" {
		return strings.ReplaceAll(l.description, "("+l.link.Path+")", text)
	}
	return text
}

// headingReference returns what a link to a heading shows without description.
func (h *htmlWriter) headingReference(s *heading) string {
	if s.number != nil && !h.lowLevel(s) {
		return s.numberText()
	}
	return h.objects(h.text, s.title, orgelement.InDescription)
}

func (h *htmlWriter) targetReference(t *target) string {
	if t.node != nil && (t.caption || t.node.Kind == orgelement.LatexEnvironment) {
		return strconv.Itoa(t.ordinal)
	}
	for s := t.heading; s != nil && t.node == nil; s = s.parent {
		if s.number != nil && !h.lowLevel(s) {
			return s.numberText()
		}
	}
	return "No description for this link"
}

func (h *htmlWriter) image(l resolvedLink) string {
	src := l.url
	if l.link.Type == "file" {
		src = fileURL(src, "", "")
	}
	name := src[strings.LastIndexByte(src, '/')+1:]
	attr := ""
	if strings.HasSuffix(strings.ToLower(name), ".svg") {
		attr = ` class="org-svg"`
	}
	return fmt.Sprintf(`<img src="%s" alt="%s"%s />`, escapeHTML(src), escapeHTML(name), attr)
}
