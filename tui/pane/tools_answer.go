package pane

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/lectern-mcp/lectern/tui/theme"
	"github.com/lectern-mcp/lectern/tui/widget"
)

var errTooDeep = errors.New("nested too deeply")

// toolAnswerText is the answer of a tool to read: one row for each field, texts with the
// line breaks that they have, lists with a dash before each item. What is no JSON
// stays as it is. The JSON itself can be copied.
func toolAnswerText(answer json.RawMessage) widget.TextView {
	dec := json.NewDecoder(bytes.NewReader(answer))
	dec.UseNumber()
	w := jsonRowWriter{dec: dec}
	if err := w.writeValue(0, ""); err != nil || dec.More() {
		return widget.NewTextView().AppendText(widget.TextLine, string(answer))
	}
	return widget.NewTextView().AppendBlocks(w.parts...)
}

// An jsonRowWriter writes JSON as rows, in the order of its fields.
type jsonRowWriter struct {
	dec   *json.Decoder
	parts []widget.TextBlock
}

// maxAnswerDepth is how deep values are taken apart; no tool nests deeper.
const maxAnswerDepth = 64

func (w *jsonRowWriter) add(kind widget.LineKind, text string) {
	w.parts = append(w.parts, widget.TextBlock{Kind: kind, Text: text})
}

// writeValue writes the next value with lead before it, and what belongs to it further
// in.
func (w *jsonRowWriter) writeValue(depth int, lead string) error {
	if depth > maxAnswerDepth {
		return errTooDeep
	}
	token, err := w.dec.Token()
	if err != nil {
		return err
	}
	switch v := token.(type) {
	case json.Delim:
		return w.writeComposite(depth, lead, v == '{')
	case string:
		w.writeText(depth, lead, v)
	case nil:
		w.writeRow(depth, lead, "none")
	case bool:
		w.writeRow(depth, lead, map[bool]string{true: "yes", false: "no"}[v])
	case json.Number:
		w.writeRow(depth, lead, v.String())
	}
	return nil
}

// writeComposite writes the rest of an object or a list.
func (w *jsonRowWriter) writeComposite(depth int, lead string, object bool) error {
	if !w.dec.More() {
		w.writeRow(depth, lead, "none")
	} else if lead != "" && lead != "- " {
		w.writeRow(depth, lead, "")
		depth++
	}
	first := lead == "- " // the first field of an item stands behind its dash
	for w.dec.More() {
		next, inner := "- ", depth
		if object {
			name, err := w.dec.Token()
			if err != nil {
				return err
			}
			next, _ = name.(string)
			next += ": "
			if first {
				next, first = "- "+next, false
			} else if lead == "- " {
				next = "  " + next
			}
		} else if lead == "- " {
			inner++
		}
		if err := w.writeValue(inner, next); err != nil {
			return err
		}
	}
	_, err := w.dec.Token() // the end
	return err
}

func (w *jsonRowWriter) writeRow(depth int, lead, text string) {
	w.add(widget.TextLine, theme.Spaces(2*depth)+strings.TrimRight(lead+text, " "))
}

// writeText writes a text of one line behind lead, of several below it.
func (w *jsonRowWriter) writeText(depth int, lead, text string) {
	lines := theme.SplitLines(text)
	if len(lines) == 1 {
		w.writeRow(depth, lead, lines[0])
		return
	}
	if lead != "" {
		w.writeRow(depth, lead, "")
		depth++
	}
	for _, line := range lines {
		w.add(widget.TextLine, theme.Spaces(2*depth)+line)
	}
}
