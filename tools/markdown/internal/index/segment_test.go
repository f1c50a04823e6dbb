package index

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

// Whatever bytes a damaged index has in the place of lists, reading them ends.
func TestDamagedWordLists(t *testing.T) {
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	r := rand.New(rand.NewPCG(3, 3))
	var pages []Page
	for _, file := range []string{"a", "b", "c", "d"} {
		pages = append(pages, longPage(r, file))
	}
	if err := x.Update(t.Context(), pages, nil); err != nil {
		t.Fatal(err)
	}
	blocks, err := sqlstore.Select(t.Context(), x.db.Reader(), func(r sqlstore.Row) (block []byte, err error) {
		return block, r.Scan(&block)
	}, "SELECT block FROM words_data")
	if err != nil {
		t.Fatal(err)
	}
	damaged := 0
	for range 100_000 {
		block := slices.Clone(blocks[r.IntN(len(blocks))])
		for range 1 + r.IntN(3) {
			block[r.IntN(len(block))] = byte(r.IntN(256))
		}
		block = block[:len(block)-r.IntN(2)*r.IntN(len(block))]
		parseSegments(block)
		places := 0
		list := &listReader{visit: func(_ uint32, found []byte) { places += len(readPlaces(nil, found)) + int(weigh(found)) }}
		leaf := leafScan{choose: func([]byte) wordChoice { return readWord }, list: list}
		for range 2 { // the second goes on where the first ends
			if leaf.read(block) != nil {
				damaged++
			}
		}
	}
	if damaged == 0 {
		t.Error("no damage was seen")
	}
}

// A damaged table may say that any number of blocks was removed: that is an error, and not a
// list of them.
func TestSegmentsOfADamagedTable(t *testing.T) {
	all := []segment{{id: 1, first: 1, last: 2, removedPages: 1 << 60}}
	if err := readSmallBlocks(t.Context(), nil, all); !errors.Is(err, errWordsDamaged) {
		t.Errorf("error %v", err)
	}
}
