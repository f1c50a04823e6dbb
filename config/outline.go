package config

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2/unstable"
)

var bom = []byte("\ufeff")

// An outline says where in the text things stand, in byte offsets. Keys are
// named by their path: "hub.port", "source[1].name".
type outline struct {
	keys   map[string]int
	values map[string]int
	// tables are the [[source]] tables, each as the lines it is made of: its
	// own and those of tables inside it, which may stand elsewhere.
	tables [][]span
}

// A span is text[from:to], from the start of a line to the end of one.
type span struct{ from, to int }

// outlineOf reads text, which must be valid TOML without a byte order mark.
func outlineOf(text []byte) outline {
	o := outline{keys: map[string]int{}, values: map[string]int{}}
	counts := map[string]int{} // of the tables of each array
	table := ""
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		var start int // of the expression in text
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table, start = header(e, counts), int(e.Child().Raw.Offset)
			o.keys[table] = start
			if e.Kind == unstable.ArrayTable && table == fmt.Sprintf("source[%d]", len(o.tables)) {
				o.tables = append(o.tables, nil)
			}
		case unstable.KeyValue:
			start = int(e.Child().Next().Raw.Offset)
			o.keyValue(table, e)
		default:
			continue
		}
		if n := len(o.tables); n > 0 && strings.HasPrefix(table, fmt.Sprintf("source[%d]", n-1)) {
			o.tables[n-1] = append(o.tables[n-1], lines(text, start, endOf(e, start)))
		}
	}
	return o
}

// header is the name of the table that e opens; one of an array has its index,
// which counts keeps.
func header(e *unstable.Node, counts map[string]int) string {
	table := ""
	for it := e.Key(); it.Next(); {
		table = under(table, string(it.Node().Data))
		if it.IsLast() && e.Kind == unstable.ArrayTable {
			counts[table]++
		}
		if n := counts[table]; n > 0 {
			table = fmt.Sprintf("%s[%d]", table, n-1)
		}
	}
	return table
}

// keyValue notes a key and its value, and those inside an inline table.
func (o outline) keyValue(table string, e *unstable.Node) {
	path := table
	for it := e.Key(); it.Next(); {
		path = under(path, string(it.Node().Data))
		if _, ok := o.keys[path]; !ok {
			o.keys[path] = int(it.Node().Raw.Offset)
		}
	}
	o.value(path, e.Value())
}

func (o outline) value(path string, v *unstable.Node) {
	if v.Raw.Length > 0 {
		o.values[path] = int(v.Raw.Offset)
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

// endOf is where the expression that starts at start certainly still goes on.
func endOf(e *unstable.Node, start int) int {
	if e.Kind == unstable.KeyValue {
		return int(e.Raw.Offset + e.Raw.Length)
	}
	return start
}

// lines widens text[from:to] to whole lines.
func lines(text []byte, from, to int) span {
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	if n := bytes.IndexByte(text[to:], '\n'); n >= 0 {
		return span{from, to + n + 1}
	}
	return span{from, len(text)}
}

func under(table, key string) string {
	if table == "" {
		return key
	}
	return table + "." + key
}

// position turns an offset into line and column, from 1.
func position(text []byte, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}
