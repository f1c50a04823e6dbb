package orgexport

import (
	"regexp"
	"strings"
)

// A tableGrid is a table as it is exported: without the rows and the column that
// only say how.
type tableGrid struct {
	groups [][][]*node // rows in groups between rules, by cells
	align  []byte      // 'l', 'c' or 'r' for each column
	widths []int       // asked for by "<10>", 0 for none
	starts []bool      // columns that a group of columns starts with
	header bool        // the first group is a header
	rules  []bool      // group i is below a rule
	bottom bool        // a rule ends the table
}

var (
	alignCookie = regexp.MustCompile(`^<([lrc]?)([0-9]*)>$`)
	numberCell  = regexp.MustCompile(`^([<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*|[<>]?[-+]?0[xX][0-9a-fA-F.]+|[<>]?[-+]?[0-9]+#[0-9a-zA-Z.]+|nan|[-+u]?inf)$`)
)

func (d *document) cellText(cell *node) string {
	return string(d.text[cell.Contents.Start:cell.Contents.End])
}

// A columnNotes is what the special rows of a table say about its columns.
type columnNotes struct {
	special bool // the first column only marks rows
	align   map[int]byte
	widths  map[int]int
	starts  map[int]bool
}

func (d *document) grid(n *node) *tableGrid {
	notes := columnNotes{special: d.hasSpecialColumn(n), align: map[int]byte{}, widths: map[int]int{}, starts: map[int]bool{}}
	g := &tableGrid{}
	columns := 0
	var group [][]*node
	pendingRule, sawRule := false, false
	for _, row := range n.Children {
		switch {
		case row.Key == "rule":
			if len(group) > 0 {
				g.groups, g.rules = append(g.groups, group), append(g.rules, pendingRule)
				group, sawRule = nil, true
			}
			pendingRule = true
		case d.specialRow(row, notes.special):
			d.readSpecialRow(row, &notes)
		default:
			cells := notes.ownCells(row)
			columns = max(columns, len(cells))
			group = append(group, cells)
		}
	}
	if len(group) > 0 {
		g.groups, g.rules = append(g.groups, group), append(g.rules, pendingRule)
	} else {
		g.bottom = pendingRule
	}
	g.header = sawRule && len(g.groups) > 1
	g.align, g.widths, g.starts = make([]byte, columns), make([]int, columns), make([]bool, columns)
	for c := range columns {
		g.widths[c], g.starts[c] = notes.widths[c], notes.starts[c]
		if g.align[c] = notes.align[c]; g.align[c] == 0 {
			g.align[c] = d.guessAlignment(g, c)
		}
	}
	return g
}

// ownCells returns the cells of a row without the one that marks it.
func (c *columnNotes) ownCells(row *node) []*node {
	if c.special {
		return row.Children[min(1, len(row.Children)):]
	}
	return row.Children
}

// readSpecialRow reads a row that only describes columns.
func (d *document) readSpecialRow(row *node, notes *columnNotes) {
	if len(row.Children) > 0 && d.cellText(row.Children[0]) == "/" {
		for i, c := range row.Children { // counts the marking column as well
			switch d.cellText(c) {
			case "<", "<>":
				notes.starts[i-1] = true
			case ">":
				notes.starts[i] = true
			}
		}
	}
	for i, c := range notes.ownCells(row) {
		m := alignCookie.FindStringSubmatch(d.cellText(c))
		if m == nil {
			continue
		}
		if m[1] != "" {
			notes.align[i] = m[1][0]
		}
		for _, digit := range m[2] {
			notes.widths[i] = min(notes.widths[i]*10+int(digit-'0'), 10000)
		}
	}
}

// guessAlignment aligns a column to the right if at least half of its cells are
// numbers. An empty cell below a number is taken for one.
func (d *document) guessAlignment(g *tableGrid, column int) byte {
	numbers, total, previous := 0, 0, false
	for _, group := range g.groups {
		for _, cells := range group {
			total++
			text := ""
			if column < len(cells) {
				text = d.cellText(cells[column])
			}
			if previous = numberCell.MatchString(text) || text == "" && previous; previous {
				numbers++
			}
		}
	}
	if total > 0 && 2*numbers >= total {
		return 'r'
	}
	return 'l'
}

// hasSpecialColumn says whether the first column only marks rows.
func (d *document) hasSpecialColumn(n *node) bool {
	special := false
	for _, row := range n.Children {
		if row.Key == "rule" {
			continue
		}
		if len(row.Children) == 0 {
			return false
		}
		t := d.cellText(row.Children[0])
		if t != "" && (len(t) > 1 || !strings.Contains("#*/!$^_", t)) {
			return false
		}
		special = special || t != ""
	}
	return special
}

// specialRow says whether a row only describes columns.
func (d *document) specialRow(row *node, special bool) bool {
	if len(row.Children) == 0 {
		return false
	}
	first := d.cellText(row.Children[0])
	if first == "/" || special && (first == "!" || first == "^" || first == "_" || first == "$") {
		return true
	}
	cookie := false
	for i, c := range row.Children {
		t := d.cellText(c)
		switch {
		case special && i == 0, t == "":
		case alignCookie.MatchString(t) && t != "<>":
			cookie = true
		default:
			return false
		}
	}
	return cookie
}
