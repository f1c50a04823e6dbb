package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// What is wrong stands before what is well, wherever it was among five hundred
// checks: first what failed, then what is doubtful.
func TestDoctorShowsProblemsFirst(t *testing.T) {
	runPanel(t, crowded(), func(r *testPanel) {
		r.queries.checks = nil
		for i := range 500 {
			r.queries.checks = append(r.queries.checks, status.Check{Name: fmt.Sprint("check.", i), Title: fmt.Sprint("check ", i), Result: status.CheckOK})
		}
		r.queries.checks = append(r.queries.checks,
			status.Check{Name: "doubt", Title: "The only doubt", Result: status.CheckWarn, Detail: "1.2 GB free"},
			status.Check{Name: "fault", Title: "The only fault", Result: status.CheckFail, Detail: "the folder is gone"})
		r.press("@Doctor")
		r.wait(time.Second)
		r.press("R")
		r.wait(time.Second)
		r.shows("The only fault", "The only doubt", "check 0")
		screen := r.screen()
		fault, doubt, well := strings.Index(screen, "The only fault"), strings.Index(screen, "The only doubt"), strings.Index(screen, "check 0")
		if fault > doubt || doubt > well {
			t.Errorf("what is wrong does not stand first:\n%s", screen)
		}
	})
}
