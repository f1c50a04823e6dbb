package logseqfile

import "strings"

// A symbol is what is neither a text nor holds others: a keyword, a number, a name.
type symbol string

// maxNested is how deep settings may be nested.
const maxNested = 100

// readSettings reads the outermost map of EDN text; what is damaged ends it. Maps in
// it have no values.
func readSettings(text string) map[string]any {
	settings := map[string]any{}
	r := ednReader{text: strings.TrimPrefix(text, "\uFEFF")}
	if r.skipBlanks(); !strings.HasPrefix(r.rest(), "{") {
		return settings
	}
	r.at++
	for {
		key, ok := r.value(0)
		if !ok {
			return settings
		}
		value, ok := r.value(0)
		if !ok {
			return settings
		}
		if key, ok := key.(symbol); ok {
			settings[string(key)] = value
		}
	}
}

type ednReader struct {
	text string
	at   int
}

func (r *ednReader) rest() string { return r.text[r.at:] }

// skipBlanks skips what stands between values: blanks, commas and comments.
func (r *ednReader) skipBlanks() {
	for r.at < len(r.text) {
		switch {
		case strings.IndexByte(" \t\r\n,", r.text[r.at]) >= 0:
			r.at++
		case r.text[r.at] == ';':
			end := strings.IndexByte(r.rest(), '\n')
			if end < 0 {
				end = len(r.rest())
			}
			r.at += end
		default:
			return
		}
	}
}

// value reads a value; not ok: there is none.
func (r *ednReader) value(depth int) (any, bool) {
	r.skipBlanks()
	rest := r.rest()
	switch {
	case rest == "" || depth > maxNested || strings.IndexByte(")]}", rest[0]) >= 0:
		return nil, false
	case strings.HasPrefix(rest, "#_"): // the next value is left out
		r.at += 2
		if _, ok := r.value(depth + 1); !ok {
			return nil, false
		}
		return r.value(depth + 1)
	case rest[0] == '"':
		return r.string()
	case rest[0] == '\\': // a character
		r.at += min(2, len(rest))
		return symbol(rest[:min(2, len(rest))]), true
	case strings.IndexByte("([{", rest[0]) >= 0, strings.HasPrefix(rest, "#{"), strings.HasPrefix(rest, "#("):
		return r.list(depth)
	case rest[0] == '#' && strings.HasPrefix(rest, `#"`): // an expression
		r.at++
		return r.string()
	}
	end := strings.IndexAny(rest, " \t\r\n,;\"()[]{}")
	if end < 0 {
		end = len(rest)
	}
	end = max(end, 1)
	r.at += end
	return symbol(rest[:end]), true
}

// list reads the values in brackets.
func (r *ednReader) list(depth int) (any, bool) {
	r.at += strings.IndexAny(r.rest(), "([{") + 1
	list := []any{}
	for {
		value, ok := r.value(depth + 1)
		if !ok {
			break
		}
		list = append(list, value)
	}
	r.skipBlanks()
	if r.rest() == "" || strings.IndexByte(")]}", r.rest()[0]) < 0 {
		return nil, false
	}
	r.at++
	return list, true
}

// string reads a text in quotes.
func (r *ednReader) string() (any, bool) {
	var b strings.Builder
	for r.at++; r.at < len(r.text); r.at++ {
		switch c := r.text[r.at]; {
		case c == '"':
			r.at++
			return b.String(), true
		case c == '\\' && r.at+1 < len(r.text):
			r.at++
			b.WriteString(unescape(r.text[r.at]))
		default:
			b.WriteByte(c)
		}
	}
	return nil, false
}

func unescape(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	}
	return string(rune(c))
}
