package editordoc

import "strings"

// renderOver writes a block over another one of its type, of which it keeps what was
// not edited, or a new one. The blank lines after it are those of the old one.
func renderOver(old *part, n Node) string {
	if old == nil {
		if source, ok := n.source(); ok {
			return source
		}
		return renderBlock(n) + "\n\n"
	}
	bare := strings.TrimRight(old.text, "\n")
	inner := strings.TrimLeft(bare, "\n")
	lead, gap := bare[:len(bare)-len(inner)], old.text[len(bare):]
	if len(n.Content) > 0 && len(old.node.Content) > 0 {
		text := ""
		switch n.Type {
		case typeBulletList, typeOrderedList, typeTaskList:
			text = renderListOver(inner, shifted(old.node, len(lead)), n)
		case typeTable:
			text = renderTableOver(inner, old.node, n)
		case typeQuote, typeCallout:
			text = renderQuoteOver(inner, old.node, n)
		case typeToggle:
			text = renderToggleOver(inner, shifted(old.node, len(lead)), n)
		}
		if text != "" && readsAs(text, n) {
			return lead + strings.TrimRight(text, "\n") + gap
		}
	}
	return lead + renderBlock(n) + gap
}

// shifted is a node whose text begins later.
func shifted(n Node, by int) Node {
	spans := make([]span, len(n.spans))
	for i, s := range n.spans {
		spans[i] = span{max(s.start-by, 0), s.end - by}
	}
	n.spans = spans
	return n
}

// renderInside is the text of what stands in a block after an edit.
func renderInside(source string, n Node) string {
	return Node{Type: typeDoc, Content: n.Content}.Update(source)
}

// renderListOver keeps the bytes of items that were not edited.
func renderListOver(bare string, old, n Node) string {
	if len(old.spans) != len(old.Content) {
		return ""
	}
	items := make([]part, len(old.Content))
	for i, item := range old.Content {
		items[i] = part{item, bare[old.spans[i].start:min(old.spans[i].end, len(bare))]}
	}
	first := items[0].text
	usualGap := first[len(strings.TrimRight(first, "\n")):]
	number := 0
	pieces := splice(items, n.Content, func(over *part, item Node) string {
		number++
		if over != nil {
			gap := over.text[len(strings.TrimRight(over.text, "\n")):]
			return renderItemOver(strings.TrimRight(over.text, "\n"), over.node, item) + gap
		}
		marker := itemMarker(n, number-1)
		if n.Type != typeOrderedList {
			marker = markerOf(first, marker)
		}
		return renderItem(item, marker) + usualGap
	})
	var text strings.Builder
	text.WriteString(bare[:old.spans[0].start])
	for i, p := range pieces {
		text.WriteString(p.text)
		if i+1 < len(pieces) && !strings.HasSuffix(p.text, "\n") {
			text.WriteString("\n")
		}
	}
	return text.String()
}

// renderItem is a new item.
func renderItem(item Node, marker string) string {
	task := item.Type == typeTaskItem
	list := Node{Type: typeBulletList, Content: []Node{item}}
	if task {
		list.Type = typeTaskList
	}
	usual := (writer{}).item(item, "- ", task)
	return writer{escape: !readsAs(usual, list)}.item(item, marker, task)
}

// renderItemOver keeps what was not edited of an item.
func renderItemOver(old string, was, item Node) string {
	marker := markerOf(old, "- ")
	box := ""
	if item.Type == typeTaskItem {
		box = "[ ] "
		if checked, _ := item.Attrs["checked"].(bool); checked {
			box = "[x] "
		}
	}
	rest, ok := strings.CutPrefix(old, marker)
	if ok && box != "" {
		ok = taskBox.MatchString(rest) && len(taskBox.FindString(rest)) == len(box)
		if ok {
			rest = rest[len(box):]
			if was.Attrs["checked"] == item.Attrs["checked"] {
				box = old[len(marker) : len(marker)+len(box)]
			}
		}
	}
	inside := strings.ReplaceAll(rest, "\n"+strings.Repeat(" ", len(marker)), "\n")
	if !ok || indentLines(inside, len(marker)) != rest || len(item.Content) == 0 {
		return renderItem(item, marker)
	}
	return strings.TrimRight(marker+box+indentLines(strings.TrimRight(renderInside(inside, item), "\n"), len(marker)), " ")
}

// renderQuoteOver keeps what was not edited of a quote or callout.
func renderQuoteOver(bare string, old, n Node) string {
	lines := strings.Split(bare, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(strings.TrimPrefix(line, ">"), " ")
	}
	head := ""
	if n.Type == typeCallout {
		title, was := n, old
		title.Content, was.Content = nil, nil
		if title.key() != was.key() {
			return ""
		}
		head, lines = lines[0]+"\n", lines[1:]
	}
	inside := strings.Join(lines, "\n")
	if quoteLines(head+inside) != bare {
		return ""
	}
	return quoteLines(head + strings.TrimRight(renderInside(inside, n), "\n"))
}

// renderToggleOver keeps what was not edited of a toggle.
func renderToggleOver(bare string, old, n Node) string {
	title, was := n, old
	title.Content, was.Content = nil, nil
	if title.key() != was.key() {
		return ""
	}
	start, end := old.spans[0].start, old.spans[len(old.spans)-1].end
	inside := renderInside(bare[start:end], n)
	if strings.HasSuffix(bare[start:end], "\n\n") {
		inside = strings.TrimRight(inside, "\n") + gapOf(bare[start:end], "\n")
	}
	return bare[:start] + inside + bare[end:]
}

// markerOf is the blanks and the marker that an item begins with.
func markerOf(item, usual string) string {
	rest := strings.TrimLeft(item, " ")
	length := strings.IndexAny(rest, " \t\n")
	if length <= 0 || length > 10 {
		return usual
	}
	after := rest[length:]
	blanks := len(after) - len(strings.TrimLeft(after, " "))
	if blanks < 1 || blanks > 4 {
		blanks = 1
	}
	return item[:len(item)-len(rest)] + rest[:length] + strings.Repeat(" ", blanks)
}

// renderTableOver keeps the bytes of rows that were not edited.
func renderTableOver(bare string, old, n Node) string {
	lines := strings.Split(strings.TrimLeft(bare, "\n"), "\n")
	if len(lines) != len(old.Content)+1 || len(old.Content) == 0 || old.Content[0].key() != n.Content[0].key() {
		return ""
	}
	rows := make([]part, len(old.Content)-1)
	for i := range rows {
		rows[i] = part{old.Content[i+1], lines[i+2] + "\n"}
	}
	text := lines[0] + "\n" + lines[1] + "\n"
	for _, p := range splice(rows, n.Content[1:], func(_ *part, row Node) string {
		plain := writer{cell: true}.row(row)
		single := Node{Type: typeTable, Content: []Node{n.Content[0], row}}
		if !readsAs(text+plain, single) {
			plain = writer{cell: true, escape: true}.row(row)
		}
		return plain + "\n"
	}) {
		text += p.text
	}
	return strings.TrimSuffix(text, "\n")
}
