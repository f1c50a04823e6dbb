package bridge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// A socket is a link over a WebSocket.
type socket struct {
	ws           *websocket.Conn
	readTimeout  time.Duration // for one frame to be complete
	writeTimeout time.Duration // for one frame to be taken
	limit        atomic.Int64
}

// serveSocket takes the WebSocket of a Peer.
func (b *Bridge) serveSocket(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !b.checkConnect(w, origin) {
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // welcome has looked at the origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		b.log.Info("no websocket", "part", "bridge", "err", err)
		return // Accept has answered
	}
	s := &socket{ws: ws, readTimeout: b.limits.ReadFrame, writeTimeout: b.limits.WriteFrame}
	if !b.registerLink(s) {
		s.close(codeTryLater, "too many connections are being greeted")
		return
	}
	b.serveLink(s, origin)
}

// checkConnect answers the connections that are not even greeted.
func (b *Bridge) checkConnect(w http.ResponseWriter, origin string) bool {
	switch {
	case !b.AllowsOrigin(origin):
		http.Error(w, "a page of this origin may not connect; approve it in Lectern", http.StatusForbidden)
	case !b.connectRate.allow(origin):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many connections in one second: wait before the next", http.StatusTooManyRequests)
	default:
		return true
	}
	return false
}

func (s *socket) transport() string { return transportWebSocket }

// setReadLimit sets the library's limit one higher, because it refuses a message that
// ends exactly there.
func (s *socket) setReadLimit(limit int) {
	s.limit.Store(int64(limit))
	s.ws.SetReadLimit(int64(limit) + 1)
}

// read waits for a message as long as it takes, and then for its end only a
// moment: who declares fifty megabytes and sends none must not hold us up.
func (s *socket) read() ([]byte, error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	kind, r, err := s.ws.Reader(ctx)
	if err != nil {
		return nil, err
	}
	if kind != websocket.MessageText {
		return nil, errFrameBinary
	}
	var slow atomic.Bool
	late := time.AfterFunc(s.readTimeout, func() { slow.Store(true); cancel() })
	defer late.Stop()
	text, err := io.ReadAll(r)
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig) || int64(len(text)) > s.limit.Load():
		return nil, errFrameTooLarge
	case slow.Load():
		return nil, errFrameTimeout
	}
	return text, err
}

func (s *socket) write(frame []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), s.writeTimeout)
	defer cancel()
	return s.ws.Write(ctx, websocket.MessageText, frame)
}

// close says goodbye, which the library bounds by five seconds for each
// direction. A code that cannot be sent means that the line is cut.
func (s *socket) close(code int, reason string) {
	if code < codeGoingAway && code != codeTooBig && code != codeTryLater {
		_ = s.ws.CloseNow() // what was to be said has been said
		return
	}
	_ = s.ws.Close(websocket.StatusCode(code), truncate(reason, maxReasonBytes)) // it may be gone
	_ = s.ws.CloseNow()
}
