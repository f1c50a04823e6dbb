package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// A reply is the response to one POST. It mends two things that mcp-go's
// transport gets wrong and leaves no other way to reach:
//
// It drops or reorders the last notifications of a call, and sends those of
// one call down the stream of another. Notifications of a call are written
// here instead, by the call itself, through the same outbox as on a stream:
// the first turns the response into an event stream, in which the answer comes
// last.
//
// It makes every error of a handler a -32603; the exchange knows better.
type reply struct {
	http.ResponseWriter
	exchange *exchange
	limits   Limits

	mu     sync.Mutex
	events *outbox // nil: no notification yet, the response is plain JSON
	begun  bool    // the header is out
}

func newReply(w http.ResponseWriter, limits Limits) *reply {
	return &reply{ResponseWriter: w, limits: limits}
}

// notify queues a notification of the call. It never blocks.
func (r *reply) notify(frame []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events == nil {
		if r.begun {
			return // mcp-go has answered, or streams by itself
		}
		r.begun = true
		h := r.ResponseWriter.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-cache")
		r.ResponseWriter.WriteHeader(http.StatusOK)
		r.events = newOutbox(r.limits.Queue, r.writeEvents, nil)
	}
	r.events.notify(frame)
}

// writeEvents is called by the outbox's goroutine alone.
func (r *reply) writeEvents(batch [][]byte) error {
	for _, frame := range batch {
		if _, err := fmt.Fprintf(r.ResponseWriter, "event: message\ndata: %s\n\n", frame); err != nil {
			return fmt.Errorf("write event: %w", err)
		}
	}
	return http.NewResponseController(r.ResponseWriter).Flush()
}

// WriteHeader implements http.ResponseWriter.
func (r *reply) WriteHeader(code int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.begun {
		return
	}
	r.begun = true
	if status := r.mended(); code == http.StatusOK && status != 0 {
		code = status
	}
	r.ResponseWriter.WriteHeader(code)
}

// mended is the status that the modern era wants for an error whose code is
// mended, or 0.
func (r *reply) mended() int {
	if code, _ := r.exchange.mends(mcp.INTERNAL_ERROR); code == mcp.INTERNAL_ERROR || !r.exchange.isModern() {
		return 0
	}
	return http.StatusBadRequest
}

// Write implements http.ResponseWriter. mcp-go writes either the answer, which
// is one JSON object, or an event of its own.
func (r *reply) Write(p []byte) (int, error) {
	mended := r.mend(p)
	r.mu.Lock()
	events := r.events
	r.mu.Unlock()
	if events == nil {
		if _, err := r.ResponseWriter.Write(mended); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	data, isEvent := bytes.CutPrefix(bytes.TrimSpace(mended), []byte("event: message\ndata: "))
	if !isEvent && (len(data) == 0 || data[0] != '{') {
		return len(p), nil
	}
	if err := events.answer(context.Background(), bytes.Clone(data)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// mend puts an error's code right and adds its data.
func (r *reply) mend(p []byte) []byte {
	head := []byte(`"error":{"code":`) // unlike in a string, where quotes are escaped
	before, after, found := bytes.Cut(p, head)
	end := bytes.IndexByte(after, ',')
	if !found || end < 0 {
		return p
	}
	code, err := strconv.Atoi(string(after[:end]))
	if err != nil {
		return p
	}
	right, data := r.exchange.mends(code)
	out := strconv.AppendInt(slices.Concat(before, head), int64(right), 10)
	if data != nil {
		if b, err := json.Marshal(data); err == nil {
			out = slices.Concat(out, []byte(`,"data":`), b)
		}
	}
	return r.exchange.shortened(append(out, after[end:]...))
}

// Flush implements http.Flusher.
func (r *reply) Flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.events == nil { // the outbox flushes by itself
		_ = http.NewResponseController(r.ResponseWriter).Flush()
	}
}

// Unwrap serves http.ResponseController.
func (r *reply) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// close waits until everything is written: after it the response must not be
// touched. Writing ends at the latest with the server's write deadline.
func (r *reply) close() {
	r.mu.Lock()
	events := r.events
	r.begun = true
	r.mu.Unlock()
	if events != nil {
		<-events.close()
	}
}
