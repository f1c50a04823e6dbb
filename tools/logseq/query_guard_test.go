package logseq

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Queries that people write pass.
func TestGuardPasses(t *testing.T) {
	for _, q := range []string{
		`[:find (pull ?b [*]) :where [?b :block/marker "TODO"]]`,
		`[:find ?n . :where [?p :block/name ?n]]`,
		`[:find (count ?b) . :where [?b :block/page ?p] [?p :block/name "garden"]]`,
		`[:find (pull ?b [:block/uuid {:block/page [:block/name]} {:block/_parent 3}]) :where [?b :block/refs ?p] [?p :block/name "x"]]`,
		`[:find ?a ?b :where [?a :block/parent ?p] [?b :block/parent ?p] [(not= ?a ?b)]]`,
		`[:find ?b :where [?b :block/title ?t] [(clojure.string/lower-case ?t) ?l] [(clojure.string/includes? ?l "x")]]`,
		`[:find ?b :where [?b :block/content ?c] (or [?b :block/marker "TODO"] (and [?b :block/priority "A"] [?b :block/page ?p])) (not [?b :block/deadline _])]`,
		`[:find ?a ?v :where [?p :block/name "x"] [?p ?a ?v]]`,
		`[:find ?b :where [?p :block/name "x"] [?q :block/name "y"] [?b :block/page ?p] [?b :block/refs ?q]]`,
		`{:find [?b] :where [[?b :block/page ?p] [?p :block/journal-day ?d] [(> ?d 20260101)]]}`,
		`[:find ?b :where [?b :block/parent ?p] (not-join [?b] [?c :block/parent ?b])]`,
	} {
		if err := checkQuery(q, nil, nil); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// Queries that would freeze Logseq do not, and neither does what is no query.
func TestGuardRefuses(t *testing.T) {
	for q, want := range map[string]string{
		`[:find ?b :where [?b :block/x`:        "never closed",
		`"hello"`:                              "vector or a map",
		`[?b]`:                                 "must begin with :find",
		`[:find ?b]`:                           "no :where",
		`[:where [?b :a ?c]]`:                  "no :find",
		`{:query [:find ?b :where [?b :a _]]}`: "only the value of :query",
		`[:find ?e ?a ?v :where [?e ?a ?v]]`:   "whole graph",
		`[:find ?a ?b :where [?a :block/name _] [?b :block/name _]]`:                                            "share no variable",
		`[:find ?a ?b :where [?a :block/created-at ?x] [?b :block/created-at ?y] [(< ?x ?y)]]`:                  "share no variable",
		`[:find ?a ?b :where [?a :block/name _] [?b :block/name _] (not [?a :block/refs ?b])]`:                  "share no variable",
		`[:find ?a :where (or [?a :block/name _] (and [?a :block/x _] [?y :block/name _] [?z :block/name _]))]`: "share no variable",
		`[:find (pull ?b [:a {:block/_parent ...}]) :where [?b :block/name "x"]]`:                               "never ends",
		`[:find (pull ?b [{:block/_parent 100}]) :where [?b :block/name "x"]]`:                                  "99 levels",
		`[:find ?b :where [?b :block/name ?n] [(range 1000000000) [?x ...]]]`:                                   "is not allowed",
		`[:find ?b :where [?b :block/name ?n] [(js/alert ?n)]]`:                                                 "is not allowed",
		`[:find ?b :where [?b :block/name ?n] [(re-pattern "(a+)+$") ?r] [(re-find ?r ?n)]]`:                    "may never end",
		`[:find ?b :where (between ?b 1 2)]`:                                                                    "no rule is named",
		`[:find ?b :in $ ?x :where [?b :block/name ?x]]`:                                                        "names 1 inputs",
		`[:find ?b :in $ $2 :where [?b :block/name _]]`:                                                         "the only database",
		`[:find ?b :where ?b]`:                                       "is not a clause",
		`[:find ?b :limit 3 :where [?b :a _]]`:                       "unknown part",
		`[:find ?b :where ` + strings.Repeat(`[?b :a ?c]`, 61) + `]`: "more than 60",
	} {
		if err := checkQuery(q, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.100s: want %q, got %v", q, want, err)
		}
	}
}

// Inputs are encoded so that Logseq, which reads each as EDN, gets what was
// meant.
func TestInputs(t *testing.T) {
	got, rules, err := encodeInputs(Inputs{
		`two "words"`, 3.0, 1.5, true, nil,
		map[string]any{"keyword": "block/name"},
		[]any{"a", 1.0},
		map[string]any{"uuid": "6540a1b2-0000-4000-8000-000000000001"},
		map[string]any{"rules": "[[(r ?x) [?x :block/name _]]]"},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		`"two \"words\""`, "3", "1.5", "true", "nil", ":block/name", `["a" 1]`,
		`#uuid "6540a1b2-0000-4000-8000-000000000001"`, "[[(r ?x) [?x :block/name _]]]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := checkQuery(`[:find ?x :in $ % :where (r ?x)]`, got[8:], rules); err != nil {
		t.Error(err)
	}
	for _, bad := range []any{map[string]any{"keyword": "a b"}, map[string]any{"x": 1.0}, map[string]any{"uuid": "x"}, map[string]any{"rules": "[["}, map[string]any{"rules": "x"}} {
		if _, _, err := encodeInputs(Inputs{bad}); err == nil || !strings.Contains(err.Error(), "inputs[0]") {
			t.Errorf("input %v: %v", bad, err)
		}
	}
	_, rules, err = encodeInputs(Inputs{map[string]any{"rules": "[[(r ?x) [?y :a _] [?x :a _]]]"}})
	if err != nil || checkQuery(`[:find ?x :in $ % :where (r ?x)]`, got[8:], rules) == nil {
		t.Errorf("a rule that pairs everything passes (%v)", err)
	}
}

// The guard answers on anything.
func FuzzGuard(f *testing.F) {
	for _, s := range []string{`[:find ?b :where [?b :a _]]`, `[:find ?b :where (or-join)]`, `[:find () :where [[]] () (not) (or-join x) [()]]`, `{:find ?x :where {}}`} {
		f.Add(s, `[[(r ?x) [?x :a _]]]`)
	}
	f.Fuzz(func(t *testing.T, query, rules string) {
		inputs, forms, err := encodeInputs(Inputs{map[string]any{"rules": rules}})
		if err == nil {
			_ = checkQuery(query, inputs, forms)
		}
	})
}
