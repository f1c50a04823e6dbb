package orgelement

import (
	"strings"
)

// table parses rows and the formulas below them, which it leaves out.
func (p *parser) table(pos, limit int) *Node {
	n := p.lines(Table, pos, limit, func(t []byte) bool { return t[0] == '|' })
	for at := pos; at < int(n.Span.End); {
		end, next := p.line(at, limit)
		n.Children = append(n.Children, p.row(at, end))
		at = next
	}
	for int(n.Span.End) < limit {
		end, next := p.line(int(n.Span.End), limit)
		if t := trim(p.text[n.Span.End:end]); len(t) < 8 || !strings.EqualFold(string(t[:8]), "#+tblfm:") {
			break
		}
		n.Span.End = int32(next)
	}
	return n
}

// row parses one line. A rule has no cells.
func (p *parser) row(pos, end int) *Node {
	row := &Node{Kind: TableRow, Span: span(pos, end)}
	for pos < end && isBlank(p.text[pos]) {
		pos++
	}
	if pos++; pos < end && p.text[pos] == '-' {
		row.Key = "rule"
		return row
	}
	for pos < end && len(trim(p.text[pos:end])) > 0 {
		stop, next := pos, end
		for stop < end && p.text[stop] != '|' {
			stop++
		}
		if stop < end {
			next = stop + 1
		}
		from, to := pos, stop
		for from < to && isBlank(p.text[from]) {
			from++
		}
		for to > from && strings.IndexByte(" \t\r", p.text[to-1]) >= 0 {
			to--
		}
		row.Children = append(row.Children, &Node{Kind: TableCell, Span: span(pos, next), Contents: span(from, to)})
		pos = next
	}
	return row
}
