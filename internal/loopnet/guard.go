package loopnet

import (
	"log/slog"
	"net/http"
)

// GuardConfig says what a Guard lets through.
type GuardConfig struct {
	// Port is the listener's actual port, which Host headers must name.
	Port int
	// Remote lets other machines in, over TLS only. Nil: only this machine, by a
	// name of its loopback interface.
	Remote *Remote
	// Routes are the only paths that are served. Others are answered 404, so
	// adding a handler to a mux is not enough to expose it.
	Routes []Route
	// Lookup finds the route of a path that is not in Routes, because it depends on
	// the configuration; nil: there are no others.
	Lookup func(path string) (Route, bool)
	// Authorize says whose token it is; [Token.AuthorizeAs] makes such a function. It is
	// called for every request, so a rotated token counts at once. Nil refuses
	// every request that needs a token.
	Authorize func(bearer string) (principal string, ok bool)
	// Budget bounds what runs at the same time.
	Budget Budget
	// Log gets one line for every refusal, with the rule and nothing of the request.
	Log *slog.Logger
}

// Guard refuses every request that a client of this machine's user would not
// send: from a web page, under another host name, without the token, or beyond
// the budget. It does so before a byte of the body is read, and the answer
// says what was wrong.
//
// The order of the rules is the policy. First the cheap facts that a page
// cannot forge (peer, Host, Origin, Sec-Fetch-Site, Referer), then what is
// requested (route, method, type), then who requests it (token), then whether
// there is room. Only then next runs; [RequestPrincipal] says whose token was sent.
func Guard(cfg GuardConfig, next http.Handler) http.Handler {
	hosts := cfg.Remote.hosts(cfg.Port)
	return &guard{
		remote:    cfg.Remote,
		hosts:     hosts,
		url:       cfg.Remote.url(hosts),
		origins:   cfg.Remote.origins(hosts),
		routes:    cfg.Routes,
		lookup:    cfg.Lookup,
		authorize: cfg.Authorize,
		budget:    newBudget(cfg.Budget),
		log:       cfg.Log,
		next:      next,
	}
}

type guard struct {
	remote    *Remote
	hosts     []string
	url       string   // named in answers
	origins   []string // of pages that every route is served to
	routes    []Route
	lookup    func(path string) (Route, bool)
	authorize func(string) (string, bool)
	budget    *budget
	log       *slog.Logger
	next      http.Handler
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.remote.allows(r.RemoteAddr) || (r.TLS != nil) != (g.remote != nil) {
		panic(http.ErrAbortHandler) // net/http's way to close without an answer
	}
	sealed := &securityHeaderWriter{ResponseWriter: w, onlyTLS: g.remote != nil}
	route, known := g.findRoute(r.URL.Path)
	refused := g.checkBrowser(r, route)
	if refused == nil {
		refused = checkRequest(r, route, known)
	}
	var principal string
	if refused == nil {
		r, principal, refused = g.checkToken(r, route)
	}
	if refused == nil {
		var leave func()
		if leave, refused = g.budget.waitForRoom(r, route, principal); refused == nil {
			defer leave()
		}
	}
	r = withPrincipal(r, principal)
	if refused != nil {
		if route.Refused != nil {
			route.Refused(r, refused.status, refused.reason)
		}
		g.log.LogAttrs(r.Context(), slog.LevelInfo, "request refused", slog.String("rule", refused.rule),
			slog.Int("http_status", refused.status), slog.String("route", route.Path))
		if refused.status != http.StatusUnauthorized || route.Unauthorized == nil || !route.Unauthorized(sealed, r) {
			refused.write(sealed, r)
		}
		return
	}
	if r.ContentLength != 0 {
		r.Body = http.MaxBytesReader(sealed, r.Body, route.MaxBody)
	}
	g.next.ServeHTTP(sealed, r)
	sealed.finish()
}
