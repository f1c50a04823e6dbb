package update

import (
	"cmp"
	"context"
	"time"
)

// noticeInterval is the time between two checks for a new version.
const noticeInterval = 24 * time.Hour

// Notice returns the version that this process could be updated to, or "". It
// goes online at most once a day, even after a failure. Because no person asked
// for it, failures are silent and no program is started.
func (u *Updater) Notice(ctx context.Context) string {
	if len(u.keys) == 0 {
		return ""
	}
	seen, now := u.known.read(), u.Now()
	// A clock that was set back must not silence this for years.
	if age := now.Sub(seen.Checked); age >= noticeInterval || age < 0 {
		if err := u.known.update(func(s *Seen) { s.Checked = now }); err != nil {
			return ""
		}
		r, err := u.fetchRelease(ctx, u.Pin)
		if err != nil || u.recordRelease(r) != nil {
			return ""
		}
	}
	return u.Offer()
}

// Offer is the version that this process could be updated to, as far as earlier
// checks found; empty: none.
func (u *Updater) Offer() string {
	wanted := cmp.Or(u.Pin, u.known.read().Available)
	if wanted == "" || !isOlder(u.Version, wanted) {
		return ""
	}
	return wanted
}
