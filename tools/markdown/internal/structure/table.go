package structure

import "strings"

// findTable makes a table of the open paragraph if the line divides its header from its
// rows. What stands above the header stays a paragraph.
func (s *scanner) findTable() {
	b := &s.open[len(s.open)-1]
	columns := divider(s.line[s.next:])
	if b.kind == TableBlock || columns == 0 || columns != len(cellsOf(s.text[s.words:s.start])) {
		return
	}
	b.kind = TableBlock
	switch {
	case !s.record:
	case b.first == s.index-1:
		s.blocks[b.block].Kind = TableBlock
	default:
		above := &s.blocks[b.block]
		above.End, above.Last = strings.LastIndexByte(s.text[:s.words], '\n'), s.index-2
		b.block = len(s.blocks)
		s.blocks = append(s.blocks, Block{Kind: TableBlock, Parent: above.Parent, Start: s.words, First: s.index - 1})
		s.extend(len(s.open))
	}
}

// divider is how many columns a line divides from their header; 0: it does not.
func divider(line string) int {
	line = strings.TrimSpace(line)
	if strings.Trim(line, "-") == "" || strings.Trim(line, "|:- \t") != "" {
		return 0
	}
	cells := cellsOf(line)
	for _, c := range cells {
		c = strings.TrimSpace(c)
		if strings.Trim(strings.TrimSuffix(strings.TrimPrefix(c, ":"), ":"), "-") != "" || !strings.Contains(c, "-") {
			return 0
		}
	}
	return len(cells)
}

// cellsOf are the cells of a row.
func cellsOf(line string) (cells []string) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "|")
	if !strings.HasSuffix(line, `\|`) {
		line = strings.TrimSuffix(line, "|")
	}
	from := 0
	for i := range len(line) {
		if line[i] == '|' && (i == 0 || line[i-1] != '\\') {
			cells, from = append(cells, line[from:i]), i+1
		}
	}
	return append(cells, line[from:])
}
