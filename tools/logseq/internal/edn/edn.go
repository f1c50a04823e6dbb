// Package edn reads and writes the data notation that DataScript queries are
// written in, as much of it as a query and its inputs hold.
//
// It reads strangers' text before Logseq does: input is bounded in depth and
// in number of values, and an error says where it is. It evaluates nothing and
// knows no tag's meaning. tools/logseq alone imports it. Start reading at
// [Read] for text to values and at [String] for the way back.
package edn

import "strings"

// A Kind says what a [Value] is.
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

// A Value is one form. Text is as it was written, but for strings, which are
// unescaped; Items are what a collection holds.
type Value struct {
	Kind  Kind
	Text  string
	Items []Value
}

// IsSymbol says whether v is the symbol of that name.
func (v Value) IsSymbol(symbol string) bool { return v.Kind == Symbol && v.Text == symbol }

// IsVariable says whether v is a query variable such as ?page.
func (v Value) IsVariable() bool { return v.Kind == Symbol && strings.HasPrefix(v.Text, "?") }

// Get is the value of a keyword in a map.
func (v Value) Get(keyword string) (Value, bool) {
	for i := 0; v.Kind == Map && i+1 < len(v.Items); i += 2 {
		if k := v.Items[i]; k.Kind == Keyword && k.Text == keyword {
			return v.Items[i+1], true
		}
	}
	return Value{}, false
}

// Walk calls f for v and everything below it, parents first, until f says no.
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
