package index

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// FTS5 keeps words in segments: each is a list of words in order, and of each word the
// pages that have it, with the places. A segment is written once and merged with others
// later. Searches read the lists of their words from it, as the head of fts5_index.c
// describes them: asked for one page after the other, FTS5 takes ten times as long
// (docs/adr/0116).

// errWordsDamaged is the error of tables of words that cannot be read: damaged, or
// written by an FTS5 of another kind.
var errWordsDamaged = errors.New("the index of words is damaged")

// A segment is one of the lists of words.
type segment struct {
	id, first, last uint64   // its leaves have numbers from first to last
	removedPages    uint64   // blocks that say which pages were removed since
	removed         []uint32 // pages, in order
	leaf            []byte   // of a segment that has one, as after a few edits
}

// Where FTS5 keeps what is not a leaf, and how it numbers leaves.
const (
	totalsBlock    = 1
	structureBlock = 10
	leafBits       = 37
	removedSegment = 1 << 16 // plus the id of a segment: the pages removed from it
)

func blockID(segment, number uint64) int64 { return int64(segment<<leafBits | number) }

func readBlock(ctx context.Context, c *sqlstore.Conn, id int64) (block []byte, err error) {
	err = c.QueryRow(ctx, "SELECT block FROM words_data WHERE id = ?", id).Scan(&block)
	if errors.Is(err, sql.ErrNoRows) {
		err = errWordsDamaged
	}
	return block, err
}

// readSegments reads which segments there are, and what was removed from them.
func readSegments(ctx context.Context, c *sqlstore.Conn) ([]segment, error) {
	block, err := readBlock(ctx, c, structureBlock)
	if err != nil {
		return nil, err
	}
	all, ok := parseSegments(block)
	if !ok {
		return nil, errWordsDamaged
	}
	return all, readSmallBlocks(ctx, c, all)
}

// maxRemovedBlocks bounds what is believed of a segment: each has room for hundreds of
// pages.
const maxRemovedBlocks = 1 << 16

// readSmallBlocks reads what was removed from segments, and those that have one leaf: all
// in one statement, because after edits there are many of them.
func readSmallBlocks(ctx context.Context, c *sqlstore.Conn, all []segment) error {
	type smallBlock struct {
		segment int
		isLeaf  bool
	}
	wanted := map[int64]smallBlock{}
	for i, s := range all {
		if s.first == s.last {
			wanted[blockID(s.id, s.first)] = smallBlock{segment: i, isLeaf: true}
		}
		if s.removedPages > maxRemovedBlocks {
			return errWordsDamaged
		}
		for n := range s.removedPages {
			wanted[blockID(s.id+removedSegment, n)] = smallBlock{segment: i}
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	list, err := json.Marshal(slices.Collect(maps.Keys(wanted)))
	if err != nil {
		return err
	}
	_, err = sqlstore.Select(ctx, c, func(r sqlstore.Row) (struct{}, error) {
		var id int64
		var block []byte
		if err := r.Scan(&id, &block); err != nil {
			return struct{}{}, err
		}
		found := wanted[id]
		delete(wanted, id)
		if s := &all[found.segment]; found.isLeaf {
			s.leaf = block
		} else if !s.addRemoved(block) {
			return struct{}{}, errWordsDamaged
		}
		return struct{}{}, nil
	}, "SELECT id, block FROM words_data WHERE id IN (SELECT value FROM json_each(?))", string(list))
	if err == nil && len(wanted) > 0 {
		err = errWordsDamaged
	}
	for i := range all {
		slices.Sort(all[i].removed)
	}
	return err
}

// forgettingTable says that pages can be removed from a table.
const forgettingTable = "\xff\x00\x00\x01"

func parseSegments(block []byte) (all []segment, ok bool) {
	r := blockReader{rest: block}
	r.take(4)                                             // a counter
	if !bytes.Equal(r.take(4), []byte(forgettingTable)) { // it is not ours
		return nil, false
	}
	levels := r.next()
	r.next() // segments
	r.next() // leaves written
	for range levels {
		r.next() // segments being merged
		for range r.next() {
			s := segment{id: r.next(), first: r.next(), last: r.next()}
			r.next() // the first
			r.next() // and the last of what it was made of
			s.removedPages = r.next()
			r.next() // removed pages
			r.next() // pages
			if r.failed {
				return nil, false
			}
			if s.first > 0 { // otherwise a merge that is not over has taken all of it
				all = append(all, s)
			}
		}
		if r.failed {
			return nil, false
		}
	}
	return all, !r.failed
}

// replaceSegments is the block of a table that has one segment, which knows some pages, in
// the place of a block of before. In the order in which FTS5 merges segments it stands as
// if it were merged of many: edits that come later are merged with each other first.
func replaceSegments(block []byte, s segment, pages uint64) []byte {
	b := append(slices.Clone(block[:4]), forgettingTable...)
	for _, n := range []uint64{mergedLevel + 1, 1, 0} {
		b = appendNumber(b, n)
	}
	b = append(b, make([]byte, 2*mergedLevel)...) // nothing is on the levels below
	for _, n := range []uint64{0, 1, s.id, s.first, s.last, firstOrigin, firstOrigin, 0, 0, pages} {
		b = appendNumber(b, n)
	}
	return b
}

const (
	mergedLevel = 3
	firstOrigin = 1 // that of the first segment: pages say in which of them they are
)

// addRemoved adds the pages that a block says were removed.
func (s *segment) addRemoved(block []byte) bool {
	if len(block) < 8 || block[0] != 4 && block[0] != 8 {
		return false
	}
	for slot := range slices.Chunk(block[8:], int(block[0])) {
		var page uint64
		switch len(slot) {
		case 4:
			page = uint64(binary.BigEndian.Uint32(slot))
		case 8:
			page = binary.BigEndian.Uint64(slot)
		}
		if page > 0 {
			s.removed = append(s.removed, uint32(page))
		}
	}
	return true
}

// A wordChoice says what to do with a word.
type wordChoice int

const (
	skipWord wordChoice = iota
	readWord
	endScan
)

// scan goes through the words of a segment in their order, beginning not after from, and
// reads the lists of those that choose wants.
func (s segment) scan(ctx context.Context, c *sqlstore.Conn, from string, choose func(word []byte) wordChoice, list *listReader) error {
	list.removed = s.removed
	scan := leafScan{choose: choose, list: list}
	err := s.eachLeaf(ctx, c, from, scan.read)
	switch {
	case errors.Is(err, errScanEnded):
		return nil
	case err == nil && scan.taken && !list.end():
		return errWordsDamaged
	}
	return err
}

// eachLeaf visits the leaves of a segment, from the one on which a word is.
func (s segment) eachLeaf(ctx context.Context, c *sqlstore.Conn, word string, visit func(block []byte) error) error {
	if s.leaf != nil {
		return visit(s.leaf)
	}
	begin, err := s.leafOf(ctx, c, word)
	if err != nil {
		return err
	}
	_, err = sqlstore.Select(ctx, c, func(r sqlstore.Row) (struct{}, error) {
		var block sql.RawBytes
		if err := r.Scan(&block); err != nil {
			return struct{}{}, err
		}
		return struct{}{}, visit(block)
	}, "SELECT block FROM words_data WHERE id BETWEEN ? AND ? ORDER BY id", blockID(s.id, begin), blockID(s.id, s.last))
	return err
}

// leafOf is the leaf on which a word is, if the segment has it.
func (s segment) leafOf(ctx context.Context, c *sqlstore.Conn, word string) (uint64, error) {
	if s.first == s.last {
		return s.first, nil
	}
	var entry int64 // twice the number, and a bit
	err := c.QueryRow(ctx, "SELECT pgno FROM words_idx WHERE segid = ? AND term <= ? ORDER BY term DESC LIMIT 1", int64(s.id), wordKey(word)).
		Scan(&entry)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, err
	}
	return max(uint64(entry)>>1, s.first), nil
}

// wordKey is how FTS5 writes a word: after the number of its index, of which there is
// one.
func wordKey(word string) []byte { return append([]byte{'0'}, word...) }

// errScanEnded ends a scan.
var errScanEnded = errors.New("no more words are wanted")

// A leafScan reads one leaf after the other.
type leafScan struct {
	choose func(word []byte) wordChoice
	list   *listReader
	word   []byte // the last, as a key
	rest   []byte // of the leaf: the beginning of its list
	taken  bool   // its list is read
}

// read reads a leaf: the rest of a list, and words with their lists. At its end it says
// where the words begin.
func (l *leafScan) read(block []byte) error {
	if len(block) < 4 {
		return errWordsDamaged
	}
	end := uint64(binary.BigEndian.Uint16(block[2:]))
	if end < 4 || end > uint64(len(block)) {
		return errWordsDamaged
	}
	offsets := blockReader{rest: block[end:]}
	next := func(at uint64) uint64 { // where a word begins, or the words end
		if len(offsets.rest) == 0 {
			return end
		}
		return at + offsets.next()
	}
	at := next(0)
	if at < 4 || at > end || l.taken && !l.list.read(block[4:at]) {
		return errWordsDamaged
	}
	for first := true; at < end; first = false {
		after := next(at)
		if offsets.failed || after <= at || after > end || !l.readKey(block[at:after], first) {
			return errWordsDamaged
		}
		if err := l.readList(); err != nil {
			return err
		}
		at = after
	}
	return nil
}

// readKey reads the next word. All but the first of a leaf say how many bytes they share
// with the one before.
func (l *leafScan) readKey(part []byte, first bool) bool {
	r := blockReader{rest: part}
	kept := uint64(0)
	if !first {
		kept = r.next()
	}
	suffix := r.take(r.next())
	if r.failed || kept > uint64(len(l.word)) || l.taken && !l.list.end() {
		return false
	}
	l.word = append(l.word[:kept], suffix...)
	l.rest, l.taken = r.rest, false
	return len(l.word) > 0
}

// readList reads the list of the word, if it is wanted.
func (l *leafScan) readList() error {
	switch l.choose(l.word[1:]) {
	case endScan:
		return errScanEnded
	case readWord:
		l.taken = true
		l.list.begin()
		if !l.list.read(l.rest) {
			return errWordsDamaged
		}
	case skipWord:
	}
	return nil
}
