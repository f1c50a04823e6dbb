package index

import (
	"context"
	"errors"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// A wordBuild makes the words of a new index as FTS5 would keep them, in one segment. FTS5
// itself would write and merge segment after segment (docs/adr/0120). The words are in no
// table before finish.
type wordBuild struct {
	*postingSpool

	leafSize int
	pages    uint64
	totals   [3]uint64 // words of each column
}

const (
	// maxWords is how many bytes of words are in memory.
	maxWords = 8 << 20
	// leafSize is the size of FTS5's leaves: one fits into a page of SQLite's.
	leafSize = 4050
)

func newWordBuild(file string) *wordBuild {
	return &wordBuild{postingSpool: newPostingSpool(file+wordsSuffix, maxWords), leafSize: leafSize}
}

// add adds a page, whose id is higher than those before.
func (w *wordBuild) add(page uint32, r *row) error {
	for column, words := range []string{r.title, r.tags, r.text} {
		w.buffer.addWords(page, uint8(column), words)
		w.totals[column] += r.sizes[column]
	}
	w.pages++
	return w.spill()
}

// finish writes the words into the tables of FTS5, which have none.
func (w *wordBuild) finish(ctx context.Context, c *sqlstore.Conn) error {
	if w.pages == 0 {
		return nil
	}
	totals := appendNumber(nil, w.pages)
	for _, n := range w.totals {
		totals = appendNumber(totals, n)
	}
	if err := replaceBlock(ctx, c, totalsBlock, totals); err != nil {
		return err
	}
	only := segment{id: 1, first: 1}
	out := newSegmentTables(ctx, c, only.id)
	writer := newSegmentWriter(only.id, w.leafSize, out)
	err := w.merge(writer.beginWord, writer.addPage)
	if err == nil {
		only.last, err = writer.end()
	}
	if err == nil {
		err = out.end()
	}
	if err != nil || only.last == 0 { // no page has a word
		return err
	}
	block, err := readBlock(ctx, c, structureBlock)
	if err != nil {
		return err
	}
	return replaceBlock(ctx, c, structureBlock, replaceSegments(block, only, w.pages))
}

func replaceBlock(ctx context.Context, c *sqlstore.Conn, id int64, block []byte) error {
	_, err := c.Exec(ctx, "UPDATE words_data SET block = ? WHERE id = ?", block, id)
	return err
}

// segmentTables write a segment into the tables of FTS5.
type segmentTables struct {
	ctx     context.Context //nolint:containedctx // it is for one call of finish
	c       *sqlstore.Conn
	segment uint64
	blocks  rows
	entries rows
	memory  [][]byte // of the blocks that are not written yet
	used    int
}

func newSegmentTables(ctx context.Context, c *sqlstore.Conn, segment uint64) *segmentTables {
	return &segmentTables{
		ctx: ctx, c: c, segment: segment, blocks: rows{table: "words_data", columns: "id, block"},
		entries: rows{table: "words_idx", columns: "segid, term, pgno"},
	}
}

// blocksTogether and entriesTogether are how many are written by one statement.
const (
	blocksTogether  = 50
	entriesTogether = 500
)

// putBlock takes a block. All leaves come first, in the order of their ids.
func (t *segmentTables) putBlock(id int64, block []byte) error {
	if t.used == len(t.memory) {
		t.memory = append(t.memory, nil)
	}
	t.memory[t.used] = append(t.memory[t.used][:0], block...)
	t.blocks.add(id, t.memory[t.used])
	if t.used++; t.used < blocksTogether {
		return nil
	}
	return t.writeBlocks()
}

func (t *segmentTables) writeBlocks() error {
	err := t.blocks.insert(t.ctx, t.c)
	t.blocks.values, t.used = t.blocks.values[:0], 0
	return err
}

// putEntry takes a key, from which on words are on a leaf or later; long: there is a list of
// the leaves that the list of its last word goes over.
func (t *segmentTables) putEntry(key []byte, leaf uint64, long bool) error {
	pointer := leaf << 1
	if long {
		pointer |= 1
	}
	t.entries.add(int64(t.segment), append([]byte{}, key...), int64(pointer))
	if len(t.entries.values) < entriesTogether*t.entries.width() {
		return nil
	}
	return t.writeEntries()
}

func (t *segmentTables) writeEntries() error {
	err := t.entries.insert(t.ctx, t.c)
	t.entries.values = t.entries.values[:0]
	return err
}

// end writes what is left.
func (t *segmentTables) end() error { return errors.Join(t.writeBlocks(), t.writeEntries()) }
