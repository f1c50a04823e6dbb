package markdown

import (
	"context"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/tools"
)

// PagePaths are the paths of 1 to 20 pages.
type PagePaths []string

// JSONSchema implements [tools.SchemaProvider].
func (PagePaths) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, MinItems: new(1), MaxItems: new(20)}
}

// ReadPagesIn are the arguments of read_pages.
type ReadPagesIn struct {
	Paths PagePaths `json:"paths" jsonschema:"pages to read, at most 20"`
	Part  string    `json:"part,omitempty" jsonschema:"of each: a heading such as Plan#Log, a ^block, or outline"`
}

// ReadPagesOut is the answer of read_pages.
type ReadPagesOut struct {
	Pages []ReadPageOut `json:"pages" jsonschema:"those that could be read, in order"`
	Note  string        `json:"note,omitempty" jsonschema:"why others are missing"`
}

// Blocks implements [tools.ContentProvider]: each page as Markdown below its path.
func (out ReadPagesOut) Blocks() []tools.Content {
	var all []tools.Content
	for _, p := range out.Pages {
		facts, err := tools.PlainJSON(p.shortFacts())
		if err != nil { // strings and numbers can always be written
			panic(fmt.Sprintf("read_pages: %v", err))
		}
		all = append(all, tools.Content{Kind: tools.Text, Text: string(facts)}, tools.Content{Kind: tools.Text, Text: p.Content})
	}
	if out.Note != "" || len(all) == 0 {
		all = append(all, tools.Content{Kind: tools.Text, Text: out.Note})
	}
	return all
}

// Targets implements [tools.TargetProvider].
func (out ReadPagesOut) Targets() (files []string) {
	for _, p := range out.Pages {
		files = append(files, p.Path)
	}
	return files
}

func readPages() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.Define(tools.Spec[ReadPagesIn, ReadPagesOut]{
		Name: "read_pages", Title: "Read several pages", Effect: tools.Reads, OptIn: true,
		Normalize: aliases("paths", "part"),
		Doc: "Reads several pages, or one part of each, in one call.\n" +
			"What does not fit into one answer is named; read it with read_page.",
		Examples: []tools.Example[ReadPagesIn, ReadPagesOut]{{
			Purpose: "read two pages", In: ReadPagesIn{Paths: PagePaths{"Projects/Alpha.md", "Projects/Beta.md"}}, AnyAnswer: true,
			Want: ReadPagesOut{Pages: []ReadPageOut{}},
		}},
	}, (*Notebook).ReadPages), func(n *Notebook, _ context.Context, in ReadPagesIn) (files []string, err error) {
		for _, p := range in.Paths {
			files = append(files, n.pageTargets(p)...)
		}
		return files, nil
	})
}

// ReadPages implements read_pages.
func (n *Notebook) ReadPages(ctx context.Context, in ReadPagesIn) (ReadPagesOut, error) {
	var out ReadPagesOut
	size := 0
	for i, p := range in.Paths {
		page, err := n.ReadPage(ctx, ReadPageIn{Path: p, Part: in.Part})
		if e := tools.AsError(err); e != nil {
			if e.Code == tools.Internal || e.Code == tools.Timeout {
				return ReadPagesOut{}, err
			}
			out.Note += fmt.Sprintf("%s: %s. ", p, e.Message)
			continue
		}
		if size += len(page.Content); size > maxContent && len(out.Pages) > 0 {
			out.Note += fmt.Sprintf("The last %d pages do not fit. ", len(in.Paths)-i)
			break
		}
		out.Pages = append(out.Pages, page)
	}
	return out, nil
}
