package loopback

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// Handler serves c. It answers requests until their peers are gone; a server
// that shuts down ends them by closing their connections.
func Handler(c status.Client) http.Handler {
	queries := status.QueryHandlers{}
	status.HandleStream(queries, watchQuery, func(ctx context.Context, _ struct{}) (<-chan status.Snapshot, error) { return c.Watch(ctx) })
	status.HandleQuery(queries, previewQuery, c.Preview)
	status.HandleQuery(queries, doQuery, func(ctx context.Context, a status.Action) (struct{}, error) { return struct{}{}, c.Do(ctx, a) })
	router := status.Router{Client: c, Queries: queries}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+pathPrefix+"{query}", func(w http.ResponseWriter, r *http.Request) {
		out := &stream{w: w, control: http.NewResponseController(w)}
		input, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
		if err != nil {
			out.fail(fmt.Errorf("read request: %w", err))
			return
		}
		stop := out.keepAlive()
		defer stop()
		if err := out.answer(r.Context(), router, status.Request{Query: r.PathValue("query"), Input: input}); err != nil {
			out.fail(err)
		}
	})
	return mux
}

// errPeer is for a peer that does not take what is sent.
var errPeer = errors.New("write answer")

// answer sends the answers of c to req.
func (s *stream) answer(ctx context.Context, c status.Client, req status.Request) error {
	responses, err := c.Query(ctx, req)
	if err != nil {
		return err
	}
	if err := s.write([]byte("\n")); err != nil { // the peer learns at once that it may read
		return err
	}
	for r := range responses {
		if r.Err != nil {
			return r.Err
		}
		if err := s.send(message{Value: r.Value}); err != nil {
			return err
		}
	}
	return s.send(message{Done: true})
}

// stream writes messages, and beats in between.
type stream struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool // the status line is out
}

func (s *stream) send(m message) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	return s.write(b.Bytes())
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

// fail sends err to the peer, as the status of the response if that is still open.
func (s *stream) fail(err error) {
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
		s.w.WriteHeader(http.StatusConflict)
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
