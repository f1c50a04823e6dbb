package orgvars_test

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
	"github.com/lectern-mcp/lectern/tools/org/internal/orgvars"
)

// A variable that changes what Emacs writes is followed, or refused by name.
func TestOtherValues(t *testing.T) {
	for _, c := range []struct {
		name, value string
		ok          bool
	}{
		{"org-clock-rounding-minutes", "0", true},
		{"org-clock-rounding-minutes", "5", false},
		{"org-clock-in-hook", "(my-hook)", false},
		{"org-archive-tag", `"ARCHIVE"`, true},
		{"org-log-note-headings", `((done . "DONE %t"))`, false},
		{"org-clock-out-when-done", `("DONE")`, false},
		{"org-provide-todo-statistics", "all-headlines", false},
		{"org-provide-todo-statistics", "nil", true},
		{"org-property-format", `"%-20s %s"`, true},
		{"org-property-format", `"%s"`, false},
		{"org-property-format", `"%-99999s %s"`, false},
		{"org-property-format", `"%d %s"`, false},
	} {
		s := orgfile.DefaultSettings()
		if err := orgvars.Set(&s, c.name, c.value); (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), c.name) {
			t.Errorf("%s = %s: %v", c.name, c.value, err)
		}
	}
}
