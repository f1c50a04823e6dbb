package hub

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// pingEvery keeps a session whose client only listens from going idle.
const pingEvery = 10 * time.Minute

// web serves MCP over HTTP, both eras on one endpoint, with mcp-go's
// streamable HTTP behind checks of our own: bounds, strict messages, and
// sessions that are known before mcp-go makes room for them.
type web struct {
	hub *Hub

	opening sync.Mutex // one initialize at a time, so that the cap holds

	mu      sync.Mutex
	legacy  map[string]*session // by Mcp-Session-Id
	modern  map[string]*session // by scope and what the client calls itself
	servers map[*surface]*server.StreamableHTTPServer
}

func newWeb(h *Hub) *web {
	return &web{hub: h, legacy: map[string]*session{}, modern: map[string]*session{}, servers: map[*surface]*server.StreamableHTTPServer{}}
}

func (w *web) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", w.serve)
	mux.HandleFunc("/mcp/{source}", w.serve)
	return mux
}

// serve checks a request as far as can be done before mcp-go sees it.
func (w *web) serve(rw http.ResponseWriter, r *http.Request) {
	sf, ok := w.hub.surface(r.PathValue("source"))
	if !ok {
		refuse(rw, http.StatusNotFound, &rejection{mcp.INVALID_REQUEST, nil,
			fmt.Sprintf("no source named %s; `lectern source list` shows those there are", r.PathValue("source"))})
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(w.hub.life, cancel)()
	r = r.WithContext(ctx)
	switch r.Method {
	case http.MethodPost:
		w.post(sf, rw, r)
	case http.MethodGet, http.MethodDelete:
		w.bySession(sf, rw, r)
	default:
		rw.Header().Set("Allow", "GET, POST, DELETE")
		refuse(rw, http.StatusMethodNotAllowed, &rejection{mcp.INVALID_REQUEST, nil, "MCP uses POST, GET and DELETE"})
	}
}

func (w *web) post(sf *surface, rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(rw, r.Body, w.hub.limits.Body))
	if tooLarge, is := errors.AsType[*http.MaxBytesError](err); is {
		refuse(rw, http.StatusRequestEntityTooLarge, &rejection{mcp.INVALID_REQUEST, nil, fmt.Sprintf("a message may have %d bytes", tooLarge.Limit)})
		return
	}
	if err != nil {
		refuse(rw, http.StatusBadRequest, &rejection{mcp.PARSE_ERROR, nil, "the body ended early"})
		return
	}
	m, bad := parseMessage(body)
	if bad != nil {
		refuse(rw, http.StatusBadRequest, bad)
		return
	}
	if m.method == string(mcp.MethodInitialize) {
		w.opening.Lock()
		defer w.opening.Unlock()
		if w.open() >= w.hub.limits.Sessions {
			rw.Header().Set("Retry-After", "60")
			refuse(rw, http.StatusTooManyRequests, &rejection{busyCode, m.id, fmt.Sprintf("%d sessions are open, which is the most; close one with DELETE", w.hub.limits.Sessions)})
			return
		}
	}
	reply := newReply(rw, w.hub.limits)
	x := &exchange{session: w.sessionOf(sf, r, body), notify: reply.notify}
	reply.exchange = x
	r = r.WithContext(x.in(r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(body))
	defer reply.close()
	w.server(sf).ServeHTTP(reply, r)
}

// bySession passes on GET and DELETE, which only a session may use: mcp-go
// would make a session for any id.
func (w *web) bySession(sf *surface, rw http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(server.HeaderKeySessionID)
	if !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		switch s := w.known(id, sf.scope); {
		case id == "":
			refuse(rw, http.StatusBadRequest, &rejection{mcp.INVALID_REQUEST, nil, "the header Mcp-Session-Id is missing"})
			return
		case s == nil:
			refuse(rw, http.StatusNotFound, &rejection{mcp.INVALID_REQUEST, nil, "no such session; send initialize"})
			return
		}
	}
	w.server(sf).ServeHTTP(rw, r)
}

func refuse(rw http.ResponseWriter, code int, why *rejection) {
	rw.Header().Set("Content-Type", "application/json")
	rw.WriteHeader(code)
	_, _ = rw.Write(why.frame()) // a client that is gone needs no answer
}

// server is mcp-go's transport for a surface, made when first used.
func (w *web) server(sf *surface) *server.StreamableHTTPServer {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.servers[sf]
	if s == nil {
		s = server.NewStreamableHTTPServer(sf.mcp,
			server.WithStateful(true),
			server.WithSessionIdManager(sessionIDs{w, sf}),
			server.WithSessionIdleTTL(w.hub.limits.Idle),
			server.WithHeartbeatInterval(pingEvery),
			server.WithStreamableHTTPLogger(w.hub.log.With("part", "http")),
		)
		w.servers[sf] = s
	}
	return s
}

func (w *web) close() {
	w.mu.Lock()
	servers := make([]*server.StreamableHTTPServer, 0, len(w.servers))
	for _, s := range w.servers {
		servers = append(servers, s)
	}
	w.mu.Unlock()
	for _, s := range servers {
		if err := s.Shutdown(context.Background()); err != nil {
			w.hub.log.Warn("close http sessions", "part", "http", "err", err)
		}
	}
}

// open counts the sessions of the legacy era.
func (w *web) open() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.legacy)
}

// known finds a session; it must be used in the scope it was opened for.
func (w *web) known(id, scope string) *session {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.legacy[id]
	if s == nil || s.scope != scope {
		return nil
	}
	return s
}

// sessionOf is the session that a POST belongs to. A modern client has none;
// it is known by what it calls itself.
func (w *web) sessionOf(sf *surface, r *http.Request, body []byte) *session {
	if s := w.known(r.Header.Get(server.HeaderKeySessionID), sf.scope); s != nil {
		s.seen(w.hub.now())
		return s
	}
	client, isModern := modernClient(body)
	if !isModern {
		return w.hub.newSession(status.HTTP, sf.scope, 0) // initialize, or a request that mcp-go refuses
	}
	w.mu.Lock()
	key := strings.Join([]string{sf.scope, client.Name, client.Version}, "\x00")
	s := w.modern[key]
	var former *session
	if s == nil {
		s = w.hub.newSession(status.HTTP, sf.scope, 0)
		s.client = client
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
	i.web.legacy[id] = s
	return id
}

// Validate knows open sessions alone: one that was ended is as unknown as one
// that never was, and mcp-go answers both 404.
func (i sessionIDs) Validate(id string) (isTerminated bool, err error) {
	if i.web.known(id, i.surface.scope) == nil {
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
