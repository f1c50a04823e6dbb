package editordoc

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// renderBlock is the Markdown of a block without blank lines after it. Characters are
// escaped only where the text would be read as something else.
func renderBlock(n Node) string {
	if plain := (writer{}).block(n); readsAs(plain, n) {
		return plain
	}
	return writer{escape: true}.block(n)
}

// readsAs reports whether Markdown is read as one block that says what n says.
func readsAs(source string, n Node) bool {
	blocks := splitBlocks(source)
	return len(blocks) == 1 && blocks[0].node.key() == n.key()
}

// A writer writes blocks. Each ends without a line break.
type writer struct {
	escape bool
	cell   bool // in a cell of a table
}

func (w writer) block(n Node) string {
	switch n.Type {
	case typeHeading:
		level := min(max(intAttr(n, "level", 1), 1), 6)
		return strings.TrimRight(strings.Repeat("#", level)+" "+oneLine(w.inline(n.Content)), " ")
	case typeParagraph:
		return w.paragraph(n.Content)
	case typeCode:
		return w.code(n)
	case typeRule:
		return "---"
	case typeImage:
		return renderImage(textAttr(n, "alt"), textAttr(n, "src"), textAttr(n, "title"))
	case typeBulletList, typeOrderedList, typeTaskList:
		return w.list(n)
	case typeQuote:
		return quoteLines(w.blocks(n.Content, "\n\n"))
	case typeCallout:
		first := strings.TrimRight("[!"+oneLine(textAttr(n, "kind"))+"]"+textAttr(n, "fold")+" "+oneLine(textAttr(n, "title")), " ")
		return quoteLines(strings.TrimRight(first+"\n"+w.blocks(n.Content, "\n\n"), "\n"))
	case typeToggle:
		open := ""
		if checked, _ := n.Attrs["open"].(bool); checked {
			open = " open"
		}
		return "<details" + open + "><summary>" + oneLine(textAttr(n, "summary")) + "</summary>\n\n" + strings.TrimSuffix(w.blocks(n.Content,
			"\n\n")+"\n\n", "\n\n\n\n") + "</details>"
	case typeTable:
		return w.table(n)
	case typeBookmark:
		data, _ := json.Marshal(n.Attrs["data"])
		return "<!-- bookmark: " + string(data) + " -->"
	}
	return strings.TrimRight(textAttr(n, "markdown"), "\n")
}

func (w writer) blocks(nodes []Node, gap string) string {
	var all []string
	for _, n := range nodes {
		if n.Type != typeParagraph || len(n.Content) > 0 {
			all = append(all, w.block(n))
		}
	}
	return strings.Join(all, gap)
}

func textAttr(n Node, name string) string {
	value, _ := n.Attrs[name].(string)
	return value
}

func intAttr(n Node, name string, usual int) int {
	switch v := n.Attrs[name].(type) {
	case int:
		return v
	case float64:
		return int(v)
	}
	return usual
}

func oneLine(text string) string { return strings.ReplaceAll(text, "\n", " ") }

// quoteLines puts the mark of a quote before each line.
func quoteLines(text string) string {
	const mark = ">"
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(mark+" "+line, " ")
		if line != "" && strings.HasSuffix(line, " ") {
			lines[i] = mark + " " + line
		}
	}
	return strings.Join(lines, "\n")
}

// indentLines puts blanks before each line but the first.
func indentLines(text string, width int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i > 0 && line != "" {
			lines[i] = strings.Repeat(" ", width) + line
		}
	}
	return strings.Join(lines, "\n")
}

var lineMarker = regexp.MustCompile(`^(\s*)(?:([#>+=~|-])|(\d{1,9})([.)]))`)

func (w writer) paragraph(content []Node) string {
	text := strings.TrimRight(w.inline(content), "\n")
	if !w.escape || w.cell {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		line = strings.TrimLeft(line, " \t")
		line = lineMarker.ReplaceAllStringFunc(line, func(found string) string {
			last := len(found) - 1
			return found[:last] + `\` + found[last:]
		})
		lines[i] = line
	}
	return strings.Join(lines, "\n")
}

func (w writer) code(n Node) string {
	var code strings.Builder
	for _, c := range n.Content {
		code.WriteString(c.Text)
	}
	fence := "```"
	for strings.Contains(code.String(), fence) {
		fence += "`"
	}
	text := code.String()
	if text != "" {
		text += "\n"
	}
	return fence + strings.ReplaceAll(oneLine(textAttr(n, "language")), "`", "") + "\n" + text + fence
}

func (w writer) list(n Node) string {
	var items []string
	for i, item := range n.Content {
		items = append(items, w.item(item, itemMarker(n, i), n.Type == typeTaskList))
	}
	return strings.Join(items, "\n")
}

// itemMarker is what the item with a number begins with.
func itemMarker(list Node, i int) string {
	if list.Type == typeOrderedList {
		return fmt.Sprintf("%d. ", intAttr(list, "start", 1)+i)
	}
	return "- "
}

func (w writer) item(n Node, marker string, task bool) string {
	box := ""
	if task {
		box = "[ ] "
		if checked, _ := n.Attrs["checked"].(bool); checked {
			box = "[x] "
		}
	}
	var text strings.Builder
	for i, c := range n.Content {
		if i > 0 {
			text.WriteString("\n")
			if !isList(c) {
				text.WriteString("\n")
			}
		}
		text.WriteString(w.block(c))
	}
	return strings.TrimRight(marker+box+indentLines(text.String(), len(marker)), " ")
}

func isList(n Node) bool {
	return n.Type == typeBulletList || n.Type == typeOrderedList || n.Type == typeTaskList
}

func (w writer) table(n Node) string {
	w.cell = true
	var rows []string
	for i, row := range n.Content {
		rows = append(rows, w.row(row))
		if i == 0 {
			line := "|"
			for _, c := range row.Content {
				line += " " + map[string]string{"left": ":---", "right": "---:", "center": ":---:"}[textAttr(c, "align")]
				if strings.HasSuffix(line, " ") {
					line += "---"
				}
				line += " |"
			}
			rows = append(rows, line)
		}
	}
	return strings.Join(rows, "\n")
}

func (w writer) row(n Node) string {
	cells := make([]string, len(n.Content))
	for i, c := range n.Content {
		cells[i] = " " + strings.ReplaceAll(w.blocks(c.Content, "<br>"), "\n", "<br>") + " |"
	}
	return "|" + strings.Join(cells, "")
}

func renderWikilink(target, label string) string {
	if label != "" {
		return "[[" + target + "|" + label + "]]"
	}
	return "[[" + target + "]]"
}

func renderImage(alt, src, title string) string {
	return "![" + oneLine(alt) + "](" + renderTarget(src, title) + ")"
}

// renderTarget is what stands in the parentheses of a link.
func renderTarget(href, title string) string {
	href = oneLine(href)
	if href == "" || strings.ContainsAny(href, " \t()<>") {
		href = "<" + strings.NewReplacer("<", "%3C", ">", "%3E").Replace(href) + ">"
	}
	if title != "" {
		href += ` "` + strings.ReplaceAll(oneLine(title), `"`, `\"`) + `"`
	}
	return href
}

// markOrder is the order in which marks are opened.
func markOrder() []string { return []string{"link", "bold", "italic", "strike", "code", typeRaw} }

// An inlineWriter writes texts with their marks: what neighbours share is opened once.
type inlineWriter struct {
	out  strings.Builder
	open []Mark
}

func (w *inlineWriter) closeTo(n int) {
	for i := len(w.open) - 1; i >= n; i-- {
		w.out.WriteString(markEnd(w.open[i]))
	}
	w.open = w.open[:n]
}

// inline is the Markdown of texts.
func (w writer) inline(nodes []Node) string {
	line := "\\\n"
	if w.cell {
		line = "<br>"
	}
	var out inlineWriter
	for _, n := range joinText(nodes) {
		if n.Type == typeBreak {
			out.closeTo(0)
			out.out.WriteString(line)
			continue
		}
		out.write(n, w.text(n))
	}
	out.closeTo(0)
	return out.out.String()
}

// write writes the text of a node with its marks, which cannot begin or end at a blank.
func (w *inlineWriter) write(n Node, text string) {
	marks := sortedMarks(n.Marks)
	shared := 0
	for shared < len(w.open) && shared < len(marks) && sameMarks(w.open[shared:shared+1], marks[shared:shared+1]) {
		shared++
	}
	bare, lead, trail := text, "", ""
	if len(marks) > 0 && !hasMark(n, "code") && !hasMark(n, typeRaw) {
		if len(marks) > shared || len(w.open) > shared {
			bare = strings.TrimLeft(text, " \n")
			lead = text[:len(text)-len(bare)]
		}
		if inner := strings.TrimRight(bare, " \n"); inner != "" {
			bare, trail = inner, bare[len(inner):]
		}
	}
	w.closeTo(shared)
	w.out.WriteString(lead)
	for _, m := range marks[shared:] {
		w.out.WriteString(markStart(m))
		w.open = append(w.open, m)
	}
	w.out.WriteString(bare)
	if trail != "" {
		w.closeTo(0)
		w.out.WriteString(trail)
	}
}

func hasMark(n Node, name string) bool {
	return slices.ContainsFunc(n.Marks, func(m Mark) bool { return m.Type == name })
}

func sortedMarks(marks []Mark) []Mark {
	sorted := slices.Clone(marks)
	order := markOrder()
	slices.SortStableFunc(sorted, func(a, b Mark) int { return slices.Index(order, a.Type) - slices.Index(order, b.Type) })
	return sorted
}

func markStart(m Mark) string {
	return map[string]string{"link": "[", "bold": "**", "italic": "*", "strike": "~~"}[m.Type]
}

func markEnd(m Mark) string {
	if m.Type == "link" {
		n := Node{Attrs: m.Attrs}
		return "](" + renderTarget(textAttr(n, "href"), textAttr(n, "title")) + ")"
	}
	return markStart(m)
}

// text writes one text or wikilink without its marks.
func (w writer) text(n Node) string {
	switch {
	case n.Type == typeWikilink:
		link := renderWikilink(oneLine(textAttr(n, "target")), oneLine(textAttr(n, "label")))
		if w.cell {
			link = strings.ReplaceAll(link, "|", `\|`)
		}
		return link
	case n.Type == typeImage:
		return w.block(n)
	case hasMark(n, typeRaw):
		return n.Text
	case hasMark(n, "code"):
		return renderCode(n.Text)
	}
	text := n.Text
	if w.escape {
		text = escaper().Replace(text)
	}
	if w.cell {
		text = strings.ReplaceAll(strings.ReplaceAll(text, `\|`, "|"), "|", `\|`)
	}
	return text
}

var escaper = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, "&", `\&`, "~", `\~`, "!", `\!`,
		"|", `\|`)
})

// renderCode is a code span. It cannot hold line breaks.
func renderCode(code string) string {
	code = oneLine(code)
	fence := "`"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	if strings.HasPrefix(code, "`") || strings.HasSuffix(code, "`") ||
		strings.HasPrefix(code, " ") && strings.HasSuffix(code, " ") && strings.TrimSpace(code) != "" {
		code = " " + code + " "
	}
	return fence + code + fence
}
