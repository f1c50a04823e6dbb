package orgexport

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgelement"
)

// The layout of plain text, in columns.
const (
	textWidth   = 72
	innerMargin = 2
	quoteMargin = 6
)

// A plainWriter writes plain text in Unicode as ox-ascii does.
type plainWriter struct {
	*document
	inliner
	width            int // of the text that is written now
	tables, listings int
	links            []string // notes about links, for the end of the section
	linkSeen         map[string]bool
	inNote           bool // of the footnotes: links say where they lead, as there is no place below
	itemTop, inner   int  // column of the outermost item's bullet; columns from there to the present item's text
}

// hardBreak stands for a line break that filling keeps.
const hardBreak = "\x00"

func newPlain(d *document) *plainWriter {
	p := &plainWriter{document: d, width: textWidth, linkSeen: map[string]bool{}, itemTop: -1}
	p.inliner = inliner{d: d, w: p, seen: map[*footnote]bool{}}
	return p
}

func (p *plainWriter) page(body string) string {
	k := p.set.keywords
	var b strings.Builder
	if p.set.title && p.title != "" {
		rule := strings.Repeat("━", textWidth/2)
		lines := []string{rule, p.line(p.title)}
		if p.set.author && k["AUTHOR"] != "" {
			lines = append(lines, "", p.line(k["AUTHOR"]))
		}
		if p.set.date && k["DATE"] != "" {
			lines = append(lines, "", p.line(k["DATE"]))
		}
		for _, line := range append(lines, rule) {
			b.WriteString(center(line, textWidth) + "\n")
		}
		b.WriteString("\n\n")
	}
	if list := p.inTOC(p.headings); p.set.toc != 0 && len(list) > 0 {
		b.WriteString("Table of Contents\n─────────────────\n\n" + newPlain(p.document).
			toc(p.headings) + "\n\n")
	}
	return b.String() + body
}

func (p *plainWriter) toc(list []*heading) string {
	var b strings.Builder
	for _, s := range p.inTOC(list) {
		b.WriteString(strings.Repeat("..", s.level-1))
		if s.level > 1 {
			b.WriteString(" ")
		}
		if s.number != nil {
			b.WriteString(strconv.Itoa(s.number[len(s.number)-1]) + ". ")
		}
		b.WriteString(strings.ReplaceAll(p.headingText(s), hardBreak, " ") + "\n" + p.toc(s.children))
	}
	return b.String()
}

func (p *plainWriter) body() string {
	text := p.section(p.first) + p.sections(p.headings)
	if len(p.noteOrder) == 0 {
		return clean(text)
	}
	p.width, p.inNote = textWidth, true
	text += "\n\nFootnotes\n─────────\n\n"
	for i := 0; i < len(p.noteOrder); i++ {
		note := p.noteOrder[i]
		mark := fmt.Sprintf("[%d] ", note.number)
		var inside string
		if note.isInline || len(note.elements) > 0 && note.elements[0].Kind == orgelement.Paragraph {
			rest := ""
			if note.isInline {
				mark += p.objects(p.text, note.inline, orgelement.InText)
			} else {
				mark += p.paragraphText(note.elements[0])
				rest = p.elements(note.elements[1:])
			}
			inside = p.fill(mark) + "\n\n" + rest
		} else {
			inside = mark + "\n\n" + p.elements(note.elements)
		}
		text += inside + "\n"
	}
	return clean(text)
}

// clean removes blanks at the ends of lines.
func clean(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.Join(lines, "\n")
}

var underlines = []string{"═", "─", "╌", "┄", "┈"}

func (p *plainWriter) headingText(s *heading) string {
	text := ""
	if p.set.todo && s.todo != "" {
		text = s.todo + " "
	}
	if p.set.priority && s.priority != "" {
		text += "(#" + s.priority + ") "
	}
	return text + p.objects(p.text, s.title, orgelement.InLine)
}

func (p *plainWriter) sections(list []*heading) string {
	var b strings.Builder
	for _, s := range list {
		p.home = s
		rank := s.level - p.set.levels
		number := ""
		if s.number != nil {
			number = s.numberText() + " "
		}
		p.links, p.linkSeen = nil, map[string]bool{}
		title := number + p.headingText(s)
		tags := ""
		if p.set.tags && len(s.tags) > 0 {
			tags = ":" + strings.Join(s.tags, ":") + ":"
		}
		if rank > 0 {
			p.width = textWidth - 2*rank
			text := p.section(s.body) + p.sections(s.children)
			b.WriteString(withTags("◊ "+title, tags, textWidth-2*rank) + "\n\n")
			if strings.TrimSpace(text) != "" {
				b.WriteString(indentText(text, "  ") + "\n\n")
			}
			continue
		}
		mark := underlines[min(s.level, len(underlines))-1]
		p.width = textWidth - innerMargin
		own := p.section(s.body)
		b.WriteString("\n" + withTags(title, tags, textWidth) + "\n" + strings.Repeat(mark, width(title)) + "\n\n")
		if strings.TrimSpace(own) != "" {
			links := ""
			if at := strings.Index(own, linkNotes); at >= 0 {
				own, links = own[:at], own[at+len(linkNotes):]
			}
			b.WriteString(indentText(own, strings.Repeat(" ", innerMargin)) + "\n\n" + links)
		}
		b.WriteString(p.sections(s.children))
	}
	return b.String()
}

func withTags(title, tags string, columns int) string {
	if tags == "" {
		return title
	}
	return title + strings.Repeat(" ", max(1, columns-width(title)-width(tags))) + tags
}

// linkNotes separates a section's text from the notes about its links, which are
// not indented.
const linkNotes = "\x01"

// section writes the text of a section and what its links lead to.
func (p *plainWriter) section(list []*node) string {
	text := p.elements(list)
	if len(p.links) > 0 {
		saved := p.width
		p.width = textWidth
		text += linkNotes + "\n"
		for _, note := range p.links {
			text += p.fill(note) + "\n\n"
		}
		p.width = saved
		p.links, p.linkSeen = nil, map[string]bool{}
	}
	if p.home == nil || p.home.level > p.set.levels {
		text = strings.ReplaceAll(text, linkNotes, "")
	}
	return text
}

func indentText(text, indent string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for i, line := range lines {
		if line != "" {
			lines[i] = indent + line
		}
	}
	return strings.Join(lines, "\n")
}

func center(line string, columns int) string {
	return strings.Repeat(" ", max(0, (columns-width(line))/2)) + line
}

func (p *plainWriter) elements(list []*node) string {
	var b strings.Builder
	for _, n := range list {
		if text := strings.TrimRight(p.element(n), "\n"); text != "" {
			b.WriteString(text + strings.Repeat("\n", n.Blank+1))
		}
	}
	return b.String()
}

// narrow writes with less width.
func (p *plainWriter) narrow(columns int, write func() string) string {
	p.width -= columns
	defer func() { p.width += columns }()
	return write()
}

func (p *plainWriter) element(n *node) string {
	switch n.Kind {
	case orgelement.Paragraph:
		return p.fill(trimBlanks(p.paragraphText(n))) + p.captionBelow(n)
	case orgelement.PlainList:
		return p.list(n)
	case orgelement.Table:
		return p.table(n)
	case orgelement.SourceBlock, orgelement.ExampleBlock:
		return p.box(p.codeText(n)) + p.captionBelow(n)
	case orgelement.FixedWidth:
		if p.set.fixed {
			return p.box(n.Code(p.text))
		}
	case orgelement.ExportBlock:
		if n.Key == "ASCII" || n.Key == "UTF-8" {
			return n.Code(p.text)
		}
	case orgelement.KeywordLine:
		return p.keywordLine(n)
	case orgelement.VerseBlock:
		text := strings.ReplaceAll(removeCommon(endLine(p.objects(p.text, n.Contents, orgelement.InText))), hardBreak, "")
		return indentText(text, strings.Repeat(" ", quoteMargin))
	case orgelement.QuoteBlock:
		text := p.narrow(2*quoteMargin, func() string { return p.elements(n.Children) })
		return indentText(text, strings.Repeat(" ", quoteMargin))
	case orgelement.CenterBlock:
		return p.centered(n)
	case orgelement.SpecialBlock, orgelement.DynamicBlock:
		return p.elements(n.Children)
	case orgelement.Drawer:
		if p.set.drawer(n.Key) {
			return p.elements(p.drawerElements(n))
		}
	case orgelement.HorizontalRule:
		return strings.Repeat("―", max(1, p.width))
	case orgelement.LatexEnvironment:
		if p.set.tex {
			return p.environmentText(n)
		}
	case orgelement.ClockLine:
		if p.set.clocks {
			return strings.TrimSpace(string(p.text[n.Contents.Start:n.Contents.End]))
		}
	case orgelement.InlineTask:
		if p.set.inlineTasks {
			return p.line(n.Arguments) + "\n" + p.elements(n.Children)
		}
	default: // comments, calls and definitions of notes leave nothing where they stand
	}
	return ""
}

func (p *plainWriter) keywordLine(n *node) string {
	switch {
	case n.Key == "ASCII" || n.Key == "UTF-8":
		return n.Value
	case n.Key == "TOC" && strings.HasPrefix(n.Value, "headlines"):
		return newPlain(p.document).toc(p.tocOf(n.Value))
	}
	return ""
}

func (p *plainWriter) centered(n *node) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(p.elements(n.Children), "\n"), "\n") {
		lines = append(lines, center(strings.TrimSpace(line), p.width))
	}
	return strings.Join(lines, "\n")
}

func (p *plainWriter) captionBelow(n *node) string {
	c := caption(n)
	if c == "" {
		return ""
	}
	var label string
	switch n.Kind {
	case orgelement.Table:
		p.tables++
		label = fmt.Sprintf("Table %d: ", p.tables)
	case orgelement.SourceBlock:
		p.listings++
		label = fmt.Sprintf("Listing %d: ", p.listings)
	default:
		return ""
	}
	return "\n" + p.fill(label+p.line(c))
}

func (p *plainWriter) box(code string) string {
	return "┌────\n" + indentAll(strings.TrimSuffix(code, "\n"), "│ ") + "\n└────"
}

func indentAll(text, indent string) string {
	return indent + strings.ReplaceAll(text, "\n", "\n"+indent)
}

func (p *plainWriter) codeText(n *node) string {
	lines := p.codeLines(n)
	digits := len(fmt.Sprint(lines[len(lines)-1].number))
	widest := 0
	for i, line := range lines {
		if line.number > 0 {
			lines[i].text = fmt.Sprintf("%*d  %s", digits, line.number, line.text)
		}
		widest = max(widest, width(lines[i].text))
	}
	var b strings.Builder
	for _, line := range lines {
		if line.ref != "" {
			line.text += strings.Repeat(" ", widest-width(line.text)+6) + "(" + line.ref + ")"
		}
		b.WriteString(line.text + "\n")
	}
	return b.String()
}

func (p *plainWriter) list(n *node) string {
	var b strings.Builder
	number := 0
	top := p.itemTop
	defer func() { p.itemTop = top }()
	for _, item := range n.Children {
		line := string(p.text[item.Span.Start:item.Span.End])
		column := len(line) - len(strings.TrimLeft(line, " \t"))
		if top < 0 {
			p.itemTop = column
		}
		number++
		if v, err := strconv.Atoi(item.Item.Counter); err == nil {
			number = v
		}
		bullet := itemBullet(n, item, number)
		box := map[byte]string{'X': "☑ ", ' ': "☐ ", '-': "☒ "}[item.Item.Checkbox]
		saved := p.inner
		if n.Item.HasTag {
			term := ""
			if item.Item.HasTag {
				term = p.objects(p.text, item.Item.Tag, orgelement.InLine)
			}
			text := p.narrow(quoteMargin, func() string { return p.elements(item.Children) })
			b.WriteString(strings.TrimRight(box+term+box, " ") + "\n") // Org writes the box twice
			if strings.TrimSpace(text) != "" {
				b.WriteString(indentText(text, strings.Repeat(" ", quoteMargin)) + "\n")
			}
		} else {
			bullet += " "
			inner := column - p.itemTop + width(item.Item.Bullet) + 1 + width(box)
			text := p.narrow(inner-p.inner, func() string {
				p.inner = inner
				return p.elements(item.Children)
			})
			b.WriteString(bullet + box + strings.TrimSpace(indentText(text, strings.Repeat(" ", width(bullet)))) + "\n")
		}
		p.inner = saved
		b.WriteString(strings.Repeat("\n", item.Blank))
	}
	return b.String()
}

// itemBullet is the bullet of an item as it stands, with its number in a numbered list,
// and a dot in another.
func itemBullet(list, item *node, number int) string {
	bullet := item.Item.Bullet
	switch {
	case list.Ordered() && strings.ContainsAny(bullet, "0123456789"):
		return strconv.Itoa(number) + bullet[len(bullet)-1:]
	case list.Ordered():
		return bullet
	}
	return cmp.Or(map[string]string{"-": "•", "+": "⁃", "*": "‣"}[bullet], bullet)
}

func (p *plainWriter) table(n *node) string {
	if !p.set.tables {
		return ""
	}
	if n.Key == "table.el" {
		return string(p.text[n.Contents.Start:n.Contents.End])
	}
	g := p.grid(n)
	texts, columns := p.measure(g)
	total := 0
	for c, size := range columns {
		total += size + 2
		if c > 0 && g.starts[c] {
			total++
		}
	}
	if total == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(strings.Repeat("━", total) + "\n")
	for i, group := range g.groups {
		if i > 0 {
			b.WriteString(strings.Repeat("─", total) + "\n")
		}
		for _, cells := range group {
			row := make([]string, len(columns))
			for c, cell := range cells {
				row[c] = texts[cell]
			}
			writeRow(&b, g, row, columns)
		}
	}
	return b.String() + strings.Repeat("━", total) + p.captionBelow(n)
}

// measure writes the cells of a table, each once since that numbers notes, and
// returns how wide its columns are.
func (p *plainWriter) measure(g *tableGrid) (texts map[*node]string, columns []int) {
	texts, columns = map[*node]string{}, make([]int, len(g.align))
	for _, group := range g.groups {
		for _, cells := range group {
			for c, cell := range cells {
				texts[cell] = p.objects(p.text, cell.Contents, orgelement.InLine)
				columns[c] = max(columns[c], width(texts[cell]))
			}
		}
	}
	return texts, columns
}

// writeRow writes the texts of a row's cells, padded to the widths of the columns.
func writeRow(b *strings.Builder, g *tableGrid, row []string, columns []int) {
	for c, text := range row {
		if c > 0 && g.starts[c] {
			b.WriteString("│")
		}
		b.WriteString(" " + pad(text, columns[c], g.align[c]) + " ")
	}
	b.WriteString("\n")
}

func pad(text string, columns int, align byte) string {
	gap := columns - width(text)
	switch align {
	case 'r':
		return strings.Repeat(" ", gap) + text
	case 'c':
		return strings.Repeat(" ", gap/2) + text + strings.Repeat(" ", gap-gap/2)
	}
	return text + strings.Repeat(" ", gap)
}
