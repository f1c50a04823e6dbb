package tomltext

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Set returns text with a new value for a key of a table, or with the key
// added as the last of the table's own. Value is TOML. Everything else stays,
// including a comment behind the old value. It returns false if the table has
// no header of its own. The text must be valid TOML and may begin with a byte
// order mark.
func Set(text []byte, table, key, value string) ([]byte, bool) {
	bare := bytes.TrimPrefix(text, []byte(BOM))
	mark := text[:len(text)-len(bare)]
	old, line, found := findValue(bare, table, key)
	if !found {
		return nil, false
	}
	if old.to > 0 {
		return slices.Concat(mark, bare[:old.from], []byte(value), bare[old.to:]), true
	}
	eol := "\n"
	if bytes.Contains(bare, []byte("\r\n")) {
		eol = "\r\n"
	}
	add := Key(key) + " = " + value + eol
	if line > 0 && bare[line-1] != '\n' {
		add = eol + add
	}
	return slices.Concat(mark, bare[:line], []byte(add), bare[line:]), true
}

// findValue finds the value of a key of a table, or where a line for the key
// would belong: after the header and the keys that follow it.
func findValue(text []byte, table, key string) (value span, line int, found bool) {
	counts := map[string]int{}
	at, want := "", Under(table, key)
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			if at = tableName(e, counts); at == table {
				start := int(e.Child().Raw.Offset)
				line, found = wholeLines(text, start, start).to, true
			}
		case unstable.KeyValue:
			if at != table || !found {
				continue
			}
			path, from := at, 0
			for it := e.Key(); it.Next(); {
				path = Under(path, string(it.Node().Data))
				from = int(it.Node().Raw.Offset + it.Node().Raw.Length)
			}
			to := int(e.Raw.Offset + e.Raw.Length)
			line = wholeLines(text, from, to).to
			if path == want {
				from += bytes.IndexByte(text[from:to], '=') + 1
				from += len(text[from:to]) - len(bytes.TrimLeft(text[from:to], " \t"))
				return span{from, to}, line, true
			}
		default:
		}
	}
	return span{}, line, found
}

// Unset returns text without the lines of a key of a table; comments above
// them stay. It returns false if the table has no such key on lines of its
// own.
func Unset(text []byte, table, key string) ([]byte, bool) {
	bare := bytes.TrimPrefix(text, []byte(BOM))
	mark := text[:len(text)-len(bare)]
	value, end, _ := findValue(bare, table, key)
	if value.to == 0 {
		return nil, false
	}
	start := wholeLines(bare, value.from, value.from).from
	return slices.Concat(mark, bare[:start], bare[end:]), true
}
