package markdown

import (
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// keeps reports whether an edit leaves the id at its block, and all other ids and blocks what
// they are.
func (e blockEdit) keeps(ids []structure.BlockID, s folder.Splice) bool {
	now := structure.Read(folder.TextAfter(e.page.Text, []folder.Splice{s}), e.body)
	m := editMap{s, len(s.New) - (s.End - s.Start)}
	nowIDs := now.IDs()
	if !e.keepsID(nowIDs, m) {
		return false
	}
	for _, id := range ids {
		if id.Name == e.id.Name || id.Start >= s.Start && id.End <= s.End && s.Start < s.End {
			continue
		}
		wanted := structure.BlockID{Name: id.Name, End: m.end(id.End)}
		if !slices.ContainsFunc(nowIDs, func(is structure.BlockID) bool {
			return is.Name == wanted.Name && is.End == wanted.End && is.Of.Kind == id.Of.Kind && is.Of.Start == m.start(id.Of.Start)
		}) {
			return false
		}
	}
	low, high := s.Start, s.End
	if e.Action != InsertBefore && e.Action != InsertAfter {
		low, high = min(low, e.of.Start), max(high, e.end)
	}
	return slices.EqualFunc(outside(e.page.Blocks, low, high), outside(now.Blocks, low, high+m.delta), func(was, is structure.Block) bool {
		holds := was.Start <= low && was.End >= high && (was.Kind == structure.QuoteBlock || was.Kind == structure.ItemBlock)
		return was.Kind == is.Kind && is.Start == m.start(was.Start) && (holds || is.End == m.end(was.End))
	})
}

// keepsID reports whether the id names the block that it should, and no other.
func (e blockEdit) keepsID(now []structure.BlockID, m editMap) bool {
	found := slices.DeleteFunc(slices.Clone(now), func(id structure.BlockID) bool { return id.Name != e.id.Name })
	if e.Action == Delete {
		return len(found) == 0
	}
	if len(found) != 1 {
		return false
	}
	of := found[0].Of
	switch e.Action {
	case InsertBefore:
		return of.Kind == e.of.Kind && of.Start == e.of.Start+m.delta
	case Replace:
		if e.of.Kind == structure.ItemBlock || e.of.Kind == structure.RowBlock {
			return of.Kind == e.of.Kind && of.Start == e.of.Start
		}
		return of.Start >= e.of.Start && of.Start < m.Start+len(m.New)
	case Prepend:
		return of.Kind == e.of.Kind && (of.Start == e.of.Start || of.Start == e.of.Start+m.delta)
	default:
		return of.Kind == e.of.Kind && of.Start == e.of.Start
	}
}

// An editMap tells where an offset of the page is after an edit.
type editMap struct {
	folder.Splice

	delta int
}

func (m editMap) start(at int) int {
	if at >= m.End && (at > m.Start || m.Start == m.End) {
		return at + m.delta
	}
	return at
}

func (m editMap) end(at int) int {
	if at >= m.End && at > m.Start {
		return at + m.delta
	}
	return at
}

// outside are the blocks that are not within a part of the page. Lists are left out: what
// their items are tells what they are.
func outside(blocks []structure.Block, low, high int) (all []structure.Block) {
	for _, b := range blocks {
		if b.Kind != structure.ListBlock && (b.Start < low || b.End > high) {
			all = append(all, b)
		}
	}
	return all
}
