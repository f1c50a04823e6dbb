package loopback

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// Handler serves c. It answers requests until their peers are gone; a server
// that shuts down ends them by closing their connections.
func Handler(c status.API) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+watchPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, _ struct{}) error {
			ch, err := c.Watch(r.Context())
			if err != nil {
				return err
			}
			return copyAll(out, ch, func(s status.Snapshot) message { return message{Snapshot: &s} })
		})
	})
	mux.HandleFunc("POST "+logsPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, q status.LogQuery) error {
			ch, err := c.Logs(r.Context(), q)
			if err != nil {
				return err
			}
			return copyAll(out, ch, func(l status.Line) message { return message{Line: &l} })
		})
	})
	mux.HandleFunc("POST "+previewPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(out *stream, a status.Action) error {
			plan, err := c.Preview(r.Context(), a)
			if err != nil {
				return err
			}
			return out.send(message{Plan: &plan})
		})
	})
	mux.HandleFunc("POST "+doPath, func(w http.ResponseWriter, r *http.Request) {
		serve(w, r, func(_ *stream, a status.Action) error { return c.Do(r.Context(), a) })
	})
	ledgerRoutes(mux, c)
	deskRoutes(mux, c)
	shelfRoutes(mux, c)
	return mux
}

// serve reads a request, has f answer it, and says how that went.
func serve[In any](w http.ResponseWriter, r *http.Request, f func(*stream, In) error) {
	out := &stream{w: w, control: http.NewResponseController(w)}
	var in In
	most := int64(maxRequest)
	if r.URL.Path == callPath {
		most = maxCall
	}
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, most))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&in); err != nil {
		out.fail(fmt.Errorf("read request: %w", err), http.StatusBadRequest)
		return
	}
	stop := out.keepAlive()
	defer stop()
	if err := f(out, in); err != nil {
		out.fail(err, http.StatusConflict)
		return
	}
	_ = out.send(message{Done: true}) // a peer that is gone does not want it
}

// errPeer says that the peer does not take what is sent.
var errPeer = errors.New("write answer")

// copyAll sends what comes from ch until it is closed.
func copyAll[T any](out *stream, ch <-chan T, wrap func(T) message) error {
	if err := out.write([]byte("\n")); err != nil { // the peer learns at once that it may read
		return err
	}
	for v := range ch {
		if err := out.send(wrap(v)); err != nil {
			return err
		}
	}
	return nil
}

// stream writes messages, and beats in between.
type stream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool // the status line is out
}

func (s *stream) send(m message) error {
	b, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return s.write(append(b, '\n'))
}

func (s *stream) write(b []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.writeLocked(b)
}

func (s *stream) writeLocked(b []byte) error {
	if !s.begun {
		s.w.Header().Set("Content-Type", "application/x-ndjson")
		s.begun = true
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(silence)) // where it cannot, writing waits
	if _, err := s.w.Write(b); err != nil {
		return errors.Join(errPeer, err)
	}
	if err := s.control.Flush(); err != nil {
		return errors.Join(errPeer, err)
	}
	return nil
}

// fail tells the peer of err, with code if nothing was said before.
func (s *stream) fail(err error, code int) {
	if errors.Is(err, errPeer) {
		return
	}
	m := message{Error: err.Error()}
	if refused, ok := errors.AsType[*status.CallError](err); ok {
		m = message{Refused: refused}
	}
	b, encErr := json.Marshal(m)
	if encErr != nil {
		return // cannot be: a string has a JSON form
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.w.Header().Set("Content-Type", "application/x-ndjson")
		s.w.WriteHeader(code)
		s.begun = true
	}
	_ = s.writeLocked(append(b, '\n')) // a peer that is gone does not want it
}

// keepAlive beats until stop is called, or the peer takes no more. Then net/http
// ends the context of the request.
func (s *stream) keepAlive() (stop func()) {
	quit := make(chan struct{})
	var beating sync.WaitGroup
	beating.Go(func() {
		tick := time.NewTicker(beat)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				if !s.mu.TryLock() {
					continue // something is being written, which is as good
				}
				err := s.writeLocked([]byte("\n"))
				s.mu.Unlock()
				if err != nil {
					return
				}
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		beating.Wait()
	}
}
