package tomltext

import (
	"bytes"
	"slices"

	"github.com/pelletier/go-toml/v2/unstable"
)

// Set is text with the value of a key of a table written anew, or the key
// added as the last of the table's own. Value is TOML. All else stays as it
// is, a comment behind the old value too. False: the table has no header of its
// own. The text must be valid TOML; it may begin with a byte order mark.
func Set(text []byte, table, key, value string) ([]byte, bool) {
	bare := bytes.TrimPrefix(text, []byte(BOM))
	mark := text[:len(text)-len(bare)]
	old, line, found := place(bare, table, key)
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

// place finds the value of a key of a table, or where a line of its own would
// stand: after the header and the keys that follow it.
func place(text []byte, table, key string) (value span, line int, found bool) {
	counts := map[string]int{}
	at, want := "", Under(table, key)
	var p unstable.Parser
	p.Reset(text)
	for p.NextExpression() {
		e := p.Expression()
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			if at = header(e, counts); at == table {
				start := int(e.Child().Raw.Offset)
				line, found = lines(text, start, start).to, true
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
			line = lines(text, from, to).to
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

// After is text with more written right behind the string at path, which may
// be an element of a list. False: no string stands there.
func After(text []byte, path, more string) ([]byte, bool) {
	bare := bytes.TrimPrefix(text, []byte(BOM))
	from, ok := OutlineOf(bare).Values[path]
	if !ok {
		return nil, false
	}
	n := stringAt(bare[from:])
	if n == 0 {
		return nil, false
	}
	at := len(text) - len(bare) + from + n
	return slices.Concat(text[:at], []byte(more), text[at:]), true
}

// stringAt is the length of the string, of one line, that text begins with; 0:
// it begins with none.
func stringAt(text []byte) int {
	if len(text) == 0 || text[0] != '"' && text[0] != '\'' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[0] == '"':
			i++
		case text[i] == text[0]:
			return i + 1
		case text[i] == '\n':
			return 0
		}
	}
	return 0
}
