package loopnet

import (
	"net/http"
	"sync"
	"time"
)

// stalled knows the answers that are being written at present, and so those
// that nobody reads. When there is no room for a new request, the oldest of
// them gives way rather than the newcomer.
type stalled struct {
	mu      sync.Mutex
	writing map[*pacedWriter]struct{}
}

func (s *stalled) enter(w *pacedWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writing[w] = struct{}{}
}

func (s *stalled) leave(w *pacedWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.writing, w)
}

// cutOldest ends the answer that has been at one piece for longest, if that is
// at least after. A nil s has none.
func (s *stalled) cutOldest(after time.Duration) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var victim *pacedWriter
	oldest := time.Now().Add(-after)
	for w := range s.writing {
		if since, ok := w.stalledSince(); ok && !since.After(oldest) {
			victim, oldest = w, since
		}
	}
	if victim != nil {
		victim.cutOff()
	}
}

func (w *pacedWriter) stalledSince() (since time.Time, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.since, !w.cut && !w.hijacked
}

// cutOff makes the write that hangs, and all after it, fail now.
func (w *pacedWriter) cutOff() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	_ = w.conn.SetWriteDeadline(time.Unix(1, 0))
}

// stalledOf finds the server's record from one of its writers, however wrapped.
func stalledOf(w http.ResponseWriter) *stalled {
	for {
		switch t := w.(type) {
		case *pacedWriter:
			return t.stalled
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return nil
		}
	}
}
