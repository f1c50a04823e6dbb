package bridge

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// A pollRequest is the body of one POST. An empty session opens a new one.
type pollRequest struct {
	Session string            `json:"session"`
	Send    []json.RawMessage `json:"send"`
	Wait    int64             `json:"wait_ms"` // how long to wait for a frame; 0: do not wait
	Close   bool              `json:"close"`   // the Peer disconnects
}

// A pollAnswer has the frames that waited, or arrived within the wait. Closed
// means that the session has ended and the Peer must connect again.
type pollAnswer struct {
	Session string            `json:"session,omitempty"` // of a new session
	Frames  []json.RawMessage `json:"frames"`
	Closed  *pollClosed       `json:"closed,omitempty"`
}

type pollClosed struct {
	Code   int    `json:"code"`
	Reason string `json:"reason"`
}

// Limits of one poll.
const (
	maxPollWait   = 30 * time.Second
	challengeWait = time.Second // for the challenge, which is sent at once
	maxSentFrames = 256         // frames in one body
)

// closedSessionTTL is how long a closed session is kept, so that its Peer can read
// the reason.
const closedSessionTTL = 30 * time.Second

// pollSessions are the sessions of Peers that use long polling.
type pollSessions struct {
	bridge   *Bridge
	mu       sync.Mutex
	sessions map[string]*pollLink
}

func newPollSessions(b *Bridge) *pollSessions {
	return &pollSessions{bridge: b, sessions: map[string]*pollLink{}}
}

// servePoll is the transport for hosts that block WebSockets to the loopback
// interface: the same frames, in the bodies of POST requests.
func (b *Bridge) servePoll(w http.ResponseWriter, r *http.Request) {
	req, err := readPoll(w, r, b.maxPollBody())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	var a pollAnswer
	p := b.pollSessions.find(req.Session)
	switch {
	case req.Session == "":
		origin := r.Header.Get("Origin")
		if !b.checkConnect(w, origin) {
			return
		}
		if p = b.pollSessions.start(origin); p == nil {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many connections in the handshake: wait before the next", http.StatusServiceUnavailable)
			return
		}
		a.Session = p.session
		req.Wait = max(req.Wait, challengeWait.Milliseconds())
	case p == nil:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusGone)
		_, _ = io.WriteString(w, `{"frames":[],"closed":{"code":4000,"reason":"no such session: connect again"}}`)
		return
	}
	for _, frame := range req.Send {
		if !p.deliver(r.Context(), frame) {
			break
		}
	}
	if req.Close {
		p.closeByPeer()
	}
	a.Frames, a.Closed = p.collect(r.Context(), min(time.Duration(req.Wait)*time.Millisecond, maxPollWait))
	if a.Closed != nil {
		b.pollSessions.remove(p)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(a) // the client may be gone
}

func readPoll(w http.ResponseWriter, r *http.Request, limit int64) (pollRequest, error) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if err != nil {
		return pollRequest{}, errors.New("read body: it is larger than allowed or was cut")
	}
	var req pollRequest
	if err := json.Unmarshal(text, &req); err != nil {
		return pollRequest{}, errors.New(`read body: it is not {"session":"...","send":[...],"wait_ms":...}`)
	}
	if len(req.Send) > maxSentFrames {
		return pollRequest{}, errors.New("read body: send has too many frames")
	}
	return req, nil
}

func (s *pollSessions) find(session string) *pollLink {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sessions[session]
}

// start opens a session and runs its handshake in the background; nil if there
// are too many.
func (s *pollSessions) start(origin string) *pollLink {
	p := newPollLink(s)
	if !s.bridge.registerLink(p) {
		return nil
	}
	s.mu.Lock()
	s.sessions[p.session] = p
	s.mu.Unlock()
	go s.bridge.serveLink(p, origin)
	return p
}

func (s *pollSessions) remove(p *pollLink) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sessions[p.session] == p {
		delete(s.sessions, p.session)
	}
}

func (s *pollSessions) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.sessions)
}
