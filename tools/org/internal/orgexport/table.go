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

func (d *document) grid(n *node) *tableGrid {
	special := d.hasSpecialColumn(n)
	g := &tableGrid{}
	columns := 0
	explicit := map[int]byte{}
	widths := map[int]int{}
	starts := map[int]bool{}
	var group [][]*node
	pendingRule, sawRule := false, false
	for _, row := range n.Children {
		if row.Key == "rule" {
			if len(group) > 0 {
				g.groups, g.rules = append(g.groups, group), append(g.rules, pendingRule)
				group, sawRule = nil, true
				pendingRule = false
			}
			pendingRule = true
			continue
		}
		cells := row.Children
		if d.specialRow(row, special) {
			if len(cells) > 0 && d.cellText(cells[0]) == "/" {
				for i, c := range cells {
					if t := d.cellText(c); t == "<" || t == "<>" {
						starts[i-1] = true
					} else if t == ">" {
						starts[i] = true
					}
				}
			}
			if special {
				cells = cells[min(1, len(cells)):]
			}
			for i, c := range cells {
				if m := alignCookie.FindStringSubmatch(d.cellText(c)); m != nil {
					if m[1] != "" {
						explicit[i] = m[1][0]
					}
					for _, digit := range m[2] {
						widths[i] = min(widths[i]*10+int(digit-'0'), 10000)
					}
				}
			}
			continue
		}
		if special {
			cells = cells[min(1, len(cells)):]
		}
		columns = max(columns, len(cells))
		group = append(group, cells)
	}
	if len(group) > 0 {
		g.groups, g.rules = append(g.groups, group), append(g.rules, pendingRule)
	} else {
		g.bottom = pendingRule
	}
	g.header = sawRule && len(g.groups) > 1
	g.align, g.widths, g.starts = make([]byte, columns), make([]int, columns), make([]bool, columns)
	for c := range columns {
		g.widths[c], g.starts[c] = widths[c], starts[c]
		if g.align[c] = explicit[c]; g.align[c] == 0 {
			g.align[c] = d.guessAlignment(g, c)
		}
	}
	return g
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
