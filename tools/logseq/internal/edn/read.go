package edn

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxDepth  = 64
	maxValues = 10_000
)

// An Error is a syntax error and its byte offset.
type Error struct {
	Offset  int
	Message string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("at byte %d: %s", e.Offset+1, e.Message) }

// Read parses exactly one value. Text that nests more than 64 levels deep,
// holds more than 10,000 values, or continues after the value is an error.
func Read(text string) (Value, error) {
	if !utf8.ValidString(text) {
		return Value{}, &Error{0, "it is not UTF-8"}
	}
	r := &reader{text: text}
	v, err := r.readValue(0)
	if err != nil {
		return Value{}, err
	}
	if err := r.skipSpace(0); err != nil {
		return Value{}, err
	}
	if r.at < len(text) {
		return Value{}, &Error{r.at, "something follows the end of the form"}
	}
	return v, nil
}

type reader struct {
	text  string
	at    int
	count int
}

func (r *reader) fail(format string, args ...any) error {
	return &Error{r.at, fmt.Sprintf(format, args...)}
}

func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// skipSpace skips blanks, commas, comments and discarded forms.
func (r *reader) skipSpace(depth int) error {
	for r.at < len(r.text) {
		c, n := utf8.DecodeRuneInString(r.text[r.at:])
		switch {
		case c == ',' || unicode.IsSpace(c):
			r.at += n
		case c == ';':
			if i := strings.IndexByte(r.text[r.at:], '\n'); i >= 0 {
				r.at += i + 1
			} else {
				r.at = len(r.text)
			}
		case strings.HasPrefix(r.text[r.at:], "#_"):
			r.at += 2
			if _, err := r.readValue(depth + 1); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

func (r *reader) readValue(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, r.fail("it nests more than %d deep", maxDepth)
	}
	if err := r.skipSpace(depth); err != nil {
		return Value{}, err
	}
	if r.count++; r.count > maxValues {
		return Value{}, r.fail("it holds more than %d values", maxValues)
	}
	switch c := r.peek(); c {
	case 0:
		if r.at == len(r.text) {
			return Value{}, r.fail("it ends where a form was expected")
		}
		return Value{}, r.fail("unexpected character")
	case '(':
		return r.readItems(List, ')', depth)
	case '[':
		return r.readItems(Vector, ']', depth)
	case '{':
		v, err := r.readItems(Map, '}', depth)
		if err == nil && len(v.Items)%2 != 0 {
			return v, r.fail("a map has a key without a value")
		}
		return v, err
	case ')', ']', '}':
		return Value{}, r.fail("%q closes nothing", c)
	case '"':
		return r.readString()
	case '\\':
		return r.readChar()
	case '#':
		return r.readDispatch(depth)
	default:
		return r.readAtom()
	}
}

// readItems reads the values of a collection up to its closing bracket.
func (r *reader) readItems(kind Kind, closing byte, depth int) (Value, error) {
	opened := r.at
	r.at++
	v := Value{Kind: kind}
	for {
		if err := r.skipSpace(depth); err != nil {
			return v, err
		}
		switch {
		case r.at == len(r.text):
			return v, &Error{opened, fmt.Sprintf("%q is never closed", r.text[opened])}
		case r.peek() == closing:
			r.at++
			return v, nil
		}
		item, err := r.readValue(depth + 1)
		if err != nil {
			return v, err
		}
		v.Items = append(v.Items, item)
	}
}

// readDispatch reads what begins with #: a set or a tagged value.
func (r *reader) readDispatch(depth int) (Value, error) {
	if strings.HasPrefix(r.text[r.at:], "#{") {
		r.at++
		return r.readItems(Set, '}', depth)
	}
	start := r.at
	r.at++
	tag := r.readWord()
	if tag == "" || !unicode.IsLetter(rune(tag[0])) {
		return Value{}, &Error{start, "# begins a set or a tag such as #uuid"}
	}
	inner, err := r.readValue(depth + 1)
	return Value{Kind: Tagged, Text: tag, Items: []Value{inner}}, err
}

// readWord takes the characters up to the next blank or bracket.
func (r *reader) readWord() string {
	rest := r.text[r.at:]
	end := strings.IndexFunc(rest, func(c rune) bool {
		return c == ',' || c == ';' || c == '"' || strings.ContainsRune("()[]{}", c) || unicode.IsSpace(c)
	})
	if end < 0 {
		end = len(rest)
	}
	r.at += end
	return rest[:end]
}
