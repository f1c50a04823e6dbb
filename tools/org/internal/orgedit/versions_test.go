package orgedit

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// Where Org's versions differ, the default is what Org main does.
func TestVersions(t *testing.T) {
	for name, c := range map[string]struct {
		src        string
		edit       func(d *Draft) error
		main, org9 string
	}{
		"blank lines of date trees": {
			"* A\n#+x\n", func(d *Draft) error {
				return d.Archive(0, d, false, ArchivePlace{Heading: "datetree/"}, "/x/t.org")
			},
			"* 2026\n** 2026-01 January\n*** 2026-01-07 Wednesday\n**** A\n", "* 2026\n\n** 2026-01 January\n\n*** 2026-01-07 Wednesday\n**** A\n",
		},
		"a record at an unterminated last line": {
			"* A\n* B", func(d *Draft) error { d.AddNote(1, "why"); return nil },
			"* A\n* B\n- Note taken on [2026-01-07 Wed 10:00] \\\\\n  why", "* A\n- Note taken on [2026-01-07 Wed 10:00] \\\\\n  why\n* B",
		},
		"a month without that day": {
			"* TODO A\n<2025-01-31 Fri +1m>\n", func(d *Draft) error { return d.SetState(0, "DONE", nil) },
			"<2025-02-28 Fri +1m>", "<2025-03-03 Mon +1m>",
		},
	} {
		for quirks, want := range map[orgfile.Quirks]string{orgfile.OrgMain: c.main, orgfile.Org95: c.org9} {
			settings := orgfile.DefaultSettings()
			settings.Quirks = quirks
			d, err := NewDraft([]byte(c.src), "/x/t.org", settings, nil, Env{Now: testTime})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.edit(d); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if !strings.Contains(d.Text(), want) {
				t.Errorf("%s, Org %q: %q, want %q in it", name, quirks, d.Text(), want)
			}
		}
	}
}

// An edit that is refused leaves the text as it was.
func TestRefusedEdits(t *testing.T) {
	settings := orgfile.DefaultSettings()
	settings.EnforceDependency, settings.EnforceCheckboxes = true, true
	src := "* TODO COMMENT A\n:PROPERTIES:\n:ORDERED: t\n:END:\n- [ ] one\n- [ ] two\n** TODO B\n"
	for name, edit := range map[string]func(d *Draft) error{
		"unknown state":        func(d *Draft) error { return d.SetState(0, "WHAT", nil) },
		"open child":           func(d *Draft) error { return d.SetState(0, "DONE", nil) },
		"into itself":          func(d *Draft) error { return d.Refile(0, d, 1, nil) },
		"above the top":        func(d *Draft) error { return d.Promote(0) },
		"order of boxes":       func(d *Draft) error { return d.ToggleCheckbox(6) },
		"no box":               func(d *Draft) error { return d.ToggleCheckbox(1) },
		"no date":              func(d *Draft) error { return d.Schedule(1, "someday", nil) },
		"a line break":         func(d *Draft) error { return d.EditHeadline(1, "a\nb") },
		"property of lines":    func(d *Draft) error { return d.SetProperty(1, "K", "a\nb", nil) },
		"property with blanks": func(d *Draft) error { return d.SetProperty(1, "K L", "a", nil) },
		"computed property":    func(d *Draft) error { return d.SetProperty(1, "TAGS", "a", nil) },
		"tag with blanks":      func(d *Draft) error { return d.SetTags(1, []string{"a b"}) },
		"priority":             func(d *Draft) error { return d.SetPriority(1, "Z") },
		"no clock":             func(d *Draft) error { return d.ClockOut() },
		"template":             func(d *Draft) error { _, err := d.Capture(0, CaptureTemplate{Type: "plain", Text: "x"}); return err },
		"entry without stars":  func(d *Draft) error { _, err := d.Capture(0, CaptureTemplate{Text: "x"}); return err },
	} {
		d, err := NewDraft([]byte(src), "/x/t.org", settings, nil, Env{Now: testTime})
		if err != nil {
			t.Fatal(err)
		}
		err = edit(d)
		if err == nil || len(err.Error()) < 10 {
			t.Errorf("%s: error %v", name, err)
		}
		if edits := d.Edits(); len(edits) > 0 {
			t.Errorf("%s: %s", name, describeEdits(edits))
		}
	}
}
