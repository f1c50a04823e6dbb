package orgquery

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgtime"
)

// A parser reads a query from left to right.
type parser struct {
	letters []rune
	pos     int
	now     time.Time
	today   orgtime.Day
	states  []string // that were named so far
}

func (p *parser) fault(at int, format string, args ...any) error {
	return &SyntaxError{at + 1, fmt.Sprintf(format, args...)}
}

func (p *parser) skipBlanks() {
	for p.pos < len(p.letters) && unicode.IsSpace(p.letters[p.pos]) {
		p.pos++
	}
}

// peekWord returns the word at pos if it stands by itself, in lower case.
func (p *parser) peekWord() string {
	end := p.pos
	for end < len(p.letters) && unicode.IsLetter(p.letters[end]) {
		end++
	}
	if end < len(p.letters) && !unicode.IsSpace(p.letters[end]) && p.letters[end] != '(' && p.letters[end] != ')' {
		return ""
	}
	return strings.ToLower(string(p.letters[p.pos:end]))
}

// takeWord skips a word and says whether it was there.
func (p *parser) takeWord(word string) bool {
	if p.peekWord() != word {
		return false
	}
	p.pos += len(word)
	p.skipBlanks()
	return true
}

func (p *parser) parseOr(depth int) (condition, error) {
	left, err := p.parseAnd(depth)
	for err == nil && p.takeWord("or") {
		var right condition
		if right, err = p.parseAnd(depth); err == nil {
			first := left
			left = func(e *entry) bool { return first(e) || right(e) }
		}
	}
	return left, err
}

func (p *parser) parseAnd(depth int) (condition, error) {
	left, err := p.parseNot(depth)
	for err == nil && p.pos < len(p.letters) && p.letters[p.pos] != ')' && p.peekWord() != "or" {
		p.takeWord("and")
		var right condition
		if right, err = p.parseNot(depth); err == nil {
			first := left
			left = func(e *entry) bool { return first(e) && right(e) }
		}
	}
	return left, err
}

func (p *parser) parseNot(depth int) (condition, error) {
	if depth > maxDepth {
		return nil, p.fault(p.pos, "nested more than %d deep", maxDepth)
	}
	begin := p.pos
	var negated bool
	if p.pos < len(p.letters) && p.letters[p.pos] == '!' {
		negated = true
		p.pos++
		p.skipBlanks()
	} else {
		negated = p.takeWord("not")
	}
	if !negated {
		return p.parseTerm(depth)
	}
	if p.pos == len(p.letters) {
		return nil, p.fault(begin, "a term is missing after the negation")
	}
	inner, err := p.parseNot(depth + 1)
	if err != nil {
		return nil, err
	}
	return func(e *entry) bool { return !inner(e) }, nil
}

func (p *parser) parseTerm(depth int) (condition, error) {
	if p.pos == len(p.letters) {
		return nil, p.fault(p.pos, "the query ends where a term is expected")
	}
	begin := p.pos
	switch c := p.letters[p.pos]; {
	case c == '(':
		p.pos++
		p.skipBlanks()
		inner, err := p.parseOr(depth + 1)
		if err != nil {
			return nil, err
		}
		if p.pos == len(p.letters) {
			return nil, p.fault(begin, "the parenthesis is never closed")
		}
		p.pos++
		p.skipBlanks()
		return inner, nil
	case c == ')':
		return nil, p.fault(p.pos, "a term is expected before the parenthesis")
	case c == '"':
		text, err := p.quoted()
		if err != nil {
			return nil, err
		}
		p.skipBlanks()
		return textCondition(text), nil
	}
	if word := p.peekWord(); word == "or" || word == "and" {
		return nil, p.fault(begin, "a term is expected before %q; put the word in quotes to look for it", word)
	}
	return p.parsePredicate()
}

// quoted reads text in quotes; a backslash takes the next letter as it is.
func (p *parser) quoted() (string, error) {
	begin := p.pos
	var out strings.Builder
	for p.pos++; p.pos < len(p.letters); p.pos++ {
		switch c := p.letters[p.pos]; {
		case c == '"':
			p.pos++
			if out.Len() == 0 {
				return "", p.fault(begin, "the quotes are empty")
			}
			return out.String(), nil
		case c == '\\' && p.pos+1 < len(p.letters):
			p.pos++
			out.WriteRune(p.letters[p.pos])
		default:
			out.WriteRune(c)
		}
	}
	return "", p.fault(begin, "the quote is never closed")
}

// A value is one argument of a predicate.
type value struct {
	column   int
	key      string // of "from=2026-01-07", "" for none
	operator string // "<", "<=", ">", ">=" or "="; "" for none
	text     string
}

// parsePredicate reads "name:values" or a word to look for.
func (p *parser) parsePredicate() (condition, error) {
	begin := p.pos
	end := begin
	for end < len(p.letters) && (unicode.IsLetter(p.letters[end]) || p.letters[end] == '-' && end > begin) {
		end++
	}
	if end == begin || end == len(p.letters) || p.letters[end] != ':' {
		word := p.bare(" ()\"")
		p.skipBlanks()
		return textCondition(word), nil
	}
	name := strings.ToLower(string(p.letters[begin:end]))
	compile, ok := predicates[name]
	if !ok {
		names := slices.Sorted(maps.Keys(predicates))
		if near := nearest.Word(name, names); near != "" {
			return nil, p.fault(begin, "unknown predicate %q; did you mean %q? Predicates are %s", name, near, strings.Join(names, ", "))
		}
		return nil, p.fault(begin, "unknown predicate %q; put text with a colon in quotes. Predicates are %s", name, strings.Join(names, ", "))
	}
	p.pos = end + 1
	var values []value
	for p.pos < len(p.letters) && !unicode.IsSpace(p.letters[p.pos]) && p.letters[p.pos] != ')' {
		v, err := p.parseValue()
		if err != nil {
			return nil, err
		}
		values = append(values, v)
		if p.pos == len(p.letters) || p.letters[p.pos] != ',' {
			break
		}
		p.pos++
	}
	if p.pos < len(p.letters) && !unicode.IsSpace(p.letters[p.pos]) && p.letters[p.pos] != ')' {
		return nil, p.fault(p.pos, "a blank or a comma is expected behind a value")
	}
	if p.pos > 0 && p.letters[p.pos-1] == ',' {
		return nil, p.fault(p.pos-1, "a value is expected behind the comma")
	}
	p.skipBlanks()
	return compile(&compiler{p, begin, name}, values)
}

// parseValue reads one value up to a comma, a blank or a closing parenthesis.
func (p *parser) parseValue() (value, error) {
	v := value{column: p.pos}
	v.operator = p.operator()
	if v.operator == "" {
		for end := p.pos; end < len(p.letters) && (unicode.IsLetter(p.letters[end]) || unicode.IsDigit(p.letters[end]) ||
			strings.ContainsRune("_-", p.letters[end])); end++ {
			if end+1 < len(p.letters) && p.letters[end+1] == '=' {
				v.key, p.pos = string(p.letters[p.pos:end+1]), end+2
				break
			}
		}
	}
	if p.pos < len(p.letters) && p.letters[p.pos] == '"' {
		text, err := p.quoted()
		v.text = text
		return v, err
	}
	if v.text = p.bare(",() \""); v.text == "" {
		return v, p.fault(p.pos, "a value is missing")
	}
	return v, nil
}

func (p *parser) operator() string {
	for _, op := range []string{"<=", ">=", "<", ">", "="} {
		if strings.HasPrefix(string(p.letters[p.pos:min(p.pos+2, len(p.letters))]), op) {
			p.pos += len(op)
			return op
		}
	}
	return ""
}

// bare reads letters up to a blank or one of stop.
func (p *parser) bare(stop string) string {
	begin := p.pos
	for p.pos < len(p.letters) && !unicode.IsSpace(p.letters[p.pos]) && !strings.ContainsRune(stop, p.letters[p.pos]) {
		p.pos++
	}
	return string(p.letters[begin:p.pos])
}
