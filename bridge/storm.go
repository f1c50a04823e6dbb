package bridge

import (
	"sync"
	"time"
)

// A storm bounds how often one origin may connect: a plugin that reconnects
// without pause must not keep us busy.
type storm struct {
	each int // in one second
	now  func() time.Time
	mu   sync.Mutex
	seen map[string]window
}

type window struct {
	start time.Time
	count int
}

// mostWindows bounds how many origins are counted apart; when there are more,
// counting starts anew.
const mostWindows = 64

func newStorm(each int, now func() time.Time) *storm {
	return &storm{each: each, now: now, seen: map[string]window{}}
}

// allows counts a connection and tells whether it may be made now.
func (s *storm) allows(origin string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	w, ok := s.seen[origin]
	if age := now.Sub(w.start); !ok || age < 0 || age >= time.Second {
		if len(s.seen) >= mostWindows {
			clear(s.seen)
		}
		w = window{start: now}
	}
	w.count++
	s.seen[origin] = w
	return w.count <= s.each
}
