// Package tomltext edits TOML as text: it finds keys, removes tables and
// appends new ones, and leaves every other byte unchanged.
//
// It does not decode values and does not check an edit: callers parse the
// result and compare. config edits our own file with it, installer those of
// other programs. Start reading at [ParseOutline].
package tomltext

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

// BOM is the byte order mark that some editors put before the text.
const BOM = "\ufeff"

// An Outline has the byte offsets of the keys and values in a text. Keys are
// named by their path: "hub.port", "source[1].name"; keys that are not bare
// are quoted in it.
type Outline struct {
	Keys   map[string]int
	Values map[string]int // those that the parser can place: no tables

	text        []byte
	expressions []expression
}

// An expression is a table header or a key with its value.
type expression struct {
	path  string
	lines span
}

// A span is text[from:to], from the start of a line to the end of one.
type span struct{ from, to int }

// ParseOutline parses text, which must be valid TOML without a byte order
// mark.
func ParseOutline(text []byte) Outline {
	o := Outline{Keys: map[string]int{}, Values: map[string]int{}, text: text}
	counts := map[string]int{} // of the tables of each array
	table := ""
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = tableName(e, counts)
			start := int(e.Child().Raw.Offset)
			o.Keys[table] = start
			o.expressions = append(o.expressions, expression{table, wholeLines(text, start, start)})
		case unstable.KeyValue:
			start := int(e.Child().Next().Raw.Offset)
			end := int(e.Raw.Offset + e.Raw.Length)
			o.expressions = append(o.expressions, expression{o.keyValue(table, e), wholeLines(text, start, end)})
		default:
		}
	}
	return o
}

// tableName returns the name of the table that e opens. One of an array has
// its index, which counts keeps.
func tableName(e *unstable.Node, counts map[string]int) string {
	table := ""
	for it := e.Key(); it.Next(); {
		table = Under(table, string(it.Node().Data))
		if it.IsLast() && e.Kind == unstable.ArrayTable {
			counts[table]++
		}
		if n := counts[table]; n > 0 {
			table = fmt.Sprintf("%s[%d]", table, n-1)
		}
	}
	return table
}

// keyValue records a key and its value, and those inside an inline table.
func (o Outline) keyValue(table string, e *unstable.Node) (path string) {
	path = table
	for it := e.Key(); it.Next(); {
		path = Under(path, string(it.Node().Data))
		if _, ok := o.Keys[path]; !ok {
			o.Keys[path] = int(it.Node().Raw.Offset)
		}
	}
	o.value(path, e.Value())
	return path
}

func (o Outline) value(path string, v *unstable.Node) {
	if v.Raw.Length > 0 {
		o.Values[path] = int(v.Raw.Offset)
	}
	switch v.Kind {
	case unstable.InlineTable:
		for it := v.Children(); it.Next(); {
			if it.Node().Kind == unstable.KeyValue {
				o.keyValue(path, it.Node())
			}
		}
	case unstable.Array:
		i := 0
		for it := v.Children(); it.Next(); i++ {
			o.value(fmt.Sprintf("%s[%d]", path, i), it.Node())
		}
	default:
	}
}

// linesOf returns the lines of what is at path and below it.
func (o Outline) linesOf(path string) []span {
	var found []span
	for _, e := range o.expressions {
		if rest, ok := strings.CutPrefix(e.path, path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			found = append(found, e.lines)
		}
	}
	return found
}

// wholeLines widens text[from:to] to whole lines.
func wholeLines(text []byte, from, to int) span {
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	if n := bytes.IndexByte(text[to:], '\n'); n >= 0 {
		return span{from, to + n + 1}
	}
	return span{from, len(text)}
}

// Path joins keys to a path of an Outline.
func Path(keys ...string) string {
	path := ""
	for _, key := range keys {
		path = Under(path, key)
	}
	return path
}

// Under returns the path of a key in a table; the path of the top level is "".
func Under(table, key string) string {
	key = Key(key)
	if table == "" {
		return key
	}
	return table + "." + key
}

// Key writes a key, bare if TOML allows that.
func Key(key string) string {
	bare := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '-' || r == '_'
	}
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return !bare(r) }) {
		return strconv.Quote(key)
	}
	return key
}

// Position converts an offset to line and column, both from 1; the column
// counts characters.
func Position(text []byte, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
