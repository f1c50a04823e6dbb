package logseq_test

import "testing"

// What Logseq makes of a value is what was asked for, if it means the same.
func TestPropertiesAreVerifiedByTheirMeaning(t *testing.T) {
	for _, c := range []struct {
		given  string
		stored any
		right  bool
	}{
		{`5`, 5.0, true},
		{`"5"`, 5.0, true},
		{`5`, "5", true},
		{`5`, 4.0, false},
		{`"many"`, 5.0, false},
		{`true`, "true", true},
		{`"2026-11-21"`, "Nov 21st, 2026", true},
		{`"2026-11-21"`, "Saturday, 2026/11/21", true},
		{`"2026-11-21"`, "21.11.2026", true},
		{`"Nov 21st, 2026"`, "2026-11-21", true},
		{`"[[Nov 21st, 2026]]"`, "Nov 21st, 2026", true},
		{`"2026-11-21"`, "Nov 22nd, 2026", false},
		{`"2026-11-21T10:00"`, 1795255200000.0, true},
		{`"2026-11-21T10:00"`, 1795258800000.0, false},
		{`"2026-11-21"`, 1795219200000.0, true},
		{`"[[Ada]]"`, "Ada", true},
		{`"ada"`, "Ada", true},
		{`"Ada"`, "Bob", false},
		{`"` + id(7) + `"`, "Ada", true},
		{`["Ada","Bob"]`, []any{"Bob", "Ada"}, true},
		{`["Ada","Bob"]`, "Ada, Bob", true},
		{`"[[Ada]] and [[Bob]]"`, []any{"Ada", "Bob"}, true},
		{`"Ada, Bob"`, []any{"Ada", "Bob"}, true},
		{`["Ada","Bob"]`, []any{"Ada"}, false},
		{`["Ada"]`, []any{"Ada", "Bob"}, false},
		{`"{\"a\":[1]}"`, map[string]any{"a": []any{1.0}}, true},
		{`"{\"a\":[1]}"`, map[string]any{"a": []any{2.0}}, false},
	} {
		f := fixtureGraph("db")
		f.typed = func(any) any { return c.stored }
		// The second time the value is there already, spelled as Logseq has it.
		for _, time := range []string{"first", "second"} {
			m, err := openTestSource(t, f).call("update_page", `{"page_name":"Kitchen","properties":{"of":`+c.given+`}}`)
			if (err == nil && m["verified"] == true) != c.right {
				t.Errorf("%s, stored as %v, the %s time: %v, %v", c.given, c.stored, time, m, err)
			}
		}
	}
}

// The ident of a property names it as its title does.
func TestPropertyIsVerifiedByItsIdent(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	d.must("update_page", `{"page_name":"Kitchen","properties":{"My rating":1}}`)
	f.typed = func(any) any {
		delete(f.pages[2].Properties, ":user.property/My-rating-x1Y")
		return 3.0
	}
	if m := d.must("update_page", `{"page_name":"Kitchen","properties":{":user.property/My-rating-x1Y":3}}`); m["verified"] != true {
		t.Errorf("answers %v", m)
	}
}
