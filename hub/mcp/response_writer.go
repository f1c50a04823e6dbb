package mcp

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// A responseWriter writes the response to one POST: as JSON if nothing comes
// before it, or as the last event of a stream that the first notification
// began. Notifications and the response pass one outbox, as on a stream.
type responseWriter struct {
	http.ResponseWriter
	queue int // bytes of unread events

	mu     sync.Mutex
	events *outbox // nil: no notification yet
	closed bool
}

// openEventStream turns the response into an event stream; nil if it is closed.
func (w *responseWriter) openEventStream() *outbox {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	if w.events == nil {
		beginEvents(w.ResponseWriter)
		w.events = newOutbox(w.queue, w.writeEvents, nil)
	}
	return w.events
}

// notify queues a notification. It never blocks.
func (w *responseWriter) notify(frame []byte) {
	if events := w.openEventStream(); events != nil {
		events.notify(frame)
	}
}

// sendRequest queues a request to the client.
func (w *responseWriter) sendRequest(ctx context.Context, frame []byte) error {
	if events := w.openEventStream(); events != nil {
		return events.respond(ctx, frame)
	}
	return errOutboxClosed
}

// writeEvents is called only by the outbox's goroutine.
func (w *responseWriter) writeEvents(batch [][]byte) error {
	for _, frame := range batch {
		if err := writeEvent(w.ResponseWriter, frame); err != nil {
			return err
		}
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// respond writes the response and waits until everything is written, which the
// server's write deadline bounds.
func (w *responseWriter) respond(ctx context.Context, status int, frame []byte) {
	w.mu.Lock()
	w.closed = true
	events := w.events
	w.mu.Unlock()
	switch {
	case events != nil:
		if frame != nil {
			_ = events.respond(ctx, frame) // a client that has left needs no response
		}
		<-events.close()
	case frame == nil:
		w.WriteHeader(http.StatusAccepted)
	default:
		writeJSON(w.ResponseWriter, status, frame)
	}
}

func writeJSON(w http.ResponseWriter, status int, frame []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(frame, '\n')) //nolint:gosec // it is JSON, and says so; a client that has left needs no response
}

func beginEvents(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
}

func writeEvent(w http.ResponseWriter, frame []byte) error {
	if _, err := fmt.Fprintf(w, "event: message\ndata: %s\n\n", frame); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	return nil
}
