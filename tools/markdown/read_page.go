package markdown

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// maxContent is the maximum number of bytes of a page in one answer.
const maxContent = 256 << 10

// Lines is a number of lines: at least 1.
type Lines int

// JSONSchema implements [tools.SchemaProvider].
func (Lines) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0)}
}

// ReadPageIn are the arguments of read_page.
type ReadPageIn struct {
	Path   string       `json:"path" jsonschema:"page, as Projects/Alpha.md"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"lines to skip"`
	Limit  Lines        `json:"limit,omitempty" jsonschema:"maximum number of lines"`
	Part   string       `json:"part,omitempty" jsonschema:"Plan#Log, ^block or outline"`
}

// ReadPageOut is the answer of read_page.
type ReadPageOut struct {
	Content     string         `json:"content" jsonschema:"front matter and body as Markdown"`
	Frontmatter map[string]any `json:"frontmatter" jsonschema:"the front matter's keys and values"`
	pageFacts
}

// pageFacts are what an answer says about a page besides its text.
type pageFacts struct {
	Path      string `json:"path" jsonschema:"file of the page"`
	Title     string `json:"title" jsonschema:"title"`
	PageID    string `json:"pageId" jsonschema:"stable id"`
	Etag      string `json:"etag" jsonschema:"version of the page, for if_match"`
	Lines     int    `json:"lines" jsonschema:"number of lines of the whole page"`
	Encoding  string `json:"encoding,omitempty" jsonschema:"unknown: the page is not UTF-8 and cannot be written as text"`
	Truncated bool   `json:"truncated,omitempty" jsonschema:"content is only a part; do not write it back as the page"`
	Note      string `json:"note,omitempty" jsonschema:"notes on this answer"`
}

// Blocks implements [tools.ContentProvider]: the Markdown as it is, and then what
// is to be known about it, as JSON.
func (out ReadPageOut) Blocks() []tools.Content {
	facts, err := tools.PlainJSON(out.shortFacts())
	if err != nil { // strings and numbers can always be written
		panic(fmt.Sprintf("read_page: %v", err))
	}
	return []tools.Content{{Kind: tools.Text, Text: out.Content}, {Kind: tools.Text, Text: string(facts)}}
}

// Targets implements [tools.TargetProvider].
func (out ReadPageOut) Targets() []string { return []string{out.Path} }

func readPage() tools.Tool[*Notebook] {
	return tools.WithTargets(tools.Define(tools.Spec[ReadPageIn, ReadPageOut]{
		Name: "read_page", Title: "Read a page", Effect: tools.Reads,
		Selects:   []string{"path"},
		Normalize: aliases("path", "limit", "part"),
		Doc: "Reads a page with its front matter.\n" +
			"The text is the page as it is; path and etag follow as JSON.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[ReadPageIn, ReadPageOut]{{
			Purpose: "read one page", In: ReadPageIn{Path: "Projects/Alpha.md"}, AnyAnswer: true,
			Want: ReadPageOut{
				Content: "---\nid: a1\ntitle: Alpha\n---\n\n# Alpha\n", Frontmatter: map[string]any{"id": "a1", "title": "Alpha"},
				pageFacts: pageFacts{Path: "Projects/Alpha.md", Title: "Alpha", PageID: "a1", Etag: "5f2c0a1b9d3e7f48", Lines: 6},
			},
		}},
	}, (*Notebook).ReadPage), func(n *Notebook, _ context.Context, in ReadPageIn) ([]string, error) {
		return n.pageTargets(in.Path), nil
	})
}

// ReadPage implements read_page.
func (n *Notebook) ReadPage(ctx context.Context, in ReadPageIn) (ReadPageOut, error) {
	file, err := n.find(in.Path)
	if err != nil {
		return ReadPageOut{}, explainMissing(ctx, n, in.Path, err)
	}
	p, err := n.read(file)
	if e := tools.AsError(err); e != nil && e.Code == tools.Limited {
		return readLargePage(ctx, n, file, in)
	}
	if err != nil {
		return ReadPageOut{}, explainMissing(ctx, n, in.Path, err)
	}
	n.versions.keep(p)
	out := ReadPageOut{
		Frontmatter: p.fields.Values, pageFacts: pageFacts{Path: file, Title: p.title(), PageID: idOf(n.view, p), Etag: p.etag()},
	}
	out.Note = p.frontNote()
	if !p.utf8 {
		out.Encoding = "unknown"
		out.Note += "The page is not UTF-8: invalid bytes are shown as U+FFFD, and write_page refuses the page. "
	}
	if in.Part != "" {
		return out, out.readPart(p, in)
	}
	out.part(p.text, int(in.Offset), int(in.Limit))
	return out, nil
}

// part puts the requested lines into the answer and notes what is missing.
func (out *ReadPageOut) part(text string, offset, limit int) {
	lines := strings.SplitAfter(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	out.Lines = len(lines)
	from := min(offset, len(lines))
	to := len(lines)
	if limit > 0 {
		to = min(to, from+limit)
	}
	to = out.show(lines[from:to], from)
	if len(out.Content) < len(text) {
		out.Truncated = true
		out.Note += fmt.Sprintf("Lines %d to %d of %d.", from+1, to, len(lines))
	}
}

// show puts as many of some lines into the answer as there is room for, at least a part
// of one; from is how many lines of the page come before. It returns how many come before
// those that are left.
func (out *ReadPageOut) show(lines []string, from int) (to int) {
	size := 0
	for i, line := range lines {
		if size += len(line); size > maxContent {
			lines = lines[:max(i, 1)]
			break
		}
	}
	to = from + len(lines)
	out.Content = strings.Join(lines, "")
	if len(out.Content) > maxContent {
		out.Content = safetext.Truncate(out.Content, maxContent)
		out.Note += fmt.Sprintf("Line %d is cut. ", to)
	}
	return to
}
