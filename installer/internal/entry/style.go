package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// A jsonStyle is the layout of a JSON text.
type jsonStyle struct {
	unit string // of indentation; empty: the text has no spaces
	eol  string
	flat bool // on one line
}

// detectStyle looks at the first member of the text.
func detectStyle(text []byte, root *hujson.Value) jsonStyle {
	s := jsonStyle{unit: "  ", eol: lineEnding(text)}
	obj, ok := root.Value.(*hujson.Object)
	if !ok || len(obj.Members) == 0 {
		return s
	}
	first := obj.Members[0].Name
	if !bytes.ContainsRune(first.BeforeExtra, '\n') {
		s.flat = true
		if !bytes.ContainsAny(text[root.StartOffset:root.EndOffset], " \t") {
			s.unit = ""
		}
		return s
	}
	if unit := indentOf(text, first.StartOffset); unit != "" {
		s.unit = unit
	}
	return s
}

func (s jsonStyle) member(key string, value any, indent string) string {
	colon := ": "
	if s.unit == "" {
		colon = ":"
	}
	return quoteJSON(key) + colon + s.format(value, indent)
}

// format writes a value whose first line is indented by indent. Lists are on one
// line.
func (s jsonStyle) format(value any, indent string) string {
	gap := " "
	if s.unit == "" {
		gap = ""
	}
	switch v := simplify(value).(type) {
	case Fields:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = s.member(f.Key, f.Value, indent+s.unit)
		}
		if len(parts) == 0 {
			return "{}"
		}
		if s.flat {
			return "{" + strings.Join(parts, ","+gap) + "}"
		}
		line := s.eol + indent + s.unit
		return "{" + line + strings.Join(parts, ","+line) + s.eol + indent + "}"
	case []any:
		parts := make([]string, len(v))
		flat := s
		flat.flat = true
		for i, x := range v {
			parts[i] = flat.format(x, "")
		}
		return "[" + strings.Join(parts, ","+gap) + "]"
	default:
		return quoteJSON(v)
	}
}

// quoteJSON writes a scalar.
func quoteJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return quoteJSON(fmt.Sprint(v)) // an infinity, which no entry has
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// indentOf is the space between the start of the line and offset; if there is
// something else, the indentation of the line.
func indentOf(text []byte, offset int) string {
	line := string(text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset])
	if strings.Trim(line, " \t") != "" {
		return lineIndent(text, offset)
	}
	return line
}

// lineIndent is the indentation of the line of offset.
func lineIndent(text []byte, offset int) string {
	line := string(text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset])
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

func isOneLine(text []byte, v *hujson.Value) bool {
	return !bytes.ContainsRune(text[v.StartOffset:v.EndOffset], '\n')
}

// commentsOnLine is the length of the comments that begin on this line.
func commentsOnLine(extra []byte) int {
	end := 0 // of the last comment
	for i := 0; i < len(extra); {
		rest := extra[i:]
		switch {
		case rest[0] == ' ' || rest[0] == '\t':
			i++
		case bytes.HasPrefix(rest, []byte("//")):
			n := bytes.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			return i + len(bytes.TrimRight(rest[:n], "\r"))
		case bytes.HasPrefix(rest, []byte("/*")):
			n := bytes.Index(rest, []byte("*/"))
			if n < 0 {
				return end
			}
			i += n + 2
			end = i
		default:
			return end
		}
	}
	return end
}

// Compact is fields as JSON on one line.
func Compact(f Fields) string { return jsonStyle{flat: true}.format(f, "") }
