package toolstest

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/tools"
)

// maxTestBody bounds the bodies that the suite sends, in bytes.
const maxTestBody = 8 << 20

// checkRouteTable checks that the hub can serve a table of routes.
func checkRouteTable(r Reporter, m *tools.Manifest) {
	r.Helper()
	if m.Routes == nil {
		return
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(m.Routes.Mount, "/"), "/")
	switch mount := m.Routes.Mount; {
	case !strings.HasPrefix(mount, "/") || mount == "/" || path.Clean(mount) != mount:
		r.Errorf("routes: the mount %q must be a path that begins with a slash and does not end in one", mount)
	case slices.Contains([]string{"mcp", "plugin", "healthz", "sources", "metrics"}, first):
		r.Errorf("routes: the mount %q is a path of the hub itself", mount)
	}
	seen := map[string]bool{}
	for _, route := range m.Routes.List {
		what := "route " + route.Path
		if !strings.HasPrefix(route.Path, "/") || path.Clean(route.Path) != strings.TrimSuffix(route.Path, "/") && route.Path != "/" ||
			seen[route.Path] {
			r.Errorf("%s: a path must begin with a slash, have no empty or dot segments, and be unique", what)
		}
		seen[route.Path] = true
		checkRoute(r, what, route)
	}
}

func checkRoute(r Reporter, what string, route tools.Route) {
	r.Helper()
	if route.Purpose == "" || strings.ContainsAny(route.Purpose, "\n|") {
		r.Errorf("%s: its purpose must be one line", what)
	}
	if len(route.Methods) == 0 {
		r.Errorf("%s: has no methods", what)
	}
	for _, method := range route.Methods {
		if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, method) {
			r.Errorf("%s: the method %q is none of GET, POST, PUT, PATCH and DELETE; GET allows HEAD", what, method)
		}
	}
	if route.MaxBody < 0 || route.MaxBody == 0 && len(route.Types) > 0 {
		r.Errorf("%s: content types need a MaxBody", what)
	}
	if !slices.Contains([]tools.RouteAuth{tools.AuthToken, tools.AuthSource, tools.AuthOpen}, route.Auth) {
		r.Errorf("%s: unknown way to know callers, %q", what, route.Auth)
	}
}

// checkRoutes sends every route what the hub lets through, hostile paths and
// bodies included. A handler must answer all of it, and change the data only by
// tools of its source.
func checkRoutes(s *suite) {
	s.Helper()
	if s.manifest.Routes == nil {
		s.tb.Skipf("%s serves no routes", s.manifest.Name)
	}
	for _, route := range s.manifest.Routes.List {
		src := s.open("one")
		handler, ok := tools.As[http.Handler](src.OpenedSource)
		if !ok {
			s.Fatalf("%s declares routes, but its source is no http.Handler", s.manifest.Name)
		}
		c := &routeCaller{suite: s, source: src, route: route, handler: handler}
		if route.Auth == tools.AuthSource {
			c.checkWrongKeys()
		}
		for _, c.mayCall = range []bool{false, true} {
			for i, req := range c.requests() {
				if makesCall(s, i) {
					c.check(req)
				}
			}
		}
	}
}

// checkWrongKeys checks that a source denies keys that it did not give.
func (c *routeCaller) checkWrongKeys() {
	c.Helper()
	a, ok := tools.As[tools.Authenticator](c.source.OpenedSource)
	if !ok {
		c.Fatalf("route %s knows callers by keys of the source, which is no tools.Authenticator", c.route.Path)
	}
	for _, key := range append(hostileTexts(), "wrong", strings.Repeat("k", 64<<10)) {
		_, err := c.authenticate(a, key)
		if e, ok := errors.AsType[*tools.Error](err); !ok || e.Code != tools.Denied {
			c.Errorf("Authenticate with the wrong key %q: want denied, got %v", abbreviate(key, 40), err)
		}
	}
}

func (c *routeCaller) authenticate(a tools.Authenticator, key string) (who tools.Identity, err error) {
	c.Helper()
	defer func() {
		if p := recover(); p != nil {
			c.Errorf("Authenticate with %q: panic: %v\n%s", abbreviate(key, 40), p, debug.Stack())
		}
	}()
	return a.Authenticate(c.ctx(), key)
}

// A routeRequest is a request as the handler sees it: below the mount.
type routeRequest struct {
	method, path, query string
	body                []byte
}

// requests are each method with each path below the route, and each body at one
// path.
func (c *routeCaller) requests() (all []routeRequest) {
	paths, bodies := c.paths(), c.bodies()
	small := bodies[len(bodies)-1][:min(2, len(bodies[len(bodies)-1]))]
	for _, method := range withHead(c.route.Methods) {
		for _, p := range paths {
			all = append(all, routeRequest{method, p, "", nil}, routeRequest{method, p, "a=%00&a&%zz", small})
		}
		for _, body := range bodies {
			all = append(all, routeRequest{method, paths[len(paths)/2], "", body})
		}
	}
	return all
}

// paths are those below the route that the hub's guard lets through.
func (c *routeCaller) paths() []string {
	paths := []string{c.route.Path}
	if !strings.HasSuffix(c.route.Path, "/") {
		return paths
	}
	for _, tail := range slices.Concat(c.source.Names, hostileTexts()) {
		p := c.route.Path + tail
		if clean := path.Clean(p); p == clean || p == clean+"/" {
			paths = append(paths, p)
		}
	}
	return paths
}

// bodies are empty to as large as the route allows.
func (c *routeCaller) bodies() [][]byte {
	bodies := [][]byte{nil}
	limit := int(min(c.route.MaxBody, maxTestBody))
	for _, text := range []string{"{}", "[]", "null", `{"a":`, "\x00\xff", strings.Repeat("[", 100_000), strings.Repeat("x", limit)} {
		if limit > 0 {
			bodies = append(bodies, []byte(text[:min(len(text), limit)]))
		}
	}
	return bodies
}

func withHead(methods []string) []string {
	if slices.Contains(methods, http.MethodGet) {
		return append(slices.Clone(methods), http.MethodHead)
	}
	return methods
}

// check serves one request. Every answer must come in time and must not be
// the handler's own fault.
func (c *routeCaller) check(r routeRequest) {
	c.Helper()
	what := r.method + " " + abbreviate(r.path, 80)
	before, outside, calls := c.source.Digest(), c.source.outside(), c.calls.Load()
	ctx, cancel := context.WithTimeout(c.ctx(), c.patience)
	defer cancel()
	if c.route.Stream {
		cancel() // its answer ends with the request
	}
	answer := httptest.NewRecorder()
	c.serve(what, answer, c.request(ctx, r))
	switch digest := c.source.Digest(); {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		c.Errorf("%s: took longer than %v", what, c.patience)
	case answer.Code == http.StatusInternalServerError:
		c.Errorf("%s: answers 500: %s", what, abbreviate(answer.Body.String(), 200))
	case digest == before:
	case r.method == http.MethodGet || r.method == http.MethodHead:
		c.Errorf("%s: changes the data; %s must change nothing", what, r.method)
	case c.calls.Load() == calls:
		c.Errorf("%s: changes the data by itself; it must call a tool of its source", what)
	}
	if c.source.outside() != outside {
		c.Fatalf("%s: changed something outside of its source", what)
	}
}

func (c *routeCaller) serve(what string, w http.ResponseWriter, r *http.Request) {
	c.Helper()
	defer func() {
		p := recover()
		if err, ok := p.(error); p != nil && (!ok || !errors.Is(err, http.ErrAbortHandler)) {
			c.Errorf("%s: panic: %v\n%s", what, p, debug.Stack())
		}
	}()
	c.handler.ServeHTTP(w, r)
}

// A routeCaller is what the hub gives to a handler: it makes the tool calls of a
// request, unless it may not, and refuses writes of its own.
type routeCaller struct {
	*suite
	source  source
	route   tools.Route
	handler http.Handler
	mayCall bool
	calls   atomic.Int64 // that were made
}

func (c *routeCaller) request(ctx context.Context, r routeRequest) *http.Request {
	call := callContext(c.manifest, nil, c)
	call.Sources, call.Identity.Via = c, tools.ViaRoute
	if c.route.Auth == tools.AuthOpen {
		call.Identity = tools.Identity{Via: tools.ViaRoute}
	}
	req := httptest.NewRequestWithContext(tools.WithCallContext(ctx, call), r.method, "/", bytes.NewReader(r.body))
	req.URL.Path, req.URL.RawQuery = r.path, r.query
	if len(r.body) > 0 {
		req.Header.Set("Content-Type", slices.Concat(c.route.Types, []string{"application/json"})[0])
	}
	return req
}

// Call implements [tools.SourceCaller].
func (c *routeCaller) Call(ctx context.Context, source, tool string, args tools.Arguments) (tools.Result, error) {
	if !c.mayCall || source != "" && source != "one" {
		return tools.Result{}, tools.Errorf(tools.Denied, "not allowed")
	}
	c.calls.Add(1)
	return c.source.CallWithArguments(ctx, callContext(c.manifest, nil, nil), tool, args)
}

// Sources implements [tools.SourceCaller].
func (c *routeCaller) Sources() []tools.SourceInfo {
	return []tools.SourceInfo{{Name: "one", System: c.manifest}}
}

// BeforeWrite implements [tools.WriteObserver].
func (c *routeCaller) BeforeWrite(context.Context, ...tools.Change) error {
	c.Errorf("a route reports a write of its own; it must call a tool of its source")
	return tools.Errorf(tools.Internal, "a route writes by tools of its source")
}

// AfterWrite implements [tools.WriteObserver].
func (*routeCaller) AfterWrite(string, tools.State) {}

// OutcomeUnknown implements [tools.WriteObserver].
func (*routeCaller) OutcomeUnknown(string) {}
