package logseq

import "github.com/lectern-mcp/lectern/tools"

// maxPartBlocks is the maximum number of blocks in one request. Logseq is asked
// once for each block, so that a large tree in one request would have no sign
// of life for a minute, and what stopped it would be found out late.
const maxPartBlocks = 100

// insertParams are the parameters of blocks.insert.
type insertParams struct {
	Target UUID     `json:"target"`
	Place  Position `json:"place"`
	Blocks []*draft `json:"blocks"`
}

// splitInsert splits an insertion into parts of at most maxPartBlocks blocks,
// in the order of the page. Each part goes after or below blocks of earlier
// ones.
func splitInsert(whole insertParams) []writePart {
	var parts []writePart
	next := insertParams{Target: whole.Target, Place: whole.Place}
	send := func() {
		if len(next.Blocks) > 0 {
			parts = append(parts, writePart{next, countDrafts(next.Blocks)})
			next = insertParams{Target: next.Blocks[len(next.Blocks)-1].UUID, Place: after}
		}
	}
	for _, d := range whole.Blocks {
		size := countDrafts([]*draft{d})
		if countDrafts(next.Blocks)+size > maxPartBlocks {
			send()
		}
		if size <= maxPartBlocks {
			next.Blocks = append(next.Blocks, d)
			continue
		}
		// Its children follow in parts of their own.
		alone := *d
		alone.Children = nil
		next.Blocks = []*draft{&alone}
		send()
		parts = append(parts, splitInsert(insertParams{d.UUID, last, d.Children})...)
	}
	send()
	return parts
}

// progressReporter tells the agent how many blocks are written.
func progressReporter(c tools.CallContext) func(done, total int) {
	return func(done, total int) { c.Progress(float64(done), float64(total), "blocks written") }
}
