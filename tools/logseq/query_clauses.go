package logseq

import (
	"maps"
	"regexp"
	"slices"

	"github.com/lectern-mcp/lectern/tools/logseq/internal/edn"
)

// A clauseChecker checks clauses one by one, and that they are connected.
type clauseChecker struct {
	rules map[string]bool // by name
	count int
}

// addRule remembers the name of a rule.
func (s *clauseChecker) addRule(r edn.Value) error {
	if r.Kind != edn.Vector || len(r.Items) < 2 || r.Items[0].Kind != edn.List || len(r.Items[0].Items) < 2 ||
		r.Items[0].Items[0].Kind != edn.Symbol {
		return invalidQuery("a rule must be [(name ?variable …) clause …]")
	}
	s.rules[r.Items[0].Items[0].Text] = true
	return nil
}

// checkClauses checks clauses that apply together. known are variables that
// are bound outside; narrow are those of them with few values.
func (s *clauseChecker) checkClauses(clauses []edn.Value, known, narrow map[string]bool) error {
	narrow = maps.Clone(narrow)
	for _, c := range clauses {
		if isSelective(c) {
			narrow[c.Items[0].Text] = true
		}
	}
	groups := [][]string{}
	for i, c := range clauses {
		if s.count++; s.count > maxClauses {
			return invalidQuery("more than %d clauses", maxClauses)
		}
		if err := s.checkClause(c, otherBindings(clauses, i, known), narrow); err != nil {
			return err
		}
		vars := slices.DeleteFunc(bindings(c), func(v string) bool { return known[v] || narrow[v] })
		if len(vars) > 0 {
			groups = mergeGroups(groups, vars)
		}
	}
	if len(groups) > maxDisjoint {
		return invalidQuery("the clauses about %.40s and those about %.40s share no variable, so Logseq would combine everything with everything",
			groups[0][0], groups[1][0])
	}
	return nil
}

// otherBindings returns the variables that the other clauses bind.
func otherBindings(clauses []edn.Value, but int, known map[string]bool) map[string]bool {
	scope := maps.Clone(known)
	for i, c := range clauses {
		if i == but {
			continue
		}
		for _, v := range bindings(c) {
			scope[v] = true
		}
	}
	return scope
}

// mergeGroups adds the variables of a clause to the groups that it connects.
func mergeGroups(groups [][]string, vars []string) [][]string {
	var apart [][]string
	for _, g := range groups {
		if slices.ContainsFunc(g, func(v string) bool { return slices.Contains(vars, v) }) {
			vars = append(g, vars...)
		} else {
			apart = append(apart, g)
		}
	}
	return append(apart, vars)
}

// bindings returns the variables that a clause binds. Conditions and negations
// bind none.
func bindings(c edn.Value) []string {
	if c.Kind == edn.Vector && len(c.Items) == 1 && c.Items[0].Kind == edn.List {
		return nil
	}
	if c.Kind == edn.List && len(c.Items) > 0 && (c.Items[0].IsSymbol("not") || c.Items[0].IsSymbol("not-join")) {
		return nil
	}
	var vars []string
	c.Walk(func(v edn.Value) bool {
		if v.IsVariable() {
			vars = append(vars, v.Text)
		}
		return true
	})
	return vars
}

// isSelective reports whether a clause finds a single entity by a unique
// value.
func isSelective(c edn.Value) bool {
	return c.Kind == edn.Vector && len(c.Items) == 3 && c.Items[0].IsVariable() && !c.Items[2].IsVariable() && !c.Items[2].IsSymbol("_") &&
		uniqueAttributes[c.Items[1].Text]
}

// uniqueAttributes have a different value for every entity.
var uniqueAttributes = map[string]bool{
	"block/name": true, "block/uuid": true, "db/ident": true, "block/journal-day": true, "file/path": true, "block/original-name": true,
}

func (s *clauseChecker) checkClause(c edn.Value, scope, narrow map[string]bool) error {
	switch {
	case c.Kind == edn.Vector && len(c.Items) > 0 && c.Items[0].Kind == edn.List:
		return s.checkCall(c.Items[0])
	case c.Kind == edn.Vector:
		return checkPattern(c, narrow)
	case c.Kind == edn.List && len(c.Items) > 1 && c.Items[0].Kind == edn.Symbol:
		return s.checkCompound(c, scope, narrow)
	}
	return invalidQuery("%s is not a clause", describeClause(c))
}

// checkPattern checks [entity attribute value].
func checkPattern(c edn.Value, narrow map[string]bool) error {
	items := c.Items
	if len(items) > 0 && items[0].IsSymbol("$") {
		items = items[1:]
	}
	if len(items) < 2 || len(items) > 5 {
		return invalidQuery("%s is not a clause of entity, attribute and value", describeClause(c))
	}
	attribute := items[1]
	if attribute.Kind != edn.Keyword && !narrow[attribute.Text] && isUnbound(items[0], narrow) {
		return invalidQuery("%s has neither an attribute nor a known entity, so it would scan the whole graph", describeClause(c))
	}
	return nil
}

// isUnbound reports whether a position matches anything.
func isUnbound(v edn.Value, narrow map[string]bool) bool {
	return v.IsSymbol("_") || v.IsVariable() && !narrow[v.Text]
}

// checkCompound checks not, or, and, their joins, and uses of rules. The
// clauses inside also use what the clauses around them bind.
func (s *clauseChecker) checkCompound(c edn.Value, scope, narrow map[string]bool) error {
	word, rest := c.Items[0].Text, c.Items[1:]
	switch word {
	case "or-join", "not-join":
		rest = rest[1:]
	case "or", "not", "and":
	default:
		if !s.rules[word] {
			return invalidQuery("no rule is named %.40s; give rules as an input {\"rules\":\"…\"} for %%", word)
		}
		return nil
	}
	if word == "or" || word == "or-join" {
		for _, branch := range rest {
			if err := s.checkClauses([]edn.Value{branch}, scope, narrow); err != nil {
				return err
			}
		}
		return nil
	}
	return s.checkClauses(rest, scope, narrow)
}

// nestedRepetition matches a repeated group with a repetition inside.
var nestedRepetition = regexp.MustCompile(`[+*}][^()\[\]]*\)[+*{]`)

// checkCall checks (function argument …).
func (s *clauseChecker) checkCall(f edn.Value) error {
	if len(f.Items) == 0 || f.Items[0].Kind != edn.Symbol {
		return invalidQuery("%s is not a function call", describeClause(f))
	}
	name := f.Items[0].Text
	if !slices.Contains(allowedFunctions(), name) {
		return invalidQuery("the function %.40s is not allowed; allowed are: %s", name, "comparisons, arithmetic, ground, get-else, missing?, "+
			"count, str, subs, re-find, clojure.string/…")
	}
	for _, a := range f.Items[1:] {
		if a.Kind == edn.Str && name == "re-pattern" && (len(a.Text) > 500 || nestedRepetition.MatchString(a.Text)) {
			return invalidQuery("a repetition inside a repeated group may never end; simplify the pattern")
		}
	}
	return nil
}

// allowedFunctions are the functions that a query may call: those of
// DataScript, except some whose cost depends on an argument.
func allowedFunctions() []string {
	return []string{
		"=", "==", "not=", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "quot", "rem", "mod", "inc", "dec", "max", "min",
		"zero?", "pos?", "neg?", "even?", "odd?", "compare", "true?", "false?", "nil?", "some?", "not", "and", "or", "identical?", "identity",
		"keyword", "name", "namespace", "type", "vector", "list", "set", "hash-map", "count", "not-empty", "empty?", "contains?", "get",
		"str", "subs", "pr-str", "re-find", "re-matches", "re-seq", "re-pattern", "ground", "tuple", "untuple", "get-else", "get-some",
		"missing?", "-differ?",
		"clojure.string/blank?", "clojure.string/includes?", "clojure.string/starts-with?", "clojure.string/ends-with?",
		"clojure.string/lower-case", "clojure.string/upper-case",
	}
}
