package org

// An outlineNode is a headline in an outline.
type outlineNode struct {
	Headline
	Line int `json:"line" jsonschema:"its position, from 1"`
}

// An outlineTree is a headline with those below it.
type outlineTree struct {
	outlineNode
	Children []*outlineTree `json:"children"`
}

// outlineTreeOf is outlineOf as a tree.
func (s *reader) outlineTreeOf(f *shownFile, i int) any {
	top := &outlineTree{Children: []*outlineTree{}}
	way := []*outlineTree{top} // from the top down to the last headline
	for _, node := range s.outlineOf(f, i).Headings {
		for len(way) > 1 && way[len(way)-1].Level >= node.Level {
			way = way[:len(way)-1]
		}
		t := &outlineTree{node, []*outlineTree{}}
		above := way[len(way)-1]
		above.Children = append(above.Children, t)
		way = append(way, t)
	}
	return struct {
		Headings []*outlineTree `json:"headings"`
		headlineLink
	}{top.Children, s.link(f, i)}
}

// outlineOf lists the headlines below headline i, or all of a file for -1, in the
// order of the file; level tells the tree.
func (s *reader) outlineOf(f *shownFile, i int) outlineOut {
	out := outlineOut{headlineLink: s.link(f, i)}
	from, to := 0, len(f.Headlines)
	if i >= 0 {
		from, to = i, f.AfterSubtree(i)
	}
	for at := from; at < to; at++ {
		out.Headings = append(out.Headings, outlineNode{s.describe(f, at), f.Line(int(f.Headlines[at].Begin))})
	}
	return out
}

type outlineOut struct {
	Headings []outlineNode `json:"headings" jsonschema:"in the order of the file; level gives the tree"`
	headlineLink
	dialect
}
