package index

import (
	"errors"
	"fmt"
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

// While FTS5 merges segments step by step, it has some of which nothing is left. They are
// not damage, and what updates have written is found.
func TestSearchWhileSegmentsAreMerged(t *testing.T) {
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	instruct := func(setting string, value int) {
		if err := x.db.Write(t.Context(), func(c *sqlstore.Conn) error {
			_, err := c.Exec(t.Context(), "INSERT INTO words (words, rank) VALUES (?, ?)", setting, value)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	instruct("pgsz", 64) // segments of many leaves, so that a merge takes many steps
	r := rand.New(rand.NewPCG(6, 6))
	for i := range 40 {
		page := longPage(r, fmt.Sprintf("%d.md", i%10))
		page.Title = fmt.Sprintf("edit%d", i)
		if err := x.Update(t.Context(), []Page{page}, nil); err != nil {
			t.Fatal(err)
		}
		for range 6 {
			instruct("merge", 1)
			hits, _, _, err := x.Search(t.Context(), Query{Terms: [][]string{{page.Title}}}, 0, 2)
			if err != nil || len(hits) != 1 || hits[0].File != page.File {
				t.Fatalf("after %d updates: %v, %v", i+1, hits, err)
			}
		}
	}
}
