package markdown

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// One search reads all files at a time, so that several do not slow each other down;
// those that wait are all answered, and no write waits for them.
func TestScansTakeTurns(t *testing.T) {
	b := open(t, fixture(), nil)
	n, _ := tools.As[*Notebook](b.OpenedSource)
	n.scans <- struct{}{} // a search of a large vault
	call[WritePageOut](b, "write_page", `{"path":"New.md","content":"x"}`)
	call[EditPageOut](b, "edit_page", `{"path":"New.md","action":"append","content":"y"}`)
	call[MovePageOut](b, "move_page", `{"sourcePath":"New.md","destinationPath":"Newer.md"}`)
	call[ReadPageOut](b, "read_page", `{"path":"Newer.md"}`)
	call[ListPagesOut](b, "list_pages", `{"depth":5}`)
	const searches = 80
	var waiting sync.WaitGroup
	answered := make(chan int, searches)
	for range searches {
		waiting.Go(func() {
			out, err := n.SearchPages(t.Context(), SearchPagesIn{Query: "alpha", Limit: 10})
			if err != nil {
				t.Error(err)
			}
			answered <- out.Total
		})
	}
	if len(answered) > 0 {
		t.Error("a search did not wait for its turn")
	}
	<-n.scans
	waiting.Wait()
	for range searches {
		if <-answered == 0 {
			t.Error("a search has found nothing")
		}
	}
}

// openUnindexed opens a vault of so many pages that a call does not read them into an index.
func openUnindexed(t *testing.T) *Notebook {
	t.Helper()
	dir := t.TempDir()
	for i := range maxInline + 50 {
		text := fmt.Sprintf("page number%d [[p0]]\n# heading%d\n", i, i)
		file, old := filepath.Join(dir, fmt.Sprintf("p%d.md", i)), time.Now().Add(-time.Hour)
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chtimes(file, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	n, _ := openPair(t, dir, nil)
	return n
}

// A call that waits for its turn to read all files, because the index is not made yet, is
// answered from the index as soon as it is complete.
func TestWaitingCallsTakeTheIndex(t *testing.T) {
	n := openUnindexed(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	n.scans <- struct{}{} // another call reads them all the time
	var waiting sync.WaitGroup
	wait := func(name string, call func() (found int, err error)) {
		waiting.Go(func() {
			if found, err := call(); err != nil || found == 0 {
				t.Errorf("%s: %d found, %v", name, found, err)
			}
		})
	}
	for name, in := range map[string]SearchPagesIn{
		"words": {Query: "number77"}, "fuzzy": {Query: "numbr77", Mode: bySpell}, "misspelled": {Query: "numbr77"},
		"links to": {LinksTo: "p0"}, "orphans": {Links: orphanPages}, "headings": {Kind: findHeadings, Query: "heading77"},
	} {
		in.Limit = 5
		wait(name, func() (int, error) {
			out, err := n.SearchPages(ctx, in)
			return out.Total, err
		})
	}
	wait("links", func() (int, error) {
		out, err := n.GetPageLinks(ctx, GetPageLinksIn{Path: "p0", Limit: 5})
		return len(out.Incoming), err
	})
	wait("links of a folder", func() (int, error) {
		now, err := n.look(ctx)
		if err != nil {
			return 0, err
		}
		all, err := now.linkSources(ctx, n)
		return len(all), err
	})
	if err := n.index.fill(ctx); err != nil {
		t.Fatal(err)
	}
	waiting.Wait()
}

// What reads files for lack of an index stops when there is one.
func TestReadingEndsWithTheIndex(t *testing.T) {
	n := openUnindexed(t)
	now, err := n.look(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = now.scan(t.Context(), n, func(ctx context.Context) error {
		if err := n.index.fill(t.Context()); err != nil {
			return err
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, errIndexMade) {
		t.Errorf("it ends with %v", err)
	}
}
