package bridge

import (
	"sync"
	"time"
)

// A connectRateLimit limits how often one origin may connect, so that a plugin
// that reconnects without pause does not keep us busy.
type connectRateLimit struct {
	perSecond int // connections of one origin
	now       func() time.Time
	mu        sync.Mutex
	windows   map[string]rateWindow
}

type rateWindow struct {
	start time.Time
	count int
}

// maxRateWindows bounds how many origins are counted separately; beyond that,
// counting starts again.
const maxRateWindows = 64

func newConnectRateLimit(each int, now func() time.Time) *connectRateLimit {
	return &connectRateLimit{perSecond: each, now: now, windows: map[string]rateWindow{}}
}

// allow counts a connection and reports whether it is within the limit.
func (s *connectRateLimit) allow(origin string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	w, ok := s.windows[origin]
	if age := now.Sub(w.start); !ok || age < 0 || age >= time.Second {
		if len(s.windows) >= maxRateWindows {
			clear(s.windows)
		}
		w = rateWindow{start: now}
	}
	w.count++
	s.windows[origin] = w
	return w.count <= s.perSecond
}
