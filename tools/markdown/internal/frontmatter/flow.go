package frontmatter

import (
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// marked matches a link and a variable of a template, which YAML reads as lists and keys in
// each other.
var marked = regexp.MustCompile(`^(?:\[\[[^\[\]\n]*\]\]|\{\{[^{}\n]*\}\})`)

// A flowReader reads lists and keys in brackets. What is no YAML in them, or would be taken
// for something else, it writes in quotes.
type flowReader struct {
	text    string
	at      int
	written strings.Builder
}

// copyMark copies the blanks here, and then one of some characters if it comes; 0: none.
func (f *flowReader) copyMark(marks string) (mark byte) {
	for f.at < len(f.text) && strings.IndexByte(" \t\n", f.text[f.at]) >= 0 {
		f.written.WriteString(strings.ReplaceAll(f.text[f.at:f.at+1], "\n", " "))
		f.at++
	}
	if f.at < len(f.text) && strings.IndexByte(marks, f.text[f.at]) >= 0 {
		mark = f.text[f.at]
		f.written.WriteByte(mark)
		f.at++
	}
	return mark
}

func (f *flowReader) value(depth int) (meaning any, ok bool) {
	isMarked := marked.MatchString(f.text[f.at:])
	switch {
	case depth > maxDepth:
		return nil, false
	case !isMarked && f.copyMark("[") != 0:
		return f.list(depth)
	case !isMarked && f.copyMark("{") != 0:
		return f.keys(depth)
	}
	if text, ok := f.quoted(); ok {
		return text, true
	}
	v := plainValue(f.words(",[]{}\n"))
	f.written.WriteString(v.inline)
	return v.meaning, v.inline != `""`
}

// list reads what is behind the bracket that opens a list.
func (f *flowReader) list(depth int) (any, bool) {
	list := []any{}
	for f.copyMark("]") == 0 {
		v, ok := f.value(depth + 1)
		if list = append(list, v); !ok {
			return nil, false
		}
		switch f.copyMark(",]") {
		case ']':
			return list, true
		case 0:
			return nil, false
		}
	}
	return list, true
}

// keys reads what is behind the bracket that opens keys with values.
func (f *flowReader) keys(depth int) (any, bool) {
	keys := map[string]any{}
	for f.copyMark("}") == 0 {
		key, ok := f.quoted()
		if !ok {
			key = f.words(",[]{}:\n")
			f.written.WriteString(Scalar(key))
		}
		if _, twice := keys[key]; twice || key == "" || f.copyMark(":") == 0 || !strings.HasPrefix(f.text[f.at:], " ") {
			return nil, false
		}
		f.copyMark("")
		if keys[key], ok = f.value(depth + 1); !ok {
			return nil, false
		}
		switch f.copyMark(",}") {
		case '}':
			return keys, true
		case 0:
			return nil, false
		}
	}
	return keys, true
}

// words reads text without quotes up to one of some characters. Those in links belong to it.
func (f *flowReader) words(end string) string {
	start := f.at
	for f.at < len(f.text) {
		if link := marked.FindString(f.text[f.at:]); link != "" {
			f.at += len(link)
		} else if strings.IndexByte(end, f.text[f.at]) >= 0 {
			break
		} else {
			f.at++
		}
	}
	text := strings.TrimRight(f.text[start:f.at], " \t")
	f.at = start + len(text)
	return text
}

// quoted reads a text in quotes, if nothing but the end of the value stands behind it.
func (f *flowReader) quoted() (text string, ok bool) {
	rest := f.text[f.at:]
	end := quoteEnd(rest)
	if end < 0 ||
		strings.IndexAny(strings.TrimLeft(rest[end:], " \t\n")+",", ",]}:") != 0 ||
		yaml.Unmarshal([]byte(rest[:end]), &text) != nil {
		return "", false
	}
	if written := rest[:end]; strings.ContainsFunc(written, needsEscape) {
		f.written.WriteString(Scalar(text))
	} else {
		f.written.WriteString(written)
	}
	f.at += end
	return text, true
}

// quoteEnd is where the quotes end that text begins with; -1: it begins with none.
func quoteEnd(text string) int {
	for i := 1; i < len(text) && (text[0] == '"' || text[0] == '\''); i++ {
		switch {
		case text[0] == '"' && text[i] == '\\', text[0] == '\'' && strings.HasPrefix(text[i:], "''"):
			i++
		case text[i] == text[0]:
			return i + 1
		}
	}
	return -1
}
