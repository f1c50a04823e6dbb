package bridge

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// A socket is a link over a WebSocket.
type socket struct {
	ws           *websocket.Conn
	readTimeout  time.Duration // from a frame's first byte to its last
	writeTimeout time.Duration // for the Peer to receive one frame
	limit        atomic.Int64
}

// serveSocket accepts the WebSocket of a Peer.
func (b *Bridge) serveSocket(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if !b.checkConnect(w, origin) {
		return
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // checkConnect has checked the origin
		CompressionMode:    websocket.CompressionDisabled,
	})
	if err != nil {
		b.log.Info("no websocket", "component", "bridge", "err", err)
		return // Accept has answered
	}
	s := &socket{ws: ws, readTimeout: b.limits.ReadFrame, writeTimeout: b.limits.WriteFrame}
	if !b.registerLink(s) {
		s.close(codeTryLater, "too many connections in the handshake")
		return
	}
	b.serveLink(s, origin)
}

// checkConnect refuses connections that do not even get a handshake.
func (b *Bridge) checkConnect(w http.ResponseWriter, origin string) bool {
	switch {
	case !b.AllowsOrigin(origin):
		http.Error(w, "pages of this origin may not connect; approve the origin in Lectern", http.StatusForbidden)
	case !b.connectRate.allow(origin):
		w.Header().Set("Retry-After", "1")
		http.Error(w, "too many connections in one second: wait before the next", http.StatusTooManyRequests)
	default:
		return true
	}
	return false
}

func (s *socket) transport() string { return transportWebSocket }

// setReadLimit sets the library's limit one higher, because the library
// refuses a message of exactly its limit.
func (s *socket) setReadLimit(limit int) {
	s.limit.Store(int64(limit))
	s.ws.SetReadLimit(int64(limit) + 1)
}

// read waits without limit for a message to begin, and for readTimeout for it
// to end: a Peer that declares fifty megabytes and sends none must not hold us
// up.
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
	timeout := time.AfterFunc(s.readTimeout, func() { slow.Store(true); cancel() })
	defer timeout.Stop()
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

// close performs the closing handshake, which the library limits to five
// seconds in each direction. A code that cannot be sent means that the
// connection was cut.
func (s *socket) close(code int, reason string) {
	if code < codeGoingAway && code != codeTooBig && code != codeTryLater {
		_ = s.ws.CloseNow() // there is nothing to tell the Peer
		return
	}
	_ = s.ws.Close(websocket.StatusCode(code), safetext.Truncate(reason, maxReasonBytes)) // the Peer may be gone
	_ = s.ws.CloseNow()
}
