package cardtext

import (
	"fmt"
	"regexp"
	"strings"

	htmlparser "golang.org/x/net/html"
)

// A cell of a table in Markdown is one line. What stands below each other in a cell of HTML is
// parted by <br>.

// flattenCells is HTML whose cells have no blocks. A table within a cell stays.
func flattenCells(content string) string {
	if !strings.Contains(content, "<table") {
		return content
	}
	var f cellFlattener
	z := newTagReader(content)
	for {
		kind, raw, name, _ := z.next()
		if kind == htmlparser.ErrorToken {
			return f.out.String()
		}
		if f.inCell && (name == "table" || f.code && name != "" && name != "code" && name != "pre") {
			return content
		}
		f.token(kind, raw, name)
	}
}

// A cellFlattener writes HTML without the blocks in its cells.
type cellFlattener struct {
	out    strings.Builder
	inCell bool
	text   bool  // the cell has some
	parted bool  // what follows in the cell begins on a line of its own
	lists  []int // that are open, with the number of the next item; 0: it has no numbers
	code   bool
}

var cellBlocks = map[string]bool{
	"p": true, "div": true, "blockquote": true, "pre": true, "dl": true, "dt": true, "dd": true, "h1": true, "h2": true, "h3": true,
	"h4": true,
	"h5": true, "h6": true, "hr": true, "details": true, "summary": true,
}

func (f *cellFlattener) token(kind htmlparser.TokenType, raw, name string) {
	starts := kind == htmlparser.StartTagToken
	switch {
	case name == "td" || name == "th":
		f.inCell, f.text, f.parted, f.lists, f.code = starts, false, false, nil, false
		f.out.WriteString(raw)
	case !f.inCell:
		f.out.WriteString(raw)
	case name == "br":
		f.out.WriteString("<br>")
	case name == "pre":
		f.part()
		f.code = starts
		if starts {
			f.write("<code>")
		} else {
			f.out.WriteString("</code>")
		}
	case f.code:
		if kind == htmlparser.TextToken {
			f.out.WriteString(strings.ReplaceAll(strings.Trim(raw, "\n"), "\n", "</code><br><code>"))
		}
	case name == "ul" || name == "ol":
		f.part()
		if starts {
			f.lists = append(f.lists, map[string]int{"ul": 0, "ol": 1}[name])
		} else {
			f.lists = f.lists[:max(len(f.lists)-1, 0)]
		}
	case name == "li":
		f.part()
		if starts {
			f.write(f.bullet())
		}
	case cellBlocks[name]:
		f.part()
	case kind == htmlparser.TextToken && strings.TrimSpace(raw) == "" && (f.parted || !f.text):
	default:
		f.write(raw)
	}
}

// part ends a line of the cell, if it has text.
func (f *cellFlattener) part() { f.parted = f.text }

func (f *cellFlattener) write(text string) {
	if f.parted {
		f.out.WriteString("<br>")
	}
	f.parted, f.text = false, true
	f.out.WriteString(text)
}

// bullet is how the next item of the open list begins. An item begins without a part between
// them where the item around it has no text yet.
func (f *cellFlattener) bullet() string {
	if len(f.lists) == 0 {
		return ""
	}
	last := &f.lists[len(f.lists)-1]
	if *last == 0 {
		return "- "
	}
	*last++
	return fmt.Sprintf("%d. ", *last-1)
}

var (
	cellBullet  = regexp.MustCompile(`(\| |<br>)(\d*)\\([-.] )`)
	cellBreak   = regexp.MustCompile(` *<br ?/>`)
	betweenTags = regexp.MustCompile(`>\s+<`)
	tableParts  = strings.NewReplacer("<thead>", "", "</thead>", "", "<tbody>", "", "</tbody>", "", "<th", "<td", "</th>", "</td>",
		"<b>", "<strong>", "</b>", "</strong>", "<i>", "<em>", "</i>", "</em>")
)

// isSameTable reports whether two tables of HTML differ in no more than what Markdown does not
// say: space, the parts of a table, and whether its first row is a head.
func isSameTable(a, b string) bool {
	plain := func(text string) string {
		return strings.TrimSpace(betweenTags.ReplaceAllString(tableParts.Replace(text), "><"))
	}
	return plain(a) == plain(b)
}
