package orgelement

import (
	"bytes"
	"regexp"
	"sort"
	"strings"
	"sync"
)

// A listStructure holds the items of a list and of the lists in it, by where
// they start. It is computed once, at the outermost list.
type listStructure struct {
	items []listItem
}

type listItem struct {
	start, column, end int
}

func (s *listStructure) at(pos int) *listItem {
	if s == nil {
		return nil
	}
	i := sort.Search(len(s.items), func(i int) bool { return s.items[i].start >= pos })
	if i == len(s.items) || s.items[i].start != pos {
		return nil
	}
	return &s.items[i]
}

// itemBullet returns the length of the blanks and the bullet that start an item,
// 0 if the line is none. "*" is a bullet if it is indented.
func itemBullet(line []byte) int {
	i := 0
	for i < len(line) && isBlank(line[i]) {
		i++
	}
	at := i
	switch {
	case i == len(line):
		return 0
	case line[i] == '-' || line[i] == '+' || line[i] == '*' && i > 0:
		i++
	case line[i] >= '0' && line[i] <= '9':
		for i < len(line) && line[i] >= '0' && line[i] <= '9' {
			i++
		}
		if i == len(line) || line[i] != '.' && line[i] != ')' {
			return 0
		}
		i++
	}
	if i == at || i < len(line) && !isBlank(line[i]) && string(line[i:]) != "\r" {
		return 0
	}
	return i
}

// structure finds all items of the list that starts at pos.
func (p *parser) structure(pos, limit int) *listStructure {
	s := &listStructure{}
	var open []int // indexes of items whose end is not known, the innermost last
	textEnd := pos // behind the last line that is not blank
	closeFrom := func(column, end int) {
		for len(open) > 0 && column <= s.items[open[len(open)-1]].column {
			s.items[open[len(open)-1]].end = end
			open = open[:len(open)-1]
		}
	}
	for pos < limit {
		end, next := p.line(pos, limit)
		line := p.text[pos:end]
		t := strings.TrimLeft(string(line), " \t")
		if strings.Trim(t, "\r") == "" {
			if next < limit && p.blankLine(next, limit) {
				closeFrom(-1, pos)
				return s.closed(open, pos)
			}
			pos = next
			continue
		}
		column := columnAt(string(line[:len(line)-len(t)]))
		if itemBullet(line) > 0 {
			closeFrom(column, pos)
			open = append(open, len(s.items))
			s.items = append(s.items, listItem{start: pos, column: column})
		} else {
			closeFrom(column, textEnd)
			if len(open) == 0 {
				return s
			}
			if _, at, _, ok := p.blockEnd(pos, limit); ok && line[len(line)-len(t)] == '#' {
				_, next = p.line(at, limit)
			} else if n := p.drawer(pos, limit); n != nil {
				next = int(n.Span.End)
			}
		}
		pos, textEnd = next, next
	}
	return s.closed(open, textEnd)
}

func (s *listStructure) closed(open []int, end int) *listStructure {
	for _, i := range open {
		s.items[i].end = end
	}
	return s
}

var itemLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[ \t]*((?:[-+*]|[0-9]+[.)])(?:[ \t]+|$))(?:\[@(?:start:)?([0-9]+)\][ \t]*)?(?:(\[[ X-]\])(?:[ \t]+|$))?(?:(.*)[ \t]+::(?:[ \t]+|$))?`)
})

// plainList parses a list: the items from pos on that follow each other at one
// column.
func (p *parser) plainList(pos, limit int, s *listStructure) *Node {
	item := s.at(pos)
	if item == nil {
		s = p.structure(pos, limit)
		item = s.at(pos)
	}
	list := &Node{Kind: PlainList, Span: span(pos, pos)}
	for column := item.column; item != nil && item.column == column && item.start < limit; item = s.at(item.end) {
		n := p.item(item, s)
		if list.Children == nil {
			list.Item = n.Item
		}
		list.Children = append(list.Children, n)
		list.Span.End = int32(item.end)
	}
	end := p.withoutBlankLines(pos, int(list.Span.End))
	list.Span.End, list.Contents = int32(end), span(pos, end)
	return list
}

func (p *parser) item(item *listItem, s *listStructure) *Node {
	lineEnd, _ := p.line(item.start, item.end)
	m := itemLine().FindSubmatchIndex(bytes.TrimSuffix(p.text[item.start:lineEnd], []byte("\r")))
	part := func(i int) string {
		if m[2*i] < 0 {
			return ""
		}
		return string(p.text[item.start+m[2*i] : item.start+m[2*i+1]])
	}
	n := &Node{Kind: Item, Span: span(item.start, item.end)}
	n.Item = ItemParts{Bullet: strings.TrimSpace(part(1)), Counter: part(2)}
	if box := part(3); box != "" {
		n.Item.Checkbox = box[1]
	}
	start := item.start + m[1]
	if m[8] >= 0 {
		if n.Ordered() {
			start = item.start + m[8]
		} else {
			n.Item.Tag, n.Item.HasTag = span(item.start+m[8], item.start+m[9]), true
		}
	}
	end := p.withoutBlankLines(start, item.end)
	at := start
	for at < end && strings.IndexByte(" \t\r\n", p.text[at]) >= 0 {
		at++
	}
	if at > lineEnd {
		for at > start && p.text[at-1] != '\n' {
			at--
		}
	}
	if at < end {
		n.Contents = span(at, end)
		n.Children = p.nested(at, end, s)
	}
	for i := end; i < item.end; i++ {
		if p.text[i] == '\n' {
			n.Blank++
		}
	}
	return n
}
