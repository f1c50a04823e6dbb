package update

import (
	"context"
	"fmt"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// noticeEvery is how often the network is asked for a new version.
const noticeEvery = 24 * time.Hour

// ProblemAvailable is the code of a newer release, for the panel.
const ProblemAvailable = "update.available"

// Notice returns what to tell a person about a newer version; false: nothing.
// It asks the network at most once a day, whatever the answer, and a failure
// is silent: nobody asked.
func (u *Updater) Notice(ctx context.Context) (status.Problem, bool) {
	if len(u.keys) == 0 {
		return status.Problem{}, false
	}
	seen, now := u.memory.read(), u.Now()
	// A clock that was set back must not silence this for years.
	if age := now.Sub(seen.Checked); age >= noticeEvery || age < 0 {
		if err := u.memory.change(func(s *Seen) { s.Checked = now }); err != nil {
			return status.Problem{}, false
		}
		if _, err := u.Check(ctx); err != nil {
			return status.Problem{}, false
		}
		seen = u.memory.read()
	}
	wanted := seen.Available
	if u.Pin != "" {
		wanted = u.Pin
	}
	if wanted == "" || !older(u.Version, wanted) {
		return status.Problem{}, false
	}
	return status.Problem{
		Code: ProblemAvailable, Part: "hub", Severity: status.Notice, Since: now,
		Title: fmt.Sprintf("lectern %s is available, this is %s", wanted, u.Version),
		Fix:   "Run: lectern self-update",
	}, true
}
