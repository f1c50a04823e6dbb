package bridge

import (
	"sync"
	"time"
)

// A connectRateLimit bounds how often one origin may connect: a plugin that reconnects
// without pause must not keep us busy.
type connectRateLimit struct {
	perSecond int // in one second
	now       func() time.Time
	mu        sync.Mutex
	windows   map[string]rateWindow
}

type rateWindow struct {
	start time.Time
	count int
}

// maxRateWindows bounds how many origins are counted apart; when there are more,
// counting starts anew.
const maxRateWindows = 64

func newConnectRateLimit(each int, now func() time.Time) *connectRateLimit {
	return &connectRateLimit{perSecond: each, now: now, windows: map[string]rateWindow{}}
}

// allow counts a connection and tells whether it may be made now.
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
