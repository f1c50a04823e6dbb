// Package edn reads and writes EDN, the data notation of DataScript queries,
// as far as queries and their inputs need it.
//
// It reads untrusted text before Logseq does, so depth and number of values
// are limited, and errors have a position. It evaluates nothing and does not
// interpret tags. Only tools/logseq imports it. Start reading at [Read], which
// parses text, and [String], which writes it.
package edn

import "strings"

// A Kind is the type of a [Value].
type Kind int

// The kinds of values.
const (
	Nil Kind = iota
	Bool
	Number
	Str // the string's content in Text
	Char
	Symbol
	Keyword // Text without the colon
	List
	Vector
	Map // Items are keys and values in turn
	Set
	Tagged // Text is the tag, Items its one value
)

// A Value is one form. Text is the source text, except for strings, which are
// unescaped. Items are the elements of a collection.
type Value struct {
	Kind  Kind
	Text  string
	Items []Value
}

// IsSymbol reports whether v is this symbol.
func (v Value) IsSymbol(symbol string) bool { return v.Kind == Symbol && v.Text == symbol }

// IsVariable reports whether v is a query variable such as ?page.
func (v Value) IsVariable() bool { return v.Kind == Symbol && strings.HasPrefix(v.Text, "?") }

// Get returns the value of a keyword in a map.
func (v Value) Get(keyword string) (Value, bool) {
	for i := 0; v.Kind == Map && i+1 < len(v.Items); i += 2 {
		if k := v.Items[i]; k.Kind == Keyword && k.Text == keyword {
			return v.Items[i+1], true
		}
	}
	return Value{}, false
}

// Walk calls f for v and everything below it, parents first, until f returns
// false.
func (v Value) Walk(f func(Value) bool) bool {
	if !f(v) {
		return false
	}
	for _, c := range v.Items {
		if !c.Walk(f) {
			return false
		}
	}
	return true
}
