package orgedit

import (
	"testing"

	"github.com/lectern-mcp/lectern/tools/org/internal/orgfile"
)

// newLoggingDraft is a draft where CLOSED is written when a task is done.
func newLoggingDraft(t *testing.T, src string, change func(*orgfile.Settings)) *Draft {
	t.Helper()
	settings := orgfile.DefaultSettings()
	settings.LogDone = orgfile.LogTime
	change(&settings)
	d, err := NewDraft([]byte(src), "/x/t.org", settings, nil, Env{Now: testTime})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// When the keyword of a task is removed CLOSED goes with it, unless
// org-closed-keep-when-no-todo says otherwise; when it is open again CLOSED always goes.
func TestClosedWithoutKeyword(t *testing.T) {
	const src = "* DONE A\nCLOSED: [2026-01-06 Tue 09:00]\nbody\n"
	for _, c := range []struct {
		keep        bool
		state, want string
	}{
		{false, "", "* A\nbody\n"},
		{true, "", "* A\nCLOSED: [2026-01-06 Tue 09:00]\nbody\n"},
		{false, "TODO", "* TODO A\nbody\n"},
		{true, "TODO", "* TODO A\nbody\n"},
	} {
		d := newLoggingDraft(t, src, func(s *orgfile.Settings) { s.KeepClosedWithout = c.keep })
		if err := d.SetState(0, c.state, nil); err != nil {
			t.Fatal(err)
		}
		if d.Text() != c.want {
			t.Errorf("to %q, kept %v: %q, want %q", c.state, c.keep, d.Text(), c.want)
		}
	}
}

// LOGGING of one headline holds for it alone, whatever is changed after it in the same
// draft, and also if the change was refused.
func TestLoggingOfOneHeadline(t *testing.T) {
	const closed = "CLOSED: [2026-01-07 Wed 10:00]\n"
	for logging, first := range map[string]string{"nil": "", "logdone": closed, "nologdone": "", "TODO(!)": ""} {
		drawer := ":PROPERTIES:\n:LOGGING:  " + logging + "\n:END:\n"
		d := newLoggingDraft(t, "* TODO A\n"+drawer+"* TODO B\n", func(*orgfile.Settings) {})
		for i := range 2 {
			if err := d.SetState(i, "DONE", nil); err != nil {
				t.Fatal(err)
			}
		}
		if want := "* DONE A\n" + first + drawer + "* DONE B\n" + closed; d.Text() != want {
			t.Errorf("LOGGING %s: %q, want %q", logging, d.Text(), want)
		}
	}
	drawer := ":PROPERTIES:\n:LOGGING:  logdone\n:END:\n"
	d := newLoggingDraft(t, "* TODO A\n"+drawer+"** TODO child\n* TODO B\n", func(s *orgfile.Settings) {
		s.LogDone, s.EnforceDependency = orgfile.LogNothing, true
	})
	if err := d.SetState(0, "DONE", nil); err == nil {
		t.Fatal("a child that is open does not block")
	}
	for _, i := range []int{1, 0, 2} {
		if err := d.SetState(i, "DONE", nil); err != nil {
			t.Fatal(err)
		}
	}
	if want := "* DONE A\n" + closed + drawer + "** DONE child\n" + closed + "* DONE B\n"; d.Text() != want {
		t.Errorf("%q, want %q", d.Text(), want)
	}
}
