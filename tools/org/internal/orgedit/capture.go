package orgedit

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A CaptureTemplate says what is captured and where in the file it goes. Its
// text has been expanded already.
type CaptureTemplate struct {
	Type       string // "entry", "item", "checkitem" or "table-line"; "" is entry
	Prepend    bool
	EmptyLines int
	Text       string
}

// Capture inserts text captured by a template below headline i, or at the top
// level for -1, as org-capture with immediate-finish does. It returns the index of
// the headline that was captured or that holds what was, -1 for none.
func (d *Draft) Capture(i int, t CaptureTemplate) (captured int, err error) {
	at := -1
	if i >= 0 {
		at = d.at(i)
	}
	var placed int
	switch t.Type {
	case "", "entry":
		placed, err = d.captureEntry(at, t)
	case "item", "checkitem":
		placed = d.captureItem(at, t)
	case "table-line":
		placed, err = d.captureRow(at, t)
	default:
		err = fmt.Errorf("unknown type of capture template %q; known are entry, item, checkitem, table-line", t.Type)
	}
	if err != nil {
		return -1, err
	}
	head := d.headingAbove(placed)
	if head < 0 {
		return -1, nil
	}
	moved, release := d.anchor(head)
	defer release()
	if d.settings.Statistics {
		d.updateParents(head)
	}
	d.updateCheckboxesAround(*moved)
	return d.File().AtByte(*moved), nil
}

func (d *moveEdit) captureEntry(at int, t CaptureTemplate) (int, error) {
	text := t.Text
	if !regexp.MustCompile(`^\*+ `).MatchString(text) {
		return 0, fmt.Errorf("the template of an entry must start with a heading, such as %q", "* TODO %i")
	}
	level, pos := 1, len(d.text)
	if err := d.checkStars(orgfile.Stars([]byte(text))); err != nil {
		return 0, err
	}
	switch {
	case at >= 0:
		level = d.childLevel(at)
		pos = d.subtreeEnd(at)
		if t.Prepend {
			pos = d.nextHeading(at)
		}
	case t.Prepend:
		pos = d.firstHeading()
	}
	if !d.atLineStart(pos) {
		d.insert(pos, "\n")
		pos++
	}
	pos = d.emptyLinesBefore(pos, t.EmptyLines)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	d.insert(pos, text)
	end, release := d.anchor(pos + len(text))
	defer release()
	if err := d.shiftLevels(pos, end, level-d.level(pos)); err != nil {
		return 0, err
	}
	d.emptyLinesAfter(*end, t.EmptyLines)
	return pos, nil
}

// emptyLinesBefore leaves n empty lines in front of pos and returns the position
// behind them.
func (d *moveEdit) emptyLinesBefore(pos, n int) int {
	start := pos
	for start > 0 && strings.TrimSpace(string(d.text[d.lineStart(start-1):start])) == "" {
		start = d.lineStart(start - 1)
	}
	d.replace(start, pos, strings.Repeat("\n", n))
	return start + n
}

// emptyLinesAfter leaves n empty lines behind the text that ends at pos.
func (d *moveEdit) emptyLinesAfter(pos, n int) {
	for pos > 0 && strings.TrimSpace(string(d.text[d.lineStart(pos-1):pos])) == "" {
		pos = d.lineStart(pos - 1)
	}
	end := pos
	for blanks := d.blanksEnd(end); blanks < len(d.text) && d.text[blanks] == '\n'; blanks = d.blanksEnd(end) {
		end = d.nextLine(end)
	}
	d.replace(pos, end, strings.Repeat("\n", n))
}

func (d *moveEdit) captureItem(at int, t CaptureTemplate) int {
	text := strings.TrimSpace(t.Text)
	if t.Type == "checkitem" && text == "" {
		text = "- [ ] "
	}
	if !itemBegin.MatchString(text) {
		text = "- " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	items := d.listItems(at)
	pos := d.entryTextEnd(at)
	switch {
	case len(items) > 0 && t.Prepend:
		pos = items[0].line
	case len(items) > 0:
		pos = d.emptyLinesBefore(d.listEnd(items), min(1, t.EmptyLines))
	case t.Prepend:
		pos, _ = d.metaEnd(at)
	}
	if !d.atLineStart(pos) {
		d.insert(pos, "\n")
		pos++
	}
	if len(items) == 0 {
		pos = d.emptyLinesBefore(pos, t.EmptyLines)
		d.insertBefore(pos, text+"\n")
		d.emptyLinesAfter(pos+len(text)+1, t.EmptyLines)
		return pos
	}
	margin := indent(items[0].column)
	text = d.matchBullet(items, text, t.Prepend)
	d.insertBefore(pos, margin+strings.ReplaceAll(text, "\n", "\n"+margin)+"\n")
	return pos
}

var itemNumber = regexp.MustCompile(`^([0-9]+)([.)])$`)

// matchBullet gives a new item the bullet of the list that it goes into.
func (d *moveEdit) matchBullet(items []listItem, text string, first bool) string {
	last, end := items[0], d.listEnd(items)
	for _, item := range items {
		if item.line < end && item.column == last.column && item.parent < 0 {
			last = item
		}
	}
	bullet := string(itemBegin.FindSubmatch(d.line(last.line))[2])
	if kind := itemBegin.FindSubmatch(d.line(items[0].line))[2]; !itemNumber.Match(kind) {
		bullet = string(kind) // Emacs takes the kind of the first item for the whole list
	}
	if m := itemNumber.FindStringSubmatch(bullet); m != nil {
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return text
		}
		bullet = strconv.Itoa(n+1) + m[2]
		if first {
			bullet = "1" + m[2]
		}
	}
	old := itemBegin.FindStringSubmatch(text)[2]
	text = bullet + text[len(old):]
	if more := len(bullet) - len(old); more > 0 {
		text = strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", more))
	} else if more < 0 {
		text = strings.ReplaceAll(text, "\n"+strings.Repeat(" ", -more), "\n")
	}
	return text
}

// entryTextEnd returns the end of an entry's own text.
func (d *moveEdit) entryTextEnd(at int) int {
	if at < 0 {
		return len(d.text)
	}
	return d.textEnd(at)
}

// listEnd returns the end of the first list of items.
func (d *moveEdit) listEnd(items []listItem) int {
	end := d.textEnd(items[0].line)
	last := items[0].line
	for line := items[0].line; line < end; line = d.nextLine(line) {
		text := d.line(line)
		switch blank := strings.TrimSpace(string(text)) == ""; {
		case blank:
			continue
		case !itemBegin.Match(text) && d.indentation(line) <= items[0].column:
			return d.nextLine(last)
		}
		last = line
	}
	return d.nextLine(last)
}

var (
	tableRow  = regexp.MustCompile(`^[ \t]*\|`)
	tableRule = regexp.MustCompile(`^[ \t]*\|-`)
)

func (d *moveEdit) captureRow(at int, t CaptureTemplate) (int, error) {
	text := strings.TrimSpace(t.Text)
	if !tableRow.MatchString(text) || strings.Contains(text, "\n") {
		return 0, fmt.Errorf("the template of a table line must be one line that starts with |")
	}
	line, end := 0, d.entryTextEnd(at)
	if at >= 0 {
		line = d.nextLine(at)
	}
	for line < end && !tableRow.Match(d.line(line)) {
		line = d.nextLine(line)
	}
	if line >= end {
		line = end
		if !d.atLineStart(line) {
			d.insert(line, "\n")
			line++
		}
		d.insert(line, "|   |\n|---|\n")
	}
	start := line
	for line < len(d.text) && tableRow.Match(d.line(line)) {
		if t.Prepend && tableRule.Match(d.line(line)) {
			line = d.nextLine(line)
			break
		}
		line = d.nextLine(line)
	}
	d.insert(line, text+"\n")
	d.alignTable(start)
	return start, nil
}

// alignTable rewrites the table that starts at pos with columns of equal width.
func (d *moveEdit) alignTable(pos int) {
	margin := string(d.text[pos:d.blanksEnd(pos)])
	var rows [][]string // nil is a rule
	end, wide := pos, []int{}
	for end < len(d.text) && tableRow.Match(d.line(end)) {
		cells := tableCells(string(d.line(end)))
		for n, c := range cells {
			if n == len(wide) {
				wide = append(wide, 1)
			}
			wide[n] = max(wide[n], Columns(c))
		}
		rows = append(rows, cells)
		end = d.nextLine(end)
	}
	right := numberColumns(rows, len(wide))
	var b strings.Builder
	for _, cells := range rows {
		b.WriteString(margin + formatRow(cells, wide, right) + "\n")
	}
	d.replace(pos, end, b.String())
}

// tableCells returns the cells of a row, nil for a rule.
func tableCells(line string) []string {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "|-") {
		return nil
	}
	cells := strings.Split(strings.TrimSuffix(line[1:], "|"), "|")
	for i, c := range cells {
		cells[i] = strings.TrimSpace(c)
	}
	return cells
}

// formatRow writes a row with cells of the given widths, aligned to the right
// where right says so.
func formatRow(cells []string, wide []int, right []bool) string {
	if cells == nil {
		var rule []string
		for _, w := range wide {
			rule = append(rule, strings.Repeat("-", w+2))
		}
		return "|" + strings.Join(rule, "+") + "|"
	}
	var b strings.Builder
	for n, w := range wide {
		cell := ""
		if n < len(cells) {
			cell = cells[n]
		}
		gap := strings.Repeat(" ", w-Columns(cell))
		if right[n] {
			cell, gap = gap, cell
		}
		b.WriteString("| " + cell + gap + " ")
	}
	return b.String() + "|"
}

var tableNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*|[<>]?[-+]?0[xX][0-9a-fA-F.]+|nan|[-+u]?inf)$`)
})

// numberColumns says which columns hold numbers in at least half of their cells
// that are not empty; those are aligned to the right.
func numberColumns(rows [][]string, n int) []bool {
	out := make([]bool, n)
	for c := range out {
		numbers, filled := 0, 0
		for _, cells := range rows {
			if c < len(cells) && cells[c] != "" {
				filled++
				if tableNumber().MatchString(cells[c]) {
					numbers++
				}
			}
		}
		out[c] = filled > 0 && 2*numbers >= filled
	}
	return out
}
