package update

import (
	"cmp"
	"context"
	"time"
)

// noticeInterval is how often the network is asked for a new version.
const noticeInterval = 24 * time.Hour

// Notice returns the version that this process could be updated to, or "". It
// asks the network at most once a day, whatever the answer, and a failure is
// silent: nobody asked. For the same reason it starts no program.
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

// Offer is the version that this process could be updated to, by what is known
// already; empty: none is known.
func (u *Updater) Offer() string {
	wanted := cmp.Or(u.Pin, u.known.read().Available)
	if wanted == "" || !isOlder(u.Version, wanted) {
		return ""
	}
	return wanted
}
