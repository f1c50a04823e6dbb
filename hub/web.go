package hub

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

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
	opener  string              // the proven client whose initialize is being answered
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
		refuse(rw, http.StatusNotFound, &rejection{
			mcp.INVALID_REQUEST, nil,
			fmt.Sprintf("no source named %s; `lectern source list` shows those there are", r.PathValue("source")),
		})
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
	if r.ContentLength > w.hub.limits.Body {
		w.tooLarge(rw)
		return
	}
	leave, err := w.hub.gate.enter(r.Context(), r.ContentLength)
	if err != nil {
		return // the client has left
	}
	defer leave()
	body, err := readBody(rw, r, w.hub.limits.Body)
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		w.tooLarge(rw)
		return
	}
	if err != nil {
		refuse(rw, http.StatusBadRequest, &rejection{mcp.PARSE_ERROR, nil, "the body ended early or took longer than 10 s"})
		return
	}
	m, bad := parseMessage(body)
	if bad != nil {
		refuse(rw, http.StatusBadRequest, bad)
		return
	}
	switch large := len(body) >= w.hub.limits.Large; {
	case !large:
		leave()
	case m.method == string(mcp.MethodSubscriptionsListen): // it would stay in the gate for as long as it listens
		w.tooLarge(rw)
		return
	}
	if m.method == string(mcp.MethodInitialize) {
		w.opening.Lock()
		defer w.opening.Unlock()
		if w.open() >= w.hub.limits.Sessions && !w.evict() {
			rw.Header().Set("Retry-After", "60")
			refuse(rw, http.StatusTooManyRequests, &rejection{busyCode, m.id, fmt.Sprintf("%d sessions are open, which is the most; close one with DELETE", w.hub.limits.Sessions)})
			return
		}
		w.mu.Lock()
		w.opener = w.hub.verifyClient(r)
		w.mu.Unlock()
	}
	if id := r.Header.Get(server.HeaderKeySessionID); id != "" && w.stolen(id, sf.scope, w.hub.verifyClient(r)) {
		refuse(rw, http.StatusNotFound, &rejection{mcp.INVALID_REQUEST, m.id, "no such session; send initialize"})
		return
	}
	reply := newReply(rw, w.hub.limits)
	x := &exchange{session: w.sessionOf(sf, r, body), notify: reply.notify}
	reply.exchange = x
	r = r.WithContext(x.in(r.Context()))
	r.Body = io.NopCloser(bytes.NewReader(body))
	defer reply.close()
	w.server(sf).ServeHTTP(reply, r)
}

// stolen reports whether a session is used with another token than opened it.
func (w *web) stolen(id, scope, proven string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.legacy[id]
	return s != nil && s.scope == scope && s.proven != proven
}

func (w *web) tooLarge(rw http.ResponseWriter) {
	refuse(rw, http.StatusRequestEntityTooLarge, &rejection{mcp.INVALID_REQUEST, nil, fmt.Sprintf("a message may have %d bytes", w.hub.limits.Body)})
}

// bodyWithin is how long a client may take to send a body, since it may hold
// one of the gate's places meanwhile.
const bodyWithin = 10 * time.Second

func readBody(rw http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	rc := http.NewResponseController(rw)
	_ = rc.SetReadDeadline(time.Now().Add(bodyWithin)) // a test's recorder has none
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	limited := http.MaxBytesReader(rw, r.Body, most)
	if r.ContentLength < 0 {
		return io.ReadAll(limited)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(limited, body)
	return body, err
}

// bySession passes on GET and DELETE, which only a session may use: mcp-go
// would make a session for any id.
func (w *web) bySession(sf *surface, rw http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(server.HeaderKeySessionID)
	if !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		switch s := w.known(id, sf.scope, w.hub.verifyClient(r)); {
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
