package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/lectern-mcp/lectern/internal/safetext"
)

// This file is MCP over HTTP, both eras on one endpoint. mcp-go's own transport
// is not used: it drops or reorders the last notifications of a call, sends
// those of one call down the stream of another, makes a session for any id, and
// lets no handler choose the code of an error.

// HTTP serves /mcp and /mcp/{sources}, their names separated by commas. It checks no token, Host or Origin:
// wrap it in loopnet.Guard.
func (s *Server) HTTP() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", s.serveHTTP)
	mux.HandleFunc("/mcp/{sources}", s.serveHTTP)
	return mux
}

func (s *Server) serveHTTP(w http.ResponseWriter, r *http.Request) {
	scope := sortSourceNames(r.PathValue("sources"))
	ep, ok := s.endpoint(scope)
	if !ok {
		reject(w, http.StatusNotFound, &rejection{mcp.INVALID_REQUEST, nil, noSourceMessage(scope)})
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.life, cancel)()
	r = r.WithContext(ctx)
	switch r.Method {
	case http.MethodPost:
		ep.handlePost(w, r)
	case http.MethodGet, http.MethodDelete:
		ep.handleGetOrDelete(w, r)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		reject(w, http.StatusMethodNotAllowed, &rejection{mcp.INVALID_REQUEST, nil, "MCP uses POST, GET and DELETE"})
	}
}

// handlePost reads a message and passes it to the era it belongs to.
func (ep *endpoint) handlePost(w http.ResponseWriter, r *http.Request) {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		reject(w, http.StatusBadRequest, &rejection{mcp.INVALID_REQUEST, nil, "Content-Type must be application/json"})
		return
	}
	if r.ContentLength > ep.Limits.Body {
		ep.rejectTooLarge(w)
		return
	}
	release, err := ep.large.acquire(r.Context(), r.ContentLength)
	if err != nil {
		return // the client has left
	}
	defer release()
	body, err := readBody(w, r, ep.Limits.Body)
	if _, is := errors.AsType[*http.MaxBytesError](err); is {
		ep.rejectTooLarge(w)
		return
	}
	if err != nil {
		reject(w, http.StatusBadRequest, &rejection{mcp.PARSE_ERROR, nil, "the body ended early or took longer than 10 s"})
		return
	}
	m, bad := parseMessage(body)
	if bad != nil {
		reject(w, http.StatusBadRequest, bad)
		return
	}
	switch large := len(body) >= ep.Limits.Large; {
	case !large:
		release()
	case m.method == string(mcp.MethodSubscriptionsListen): // it would hold the semaphore for as long as it listens
		ep.rejectTooLarge(w)
		return
	}
	p, version := m.parseParams(), r.Header.Get(mcp.HeaderProtocolVersion)
	switch {
	case mcp.IsModernProtocol(version) || mcp.IsModernProtocol(p.meta.ProtocolVersion()):
		ep.handleModernPost(w, r, m, p)
	case m.method == string(mcp.MethodInitialize):
		ep.handleInitialize(w, r, m, p)
	case version != "" && !mcp.IsValidProtocolVersion(version):
		reject(w, http.StatusBadRequest, &rejection{mcp.INVALID_REQUEST, m.id, "unsupported protocol version: " +
			safetext.Shorten(version, MaxNameBytes)})
	default:
		ep.handleLegacyPost(w, r, m, p)
	}
}

// handleModernPost answers a message of the era without sessions.
func (ep *endpoint) handleModernPost(w http.ResponseWriter, r *http.Request, m message, p parsedParams) {
	if bad := ep.checkModern(r.Header, m, p); bad != nil {
		reject(w, http.StatusBadRequest, bad)
		return
	}
	proven := ep.VerifyClient(r)
	if c := p.meta.ClientInfo(); c != nil && ep.isBarred(proven, c.Name) || c == nil && ep.isBarred(proven, "") {
		reject(w, http.StatusForbidden, disconnectedSessionRejection(m))
		return
	}
	session := ep.findOrOpenModernSession(ep.scope, proven, p.meta)
	ctx, end := session.contextUntilDisconnected(r.Context())
	defer end()
	x, out := newRequest(m, p, session), ep.newResponseWriter(w)
	x.notify = out.notify
	var a response
	if m.method == string(mcp.MethodSubscriptionsListen) && m.id != nil {
		a = ep.serveSubscription(ctx, x)
	} else {
		a = ep.handleRequest(ctx, x, newMCPSession(session, session.ID))
	}
	out.respond(r.Context(), httpStatusOfErrorCode(a.code), a.frame)
}

// checkModern compares the headers of a modern message with its body.
func (ep *endpoint) checkModern(h http.Header, m message, p parsedParams) *rejection {
	header, body := h.Get(mcp.HeaderProtocolVersion), p.meta.ProtocolVersion()
	switch {
	case m.method == "":
		return &rejection{mcp.INVALID_REQUEST, m.id, "in this protocol version a server sends no requests, so there is nothing to respond to"}
	case h.Get(mcp.HeaderLastEventID) != "":
		return &rejection{mcp.HEADER_MISMATCH, m.id, "streams cannot be resumed: send the request again, without " + mcp.HeaderLastEventID}
	case header == "":
		return &rejection{mcp.HEADER_MISMATCH, m.id, "the header " + mcp.HeaderProtocolVersion + " is missing"}
	case body == "":
		return &rejection{mcp.INVALID_PARAMS, m.id, "the _meta field " + mcp.MetaKeyProtocolVersion + " is missing or invalid"}
	case header != body:
		return &rejection{mcp.HEADER_MISMATCH, m.id, fmt.Sprintf("the header %s says %s, the body %s",
			mcp.HeaderProtocolVersion, safetext.Shorten(header, MaxNameBytes), safetext.Shorten(body, MaxNameBytes))}
	case m.id == nil || !mcp.IsValidProtocolVersion(body): // mcp-go answers a version that it does not know
		return nil
	}
	err := mcp.ValidateStandardHeaders(h.Get, body, mcp.MCPMethod(m.method), m.params)
	if err == nil && p.call != nil {
		err = ep.checkParamHeaders(h, m, p.call.Name)
	}
	switch _, mismatch := errors.AsType[mcp.HeaderMismatchError](err); {
	case err == nil:
		return nil
	case mismatch:
		return &rejection{mcp.HEADER_MISMATCH, m.id, err.Error()}
	}
	return &rejection{mcp.INVALID_PARAMS, m.id, err.Error()}
}

// checkParamHeaders compares the arguments that a tool's schema wants in headers
// too with those headers.
func (ep *endpoint) checkParamHeaders(h http.Header, m message, tool string) error {
	t := ep.mcp.GetTool(tool)
	if t == nil {
		return nil
	}
	return mcp.ValidateParamHeadersLookup(func(name string) (string, bool) {
		values := h.Values(name)
		if len(values) == 0 {
			return "", false
		}
		return values[0], true
	}, &t.Tool, m.params)
}

// httpStatusOfErrorCode is what the modern era wants for the code of a JSON-RPC error.
func httpStatusOfErrorCode(code int) int {
	switch code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION,
		mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.PARSE_ERROR:
		return http.StatusBadRequest
	default:
		return http.StatusOK
	}
}

// handleInitialize opens a session of the legacy era.
func (ep *endpoint) handleInitialize(w http.ResponseWriter, r *http.Request, m message, p parsedParams) {
	hs, ok := ep.reserveSession(ep.scope, ep.VerifyClient(r))
	if !ok {
		w.Header().Set("Retry-After", "60")
		reject(w, http.StatusTooManyRequests, &rejection{
			codeBusy, m.id,
			fmt.Sprintf("%d sessions are open, the maximum; close one with DELETE", ep.Limits.Sessions),
		})
		return
	}
	a := ep.handleRequest(r.Context(), newRequest(m, p, hs.session), hs.mcpSession)
	if ep.isBarred(hs.session.Proven, hs.session.clientInfo().Name) {
		ep.closeHTTPSession(hs)
		reject(w, http.StatusForbidden, disconnectedSessionRejection(m))
		return
	}
	if a.code == 0 && m.id != nil {
		if err := ep.openHTTPSession(ep, hs); err != nil {
			a = errorResponse(m.id, mcp.INTERNAL_ERROR, internalErrorMessage)
		} else {
			w.Header().Set(server.HeaderKeySessionID, hs.id)
		}
	} else {
		ep.closeHTTPSession(hs)
	}
	ep.newResponseWriter(w).respond(r.Context(), http.StatusOK, a.frame)
}

// findRequestSession finds the session of the legacy era that a request names; nil: none, and
// the request was rejected.
func (ep *endpoint) findRequestSession(w http.ResponseWriter, r *http.Request, requestID json.RawMessage) *httpSession {
	id := r.Header.Get(server.HeaderKeySessionID)
	hs := ep.httpSession(id, ep.scope, ep.VerifyClient(r))
	switch {
	case id == "":
		reject(w, http.StatusBadRequest, &rejection{mcp.INVALID_REQUEST, requestID, "the header Mcp-Session-Id is missing"})
	case hs == nil:
		reject(w, http.StatusNotFound, &rejection{mcp.INVALID_REQUEST, requestID, "no such session; send initialize"})
	}
	return hs
}

// handleLegacyPost answers a message of a session of the legacy era.
func (ep *endpoint) handleLegacyPost(w http.ResponseWriter, r *http.Request, m message, p parsedParams) {
	hs := ep.findRequestSession(w, r, m.id)
	if hs == nil {
		return
	}
	switch m.method {
	case "":
		hs.requests.resolve(m)
		w.WriteHeader(http.StatusAccepted)
		return
	case string(mcp.MethodNotificationCancelled):
		hs.cancelRequest(m)
		w.WriteHeader(http.StatusAccepted)
		return
	}
	ctx, end := hs.beginRequest(r.Context(), m)
	defer end()
	x, out := newRequest(m, p, hs.session), ep.newResponseWriter(w)
	x.notify = out.notify
	x.ask = func(ctx context.Context, method mcp.MCPMethod, params any) (json.RawMessage, error) {
		return hs.requests.ask(ctx, out.sendRequest, out.notify, method, params)
	}
	a := ep.handleRequest(ctx, x, hs.mcpSession)
	out.respond(r.Context(), http.StatusOK, a.frame)
}

// handleGetOrDelete answers GET and DELETE, which only a session of the legacy era may
// use.
func (ep *endpoint) handleGetOrDelete(w http.ResponseWriter, r *http.Request) {
	if mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		w.Header().Set("Allow", http.MethodPost)
		reject(w, http.StatusMethodNotAllowed, &rejection{mcp.INVALID_REQUEST, nil, "this protocol version has no sessions; it uses POST only"})
		return
	}
	switch hs := ep.findRequestSession(w, r, nil); {
	case hs == nil:
	case r.Method == http.MethodDelete:
		ep.closeHTTPSession(hs)
	default:
		ep.streamAnnouncements(w, r, hs)
	}
}

// pingEvery keeps a session whose client only listens from going idle.
const pingEvery = 10 * time.Minute

// streamAnnouncements sends a session what changed until it ends.
func (ep *endpoint) streamAnnouncements(w http.ResponseWriter, r *http.Request, hs *httpSession) {
	beginEvents(w)
	ping := time.NewTicker(pingEvery)
	defer ping.Stop()
	for pings := 1; ; {
		if http.NewResponseController(w).Flush() != nil {
			return
		}
		var frame []byte
		select {
		case n := <-hs.announcements:
			ep.writeAnnouncement(n, func(b []byte) { frame = b })
		case <-ping.C:
			frame = fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"lectern-ping-%d","method":"ping"}`, pings)
			pings++
		case <-hs.ended:
			return
		case <-r.Context().Done():
			return
		}
		if writeEvent(w, frame) != nil {
			return
		}
		hs.session.setSeen(ep.Now())
	}
}

// bodyDeadline is how long a client may take to send a body, since it may hold
// the semaphore meanwhile.
const bodyDeadline = 10 * time.Second

func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyDeadline)) // a test's recorder has none
	defer func() { _ = rc.SetReadDeadline(time.Time{}) }()
	limited := http.MaxBytesReader(w, r.Body, most)
	if r.ContentLength < 0 {
		return io.ReadAll(limited)
	}
	body := make([]byte, r.ContentLength)
	_, err := io.ReadFull(limited, body)
	return body, err
}

func (s *Server) newResponseWriter(w http.ResponseWriter) *responseWriter {
	return &responseWriter{ResponseWriter: w, queue: s.Limits.Queue}
}

func (s *Server) rejectTooLarge(w http.ResponseWriter) {
	why := fmt.Sprintf("a message may have %d bytes", s.Limits.Body)
	reject(w, http.StatusRequestEntityTooLarge, &rejection{mcp.INVALID_REQUEST, nil, why})
}

func reject(w http.ResponseWriter, status int, why *rejection) { writeJSON(w, status, why.frame()) }
