package logseq

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq/internal/edn"
)

// The guard refuses queries that would freeze Logseq, which runs them without
// a time limit, on a file graph in the very thread that draws its window. It
// judges the form alone: it does not know how large a graph is, so it stops
// what explodes by its shape and leaves what is merely slow.

const (
	mostClauses  = 60
	mostDisjoint = 1 // groups of clauses that share no variable
)

// A parsed query is one with its parts told apart.
type parsed struct {
	find, in, where []edn.Value
}

func refused(format string, args ...any) error {
	return tools.Errorf(tools.Invalid, "query: "+format, args...)
}

// guard checks a query against its inputs.
func guard(text string, inputs []string, rules []edn.Value) error {
	form, err := edn.Read(text)
	if err != nil {
		return func() *tools.Error {
			target := &tools.Error{}
			_ = errors.As(refused("%s", err.Error()), &target)
			return target
		}().WithHint("Write it as [:find … :in $ … :where …].")
	}
	q, err := parts(form)
	if err != nil {
		return err
	}
	known, err := q.bound(len(inputs))
	if err != nil {
		return err
	}
	if err := checkFind(q.find); err != nil {
		return err
	}
	s := &shape{rules: map[string]bool{}}
	for _, r := range rules {
		if err := s.rule(r); err != nil {
			return err
		}
	}
	for _, r := range rules {
		if err := s.clauses(r.Items[1:], map[string]bool{}, map[string]bool{}); err != nil {
			return err
		}
	}
	return s.clauses(q.where, known, known)
}

// parts takes a query in vector or map form apart.
func parts(form edn.Value) (parsed, error) {
	var q parsed
	sections := map[string]*[]edn.Value{"find": &q.find, "in": &q.in, "where": &q.where, "with": new([]edn.Value), "keys": new([]edn.Value), "strs": new([]edn.Value), "syms": new([]edn.Value)}
	switch form.Kind {
	case edn.Vector:
		if err := split(form.Items, sections); err != nil {
			return q, err
		}
	case edn.Map:
		if _, wrapped := form.Get("query"); wrapped {
			return q, refused("give the value of :query alone, without the map around it")
		}
		for name, into := range sections {
			if v, ok := form.Get(name); ok {
				*into = v.Items
			}
		}
	default:
		return q, refused("it is a vector or a map")
	}
	switch {
	case len(q.find) == 0:
		return q, refused("it has no :find")
	case len(q.where) == 0:
		return q, refused("it has no :where, so it would go through the whole graph")
	}
	return q, nil
}

// split puts what follows each keyword of a query into its section.
func split(items []edn.Value, sections map[string]*[]edn.Value) error {
	var into *[]edn.Value
	for _, v := range items {
		switch {
		case v.Kind != edn.Keyword && into == nil:
			return refused("it begins with :find")
		case v.Kind != edn.Keyword:
			*into = append(*into, v)
		default:
			if into = sections[v.Text]; into == nil {
				return refused("unknown part :%.40s", v.Text)
			}
		}
	}
	return nil
}

// bound are the variables that :in binds, which must match the inputs.
func (q parsed) bound(inputs int) (map[string]bool, error) {
	known := map[string]bool{}
	places := 0
	for _, v := range q.in {
		if v.Is("$") {
			continue
		}
		if v.Kind == edn.Symbol && strings.HasPrefix(v.Text, "$") {
			return nil, refused("there is one database, $")
		}
		places++
		v.Walk(func(v edn.Value) bool {
			if v.Variable() {
				known[v.Text] = true
			}
			return true
		})
	}
	if places != inputs {
		return nil, refused(":in names %d inputs besides $, inputs has %d", places, inputs)
	}
	return known, nil
}

// checkFind refuses pulls that recurse without end.
func checkFind(find []edn.Value) error {
	var wrong error
	for _, f := range find {
		f.Walk(func(v edn.Value) bool {
			switch {
			case v.Is("...") && f.Kind == edn.List:
				wrong = refused("a pull with ... goes on for ever; write a number of levels")
			case v.Kind == edn.Number && f.Kind == edn.List && len(v.Text) > 2 && f.Items[0].Is("pull"):
				wrong = refused("a pull goes at most 99 levels deep")
			}
			return wrong == nil
		})
	}
	return wrong
}

// describe shows a clause in an error, shortened.
func describe(v edn.Value) string {
	open, closing := "", ""
	switch v.Kind {
	case edn.List:
		open, closing = "(", ")"
	case edn.Vector:
		open, closing = "[", "]"
	case edn.Keyword:
		open = ":"
	case edn.Map, edn.Set, edn.Tagged, edn.Str:
		return "…"
	default:
	}
	var words []string
	for _, c := range v.Items[:min(len(v.Items), 5)] {
		words = append(words, describe(c))
	}
	return open + fmt.Sprintf("%.40s", v.Text) + strings.Join(words, " ") + closing
}
