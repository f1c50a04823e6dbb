package logseq

import (
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/logseq/internal/edn"
)

// The guard refuses queries that would freeze Logseq, which runs them without
// a time limit, on a file graph even in the thread of its window. It judges
// only the form of a query, because it does not know the size of the graph: it
// stops queries whose cost explodes and accepts slow ones.

const (
	maxClauses  = 60
	maxDisjoint = 1 // groups of clauses that share no variable
)

// queryParts are the sections of a query.
type queryParts struct {
	find, in, where []edn.Value
}

func invalidQuery(format string, args ...any) *tools.Error {
	return tools.Errorf(tools.Invalid, "query: "+format, args...)
}

// checkQuery checks a query against its inputs.
func checkQuery(text string, inputs []string, rules []edn.Value) error {
	form, err := edn.Read(text)
	if err != nil {
		return invalidQuery("%s", err.Error()).WithHint("Write it as [:find … :in $ … :where …].")
	}
	q, err := parseQuery(form)
	if err != nil {
		return err
	}
	known, err := q.boundVariables(len(inputs))
	if err != nil {
		return err
	}
	if err := checkFind(q.find); err != nil {
		return err
	}
	s := &clauseChecker{rules: map[string]bool{}}
	for _, r := range rules {
		if err := s.addRule(r); err != nil {
			return err
		}
	}
	for _, r := range rules {
		if err := s.checkClauses(r.Items[1:], map[string]bool{}, map[string]bool{}); err != nil {
			return err
		}
	}
	return s.checkClauses(q.where, known, known)
}

// parseQuery splits a query in vector or map form into its sections.
func parseQuery(form edn.Value) (queryParts, error) {
	var q queryParts
	sections := map[string]*[]edn.Value{
		"find": &q.find, "in": &q.in, "where": &q.where, "with": new([]edn.Value), "keys": new([]edn.Value), "strs": new([]edn.Value),
		"syms": new([]edn.Value),
	}
	switch form.Kind {
	case edn.Vector:
		if err := splitSections(form.Items, sections); err != nil {
			return q, err
		}
	case edn.Map:
		if _, wrapped := form.Get("query"); wrapped {
			return q, invalidQuery("give only the value of :query, without the map around it")
		}
		for name, into := range sections {
			if v, ok := form.Get(name); ok {
				*into = v.Items
			}
		}
	default:
		return q, invalidQuery("must be a vector or a map")
	}
	switch {
	case len(q.find) == 0:
		return q, invalidQuery("has no :find")
	case len(q.where) == 0:
		return q, invalidQuery("has no :where, so it would scan the whole graph")
	}
	return q, nil
}

// splitSections puts what follows each keyword of a query into its section.
func splitSections(items []edn.Value, sections map[string]*[]edn.Value) error {
	var into *[]edn.Value
	for _, v := range items {
		switch {
		case v.Kind != edn.Keyword && into == nil:
			return invalidQuery("must begin with :find")
		case v.Kind != edn.Keyword:
			*into = append(*into, v)
		default:
			if into = sections[v.Text]; into == nil {
				return invalidQuery("unknown part :%.40s", v.Text)
			}
		}
	}
	return nil
}

// boundVariables returns the variables that :in binds. Their number must match
// the inputs.
func (q queryParts) boundVariables(inputs int) (map[string]bool, error) {
	known := map[string]bool{}
	places := 0
	for _, v := range q.in {
		if v.IsSymbol("$") {
			continue
		}
		if v.Kind == edn.Symbol && strings.HasPrefix(v.Text, "$") {
			return nil, invalidQuery("the only database is $")
		}
		places++
		v.Walk(func(v edn.Value) bool {
			if v.IsVariable() {
				known[v.Text] = true
			}
			return true
		})
	}
	if places != inputs {
		return nil, invalidQuery(":in names %d inputs besides $, inputs has %d", places, inputs)
	}
	return known, nil
}

// checkFind refuses pulls with unlimited recursion.
func checkFind(find []edn.Value) error {
	var wrong error
	for _, f := range find {
		f.Walk(func(v edn.Value) bool {
			switch {
			case v.IsSymbol("...") && f.Kind == edn.List:
				wrong = invalidQuery("a pull with ... never ends; write a number of levels")
			case v.Kind == edn.Number && f.Kind == edn.List && len(v.Text) > 2 && f.Items[0].IsSymbol("pull"):
				wrong = invalidQuery("a pull goes at most 99 levels deep")
			}
			return wrong == nil
		})
	}
	return wrong
}

// describeClause formats a clause for an error, shortened.
func describeClause(v edn.Value) string {
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
		words = append(words, describeClause(c))
	}
	return open + fmt.Sprintf("%.40s", v.Text) + strings.Join(words, " ") + closing
}
