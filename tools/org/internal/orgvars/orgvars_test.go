package orgvars

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

func TestSet(t *testing.T) {
	s := orgfile.DefaultSettings()
	for _, v := range [][2]string{
		{"org-todo-keywords", `'((sequence "A(a!)" "|" "B") (type "X" "Y"))`},
		{"org-log-done", "'note"},
		{"org-log-into-drawer", `"HISTORY"`},
		{"org-tags-column", "-40"},
		{"org-tag-alist", `'((:startgroup) ("w" . ?w) (:endgroup) ("h"))`},
		{"org-use-tag-inheritance", `'("w")`},
		{"org-archive-location", `"x.org::"`},
		{"org-odd-levels-only", "t"},
		{"org-todo-state-tags-triggers", `'(("B" ("old") ("new" . t)) (done ("x")))`},
		{"org-clock-into-drawer", "nil"},
		{"org-todo-keywords", `'("P" "Q")`},
	} {
		if err := Set(&s, v[0], v[1]); err != nil {
			t.Error(err)
		}
	}
	if got := slices.Concat(s.Todo.Names(false), s.Todo.Names(true)); !slices.Equal(got, []string{"P", "Q"}) {
		t.Errorf("keywords %v", got)
	}
	if s.LogDone != orgfile.LogNote || s.LogDrawer != "HISTORY" || s.TagsColumn != -40 || !s.OddLevels || s.ClockDrawer != "" || s.ArchiveLocation != "x.org::" {
		t.Errorf("settings %+v", s)
	}
	if len(s.Tags) != 4 || s.Tags[1] != (orgfile.TagOption{Name: "w", Key: 'w'}) || s.TagInheritance.Includes("h") || !s.TagInheritance.Includes("w") {
		t.Errorf("tags %+v, inheritance %+v", s.Tags, s.TagInheritance)
	}
	if want := []orgfile.TagTrigger{{State: "B", Tag: "old"}, {State: "B", Tag: "new", Add: true}, {State: "done", Kind: true, Tag: "x"}}; !slices.Equal(s.TagTriggers, want) {
		t.Errorf("triggers %+v", s.TagTriggers)
	}
	if err := Set(&s, "org-unheard-of", "t"); !errors.Is(err, ErrUnknown) {
		t.Errorf("error %v", err)
	}
	for name, value := range map[string]string{"org-tags-column": `"x"`, "org-log-done": "(", "org-todo-keywords": "(x)", "org-tag-alist": "((3))", "org-use-tag-inheritance": `"("`} {
		if err := Set(&s, name, value); err == nil {
			t.Errorf("%s = %s was taken", name, value)
		}
	}
}

// TestNames: each name is known, and none is missing that the source of the
// package knows.
func TestNames(t *testing.T) {
	src, err := os.ReadFile("orgvars.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range Names() {
		s := orgfile.DefaultSettings()
		if err := Set(&s, name, "nil"); errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, m := range regexp.MustCompile(`"(org-[a-z-]+)"`).FindAllStringSubmatch(string(src), -1) {
		if m[1] != "org-blocker-hook" && m[1] != "org-habit" && !slices.Contains(Names(), m[1]) {
			t.Errorf("%s is not in Names", m[1])
		}
	}
}
