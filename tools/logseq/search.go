package logseq

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// SearchText is the text to search for.
type SearchText string

// JSONSchema implements tools.SchemaProvider.
func (SearchText) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "string"} }

func (SearchText) maxLength() int { return 1000 }

// SearchIn are the arguments of search.
type SearchIn struct {
	Query         SearchText  `json:"query" jsonschema:"words to find"`
	Limit         tools.Limit `json:"limit,omitempty" jsonschema:"at most"`
	IncludeBlocks DefaultTrue `json:"include_blocks,omitempty" jsonschema:"search blocks"`
	IncludePages  DefaultTrue `json:"include_pages,omitempty" jsonschema:"search page names"`
	IncludeFiles  bool        `json:"include_files,omitempty" jsonschema:"search file names"`
}

// SearchOut is the answer of search.
type SearchOut struct {
	Blocks Blocks   `json:"blocks,omitempty" jsonschema:"blocks, best first"`
	Pages  Pages    `json:"pages,omitempty" jsonschema:"pages"`
	Files  []string `json:"files,omitempty" jsonschema:"files"`
	Note   string   `json:"note,omitempty" jsonschema:"what was cut and how to get it"`
}

func (in SearchIn) check() error {
	if strings.TrimSpace(string(in.Query)) == "" {
		return tools.Errorf(tools.Invalid, "query: must not be blank")
	}
	return nil
}

func search() tools.Tool[*Graph] {
	return define(tools.Spec[SearchIn, SearchOut]{
		Name: "search", Title: "Search", Effect: tools.Reads,
		Doc:  "Finds blocks, pages and files by words.\nFor tags, properties, days or tasks use find.",
		Hits: searchHits, Redact: SearchOut.redact,
		Examples: []tools.Example[SearchIn, SearchOut]{
			{
				Purpose: "find where something is written", In: SearchIn{Query: "tomatoes", Limit: 10, IncludeBlocks: true, IncludePages: true},
				AnyAnswer: true,
			},
		},
	}, (*Graph).Search, "search.basic")
}

// Search implements search.
func (g *Graph) Search(ctx context.Context, in SearchIn) (SearchOut, error) {
	found, err := g.runSearch(ctx, in.Query, int(in.Limit))
	if err != nil {
		return SearchOut{}, err
	}
	var out SearchOut
	limit := int(in.Limit)
	more := found.More
	if in.IncludeBlocks {
		shown := blocksForAgent(found.Blocks)
		out.Blocks = fitAnswer(slicePage(shown, 0, limit), Block.size)
		more = more || len(out.Blocks) < len(shown)
	}
	if in.IncludePages {
		out.Pages = fitAnswer(pagesForAgent(slicePage(found.Pages, 0, limit)), Page.size)
		more = more || len(out.Pages) < len(found.Pages)
	}
	if in.IncludeFiles {
		out.Files = fitAnswer(slicePage(found.Files, 0, limit), func(f string) int { return len(f) + 3 })
	}
	switch {
	case len(out.Blocks)+len(out.Pages)+len(out.Files) == 0:
		out.Note = "Nothing has all of these words. Try one of them, another form of it, or list_pages."
	case more:
		out.Note = "There are more results: use more words, a higher limit, or datascript_query."
	}
	return out, nil
}

// redact leaves out what is on covered pages, and files, because it is not known
// which page they belong to.
func (out SearchOut) redact(covered func(page string) bool) SearchOut {
	shown := len(out.Blocks) + len(out.Pages) + len(out.Files)
	out.Files = nil
	out.Blocks = slices.DeleteFunc(out.Blocks, func(b Block) bool { return covered(b.PageName) })
	out.Pages = slices.DeleteFunc(out.Pages, func(p Page) bool { return covered(p.Name) })
	if left := shown - len(out.Blocks) - len(out.Pages); left > 0 {
		out.Note = appendNote(out.Note, leftOutNote(left))
	}
	return out
}

func leftOutNote(left int) string {
	return fmt.Sprintf("%d results are left out, because the user's policy does not let you read them.", left)
}

// A wireSearchResult is the answer of the Peer.
type wireSearchResult struct {
	Blocks []wireBlock `json:"blocks"`
	Pages  []wirePage  `json:"pages"`
	Files  []string    `json:"files"`
	More   bool        `json:"more"`
}

// runSearch asks the Peer. If anything is hidden, Logseq's own ranking could
// reveal it, so all matches are read and sorted by page and text, and files
// are left out, because it is not known which page they belong to.
func (g *Graph) runSearch(ctx context.Context, words SearchText, limit int) (wireSearchResult, error) {
	arg := struct {
		Query SearchText `json:"query"`
		Limit int        `json:"limit"`
		Scan  bool       `json:"scan,omitempty"`
	}{words, limit, g.hidesAnything()}
	if g.hidesAnything() {
		arg.Limit = maxScanned
	}
	var all wireSearchResult
	if err := g.query(ctx, "search", arg, &all); err != nil || !g.hidesAnything() {
		return all, err
	}
	slices.SortStableFunc(all.Blocks, func(a, b wireBlock) int {
		return cmp.Or(cmp.Compare(a.Page.Name, b.Page.Name), cmp.Compare(a.Raw, b.Raw))
	})
	v := g.newView()
	var visible wireSearchResult
	var err error
	if visible.Blocks, err = filterList(v, all.Blocks, limit+1, filterBlock(ctx)); err != nil {
		return wireSearchResult{}, err
	}
	visible.Pages, err = filterList(v, all.Pages, len(all.Pages), filterPage(ctx))
	return visible, err
}

// maxScanned is the maximum number of blocks to filter.
const maxScanned = 100_000

// blocksForAgent converts blocks without their children; a block that is
// longer than an answer is cut.
func blocksForAgent(blocks []wireBlock) Blocks {
	var out Blocks
	for _, b := range blocks {
		kept, _ := (&answerTrimmer{budget: maxAnswer, properties: true}).trim(b.forAgent(b.Page, 0))
		out = append(out, kept)
	}
	return out
}
