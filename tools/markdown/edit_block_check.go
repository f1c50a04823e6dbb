package markdown

import (
	"slices"

	"github.com/lectern-mcp/lectern/internal/folder"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/structure"
)

// keeps reports whether an edit leaves the id at its block, and all other ids and blocks what
// they are.
func (e blockEdit) keeps(ids []structure.BlockID, s folder.Splice) bool {
	now := e.page.Reread(folder.TextAfter(e.page.Text, []folder.Splice{s}), e.body)
	m := editMap{s, len(s.New) - (s.End - s.Start)}
	nowIDs := now.IDs()
	others := slices.DeleteFunc(slices.Clone(ids), func(id structure.BlockID) bool {
		return id.Name == e.id.Name || id.Start >= s.Start && id.End <= s.End && s.Start < s.End
	})
	if !e.keepsID(nowIDs, m) || !m.keepsIDs(others, nowIDs) {
		return false
	}
	low, high := s.Start, s.End
	if e.Action != InsertBefore && e.Action != InsertAfter {
		low, high = min(low, e.of.Start), max(high, e.end)
	}
	return m.keepsBlocks(e.page.Blocks, now.Blocks, low, high, func(was structure.Block) bool {
		holds := was.Start < e.of.Start && was.End >= e.of.End || was.Start <= low && was.End >= high
		return holds && (was.Kind == structure.QuoteBlock || was.Kind == structure.ItemBlock)
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
		if kinds := kindsOf(e.framed(e.Content)); !isPart(e.of.Kind) && !hasID(e.Content, e.id.Name) {
			return len(kinds) == 1 && of.Kind == kinds[0] && of.Start == e.of.Start // all of the new text
		}
		if isPart(e.of.Kind) {
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

// isPart reports whether a block is a part of a list or of a table.
func isPart(k structure.Kind) bool { return k == structure.ItemBlock || k == structure.RowBlock }

// keepsIDs reports whether ids name what they did.
func (m editMap) keepsIDs(was, now []structure.BlockID) bool {
	for _, id := range was {
		end, start := m.end(id.End), m.start(id.Of.Start)
		if !slices.ContainsFunc(now, func(is structure.BlockID) bool {
			return is.Name == id.Name && is.End == end && is.Of.Kind == id.Of.Kind && is.Of.Start == start
		}) {
			return false
		}
	}
	return true
}

// keepsBlocks reports whether the blocks that are not within a part of the page are what they
// were; those that may grow can have another end.
func (m editMap) keepsBlocks(was, now []structure.Block, low, high int, grows func(structure.Block) bool) bool {
	return slices.EqualFunc(outside(was, low, high), outside(now, low, high+m.delta), func(was, is structure.Block) bool {
		return was.Kind == is.Kind && is.Start == m.start(was.Start) && (is.End == m.end(was.End) || grows(was))
	})
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
