package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Routes serves the HTTP requests that sources answer themselves, behind a
// [loopnet.Guard]. A handler knows who calls, reads by itself, and writes only
// by tools of its own source.
type Routes struct {
	hub  *Hub
	only []string // nil: every source
}

// ForSources returns the routes of these sources, as if there were no others: the path
// of the specification is shared only by those of them that are of its System.
func (r Routes) ForSources(names []string) Routes { return Routes{r.hub, append([]string{}, names...)} }

func (r Routes) servesSource(name string) bool { return r.only == nil || slices.Contains(r.only, name) }

// sourceRoutePrefix is where every source with routes is served, by its name.
const sourceRoutePrefix = "/sources/"

// A routeMatch is a request to a source.
type routeMatch struct {
	source  *source // nil: any of several
	several []*source
	route   tools.Route
	base    string // what stands before the path that the source sees
}

// Lookup is the guard's rule for a path; false: no source serves it. It is
// [loopnet.GuardConfig].Lookup.
func (r Routes) Lookup(path string) (loopnet.Route, bool) {
	m, ok := r.match(path)
	if !ok {
		return loopnet.Route{}, false
	}
	methods := m.route.Methods
	if slices.Contains(methods, http.MethodGet) {
		methods = append(slices.Clone(methods), http.MethodHead)
	}
	rule := loopnet.Route{
		Path: m.base + m.route.Path, Methods: methods, Types: m.route.Types, MaxBody: m.route.MaxBody, Stream: m.route.Stream,
	}
	if m.source == nil {
		return rule, true // strangers are not told which sources there are
	}
	rule.NoToken = m.route.Auth == tools.AuthOpen || r.only == nil &&
		m.source.isOptionSet(m.route.OpenKey) // only other machines are served by name
	rule.Refused = func(req *http.Request, code int, reason string) { r.recordRefusal(req, m, code, reason) }
	if m.route.Auth == tools.AuthSource {
		rule.Authenticate = func(req *http.Request, bearer string) (context.Context, string, bool) {
			return r.authenticate(req, bearer, m.source)
		}
		rule.Unauthorized = func(w http.ResponseWriter, req *http.Request) bool { return r.letSourceAnswerUnauthorized(w, req, m) }
	}
	return rule, true
}

// match finds the source and the route of a path. The path of the specification
// belongs to the only source of a System, or to the one that it names.
func (r Routes) match(path string) (routeMatch, bool) {
	if rest, ok := strings.CutPrefix(path, sourceRoutePrefix); ok {
		name, _, _ := strings.Cut(rest, "/")
		src, ok := r.hub.sources.named(name)
		if !ok || !r.servesSource(name) {
			return routeMatch{}, false
		}
		return findSourceRoute(src, sourceRoutePrefix+name, path)
	}
	var found []routeMatch
	for _, src := range r.hub.sources.sourcesInScope("") {
		if src.kind == nil || src.kind.Manifest().Routes == nil || !r.servesSource(src.conf.Name) {
			continue
		}
		if m, ok := findSourceRoute(src, src.kind.Manifest().Routes.Mount, path); ok {
			found = append(found, m)
		}
	}
	switch len(found) {
	case 0:
		return routeMatch{}, false
	case 1:
		return found[0], true
	default:
		return matchNamedSource(found, path)
	}
}

// isOptionSet reports whether a key of the source's own configuration is true, or a text.
func (src *source) isOptionSet(key string) bool {
	var keys map[string]any
	if key == "" || json.Unmarshal(src.conf.Options, &keys) != nil {
		return false
	}
	text, isText := keys[key].(string)
	return keys[key] == true || isText && text != ""
}

// findSourceRoute finds the route of a path below base; the longest match wins.
func findSourceRoute(src *source, base, path string) (m routeMatch, ok bool) {
	if src.kind == nil || src.kind.Manifest().Routes == nil || base == "" {
		return m, false
	}
	rest, below := strings.CutPrefix(path, base)
	if !below || rest != "" && rest[0] != '/' {
		return m, false
	}
	for _, route := range src.kind.Manifest().Routes.List {
		exact := route.Path == rest || route.Path == "/" && rest == ""
		within := strings.HasSuffix(route.Path, "/") && strings.HasPrefix(rest, route.Path)
		if (exact || within) && (!ok || len(route.Path) > len(m.route.Path)) {
			m, ok = routeMatch{source: src, route: route, base: base}, true
		}
	}
	return m, ok
}

type identityContextKey struct{}

// keyClientPrefix begins the names of callers that a source knows by keys of its own,
// so that none has the name of an MCP client.
const keyClientPrefix = "key:"

// authenticate asks the source whose key it is. The source decides the role, and
// the name is its own.
func (r Routes) authenticate(req *http.Request, bearer string, src *source) (ctx context.Context, principal string, ok bool) {
	who, err := withSourceRef(req.Context(), src, func(ctx context.Context, open *sourceRef) (tools.Identity, error) {
		a, ok := tools.As[tools.Authenticator](open.OpenedSource)
		if !ok {
			return tools.Identity{}, tools.Errorf(tools.Denied, "the source knows no keys")
		}
		return a.Authenticate(ctx, bearer)
	})
	if err != nil {
		return nil, "", false
	}
	who.Client = keyClientPrefix + strings.TrimPrefix(who.Client, keyClientPrefix)
	who.Proven = true
	return context.WithValue(req.Context(), identityContextKey{}, who), src.conf.Name + "/" + who.Client, true
}

// letSourceAnswerUnauthorized lets a source answer in its own words; false: it has none.
func (r Routes) letSourceAnswerUnauthorized(w http.ResponseWriter, req *http.Request, m routeMatch) bool {
	answered, err := withSourceRef(req.Context(), m.source, func(_ context.Context, open *sourceRef) (bool, error) {
		own, ok := tools.As[interface {
			ServeUnauthorized(w http.ResponseWriter, r *http.Request)
		}](open.OpenedSource)
		if ok {
			http.StripPrefix(m.base, http.HandlerFunc(own.ServeUnauthorized)).ServeHTTP(w, req)
		}
		return ok, nil
	})
	return answered && err == nil
}

// ServeHTTP serves a request that the guard let through.
func (r Routes) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	m, ok := r.match(req.URL.Path)
	if !ok {
		loopnet.WriteError(w, req, http.StatusNotFound, "not found: nothing is served at this path")
		return
	}
	if m.source == nil {
		r.refuseShared(w, req, m)
		return
	}
	c := &call{caller: r.callerForRequest(req, m), source: m.source, began: r.hub.now(), seed: newSeed()}
	ctx := req.Context()
	if !m.route.Stream {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.hub.limits.Deadline)
		defer cancel()
	}
	c.session.CountCall(m.route.Path, c.began)
	answer := &routeResponseWriter{ResponseWriter: w}
	defer r.hub.calls.recordRouteRequest(c, req.Method, m.route, req.ContentLength, answer)
	if err := r.serve(ctx, c, m, answer, req); err != nil {
		r.answerError(answer, req, c, err)
	}
	answer.setDefaultStatus()
}

// serve runs the handler of the source on this goroutine, because net/http reuses
// what it was given. Nothing of it is left when serve returns.
func (r Routes) serve(ctx context.Context, c *call, m routeMatch, answer *routeResponseWriter, req *http.Request) error {
	release, err := c.session.limiter.acquire(ctx)
	if err != nil {
		return err
	}
	defer r.hub.runner.trackRunningCall(release)()
	open, done, err := m.source.acquire(ctx)
	if err != nil {
		return err
	}
	defer done()
	handler, ok := tools.As[http.Handler](open.OpenedSource)
	if !ok {
		return tools.Errorf(tools.Internal, "source %s declares routes but is not an http.Handler", m.source.conf.Name)
	}
	ctx = tools.WithCallContext(ctx, tools.CallContext{
		Identity: c.callerIdentity(), Writes: routeWriteRefuser{}, Sources: crossSourceCaller{hub: r.hub, outer: c},
	})
	req = req.Clone(ctx)
	req.Header.Del("Authorization")
	if m.route.Auth != tools.AuthOpen { // an open route may take a key of its source's own
		req.Header.Del("X-API-Key")
	}
	_, err = catchPanic(func() (struct{}, error) {
		http.StripPrefix(m.base, handler).ServeHTTP(answer, req)
		return struct{}{}, nil
	})
	if p, ok := errors.AsType[*panicError](err); ok && (answer.status != 0 || p.isAbort()) {
		answer.status = 0
		r.hub.log.Error("a route panicked", "component", m.source.conf.Name, "err", err, "stack", panicStack(err))
		panic(http.ErrAbortHandler) // the answer is cut off: net/http closes the connection
	}
	return err
}

// callerForRequest is who sent a request, in the session that all their requests share.
func (r Routes) callerForRequest(req *http.Request, m routeMatch) caller {
	who, known := req.Context().Value(identityContextKey{}).(tools.Identity)
	client := policy.Client{Name: who.Client, Proven: who.Proven}
	a := access{}
	switch {
	case known:
		a = m.source.accessOf(r.hub.policy.Load(), client)
		if m.source.kindDeclaresRole(who.Role) {
			a.role = who.Role
		}
	case m.route.Auth == tools.AuthOpen:
		a = access{role: m.source.defaultRole()} // nothing is granted to a stranger
	default:
		name := r.hub.clientOf(req)
		client = policy.Client{Name: name, Proven: name != ""}
		a = m.source.accessOf(r.hub.policy.Load(), client)
	}
	v := &toolset{sources: []*source{m.source}, access: func(*source) access { return a }}
	return caller{
		session: r.hub.sessions.sharedSession(sharedSessionKey{m.source.conf.Name, client, status.Route}), client: client, toolset: v,
		via: tools.ViaRoute, account: who.Account, expires: who.ExpiresAt,
	}
}

// answerError answers a request that no handler could serve.
func (r Routes) answerError(w http.ResponseWriter, req *http.Request, c *call, err error) {
	e := tools.AsError(r.hub.publicError(c.session, "request", c.source, err))
	code, known := map[tools.Code]int{
		tools.Unavailable: http.StatusServiceUnavailable, tools.Timeout: http.StatusServiceUnavailable, tools.Limited: http.StatusTooManyRequests,
	}[e.Code]
	if !known {
		code = http.StatusInternalServerError
	}
	loopnet.WriteError(w, req, code, e.Message)
}

// routeWriteRefuser refuses what a handler tries to write by itself.
type routeWriteRefuser struct{}

// BeforeWrite implements [tools.WriteObserver].
func (routeWriteRefuser) BeforeWrite(context.Context, ...tools.Change) error {
	return tools.Errorf(tools.Internal, "a route writes by tools of its source, not by itself")
}

// AfterWrite implements [tools.WriteObserver].
func (routeWriteRefuser) AfterWrite(string, tools.State) {}

// OutcomeUnknown implements [tools.WriteObserver].
func (routeWriteRefuser) OutcomeUnknown(string) {}

// A routeResponseWriter knows the status of an answer and how long it is.
type routeResponseWriter struct {
	http.ResponseWriter
	status int // 0: it has not begun
	size   int // of the body
}

// setDefaultStatus is called when the handler has returned: without a word it has answered OK.
func (w *routeResponseWriter) setDefaultStatus() { w.status = cmp.Or(w.status, http.StatusOK) }

// WriteHeader implements [http.ResponseWriter].
func (w *routeResponseWriter) WriteHeader(code int) {
	if code >= http.StatusOK || code == http.StatusSwitchingProtocols { // others only come before it
		w.status = cmp.Or(w.status, code)
	}
	w.ResponseWriter.WriteHeader(code)
}

// Write implements [http.ResponseWriter].
func (w *routeResponseWriter) Write(b []byte) (int, error) {
	w.setDefaultStatus()
	n, err := w.ResponseWriter.Write(b)
	w.size += n
	return n, err
}

// Unwrap lets an [http.ResponseController] flush and set deadlines.
func (w *routeResponseWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
