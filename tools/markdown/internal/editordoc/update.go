package editordoc

import "strings"

// Update is the text after its blocks were edited: those that say what they said keep
// their bytes. Its error names the place in the document that cannot be read.
func Update(source, document string) (string, error) {
	doc, err := decode(document)
	if err != nil {
		return "", err
	}
	return doc.Update(source), nil
}

// Update is the text of a document that was made of source and edited since.
func (n Node) Update(source string) string {
	old := splitBlocks(source)
	wanted := withoutEmpty(n)
	parts := make([]part, len(old))
	for i, b := range old {
		parts[i] = part{node: b.node, text: source[b.start:b.end]}
	}
	if len(old) == 0 {
		if text := n.Markdown(); keysOf(splitBlocks(text)) == nodeKeys(wanted) {
			return text
		}
	}
	pieces := splice(parts, wanted, renderOver)
	for _, strict := range []bool{false, true} {
		text := joinPieces(pieces, strict, "\n")
		if strict || keysOf(splitBlocks(text)) == nodeKeys(wanted) {
			return fixEnd(text, source, pieces, len(old))
		}
	}
	return source
}

// fixEnd gives a text the end that source has, if its last block is another one now.
func fixEnd(text, source string, pieces []piece, blocks int) string {
	switch {
	case len(pieces) == 0:
		return text
	case blocks == 0:
		return strings.TrimRight(text, "\n") + "\n"
	}
	if last := pieces[len(pieces)-1]; last.old == blocks-1 {
		return text
	}
	return strings.TrimRight(text, "\n") + source[len(strings.TrimRight(source, "\n")):]
}

func keysOf(blocks []block) string {
	var nodes []Node
	for _, b := range blocks {
		nodes = append(nodes, b.node)
	}
	return nodeKeys(nodes)
}

func nodeKeys(nodes []Node) string {
	var all strings.Builder
	for _, n := range nodes {
		all.WriteString(n.key() + "\n")
	}
	return all.String()
}

// A part is a node that stands in a text, with its bytes and the gap after them.
type part struct {
	node Node
	text string
}

// A piece is a part of the new text.
type piece struct {
	text string
	old  int  // the part that it was, or stands for; -1: none
	same bool // its bytes are those of the old part
}

// splice are the pieces of the new nodes: parts that say the same keep their bytes,
// moved ones too; of the others render writes each over the part that it stands for,
// or over nil.
func splice(old []part, nodes []Node, render func(old *part, n Node) string) []piece {
	oldKeys, keys := make([]string, len(old)), make([]string, len(nodes))
	unused := map[string][]int{}
	for i, p := range old {
		oldKeys[i] = p.node.key()
	}
	for i, n := range nodes {
		keys[i] = n.key()
	}
	match := align(oldKeys, keys)
	taken := map[int]bool{}
	for _, i := range match {
		taken[i] = i >= 0
	}
	for i, key := range oldKeys {
		if !taken[i] {
			unused[key] = append(unused[key], i)
		}
	}
	pieces := make([]piece, len(nodes))
	next := 0 // the first old part that none of the nodes so far stands for
	for j, n := range nodes {
		p := piece{old: match[j], same: true}
		switch moved := unused[keys[j]]; {
		case match[j] >= 0:
			p.text, next = old[match[j]].text, match[j]+1
		case len(moved) > 0:
			p.text, unused[keys[j]] = old[moved[0]].text, moved[1:]
			taken[moved[0]] = true
		default:
			p.same = false
			if next < len(old) && !taken[next] && old[next].node.Type == n.Type {
				p.old, p.text = next, render(&old[next], n)
				next++
			} else {
				p.text = render(nil, n)
			}
		}
		pieces[j] = p
	}
	return pieces
}

// maxAlign is how many comparisons are made to find what two lists have in common.
const maxAlign = 4 << 20

// align finds the longest common subsequence: for each of b the place in a, or -1.
func align(a, b []string) []int {
	match := make([]int, len(b))
	for j := range match {
		match[j] = -1
	}
	start := 0
	for start < len(a) && start < len(b) && a[start] == b[start] {
		match[start] = start
		start++
	}
	endA, endB := len(a), len(b)
	for endA > start && endB > start && a[endA-1] == b[endB-1] {
		endA--
		endB--
		match[endB] = endA
	}
	n, m := endA-start, endB-start
	if n*m > maxAlign {
		return match // the others are found as moved
	}
	lengths := make([][]int, n+1)
	for i := range lengths {
		lengths[i] = make([]int, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[start+i] == b[start+j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case a[start+i] == b[start+j]:
			match[start+j] = start + i
			i++
			j++
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return match
}

// joinPieces puts pieces together. Between two that did not follow one another there is a
// blank line; strict: between any of which one was edited.
func joinPieces(pieces []piece, strict bool, nl string) string {
	var text strings.Builder
	for i, p := range pieces {
		piece := p.text
		if i+1 < len(pieces) {
			next := pieces[i+1]
			follows := p.old >= 0 && next.old == p.old+1
			if !follows || strict && !(p.same && next.same) {
				piece = strings.TrimRight(piece, "\n") + gapOf(piece, nl)
			}
		}
		text.WriteString(piece)
	}
	return text.String()
}

// gapOf is the line breaks at the end of a piece, at least two.
func gapOf(piece, nl string) string {
	gap := piece[len(strings.TrimRight(piece, "\n")):]
	for len(gap) < 2 {
		gap += nl
	}
	return gap
}

// Markdown is the text of a document by itself.
func (n Node) Markdown() string {
	var all strings.Builder
	nodes := withoutEmpty(n)
	for i, child := range nodes {
		source, ok := child.source()
		if !ok {
			source = renderBlock(child) + gapAfter(i == len(nodes)-1)
		}
		all.WriteString(source)
	}
	return all.String()
}

// source is the spelling that a node keeps; false if it says something else now.
func (n Node) source() (string, bool) {
	source, ok := n.Attrs[sourceAttr].(string)
	switch {
	case !ok:
		return "", false
	case n.Type == typeRaw:
		return source, strings.TrimRight(source, "\n") == textAttr(n, "markdown")
	}
	return source, readsAs(source, n)
}
