package index

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// A Condition says which pages match a query, or which parts of pages.
type Condition struct {
	Op    ConditionOp
	Of    []Condition     // of All and Any
	Term  int             // of Has one of [Query.Terms], of Lacks one of [Query.Unwanted]
	Files map[string]bool // of InFiles and NotInFiles
}

// A ConditionOp says what a [Condition] is.
type ConditionOp int

// All kinds of condition.
const (
	All   ConditionOp = iota // each of Of holds; none: every page
	Any                      // one of Of holds
	Has                      // the page has a term
	Lacks                    // the page has no such term as whole words
	InFiles
	NotInFiles
)

// condition is what pages meet that match in one way. In the loosest, one of the
// conditions that need a term is enough, with all that need none.
func (q Query) condition(how Match) Condition {
	var where Condition
	if q.Where != nil {
		where = *q.Where
	} else {
		for i := range q.Terms {
			where.Of = append(where.Of, Condition{Op: Has, Term: i})
		}
	}
	if how != AnyPrefix || where.Op != All {
		return where
	}
	var words, others []Condition
	for _, c := range where.Of {
		if c.NeedsTerm() {
			words = append(words, c)
		} else {
			others = append(others, c)
		}
	}
	if len(words) == 0 {
		return where
	}
	return Condition{Of: append(others, Condition{Op: Any, Of: words})}
}

// NeedsTerm reports whether the query finds only pages that have one of its terms.
func (q Query) NeedsTerm() bool { return q.condition(AllWords).NeedsTerm() }

// NeedsTerm reports whether only pages with one of the terms can meet c.
func (c Condition) NeedsTerm() bool {
	switch c.Op {
	case Has:
		return true
	case All:
		return slices.ContainsFunc(c.Of, Condition.NeedsTerm)
	case Any:
		return !slices.ContainsFunc(c.Of, func(c Condition) bool { return !c.NeedsTerm() })
	case Lacks, InFiles, NotInFiles:
	}
	return false
}

// Needed is how many conditions need a term that must all hold.
func (q Query) Needed() (needed int) {
	where := q.condition(AllWords)
	if where.Op != All {
		where = Condition{Of: []Condition{where}}
	}
	for _, c := range where.Of {
		if c.NeedsTerm() {
			needed++
		}
	}
	return needed
}

// WithoutLacks is c for pages of which a part may meet c: that lacks what the page has.
func (c Condition) WithoutLacks() Condition {
	if c.Op == Lacks {
		return Condition{}
	}
	c.Of = slices.Clone(c.Of)
	for i, part := range c.Of {
		c.Of[i] = part.WithoutLacks()
	}
	return c
}

// Holds reports whether a page, or a part of one, meets c, by which terms it has and
// which unwanted terms it lacks.
func (c Condition) Holds(file string, has, lacks []bool) bool {
	holds := func(c Condition) bool { return c.Holds(file, has, lacks) }
	switch c.Op {
	case Any:
		return slices.ContainsFunc(c.Of, holds)
	case Has:
		return has[c.Term]
	case Lacks:
		return lacks[c.Term]
	case InFiles:
		return c.Files[file]
	case NotInFiles:
		return !c.Files[file]
	case All:
	}
	return !slices.ContainsFunc(c.Of, func(c Condition) bool { return !holds(c) })
}

// whereMeets is a condition on pages p for what meets c.
func (q Query) whereMeets(c Condition, how Match) (condition string, args []any) {
	switch c.Op {
	case Has:
		return hasWords, []any{q.termExpression(c.Term, how)}
	case Lacks:
		return "NOT " + hasWords, []any{phrase(q.Unwanted[c.Term], AllWords)}
	case InFiles:
		return inFiles, []any{fileList(c.Files)}
	case NotInFiles:
		return "NOT " + inFiles, []any{fileList(c.Files)}
	case All, Any:
	}
	if len(c.Of) == 0 {
		return allPages, nil
	}
	parts := make([]string, len(c.Of))
	for i, part := range c.Of {
		text, values := q.whereMeets(part, how)
		parts[i], args = text, append(args, values...)
	}
	return "(" + strings.Join(parts, map[ConditionOp]string{All: " AND ", Any: " OR "}[c.Op]) + ")", args
}

const (
	hasWords = "p.id IN (SELECT rowid FROM words WHERE words MATCH ?)"
	inFiles  = "p.file IN (SELECT value FROM json_each(?))"
)

func fileList(files map[string]bool) string {
	list, _ := json.Marshal(slices.Sorted(maps.Keys(files))) // strings always can be
	return string(list)
}
