package orgedit

import (
	"fmt"
	"regexp"
	"strings"
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
// level for -1, as org-capture with immediate-finish does.
func (d *Draft) Capture(i int, t CaptureTemplate) error {
	at := -1
	if i >= 0 {
		at = d.at(i)
	}
	var placed int
	var err error
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
		return err
	}
	if head := d.headingAbove(placed); head >= 0 && d.settings.Statistics {
		moved, releaseHead := d.anchor(head)
		defer releaseHead()
		d.updateParents(head)
		d.updateCheckboxesAround(*moved)
	}
	return nil
}

func (d *moveEdit) captureEntry(at int, t CaptureTemplate) (int, error) {
	text := t.Text
	if !regexp.MustCompile(`^\*+ `).MatchString(text) {
		return 0, fmt.Errorf("the template of an entry must start with a heading, such as %q", "* TODO %i")
	}
	level, pos := 1, len(d.text)
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
	for end < len(d.text) && d.text[d.blanksEnd(end):][0] == '\n' {
		end = d.nextLine(end)
		if end == len(d.text) {
			break
		}
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
	pos, column := d.entryTextEnd(at), 0
	switch {
	case len(items) > 0:
		column = items[0].column
		pos = items[0].line
		if !t.Prepend {
			pos = d.listEnd(items)
			if t.EmptyLines > 0 {
				pos = d.emptyLinesBefore(pos, 1)
			}
		}
	case t.Prepend:
		pos, _ = d.metaEnd(at)
	}
	if !d.atLineStart(pos) {
		d.insert(pos, "\n")
		pos++
	}
	margin := indent(column)
	d.insertBefore(pos, margin+strings.ReplaceAll(text, "\n", "\n"+margin)+"\n")
	return pos
}

// entryTextEnd returns the end of an entry's own text.
func (d *moveEdit) entryTextEnd(at int) int {
	if at < 0 {
		return len(d.text)
	}
	return d.nextHeading(at)
}

// listEnd returns the end of the first list of items.
func (d *moveEdit) listEnd(items []listItem) int {
	end := d.nextHeading(items[0].line)
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
		end += len("|   |\n|---|\n")
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
	var rows [][]string
	end, wide := pos, []int{}
	for end < len(d.text) && tableRow.Match(d.line(end)) {
		line := strings.TrimSpace(string(d.line(end)))
		var cells []string
		if !strings.HasPrefix(line, "|-") {
			for n, c := range strings.Split(strings.TrimSuffix(line[1:], "|"), "|") {
				c = strings.TrimSpace(c)
				cells = append(cells, c)
				if n == len(wide) {
					wide = append(wide, 1)
				}
				wide[n] = max(wide[n], columns(c, 0))
			}
		}
		rows = append(rows, cells)
		end = d.nextLine(end)
	}
	number := numberColumns(rows, len(wide))
	var b strings.Builder
	for _, cells := range rows {
		b.WriteString(margin)
		if cells == nil {
			for n, w := range wide {
				b.WriteString(map[bool]string{true: "|", false: "+"}[n == 0] + strings.Repeat("-", w+2))
			}
			b.WriteString("|\n")
			continue
		}
		for n, w := range wide {
			cell := ""
			if n < len(cells) {
				cell = cells[n]
			}
			gap := strings.Repeat(" ", w-columns(cell, 0))
			if number[n] {
				b.WriteString("| " + gap + cell + " ")
			} else {
				b.WriteString("| " + cell + gap + " ")
			}
		}
		b.WriteString("|\n")
	}
	d.replace(pos, end, b.String())
}

var tableNumber = regexp.MustCompile(`^([<>]?[-+^.0-9]*[0-9][-+^.0-9eEdDx()%:]*|[<>]?[-+]?0[xX][0-9a-fA-F.]+|nan|[-+u]?inf)$`)

// numberColumns says which columns hold numbers in at least half of their cells
// that are not empty; those are aligned to the right.
func numberColumns(rows [][]string, n int) []bool {
	out := make([]bool, n)
	for c := range out {
		numbers, filled := 0, 0
		for _, cells := range rows {
			if c < len(cells) && cells[c] != "" {
				filled++
				if tableNumber.MatchString(cells[c]) {
					numbers++
				}
			}
		}
		out[c] = filled > 0 && 2*numbers >= filled
	}
	return out
}
