package hub

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/status"
)

// open counts the sessions of the legacy era.
func (w *web) open() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.legacy)
}

// quietFor is how long a session must have been quiet to make way for a new
// one when there are as many as may be: clients that crash do not say goodbye.
const quietFor = 5 * time.Minute

// evict ends the session that was quiet for longest, if that was long enough.
func (w *web) evict() bool {
	var id string
	var oldest *session
	w.mu.Lock()
	for i, s := range w.legacy {
		if oldest == nil || s.idleSince().Before(oldest.idleSince()) {
			id, oldest = i, s
		}
	}
	w.mu.Unlock()
	if oldest == nil || w.hub.now().Sub(oldest.idleSince()) < quietFor {
		return false
	}
	w.hub.mu.RLock()
	sf := w.hub.surfaces[oldest.scope]
	w.hub.mu.RUnlock()
	r, err := http.NewRequestWithContext(w.hub.life, http.MethodDelete, "/mcp", http.NoBody)
	if sf == nil || err != nil {
		return false
	}
	r.Header.Set(server.HeaderKeySessionID, id)
	w.server(sf).ServeHTTP(unheard{}, r) // mcp-go forgets a session in no other way
	return true
}

// unheard is the reply to a request that nobody sent.
type unheard struct{}

func (unheard) Header() http.Header         { return http.Header{} }
func (unheard) Write(p []byte) (int, error) { return len(p), nil }
func (unheard) WriteHeader(int)             {}

// known finds a session; it must be used in the scope it was opened for, with
// the token that opened it.
func (w *web) known(id, scope, proven string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.legacy[id]
	if s == nil || s.scope != scope || s.proven != proven {
		return nil
	}
	return s
}

// sessionOf is the session that a POST belongs to. A modern client has none;
// it is known by what it calls itself.
func (w *web) sessionOf(sf *surface, r *http.Request, body []byte) *session {
	proven := w.hub.verifyClient(r)
	if s := w.known(r.Header.Get(server.HeaderKeySessionID), sf.scope, proven); s != nil {
		s.seen(w.hub.now())
		return s
	}
	client, isModern := modernClient(body)
	if !isModern {
		s := w.hub.newSession(status.HTTP, sf.scope, 0) // initialize, or a request that mcp-go refuses
		s.proven = proven
		return s
	}
	w.mu.Lock()
	key := strings.Join([]string{sf.scope, proven, client.Name, client.Version}, "\x00")
	s := w.modern[key]
	var former *session
	if s == nil {
		s = w.hub.newSession(status.HTTP, sf.scope, 0)
		s.client, s.proven, s.shared = client, proven, true
		former = w.makeRoom()
		w.modern[key] = s
		defer w.hub.join(s)
	}
	w.mu.Unlock()
	if former != nil {
		w.hub.leave(former)
	}
	s.seen(w.hub.now())
	return s
}

// makeRoom forgets the modern client that was quiet for longest when there are
// as many as may be. It is called with mu held.
func (w *web) makeRoom() *session {
	if len(w.modern) < w.hub.limits.Sessions {
		return nil
	}
	var oldest string
	for key, s := range w.modern {
		if oldest == "" || s.idleSince().Before(w.modern[oldest].idleSince()) {
			oldest = key
		}
	}
	s := w.modern[oldest]
	delete(w.modern, oldest)
	return s
}

// sweep forgets modern clients that have been quiet for the idle time.
func (w *web) sweep() {
	var quiet []*session
	w.mu.Lock()
	for key, s := range w.modern {
		if w.hub.now().Sub(s.idleSince()) >= w.hub.limits.Idle {
			delete(w.modern, key)
			quiet = append(quiet, s)
		}
	}
	w.mu.Unlock()
	for _, s := range quiet {
		w.hub.leave(s)
	}
}

// hook learns of sessions once mcp-go has admitted them.
func (w *web) hook(hooks *server.Hooks, _ *surface) {
	hooks.AddOnRegisterSession(func(_ context.Context, c server.ClientSession) {
		s := w.legacySession(c.SessionID())
		if s == nil {
			return
		}
		if info, ok := c.(server.SessionWithClientInfo); ok {
			s.introduces(info.GetClientInfo())
		}
		if v, ok := c.(server.SessionWithProtocolVersion); ok {
			s.speaks(v.ProtocolVersion())
		}
		w.hub.join(s)
	})
	hooks.AddOnUnregisterSession(func(_ context.Context, c server.ClientSession) {
		if s := w.legacySession(c.SessionID()); s != nil {
			w.remove(c.SessionID())
		}
	})
}

func (w *web) legacySession(id string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.legacy[id]
}

func (w *web) remove(id string) {
	w.mu.Lock()
	s := w.legacy[id]
	delete(w.legacy, id)
	w.mu.Unlock()
	if s != nil {
		w.hub.leave(s)
	}
}

// sessionIDs is mcp-go's view of our sessions.
type sessionIDs struct {
	web     *web
	surface *surface
}

const sessionIDPrefix = "lectern-"

// Generate makes a session of 128 random bits.
func (i sessionIDs) Generate() string {
	id := sessionIDPrefix + rand.Text()
	s := i.web.hub.newSession(status.HTTP, i.surface.scope, 0)
	i.web.mu.Lock()
	defer i.web.mu.Unlock()
	s.proven = i.web.opener
	i.web.legacy[id] = s
	return id
}

// Validate knows open sessions alone: one that was ended is as unknown as one
// that never was, and mcp-go answers both 404.
func (i sessionIDs) Validate(id string) (isTerminated bool, err error) {
	if s := i.web.legacySession(id); s == nil || s.scope != i.surface.scope {
		return false, errors.New("no such session")
	}
	return false, nil
}

// Terminate ends a session.
func (i sessionIDs) Terminate(id string) (isNotAllowed bool, err error) {
	i.web.remove(id)
	return false, nil
}

// modernClient says what the client of a modern request calls itself.
func modernClient(body []byte) (mcp.Implementation, bool) {
	meta := metaOf(body)
	if !mcp.IsModernProtocol(meta.ProtocolVersion()) {
		return mcp.Implementation{}, false
	}
	if c := meta.ClientInfo(); c != nil {
		return *c, true
	}
	return mcp.Implementation{}, true
}
