package org

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A dialect is the text of an answer in the words of the server org-mcp, for sources
// that are configured so: a client of that server reads the text. The answer's
// structured part stays as it is published. Empty: the text is the answer itself.
type dialect struct{ text string }

// Blocks implements [tools.ContentProvider].
func (d dialect) Blocks() []tools.Content {
	if d.text == "" {
		return nil
	}
	return []tools.Content{{Text: d.text}}
}

// speaksOrgMCP reports whether answers are in the dialect of org-mcp.
func (c Config) speaksOrgMCP() bool { return c.Compat == compatOrgMCP }

// A dialectWriter makes answers in the words of org-mcp of what a source has found.
type dialectWriter struct{ s *catalog }

func (s *reader) dialects() dialectWriter { return dialectWriter{s.catalog} }

// answer is an answer in the words of org-mcp, if the configuration asks for it.
func (w dialectWriter) answer(answer func() any) (d dialect) {
	if !w.s.config.speaksOrgMCP() {
		return dialect{}
	}
	if text, err := tools.PlainJSON(answer()); err == nil { // what cannot be written stays as it is
		d.text = string(text)
	}
	return d
}

// argument is the name of an argument in messages.
func (c Config) argument(name string) string {
	if !c.speaksOrgMCP() {
		return name
	}
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToLower(b.String())
}

// A dialectNode is a headline in the words of org-mcp: what it has not is null.
type dialectNode struct {
	Title     string   `json:"title"`
	Todo      *string  `json:"todo"`
	Priority  *string  `json:"priority"`
	Tags      []string `json:"tags"` // its own; never nil
	Scheduled *string  `json:"scheduled"`
	Deadline  *string  `json:"deadline"`
	URI       string   `json:"uri"`
}

func (w dialectWriter) node(f *shownFile, i int) dialectNode {
	h := &f.Headlines[i]
	text := func(span orgfile.Span) *string {
		if span.Empty() {
			return nil
		}
		return new(f.Text(span))
	}
	return dialectNode{
		Title: f.Text(h.Title), Todo: text(h.Keyword), Priority: text(h.Priority), Tags: append([]string{}, f.LocalTags(i)...),
		Scheduled: text(f.PlanningTime(i, orgfile.Scheduled)), Deadline: text(f.PlanningTime(i, orgfile.Deadline)), URI: w.s.uri(f, i),
	}
}

// path is the headlines from the top down to headline i.
func (w dialectWriter) path(f *shownFile, i int) []dialectNode {
	path := []dialectNode{}
	for ; i >= 0; i = int(f.Headlines[i].Parent) {
		path = append(path, w.node(f, i))
	}
	slices.Reverse(path)
	return path
}

type dialectSection struct {
	Path    []dialectNode `json:"headline_path"`
	Content string        `json:"content"`
}

// section is headline i with its text, without the last line break.
func (w dialectWriter) section(f *shownFile, i int, content string) dialectSection {
	return dialectSection{w.path(f, i), strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")}
}

type dialectOutlineNode struct {
	dialectNode
	Level    int                   `json:"level"`
	Children []*dialectOutlineNode `json:"children"`
}

type dialectOutline struct {
	Headings []*dialectOutlineNode `json:"headings"`
}

// outline is the tree of a file's headlines, of all levels.
func (w dialectWriter) outline(f *shownFile) dialectOutline {
	out := dialectOutline{Headings: []*dialectOutlineNode{}}
	nodes := make([]*dialectOutlineNode, len(f.Headlines))
	for i := range f.Headlines {
		h := &f.Headlines[i]
		nodes[i] = &dialectOutlineNode{w.node(f, i), int(h.Level), []*dialectOutlineNode{}}
		if h.Parent < 0 {
			out.Headings = append(out.Headings, nodes[i])
			continue
		}
		parent := nodes[h.Parent]
		parent.Children = append(parent.Children, nodes[i])
	}
	return out
}

// absolute is the absolute path of a file by its name.
func (w dialectWriter) absolute(name string) string {
	if r, rel, ok := w.s.locate(name); ok {
		return r.path(rel)
	}
	return name
}

// write is the answer of a write, of names and values; with the diff
// of a dry run, which that server does not know.
func (w dialectWriter) write(uri, diff string, more map[string]any) dialect {
	return w.answer(func() any {
		answer := map[string]any{"success": true, "uri": uri}
		if diff != "" {
			answer["diff"] = diff
		}
		maps.Copy(answer, more)
		return answer
	})
}

func baseName(name string) string { return filepath.Base(filepath.FromSlash(name)) }

// optional is nil for an empty text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
