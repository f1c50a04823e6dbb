package edn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools/logseq/internal/edn"
)

func TestRead(t *testing.T) {
	v, err := edn.Read(`[:find (pull ?b [*]) #_ ignored ; a comment
	  :where [?b :block/uuid #uuid "x"] [(> ?n -1.5e3)] #{true nil} {\a "q\"\u0041"}]`)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []edn.Kind
	for _, item := range v.Items {
		kinds = append(kinds, item.Kind)
	}
	want := []edn.Kind{edn.Keyword, edn.List, edn.Keyword, edn.Vector, edn.Vector, edn.Set, edn.Map}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Error(diff)
	}
	if got := v.Items[6].Items[1].Text; got != `q"A` {
		t.Errorf("the string is %q", got)
	}
	if !v.Items[1].Items[1].IsVariable() || v.Items[3].Items[2].Items[0].Text != "x" {
		t.Errorf("read %+v", v)
	}
}

func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		``: "ends", `[`: "never closed", `]`: "closes nothing", `[] x`: "follows", `{:a}`: "without a value",
		`"a`: "never closed", `"\q"`: "escape", `:`: "keyword", `#"re"`: "tag", `1x`: "not a symbol", `\`: "missing",
		"[\x00]": "unexpected", "\xff": "UTF-8",
		strings.Repeat("[", 100): "deep", "#_" + strings.Repeat("#_ ", 100): "deep",
		"[" + strings.Repeat("1 ", 20000) + "]": "more than",
	} {
		_, err := edn.Read(text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("read %.40q: want an error with %q, got %v", text, want, err)
		}
	}
}

// What String writes is one string with the same content, whatever is in it.
func FuzzString(f *testing.F) {
	for _, s := range []string{"", `a"b\`, "\x00\x7f\u2028\n", "é", `") :find`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "?")
		v, err := edn.Read(edn.String(s))
		if err != nil || v.Kind != edn.Str || v.Text != s {
			t.Errorf("%q became %s, read as %+v, %v", s, edn.String(s), v, err)
		}
	})
}

// Read answers, and never deeper than it says.
func FuzzRead(f *testing.F) {
	for _, s := range []string{`[:find ?b :where [?b :a/b "x"]]`, `#{1 #uuid "x"}`, `#_#_ a b c`, `{:a [\newline "\u00e9"]}`, "((((", "#", ";", "\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := edn.Read(s)
		if err != nil {
			return
		}
		n := 0
		v.Walk(func(edn.Value) bool { n++; return true })
		if n > 10_000 {
			t.Errorf("%d values", n)
		}
	})
}
