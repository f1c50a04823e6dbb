package structure

import "strings"

// A GraphBlock is a block of a page of Logseq: a bullet with its text and properties, and the
// blocks below it. All but Line are byte offsets; those of ends are behind line breaks.
type GraphBlock struct {
	ID    string // the value of its property id; empty: none
	Line  int
	Start int // of its first line
	Mark  int // of the bullet
	Text  int // behind the bullet and its blanks
	Own   int // the end of what is its own
	End   int // the end of the blocks below it
}

// GraphBlocks are the blocks of a page of a graph, in order.
func (p Page) GraphBlocks() (all []GraphBlock) {
	var open []int // the blocks that hold the next line, the outermost first
	end := func(depth, at int) {
		for _, i := range open[depth:] {
			all[i].End = at
		}
		open = open[:depth]
	}
	fences := map[int]bool{} // lines that open one
	for _, b := range p.Blocks {
		fences[b.First] = fences[b.First] || b.Kind == FenceBlock
	}
	var indents []int
	for i, l := range p.Lines {
		line := p.Text[l.Start:l.End]
		indent, rest := cutBullet(line)
		switch {
		case rest > 0 && (!l.Code || fences[i]):
			depth := len(open)
			for depth > 0 && indents[depth-1] >= indent {
				depth--
			}
			end(depth, l.Start)
			indents = append(indents[:depth], indent)
			open = append(open, len(all))
			mark := l.Start + strings.IndexAny(line, "-*+")
			all = append(all, GraphBlock{Line: l.Number, Start: l.Start, Mark: mark, Text: l.Start + rest})
			all[len(all)-1].Own = min(l.End+1, len(p.Text))
		case len(open) > 0:
			b := &all[len(all)-1]
			b.Own = min(l.End+1, len(p.Text))
			if id, found := strings.CutPrefix(strings.TrimSpace(line), "id:: "); found && !l.Code && b.ID == "" {
				b.ID = strings.TrimSpace(id)
			}
		}
	}
	end(0, len(p.Text))
	return all
}
