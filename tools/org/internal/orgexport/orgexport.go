// Package orgexport writes Org as HTML, Markdown, LaTeX and plain text, with the
// structure and the text that Emacs's exporters ox-html, ox-md, ox-latex and
// ox-ascii give. It runs nothing that the file says: source blocks are shown and
// not evaluated, macros are expanded as text, #+INCLUDE and #+SETUPFILE of options
// are not followed. What HTML a file holds in export blocks and snippets is passed
// on as it stands and is for the reader not to trust. The System exports sections
// with it; it reads no files. docs/org-export.md has what differs from Emacs. Start
// reading at [Export].
package orgexport

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// A Format is what Org is written as.
type Format string

// The formats.
const (
	HTML     Format = "html"
	Markdown Format = "markdown"
	Latex    Format = "latex"
	Plain    Format = "plain"
)

// Options say what of a file is exported and how.
type Options struct {
	Format        Format
	Headline      int  // the section, -1 for the whole file
	NoSubheadings bool // leave out what is below the section's own text
	BodyOnly      bool // without title and preamble; a section without its heading
}

// Export writes a section or a whole file. f must hold only what may be seen.
// Whatever the file holds, there is a result; errors are an unknown format and a
// headline that is not there.
func Export(f *orgfile.File, o Options) (string, error) {
	if o.Headline < -1 || o.Headline >= len(f.Headlines) {
		return "", fmt.Errorf("there is no headline %d", o.Headline)
	}
	d := newDocument(f, o)
	var w writer
	switch o.Format {
	case HTML:
		w = newHTML(d)
	case Markdown:
		w = newMarkdown(d)
	case Latex:
		w = newLaTeX(d)
	case Plain:
		w = newPlain(d)
	default:
		return "", fmt.Errorf("unknown format %q; known are html, markdown, latex, plain", o.Format)
	}
	body := w.body()
	if !o.BodyOnly {
		body = w.page(body)
	}
	return strings.TrimRight(body, "\n") + "\n", nil
}

// A writer writes a document in one format.
type writer interface {
	body() string            // sections, contents list and footnotes
	page(body string) string // around them
}
