package cardtext

import (
	"io"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
)

// A htmlWriter writes the blocks of a document one below the other, each level
// indented, with an empty line where the Markdown has one: rich text is read and
// patched as text.
type htmlWriter struct {
	out    io.Writer
	source []byte
	inline renderer.Renderer
	// trusted says that raw HTML stays as it is.
	trusted bool
}

func (w htmlWriter) write(texts ...string) error {
	for _, text := range texts {
		if _, err := io.WriteString(w.out, text); err != nil {
			return err
		}
	}
	return nil
}

func (w htmlWriter) blocks(parent ast.Node, level int) error {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n != parent.FirstChild() && n.HasBlankPreviousLines() {
			if err := w.write("\n"); err != nil {
				return err
			}
		}
		if err := w.block(n, level); err != nil {
			return err
		}
	}
	return nil
}

func (w htmlWriter) block(n ast.Node, level int) error {
	indent := strings.Repeat("  ", level)
	switch n := n.(type) {
	case *ast.Heading:
		return w.leaf(n, indent, "h"+string(rune('0'+n.Level)))
	case *ast.Paragraph:
		return w.leaf(n, indent, "p")
	case *ast.Blockquote:
		return w.around(n, level, "blockquote", w.blocks)
	case *ast.List:
		name := "ul"
		if n.IsOrdered() {
			name = "ol"
		}
		return w.around(n, level, name, func(n ast.Node, level int) error {
			for item := n.FirstChild(); item != nil; item = item.NextSibling() {
				if err := w.item(item, level); err != nil {
					return err
				}
			}
			return nil
		})
	case *extension.Table:
		return w.table(n, level)
	case *ast.HTMLBlock:
		if !w.trusted {
			return w.rawHTML(n, indent)
		}
	}
	// Code, rules and raw HTML keep their lines.
	if err := w.write(indent); err != nil {
		return err
	}
	return w.inline.Render(w.out, w.source, n)
}

// rawHTML writes a block of HTML, in which tags that hold raw text are no tags.
func (w htmlWriter) rawHTML(n *ast.HTMLBlock, indent string) error {
	var b strings.Builder
	if err := w.inline.Render(&b, w.source, n); err != nil {
		return err
	}
	return w.write(indent, showScripts(b.String()))
}

// leaf writes a block that has no blocks within it, on one line.
func (w htmlWriter) leaf(n ast.Node, indent, name string) error {
	if err := w.write(indent, "<", name, ">"); err != nil {
		return err
	}
	if err := w.text(n); err != nil {
		return err
	}
	return w.write("</", name, ">\n")
}

func (w htmlWriter) text(n ast.Node) error {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if err := w.inline.Render(w.out, w.source, child); err != nil {
			return err
		}
	}
	return nil
}

func (w htmlWriter) around(n ast.Node, level int, name string, inner func(ast.Node, int) error) error {
	indent := strings.Repeat("  ", level)
	if err := w.write(indent, "<", name, ">\n"); err != nil {
		return err
	}
	if err := inner(n, level+1); err != nil {
		return err
	}
	return w.write(indent, "</", name, ">\n")
}

// item writes an item of a list: the text of a tight one on the line of its tag.
func (w htmlWriter) item(n ast.Node, level int) error {
	indent := strings.Repeat("  ", level)
	first, isText := n.FirstChild().(*ast.TextBlock)
	if !isText {
		return w.around(n, level, "li", w.blocks)
	}
	if err := w.write(indent, "<li>"); err != nil {
		return err
	}
	if err := w.text(first); err != nil {
		return err
	}
	if first.NextSibling() == nil {
		return w.write("</li>\n")
	}
	if err := w.write("\n"); err != nil {
		return err
	}
	for rest := first.NextSibling(); rest != nil; rest = rest.NextSibling() {
		if text, isText := rest.(*ast.TextBlock); isText {
			if err := w.leaf(text, strings.Repeat("  ", level+1), "p"); err != nil {
				return err
			}
			continue
		}
		if err := w.block(rest, level+1); err != nil {
			return err
		}
	}
	return w.write(indent, "</li>\n")
}

func (w htmlWriter) table(n *extension.Table, level int) error {
	return w.around(n, level, "table", func(n ast.Node, level int) error {
		head, body := n.FirstChild(), ast.Node(nil)
		if head != nil {
			body = head.NextSibling()
			if err := w.around(head, level, "thead", func(n ast.Node, level int) error { return w.row(n, level, "th") }); err != nil {
				return err
			}
		}
		if body == nil {
			return nil
		}
		return w.around(body, level, "tbody", func(n ast.Node, level int) error {
			for ; n != nil; n = n.NextSibling() {
				if err := w.row(n, level, "td"); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

func (w htmlWriter) row(n ast.Node, level int, cell string) error {
	return w.around(n, level, "tr", func(n ast.Node, level int) error {
		for c := n.FirstChild(); c != nil; c = c.NextSibling() {
			if err := w.cell(c, strings.Repeat("  ", level), cell); err != nil {
				return err
			}
		}
		return nil
	})
}

// cell writes one cell, with its alignment.
func (w htmlWriter) cell(n ast.Node, indent, name string) error {
	open := name
	if c, ok := n.(*extension.TableCell); ok && c.Alignment != extension.AlignNone {
		open += ` align="` + c.Alignment.String() + `"`
	}
	if err := w.write(indent, "<", open, ">"); err != nil {
		return err
	}
	if err := w.text(n); err != nil {
		return err
	}
	return w.write("</", name, ">\n")
}
