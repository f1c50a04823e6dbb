package bridgetest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// Dial says how to reach a bridge.
type Dial struct {
	URL    string       // http://127.0.0.1:PORT
	Client *http.Client // nil: one of its own
	Poll   bool         // use long polling instead of a WebSocket
	Origin string       // as a page would send it; empty: none
}

// A Closed says how a bridge ended a connection; Code is 1006 if it gave none.
type Closed struct {
	Code   int
	Reason string
}

// Error implements error.
func (c *Closed) Error() string { return fmt.Sprintf("closed with %d: %s", c.Code, c.Reason) }

// A Wire carries raw frames to and from a bridge and follows no protocol.
type Wire struct {
	frames        chan []byte
	closed        chan struct{} // closed when no more frames come
	reason        *Closed       // set before over is closed
	cancel        context.CancelFunc
	send          func(ctx context.Context, frame []byte) error
	closePolitely func()
}

// receiveBuffer is how many frames may wait for Receive before the Peer stops
// reading.
const receiveBuffer = 4096

// Open connects.
func (d Dial) Open(ctx context.Context) (*Wire, error) {
	if d.Client == nil {
		d.Client = &http.Client{Transport: &http.Transport{}}
	}
	w := &Wire{frames: make(chan []byte, receiveBuffer), closed: make(chan struct{})}
	if d.Poll {
		return w, d.openPoll(ctx, w)
	}
	return w, d.openSocket(ctx, w)
}

// Send sends one frame unchanged.
func (w *Wire) Send(frame []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), runtest.Timeout)
	defer cancel()
	return w.send(ctx, frame)
}

// Receive returns the next frame. Its error is a [Closed].
func (w *Wire) Receive(ctx context.Context) ([]byte, error) {
	select {
	case f := <-w.frames:
		return f, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-w.closed:
	}
	select {
	case f := <-w.frames:
		return f, nil
	default:
		return nil, w.reason
	}
}

// Close disconnects politely, Cut without a word.
func (w *Wire) Close() { w.closePolitely(); w.Cut() }

// Cut breaks the connection.
func (w *Wire) Cut() {
	w.cancel()
	<-w.closed
}

func (d Dial) openSocket(ctx context.Context, w *Wire) error {
	header := http.Header{}
	if d.Origin != "" {
		header.Set("Origin", d.Origin)
	}
	//nolint:bodyclose // the library has read and closed it
	ws, res, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(d.URL, "http")+"/plugin",
		&websocket.DialOptions{HTTPClient: d.Client, HTTPHeader: header})
	if err != nil {
		if res != nil {
			return &Closed{res.StatusCode, err.Error()}
		}
		return err
	}
	ws.SetReadLimit(64 << 20)
	life, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.closePolitely = func() { _ = ws.Close(websocket.StatusNormalClosure, "bye") } // it may be gone
	w.send = func(ctx context.Context, frame []byte) error { return ws.Write(ctx, websocket.MessageText, frame) }
	go func() {
		for {
			_, frame, err := ws.Read(life)
			if err != nil {
				w.reason = &Closed{1006, "cut"}
				if told, ok := errors.AsType[websocket.CloseError](err); ok {
					w.reason = &Closed{int(told.Code), told.Reason}
				}
				_ = ws.CloseNow() // it is closed
				close(w.closed)
				return
			}
			w.frames <- frame
		}
	}()
	return nil
}

// A poller is the Peer's end of long polling.
type poller struct {
	dial    Dial
	mu      sync.Mutex // frames go out in order
	session string
}

type pollAnswer struct {
	Session string            `json:"session"`
	Frames  []json.RawMessage `json:"frames"`
	Closed  *Closed           `json:"closed"`
}

func (d Dial) openPoll(ctx context.Context, w *Wire) error {
	p := &poller{dial: d}
	first, err := p.post(ctx, nil, 0, false)
	if err != nil {
		return err
	}
	p.session = first.Session
	life, cancel := context.WithCancel(context.Background())
	w.cancel = cancel
	w.closePolitely = func() { _, _ = p.post(context.Background(), nil, 0, true) } // it may be gone
	w.send = func(ctx context.Context, frame []byte) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		a, err := p.post(ctx, frame, 0, false)
		if err == nil {
			w.take(a)
		}
		return err
	}
	w.take(first)
	go func() {
		defer close(w.closed)
		for {
			a, err := p.post(life, nil, 25*time.Second, false)
			if err != nil {
				w.reason = &Closed{1006, "cut"}
				if closed, ok := errors.AsType[*Closed](err); ok {
					w.reason = closed
				}
				return
			}
			w.take(a)
			if a.Closed != nil {
				w.reason = a.Closed
				return
			}
		}
	}()
	return nil
}

func (w *Wire) take(a pollAnswer) {
	for _, f := range a.Frames {
		w.frames <- f
	}
}

func (p *poller) post(ctx context.Context, frame []byte, wait time.Duration, leave bool) (a pollAnswer, err error) {
	body := fmt.Appendf(nil, `{"session":%q,"wait_ms":%d,"close":%v,"send":[%s]}`, p.session, wait.Milliseconds(), leave, frame)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.dial.URL+"/plugin/poll", bytes.NewReader(body))
	if err != nil {
		return a, err
	}
	req.Header.Set("Content-Type", "application/json")
	if p.dial.Origin != "" {
		req.Header.Set("Origin", p.dial.Origin)
	}
	res, err := p.dial.Client.Do(req)
	if err != nil {
		return a, err
	}
	defer res.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return a, err
	case res.StatusCode != http.StatusOK && res.StatusCode != http.StatusGone:
		return a, &Closed{res.StatusCode, string(text)}
	}
	return a, json.Unmarshal(text, &a)
}
