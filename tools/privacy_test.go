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
		"Projects/*": true, "projects/**": true, "**/alpha": true, "**": true, "Projects": true, "*": true, "Pro*/A?pha": true, "projects/": true, "/Projects/**": true, "./Projects": true, "Projects/./Alpha": true,
		"Project": false, "Alpha": false, "Projects/Al": false, "/": true, "*/*/x": false, "Projects/Alpha.md/": true,
		"Projects/Alpha.md": true, "**/*.md": true, "path:Projects/Beta": false,
		"#work": true, "tag:WORK/plans": true, "#wor": false, "#draft": true, "tag:#draft": true,
		"property:status": true, "property:status=private": true, "property:status=closed": false, "property:stat": false,
		"#[[work]]": true, "tag: [[Work/Plans]] ": true, "#work/": true, "namespace:/Projects/": true, "namespace:[[Projects]]": true, "namespace:./projects//alpha": true,
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
	for rule, name := range map[string]string{"STRASSE": "Straße", "Straße": "strasse/x", "Stra?e": "Straße/x", "ſtreng": "Streng"} {
		m, err := tools.ParsePrivacyRule(rule)
		if err != nil || !(tools.Privacy{Exclude: []tools.PrivacyRule{m}}).Hides(tools.Page{Path: name}) {
			t.Errorf("%s does not hide %s: %v", rule, name, err)
		}
	}
	composed, decomposed := "Priv\u00e9", "Prive\u0301"
	for _, m := range []tools.PrivacyRule{{Path: composed + "/**"}, {Namespace: composed}, {Tag: composed}, {Property: composed, Value: composed}} {
		twin := tools.Page{Path: decomposed + "/x", Tags: []string{decomposed}, Properties: map[string][]string{decomposed: {decomposed}}}
		if !(tools.Privacy{Exclude: []tools.PrivacyRule{m}}).Hides(twin) {
			t.Errorf("%+v does not hide what is composed otherwise", m)
		}
	}
	for _, bad := range []string{
		"", "#", "tag:", "tag:#", "colour:red", "path:[a", "namespace: ", "namespace:/", "property:", "property:=x", "path: ",
		"../Private", "Private/../x", "~/notes/Private", `C:\notes`, "C:/notes", "path:c:/notes", `\\server\notes`, "Private/[",
		`Work\Clients`, `Private\*`, "[[Private]]", "#secret*", "#a,#b", "namespace:Private/*", "namespace:../x", "Private\x00", "Priv\xff", "#[[]]",
	} {
		if m, err := tools.ParsePrivacyRule(bad); err == nil {
			t.Errorf("%q is read as %+v", bad, m)
		}
	}
}

// A folder is hidden as a whole only if nothing in it can be shown.
func TestPrivacyHidesFolder(t *testing.T) {
	parse := func(texts ...string) (rules []tools.PrivacyRule) {
		for _, s := range texts {
			rule, err := tools.ParsePrivacyRule(s)
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, rule)
		}
		return rules
	}
	for _, c := range []struct {
		privacy tools.Privacy
		dir     string
		want    bool
	}{
		{tools.Privacy{Exclude: parse("Private")}, "private", true},
		{tools.Privacy{Exclude: parse("Private")}, "Private/Deep", true},
		{tools.Privacy{Exclude: parse("Private/x.md")}, "Private", false},
		{tools.Privacy{Exclude: parse("#secret", "property:x")}, "Private", false},
		{tools.Privacy{Exclude: parse("namespace:A/B")}, "A", false},
		{tools.Privacy{Exclude: parse("namespace:A/B")}, "A/B", true},
		{tools.Privacy{Exclude: parse("**/secret*")}, "a/Secrets", true},
		{tools.Privacy{Only: parse("Work/Plans")}, "Work", false},
		{tools.Privacy{Only: parse("Work/Plans")}, "Work/Plans/Deep", false},
		{tools.Privacy{Only: parse("Work/Plans")}, "Work/Other", true},
		{tools.Privacy{Only: parse("Work/Plans")}, "Home", true},
		{tools.Privacy{Only: parse("**/*.txt")}, "Home/Deep", false},
		{tools.Privacy{Only: parse("namespace:A/B")}, "A", false},
		{tools.Privacy{Only: parse("namespace:A/B")}, "C", true},
		{tools.Privacy{Only: parse("Work", "#open")}, "Home", false},
		{tools.Privacy{}, "Home", false},
	} {
		if got := c.privacy.HidesFolder(c.dir); got != c.want {
			t.Errorf("%+v hides the folder %s: %v, want %v", c.privacy, c.dir, got, c.want)
		}
	}
}

// What a rule says of itself is read as the same rule.
func TestPrivacyRuleString(t *testing.T) {
	for text, want := range map[string]string{
		"Private/": "Private", "/Private/**": "Private", "path:**": "**", "tag:secret": "#secret", "property: status = open ": "property:status=open",
		"property:private": "property:private", "namespace:/Diary/": "namespace:Diary", "*/*.md": "*/*.md",
	} {
		rule, err := tools.ParsePrivacyRule(text)
		if err != nil || rule.String() != want {
			t.Errorf("%s: %q, %v, want %q", text, rule, err, want)
		}
		if again, err := tools.ParsePrivacyRule(rule.String()); err != nil || again != rule {
			t.Errorf("%s is read as %+v, %v, want %+v", rule, again, err, rule)
		}
	}
}
