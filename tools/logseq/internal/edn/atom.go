package edn

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

var number = regexp.MustCompile(`^[+-]?(\d+N?|\d+(\.\d*)?([eE][+-]?\d+)?M?)$`)

// readAtom reads a number, symbol, keyword, true, false or nil.
func (r *reader) readAtom() (Value, error) {
	start := r.at
	word := r.readWord()
	switch {
	case word == "nil":
		return Value{Kind: Nil, Text: word}, nil
	case word == "true" || word == "false":
		return Value{Kind: Bool, Text: word}, nil
	case number.MatchString(word):
		return Value{Kind: Number, Text: word}, nil
	case strings.HasPrefix(word, ":"):
		if !IsKeyword(word[1:]) {
			return Value{}, &Error{start, "a keyword has letters, digits and .*+!-_?$%&=<>/ after its colon"}
		}
		return Value{Kind: Keyword, Text: word[1:]}, nil
	case strings.ContainsAny(word, "`~@^\\\x00") || strings.ContainsAny(word[:1], "0123456789'"):
		return Value{}, &Error{start, "not a symbol, number or keyword"}
	}
	return Value{Kind: Symbol, Text: word}, nil
}

var keyword = regexp.MustCompile(`^[\pL\pN.*+!\-_?$%&=<>#'|:]+(/[\pL\pN.*+!\-_?$%&=<>#'|:]+)?$`)

// IsKeyword reports whether s is a keyword without its colon.
func IsKeyword(s string) bool { return keyword.MatchString(s) && s[0] != ':' }

// readString reads a string.
func (r *reader) readString() (Value, error) {
	start := r.at
	var b strings.Builder
	for r.at++; r.at < len(r.text); {
		c := r.text[r.at]
		switch c {
		case '"':
			r.at++
			return Value{Kind: Str, Text: b.String()}, nil
		case '\\':
			if err := r.readEscape(&b); err != nil {
				return Value{}, err
			}
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	return Value{}, &Error{start, "a string is never closed"}
}

func (r *reader) readEscape(b *strings.Builder) error {
	rest := r.text[r.at:]
	if len(rest) < 2 {
		return r.fail("a string ends in the middle of an escape")
	}
	if i := strings.IndexByte(`tnrbf"\`, rest[1]); i >= 0 {
		b.WriteByte("\t\n\r\b\f\"\\"[i])
		r.at += 2
		return nil
	}
	if rest[1] == 'u' && len(rest) >= 6 {
		if n, err := strconv.ParseUint(rest[2:6], 16, 16); err == nil {
			b.WriteRune(rune(n))
			r.at += 6
			return nil
		}
	}
	return r.fail(`a string has an escape other than \t \n \r \b \f \" \\ \uXXXX`)
}

func (r *reader) readChar() (Value, error) {
	start := r.at
	r.at++
	_, n := utf8.DecodeRuneInString(r.text[r.at:])
	if n == 0 {
		return Value{}, &Error{start, "a character is missing"}
	}
	r.at += n
	rest := r.readWord()
	return Value{Kind: Char, Text: r.text[start+1:start+1+n] + rest}, nil
}
