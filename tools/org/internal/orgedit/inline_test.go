package orgedit

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// TestNoHeadlineBecomesAnInlineTask: what would go below the last level is refused.
func TestNoHeadlineBecomesAnInlineTask(t *testing.T) {
	settings := orgfile.DefaultSettings()
	settings.InlineTasks = 3
	for name, edit := range map[string]func(*Draft) error{
		"demote":          func(d *Draft) error { return d.Demote(1) },
		"demote above":    func(d *Draft) error { return d.Demote(0) },
		"refile":          func(d *Draft) error { return d.Refile(2, d, 1, nil) },
		"archive sibling": func(d *Draft) error { return d.ArchiveToSibling(1) },
		"add": func(d *Draft) error {
			_, err := d.AddEntry("* x\n", EntryPlace{Parent: 1, After: -1})
			return err
		},
		"add in a date tree": func(d *Draft) error {
			_, err := d.AddEntry("* x\n", EntryPlace{Parent: -1, After: -1, Day: testTime})
			return err
		},
		"capture": func(d *Draft) error {
			_, err := d.Capture(1, CaptureTemplate{Text: "* x"})
			return err
		},
		"capture of a deep one": func(d *Draft) error {
			_, err := d.Capture(0, CaptureTemplate{Text: "**** x"})
			return err
		},
	} {
		d, err := NewDraft([]byte("* A\n** B\n* C\n"), "/x/t.org", settings, nil, Env{Now: testTime, NewID: func() string { return "id" }})
		if err != nil {
			t.Fatal(err)
		}
		if err := edit(d); err == nil || !strings.Contains(err.Error(), "inline task") {
			t.Errorf("%s: %v\n%s", name, err, d.Text())
		}
	}
}
