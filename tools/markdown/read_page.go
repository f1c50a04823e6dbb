package markdown

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/lectern-mcp/lectern/internal/vault"
	"github.com/lectern-mcp/lectern/tools"
)

// maxContent is how many bytes of a page read_page answers at most.
const maxContent = 256 << 10

// Lines is a number of lines: at least 1.
type Lines int

// JSONSchema implements tools.Typed.
func (Lines) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", Minimum: new(1.0)}
}

// ReadPageIn are the arguments of read_page.
type ReadPageIn struct {
	Path   string       `json:"path" jsonschema:"page, like Projects/Alpha.md"`
	Offset tools.Offset `json:"offset,omitempty" jsonschema:"lines to skip, for long pages"`
	Limit  Lines        `json:"limit,omitempty" jsonschema:"most lines to answer; all when omitted"`
}

// ReadPageOut is the answer of read_page.
type ReadPageOut struct {
	Content     string         `json:"content" jsonschema:"front matter and body as Markdown"`
	Frontmatter map[string]any `json:"frontmatter" jsonschema:"the front matter's keys and values"`
	Path        string         `json:"path" jsonschema:"file of the page"`
	Title       string         `json:"title" jsonschema:"title"`
	PageID      string         `json:"pageId" jsonschema:"stable id"`
	Etag        string         `json:"etag" jsonschema:"version of the page, for if_match"`
	Lines       int            `json:"lines" jsonschema:"lines of the whole page"`
	Encoding    string         `json:"encoding,omitempty" jsonschema:"unknown: the page is not UTF-8 and cannot be written as text"`
	Truncated   bool           `json:"truncated,omitempty" jsonschema:"content is only a part; never write it back as the page"`
	Note        string         `json:"note,omitempty" jsonschema:"what to know about this answer"`
}

func readPage() tools.Tool[*Notebook] {
	return tools.Define(tools.Spec[ReadPageIn, ReadPageOut]{
		Name: "read_page", Title: "Read a page", Effect: tools.Reads,
		Doc:    "Reads a page with its front matter.\nKeep the etag: write_page, move_page and delete_page take it as if_match, so that nobody's edit is lost.",
		Errors: []tools.Code{tools.NotFound, tools.Conflict},
		Examples: []tools.Example[ReadPageIn, ReadPageOut]{{
			Purpose: "read one page", In: ReadPageIn{Path: "Projects/Alpha.md"}, AnyAnswer: true,
			Want: ReadPageOut{
				Content: "---\nid: a1\ntitle: Alpha\n---\n\n# Alpha\n", Frontmatter: map[string]any{"id": "a1", "title": "Alpha"},
				Path: "Projects/Alpha.md", Title: "Alpha", PageID: "a1", Etag: "5f2c... (64 digits)", Lines: 6,
			},
		}},
	}, (*Notebook).ReadPage)
}

// ReadPage implements read_page.
func (n *Notebook) ReadPage(_ context.Context, in ReadPageIn) (ReadPageOut, error) {
	file, err := n.find(in.Path)
	if err != nil {
		return ReadPageOut{}, err
	}
	p, err := n.read(file)
	if err != nil {
		return ReadPageOut{}, err
	}
	out := ReadPageOut{Frontmatter: p.fields.Values, Path: file, Title: p.title(), PageID: p.id(), Etag: p.etag()}
	if p.yamlError != nil {
		out.Note = p.yamlError.Error() + ", so frontmatter is empty. "
	}
	if !p.utf8 {
		out.Encoding = "unknown"
		out.Note += "The page is not UTF-8: what could not be read is shown as U+FFFD, and write_page refuses it. "
	}
	out.part(p.text, int(in.Offset), int(in.Limit))
	return out, nil
}

// part puts the asked lines of text into the answer and says what is missing.
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
	size := 0
	for i, line := range lines[from:to] {
		if size += len(line); size > maxContent {
			to = from + max(i, 1)
			break
		}
	}
	out.Content = strings.Join(lines[from:to], "")
	if len(out.Content) > maxContent {
		out.Content = cutText(out.Content, maxContent)
		out.Note += fmt.Sprintf("Line %d is cut. ", to)
	}
	if len(out.Content) < len(text) {
		out.Truncated = true
		out.Note += fmt.Sprintf("Lines %d to %d of %d.", from+1, to, len(lines))
	}
}

// cutText shortens text to at most size bytes, on a character.
func cutText(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}

func checkPath(path string) error { return vault.CheckName(path) }
