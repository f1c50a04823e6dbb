package markdown

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/tools"
)

// Lists are read by models as lines, which cost half of what their JSON does: a path,
// and what it does not say already. Clients that read structured content get every
// field.

// Blocks implements [tools.ContentProvider]: a line for each match, as grep writes them.
func (out SearchPagesOut) Blocks() []tools.Content {
	var b strings.Builder
	for _, m := range out.Matches {
		b.WriteString(oneLine(m.Path))
		switch {
		case m.Path == "":
			fmt.Fprintf(&b, "%s %d", m.Title, m.Count)
		case m.Title != "" && m.Title != nameOf(m.Path) && m.Title != m.MatchContext:
			fmt.Fprintf(&b, " (%s)", oneLine(m.Title))
		}
		if m.MatchLine > 0 {
			b.WriteString(":" + strconv.Itoa(m.MatchLine))
		}
		if m.Match != "" {
			b.WriteString(" [" + oneLine(m.Match) + "]")
		}
		if m.MatchContext != "" {
			b.WriteString(": " + oneLine(m.MatchContext))
		}
		if m.Modified != "" {
			b.WriteString(" " + m.Modified)
		}
		b.WriteByte('\n')
	}
	return endOfList(&b, len(out.Matches), out.Total, out.Note)
}

// Blocks implements [tools.ContentProvider]: a line for each page, and its text below
// it if that was asked for.
func (out ListPagesOut) Blocks() []tools.Content {
	var b strings.Builder
	for _, p := range out.Pages {
		b.WriteString(oneLine(p.Path))
		if p.Title != nameOf(p.Path) {
			fmt.Fprintf(&b, " (%s)", oneLine(p.Title))
		}
		if p.Icon != "" {
			b.WriteString(" " + oneLine(p.Icon))
		}
		if p.HasChildren && strings.HasSuffix(p.Path, ".md") {
			b.WriteString(" has children")
		} else if p.HasChildren {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
		if p.Content != "" {
			b.WriteString(strings.TrimSuffix(p.Content, "\n") + "\n\n")
		}
	}
	return endOfList(&b, len(out.Pages), out.Total, out.Note)
}

// endOfList is a list with how long it is, unless it is all that there is.
func endOfList(b *strings.Builder, shown, total int, note string) []tools.Content {
	if shown != total || shown == 0 {
		fmt.Fprintf(b, "%d of %d. ", shown, total)
	}
	b.WriteString(note)
	return []tools.Content{{Kind: tools.Text, Text: b.String()}}
}

// nameOf is the title of a page that has none in its front matter.
func nameOf(file string) string {
	if isPage(file) {
		file = stem(file)
	}
	return path.Base(file)
}

// oneLine is text that may come from names of files, in which everything can stand.
func oneLine(text string) string {
	if strings.ContainsFunc(text, unicode.IsControl) {
		return strconv.Quote(text)
	}
	return text
}

// shortFacts are what a model has to be told besides a page's text: the rest is in the
// text or follows from the path.
func (f pageFacts) shortFacts() any {
	short := struct {
		Path      string `json:"path"`
		Title     string `json:"title,omitempty"`
		PageID    string `json:"pageId,omitempty"`
		Etag      string `json:"etag"`
		Lines     int    `json:"lines,omitempty"`
		Encoding  string `json:"encoding,omitempty"`
		Truncated bool   `json:"truncated,omitempty"`
		Note      string `json:"note,omitempty"`
	}{Path: f.Path, Etag: f.Etag, Encoding: f.Encoding, Truncated: f.Truncated, Note: f.Note}
	if f.Title != nameOf(f.Path) {
		short.Title = f.Title
	}
	if f.PageID != idOfPlace(norm.NFC.String(stem(f.Path))) {
		short.PageID = f.PageID
	}
	if f.Truncated {
		short.Lines = f.Lines
	}
	return short
}
