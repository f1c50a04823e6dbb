package markdown

import (
	"sync"
	"testing"

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
