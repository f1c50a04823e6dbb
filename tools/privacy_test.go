package tools_test

import (
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

func TestPrivacy(t *testing.T) {
	page := tools.Page{
		Path: "Projects/Alpha", File: "Projects/Alpha.md",
		Tags: []string{"work/plans", "#Draft"}, Properties: map[string][]string{"Status": {"open", "Private"}},
	}
	for mark, fits := range map[string]bool{
		"Projects/*": true, "projects/**": true, "**/alpha": true, "**": true, "Projects": false, "*": false, "Pro*/A?pha": true,
		"Projects/Alpha.md": true, "**/*.md": true, "path:Projects/Beta": false,
		"#work": true, "tag:WORK/plans": true, "#wor": false, "#draft": true, "tag:#draft": true,
		"property:status": true, "property:status=private": true, "property:status=closed": false, "property:stat": false,
		"namespace:Projects": true, "namespace:projects/alpha": true, "namespace:Projects/Al": false, "namespace:Proj": false,
	} {
		m, err := tools.ParsePrivacyRule(mark)
		if err != nil {
			t.Errorf("%s: %v", mark, err)
			continue
		}
		if got := (tools.Privacy{Exclude: []tools.PrivacyRule{m}}).Hides(page); got != fits {
			t.Errorf("exclude %s hides it: %v, want %v", mark, got, fits)
		}
		if got := (tools.Privacy{Only: []tools.PrivacyRule{m}}).Hides(page); got == fits {
			t.Errorf("only %s hides it: %v, want %v", mark, got, !fits)
		}
	}
	both := tools.Privacy{Only: []tools.PrivacyRule{{Namespace: "Projects"}}, Exclude: []tools.PrivacyRule{{Tag: "draft"}}}
	if !both.Hides(page) {
		t.Error("exclude counts within only")
	}
	composed, decomposed := "Priv\u00e9", "Prive\u0301"
	for _, m := range []tools.PrivacyRule{{Path: composed + "/**"}, {Namespace: composed}, {Tag: composed}, {Property: composed, Value: composed}} {
		twin := tools.Page{Path: decomposed + "/x", Tags: []string{decomposed}, Properties: map[string][]string{decomposed: {decomposed}}}
		if !(tools.Privacy{Exclude: []tools.PrivacyRule{m}}).Hides(twin) {
			t.Errorf("%+v does not hide what is composed otherwise", m)
		}
	}
	for _, bad := range []string{"", "#", "tag:", "colour:red", "path:[a", "namespace: "} {
		if m, err := tools.ParsePrivacyRule(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, m)
		}
	}
}
