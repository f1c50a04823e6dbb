// Package lispdata reads the printed form of Emacs Lisp data: lists, strings,
// symbols, numbers, characters. It is how values of Emacs's variables and its
// .org-id-locations file are understood. It never evaluates anything: a quote in
// front of a value is skipped, and a form that would have to be run is just a
// list. Packages that take settings from Emacs import it. Start reading at [Read].
package lispdata

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A Kind tells what a Value is.
type Kind uint8

// The kinds of values.
const (
	Symbol Kind = iota // Text is its name
	String             // Text is its content
	Integer
	List
)

// A Value is one datum. The symbol nil and the empty list are the same: a List
// without elements.
type Value struct {
	Kind  Kind
	Text  string
	Int   int
	Items []Value
	Tail  *Value // of a dotted pair: what follows the dot
}

// Nil says whether v is nil.
func (v Value) Nil() bool { return v.Kind == List && len(v.Items) == 0 }

// Is says whether v is the symbol of this name.
func (v Value) Is(name string) bool { return v.Kind == Symbol && v.Text == name }

// maxDepth bounds how deep lists may be nested.
const maxDepth = 200

// ErrSyntax is what every error of Read wraps.
var ErrSyntax = errors.New("invalid Lisp data")

// Read parses one value that is all of text, but for blanks and comments.
func Read(text string) (Value, error) {
	r := reader{text: text}
	v, err := r.value(0)
	if err != nil {
		return Value{}, fmt.Errorf("%w at byte %d: %w", ErrSyntax, r.pos, err)
	}
	if r.skip(); r.pos < len(text) {
		return Value{}, fmt.Errorf("%w at byte %d: more follows the value", ErrSyntax, r.pos)
	}
	return v, nil
}

type reader struct {
	text string
	pos  int
}

func (r *reader) skip() {
	for r.pos < len(r.text) {
		switch c := r.text[r.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			r.pos++
		case c == ';':
			if i := strings.IndexByte(r.text[r.pos:], '\n'); i >= 0 {
				r.pos += i
			} else {
				r.pos = len(r.text)
			}
		default:
			return
		}
	}
}

func (r *reader) value(depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, errors.New("too deeply nested")
	}
	for {
		r.skip()
		switch {
		case r.pos >= len(r.text):
			return Value{}, errors.New("the value is not complete")
		case r.text[r.pos] == '\'' || r.text[r.pos] == '`':
			r.pos++
		case strings.HasPrefix(r.text[r.pos:], "#'"):
			r.pos += 2
		case r.text[r.pos] == '(':
			return r.list(depth, ')')
		case r.text[r.pos] == '[':
			return r.list(depth, ']')
		case r.text[r.pos] == '"':
			return r.str()
		case r.text[r.pos] == '?':
			return r.char()
		case r.text[r.pos] == ')' || r.text[r.pos] == ']':
			return Value{}, errors.New("a bracket closes nothing")
		default:
			return r.atom()
		}
	}
}

func (r *reader) list(depth int, end byte) (Value, error) {
	r.pos++
	v := Value{Kind: List}
	for {
		r.skip()
		if r.pos >= len(r.text) {
			return Value{}, errors.New("a list is not closed")
		}
		if r.text[r.pos] == end {
			r.pos++
			return v, nil
		}
		if r.dot() && len(v.Items) > 0 {
			return r.tail(v, depth, end)
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return Value{}, err
		}
		v.Items = append(v.Items, item)
	}
}

// tail reads what follows the dot of a pair whose head is v.
func (r *reader) tail(v Value, depth int, end byte) (Value, error) {
	r.pos++
	tail, err := r.value(depth + 1)
	if err != nil {
		return Value{}, err
	}
	if r.skip(); r.pos >= len(r.text) || r.text[r.pos] != end {
		return Value{}, errors.New("a dotted pair is not closed")
	}
	r.pos++
	if tail.Kind == List && tail.Tail == nil {
		v.Items = append(v.Items, tail.Items...) // (a . (b)) is (a b)
	} else {
		v.Tail = &tail
	}
	return v, nil
}

// dot says whether the dot of a pair is next.
func (r *reader) dot() bool {
	return r.text[r.pos] == '.' && (r.pos+1 == len(r.text) || strings.IndexByte(" \t\r\n\f()\"'", r.text[r.pos+1]) >= 0)
}

var escapes = map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'f': '\f', 'b': '\b', 'a': '\a', 'v': '\v', 'e': 0x1b, 's': ' ', 'd': 0x7f}

func (r *reader) str() (Value, error) {
	var b strings.Builder
	for r.pos++; r.pos < len(r.text); r.pos++ {
		switch c := r.text[r.pos]; c {
		case '"':
			r.pos++
			return Value{Kind: String, Text: b.String()}, nil
		case '\\':
			r.pos++
			if r.pos == len(r.text) {
				return Value{}, errors.New("a string is not closed")
			}
			switch c := r.text[r.pos]; {
			case c == '\n' || c == ' ': // joins lines
			case c != 's' && escapes[c] != 0:
				b.WriteRune(escapes[c])
			default:
				b.WriteByte(c)
			}
		default:
			b.WriteByte(c)
		}
	}
	return Value{}, errors.New("a string is not closed")
}

func (r *reader) char() (Value, error) {
	r.pos++
	if strings.HasPrefix(r.text[r.pos:], `\`) && r.pos+1 < len(r.text) {
		c, n := utf8.DecodeRuneInString(r.text[r.pos+1:])
		r.pos += 1 + n
		if e := escapes[byte(c)]; n == 1 && e != 0 {
			c = e
		}
		return Value{Kind: Integer, Int: int(c)}, nil
	}
	c, n := utf8.DecodeRuneInString(r.text[r.pos:])
	if n == 0 {
		return Value{}, errors.New("a character is missing behind ?")
	}
	r.pos += n
	return Value{Kind: Integer, Int: int(c)}, nil
}

func (r *reader) atom() (Value, error) {
	start := r.pos
	var b strings.Builder
	for r.pos < len(r.text) && strings.IndexByte(" \t\r\n\f()[]\"';`,", r.text[r.pos]) < 0 {
		if r.text[r.pos] == '\\' && r.pos+1 < len(r.text) {
			r.pos++
		}
		b.WriteByte(r.text[r.pos])
		r.pos++
	}
	if r.pos == start {
		return Value{}, fmt.Errorf("%q is not a value", r.text[r.pos])
	}
	name := b.String()
	if n, err := strconv.Atoi(name); err == nil {
		return Value{Kind: Integer, Int: n}, nil
	}
	if name == "nil" {
		return Value{Kind: List}, nil
	}
	return Value{Kind: Symbol, Text: name}, nil
}
