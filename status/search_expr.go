package status

import (
	"fmt"
	"strings"
	"unicode"
)

// A SearchOp says what a [SearchExpr] is.
type SearchOp string

// All kinds of search expression.
const (
	SearchAll       SearchOp = "and" // each of Of holds
	SearchAny       SearchOp = "or"  // one of Of holds
	SearchNot       SearchOp = "not" // the only one of Of does not hold
	SearchWord      SearchOp = "word"
	SearchPhrase    SearchOp = "phrase"
	SearchCondition SearchOp = "condition" // Key, Sign and Value
)

// A SearchExpr is a query in the language of searches, as [ParseSearch] reads it.
type SearchExpr struct {
	Op   SearchOp     `json:"op"`
	Of   []SearchExpr `json:"of,omitempty"`
	Text string       `json:"text,omitempty"` // of a word or a condition as it is written, of a phrase without its quotes
	// Of a condition. Sign is ":", "=", "!=", "<", "<=", ">" or ">=". Value is without
	// quotes, and may be empty.
	Key   string `json:"key,omitempty"`
	Sign  string `json:"sign,omitempty"`
	Value string `json:"value,omitempty"`
}

// maxSearchDepth bounds how deep parentheses and signs may stand in each other.
const maxSearchDepth = 50

// ParseSearch reads a query such as
//
//	plan "first draft" (alpha OR beta) -done status:open due<2026-12-01
//
// What stands side by side holds together, also with AND between; OR is one or the other
// and binds less; "-" or NOT before a word, a phrase, a condition or parentheses means that it does
// not hold. A quoted operator is a word. What a condition is about, and whether a word that
// looks like one is meant as one, is for the caller. An empty query is nil. The error
// says at which character the query cannot be read.
func ParseSearch(query string) (*SearchExpr, error) {
	p := searchParser{text: []rune(query)}
	if p.skipBlanks(); p.at == len(p.text) {
		return nil, nil
	}
	e, err := p.parseAny()
	if err != nil {
		return nil, err
	}
	if p.at < len(p.text) {
		return nil, p.errorf(p.at, "the ) has no ( before it")
	}
	return &e, nil
}

// A searchParser reads a query from left to right.
type searchParser struct {
	text  []rune
	at    int // the next character, after blanks
	depth int // of parentheses and signs
}

func (p *searchParser) errorf(at int, format string, args ...any) error {
	return fmt.Errorf("character %d: %s (what stands in quotes is searched for as it is)", at+1, fmt.Sprintf(format, args...))
}

func (p *searchParser) skipBlanks() {
	for p.at < len(p.text) && unicode.IsSpace(p.text[p.at]) {
		p.at++
	}
}

// nextIs reports whether an operator that is a word comes next.
func (p *searchParser) nextIs(operator string) bool {
	end := p.at + len(operator)
	return end <= len(p.text) && string(p.text[p.at:end]) == operator &&
		(end == len(p.text) || unicode.IsSpace(p.text[end]) || strings.ContainsRune("()", p.text[end]))
}

// skipOperator goes on after an operator, which needs something on its right.
func (p *searchParser) skipOperator(operator string) error {
	begin := p.at
	p.at += len(operator)
	p.skipBlanks()
	if p.at == len(p.text) || p.text[p.at] == ')' || p.nextIs("OR") || p.nextIs("AND") {
		return p.errorf(begin, "%s has nothing after it", operator)
	}
	return nil
}

func (p *searchParser) parseAny() (SearchExpr, error) {
	for _, operator := range []string{"OR", "AND"} {
		if p.nextIs(operator) {
			return SearchExpr{}, p.errorf(p.at, "%s has nothing before it", operator)
		}
	}
	var of []SearchExpr
	for {
		e, err := p.parseAll()
		if err != nil {
			return e, err
		}
		of = append(of, e)
		if !p.nextIs("OR") {
			return joinSearch(SearchAny, of), nil
		}
		if err := p.skipOperator("OR"); err != nil {
			return e, err
		}
	}
}

func (p *searchParser) parseAll() (SearchExpr, error) {
	var of []SearchExpr
	for {
		e, err := p.parseTerm()
		if err != nil {
			return e, err
		}
		of = append(of, e)
		p.skipBlanks()
		if p.nextIs("AND") {
			if err := p.skipOperator("AND"); err != nil {
				return e, err
			}
		}
		if p.at == len(p.text) || p.text[p.at] == ')' || p.nextIs("OR") {
			return joinSearch(SearchAll, of), nil
		}
	}
}

// joinSearch joins expressions; one stays as it is.
func joinSearch(op SearchOp, of []SearchExpr) SearchExpr {
	if len(of) == 1 {
		return of[0]
	}
	return SearchExpr{Op: op, Of: of}
}

func (p *searchParser) parseTerm() (SearchExpr, error) {
	if p.depth++; p.depth > maxSearchDepth {
		return SearchExpr{}, p.errorf(p.at, "more than %d parentheses and signs stand in each other", maxSearchDepth)
	}
	defer func() { p.depth-- }()
	begin := p.at
	switch {
	case p.text[begin] == '(':
		return p.parseGroup()
	case isQuote(p.text[begin]):
		text, err := p.readQuoted()
		return SearchExpr{Op: SearchPhrase, Text: text}, err
	case p.nextIs("NOT"):
		if err := p.skipOperator("NOT"); err != nil {
			return SearchExpr{}, err
		}
	case p.text[begin] == '-' && begin+1 < len(p.text) && isNegatable(p.text[begin+1]):
		p.at++
	default:
		return p.parseWord()
	}
	e, err := p.parseTerm()
	return SearchExpr{Op: SearchNot, Of: []SearchExpr{e}}, err
}

// isNegatable tells a "-" that negates from a dash, an arrow and the option of a command.
func isNegatable(next rune) bool {
	return unicode.IsLetter(next) || unicode.IsDigit(next) || isQuote(next) || strings.ContainsRune("(#@", next)
}

func (p *searchParser) parseGroup() (SearchExpr, error) {
	begin := p.at
	p.at++
	p.skipBlanks()
	switch {
	case p.at == len(p.text):
		return SearchExpr{}, p.errorf(begin, "the ( is not closed")
	case p.text[p.at] == ')':
		return SearchExpr{}, p.errorf(begin, "nothing stands between ( and )")
	}
	e, err := p.parseAny()
	if err != nil {
		return e, err
	}
	if p.at == len(p.text) {
		return e, p.errorf(begin, "the ( is not closed")
	}
	p.at++
	p.skipBlanks()
	return e, nil
}

// isQuote knows the quotes that some keyboards and programs put for those of ASCII.
func isQuote(r rune) bool { return strings.ContainsRune("\"“”„＂", r) }

// readQuoted reads what stands between quotes.
func (p *searchParser) readQuoted() (string, error) {
	begin := p.at
	for p.at++; p.at < len(p.text); p.at++ {
		if isQuote(p.text[p.at]) {
			p.at++
			return string(p.text[begin+1 : p.at-1]), nil
		}
	}
	return "", p.errorf(begin, "the %c is not closed", p.text[begin])
}

// parseWord reads a word or a condition. Parentheses within a word are part of it, as in
// main().
func (p *searchParser) parseWord() (SearchExpr, error) {
	begin, open := p.at, 0
	e := SearchExpr{Op: SearchWord}
	for ; p.at < len(p.text) && !unicode.IsSpace(p.text[p.at]); p.at++ {
		switch c := p.text[p.at]; {
		case c == '(':
			open++
		case c == ')' && open == 0:
			return p.endWord(e, begin), nil
		case c == ')':
			open--
		case e.Key == "" && strings.ContainsRune(":=<>!", c):
			e.Key, e.Sign = searchKey(p.text[begin:], p.at-begin)
			after := p.at + len(e.Sign)
			switch {
			case e.Key == "" || after >= len(p.text):
				continue
			case p.text[after] == '(':
				return e, p.errorf(after, "%s%s takes one value; write (%[1]s%[2]sA OR %[1]s%[2]sB)", e.Key, e.Sign)
			case !isQuote(p.text[after]):
				continue
			}
			p.at = after
			value, err := p.readQuoted()
			e.Op, e.Value, e.Text = SearchCondition, value, string(p.text[begin:p.at])
			return e, err
		}
	}
	return p.endWord(e, begin), nil
}

// endWord is the word that begins there and ends here.
func (p *searchParser) endWord(e SearchExpr, begin int) SearchExpr {
	e.Text = string(p.text[begin:p.at])
	if e.Key != "" {
		e.Op, e.Value = SearchCondition, e.Text[len(e.Key)+len(e.Sign):]
	}
	return e
}

// searchKey is the key of a condition whose sign stands at a place, and that sign;
// empty: the word is no condition, as https://example.org, 12:30 and std::sort.
func searchKey(word []rune, sign int) (key, signs string) {
	for i, c := range word[:sign] {
		if !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c) && !strings.ContainsRune("-_.", c)) {
			return "", ""
		}
	}
	rest := string(word[sign:min(sign+3, len(word))])
	for _, s := range []string{"!=", "<=", ">=", ":", "=", "<", ">"} {
		after, found := strings.CutPrefix(rest, s)
		if found && sign > 0 && !strings.HasPrefix(after, "//") && (after == "" || !strings.ContainsAny(after[:1], ":=<>")) {
			return string(word[:sign]), s
		}
	}
	return "", ""
}

// String is the query that reads as e.
func (e *SearchExpr) String() string {
	if e == nil {
		return ""
	}
	switch e.Op {
	case SearchPhrase:
		return `"` + e.Text + `"`
	case SearchNot:
		return "NOT " + e.Of[0].inner()
	case SearchAll, SearchAny:
		parts := make([]string, len(e.Of))
		for i := range e.Of {
			parts[i] = e.Of[i].inner()
		}
		return strings.Join(parts, map[SearchOp]string{SearchAll: " ", SearchAny: " OR "}[e.Op])
	case SearchWord, SearchCondition:
	}
	return e.Text
}

func (e *SearchExpr) inner() string {
	if e.Op == SearchAll || e.Op == SearchAny {
		return "(" + e.String() + ")"
	}
	return e.String()
}

// Conjuncts are the expressions that hold together.
func (e *SearchExpr) Conjuncts() []SearchExpr {
	switch {
	case e == nil:
		return nil
	case e.Op != SearchAll:
		return []SearchExpr{*e}
	}
	var all []SearchExpr
	for _, part := range e.Of {
		all = append(all, part.Conjuncts()...)
	}
	return all
}

// Walk visits e and all expressions in it.
func (e *SearchExpr) Walk(visit func(*SearchExpr)) {
	if e == nil {
		return
	}
	visit(e)
	for i := range e.Of {
		e.Of[i].Walk(visit)
	}
}
