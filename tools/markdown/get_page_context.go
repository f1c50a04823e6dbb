package markdown

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown/internal/links"
)

// ContextSize is the maximum number of bytes of text in the answer of
// get_page_context: 1000 to 65536, 8000 when omitted.
type ContextSize int

// JSONSchema implements [tools.SchemaProvider].
func (ContextSize) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1000.0), Maximum: new(65536.0), Default: []byte("8000")}
}

// GetPageContextIn are the arguments of get_page_context.
type GetPageContextIn struct {
	Path string      `json:"path" jsonschema:"page"`
	Size ContextSize `json:"size,omitempty" jsonschema:"maximum number of bytes of text"`
}

// GetPageContextOut is the answer of get_page_context.
type GetPageContextOut struct {
	Path      string       `json:"path" jsonschema:"file of the page"`
	Title     string       `json:"title" jsonschema:"title"`
	Etag      string       `json:"etag" jsonschema:"version of the page, for if_match"`
	Tags      []string     `json:"tags,omitempty" jsonschema:"tags of the page"`
	Content   string       `json:"content" jsonschema:"front matter and body as Markdown"`
	Linked    []LinkedPage `json:"linked" jsonschema:"pages that it links to or that link to it"`
	Truncated bool         `json:"truncated,omitempty" jsonschema:"something was cut; note says what"`
	Note      string       `json:"note,omitempty" jsonschema:"what was cut"`
}

// LinkedPage is a page that another one links to, or that links to it.
type LinkedPage struct {
	Path string `json:"path" jsonschema:"file of the page"`
	Link string `json:"link" jsonschema:"to: the page links to this one; from: this one links to the page; both"`
	Text string `json:"text,omitempty" jsonschema:"how it begins"`
}

// Targets implements [tools.TargetProvider].
func (out GetPageContextOut) Targets() []string {
	files := []string{out.Path}
	for _, l := range out.Linked {
		files = append(files, l.Path)
	}
	return files
}

func getPageContext() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.Define(tools.Spec[GetPageContextIn, GetPageContextOut]{
		Name: "get_page_context", Title: "Page with what it is linked to", Effect: tools.Reads, OptIn: true,
		Selects:   []string{"path"},
		Normalize: aliases("path"),
		Doc: "Reads a page, its tags, and the beginning of each page that it links to or that links to it.\n" +
			"At most size bytes of text: the page takes up to two thirds.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[GetPageContextIn, GetPageContextOut]{{
			Purpose: "begin work on a page", In: GetPageContextIn{Path: "Projects/Beta.md"}, AnyAnswer: true,
			Want: GetPageContextOut{
				Path: "Projects/Beta.md", Title: "Beta", Etag: "5f2c0a1b9d3e7f48", Content: "# Beta\n\nBack to [[alpha#Goals]].\n",
				Linked: []LinkedPage{{Path: "Projects/Alpha.md", Link: "both", Text: "# Alpha Project details."}},
			},
		}},
	}, func(n *Notebook, ctx context.Context, in GetPageContextIn) (GetPageContextOut, error) {
		return in.read(ctx, n)
	}), func(n *Notebook, ctx context.Context, in GetPageContextIn) ([]string, error) {
		files := n.pageTargets(in.Path)
		if p, err := n.read(files[0]); err == nil { // if not, the call says why
			to, from, err := p.linkedPages(ctx, n)
			return append(files, eachOnce(to, from)...), err
		}
		return files, nil
	})
}

// read carries get_page_context out.
func (in GetPageContextIn) read(ctx context.Context, n *Notebook) (GetPageContextOut, error) {
	file, err := n.find(in.Path)
	if err != nil {
		return GetPageContextOut{}, explainMissing(ctx, n, in.Path, err)
	}
	p, err := n.read(file)
	if err != nil {
		return GetPageContextOut{}, err
	}
	to, from, err := p.linkedPages(ctx, n)
	if err != nil {
		return GetPageContextOut{}, err
	}
	n.versions.keep(p)
	out := GetPageContextOut{Path: file, Title: p.title(), Etag: p.etag(), Tags: p.tags(), Content: p.text}
	size := int(in.Size)
	if len(out.Content) > size*2/3 {
		out.Content, out.Truncated = safetext.Truncate(out.Content, size*2/3), true
		out.Note = fmt.Sprintf("The page has %d bytes; read_page reads all. ", len(p.text))
	}
	size -= len(out.Content)
	both := eachOnce(to, from)
	for i, other := range both {
		l := LinkedPage{Path: other, Link: "to"}
		switch {
		case !slices.Contains(to, other):
			l.Link = "from"
		case slices.Contains(from, other):
			l.Link = "both"
		}
		if size -= len(other); size < 0 {
			out.Truncated = true
			out.Note += fmt.Sprintf("%d more linked pages; get_page_links lists them.", len(both)-i)
			break
		}
		if q, err := n.read(other); err == nil {
			l.Text = safetext.Truncate(strings.Join(strings.Fields(q.text[q.body:]), " "), min(200, size))
			size -= len(l.Text)
		}
		out.Linked = append(out.Linked, l)
	}
	return out, nil
}

// linkedPages are the pages that p links to, and those that link to it.
func (p *page) linkedPages(ctx context.Context, n *Notebook) (to, from []string, err error) {
	now, err := n.look(ctx)
	if err != nil {
		return nil, nil, err
	}
	outgoing, incoming, err := now.linksOf(ctx, n, p)
	for _, l := range outgoing {
		if l.Status == "ok" && l.Path != p.file {
			to = append(to, l.Path)
		}
	}
	for _, l := range incoming {
		if l.Path != p.file {
			from = append(from, l.Path)
		}
	}
	return to, from, err
}

// eachOnce are the names in either list, in order.
func eachOnce(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// tags are those of the front matter and then those of the text, each once.
func (p *page) tags() (all []string) {
	for _, t := range append(frontTags(p.fields), links.Tags(p.text, p.body)...) {
		if t = strings.TrimPrefix(t, "#"); t != "" && !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}
