package loopnet

import (
	"log/slog"
	"net/http"
	"net/netip"
	"strconv"
)

// GuardConfig says what a Guard lets through.
type GuardConfig struct {
	// Port is the port the listener really has; Host headers must name it.
	Port int
	// Routes is all there is behind the guard. A path outside it is answered
	// 404, so nothing becomes reachable by being added to a mux alone.
	Routes []Route
	// Authorize tells who bears a token; [Token.As] makes one. It is asked on
	// every request, so a rotated token counts at once. Nil lets nobody in
	// where a token is needed.
	Authorize func(bearer string) (principal string, ok bool)
	// Budget bounds what runs at the same time. Zero fields take the defaults.
	Budget Budget
	// Log gets one line for every refusal: the rule, never what was sent.
	Log *slog.Logger
}

// Guard refuses every request that a client of this machine's user would not
// send: from a web page, under another name, without the token, or more than
// the budget holds. All of it happens before a byte of the body is read, and
// the answer says what was wrong.
//
// The order of the rules is the policy. First the cheap facts a page cannot
// forge (peer, Host, Origin, Sec-Fetch-Site, Referer), then what is asked for
// (route, method, type), then who asks (token), then whether there is room.
// Only then next runs; [PrincipalOf] tells it who asks.
func Guard(cfg GuardConfig, next http.Handler) http.Handler {
	port := strconv.Itoa(cfg.Port)
	return &guard{
		hosts:     map[string]bool{"127.0.0.1:" + port: true, "localhost:" + port: true, "[::1]:" + port: true},
		host:      "127.0.0.1:" + port,
		routes:    cfg.Routes,
		authorize: cfg.Authorize,
		budget:    newBudget(cfg.Budget),
		log:       cfg.Log,
		next:      next,
	}
}

type guard struct {
	hosts     map[string]bool
	host      string // the one to name in an answer
	routes    []Route
	authorize func(string) (string, bool)
	budget    *budget
	log       *slog.Logger
	next      http.Handler
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !fromLoopback(r.RemoteAddr) {
		panic(http.ErrAbortHandler) // net/http's way to close without an answer
	}
	sealed := &securityHeaderWriter{ResponseWriter: w}
	route, known := findRoute(g.routes, r.URL.Path)
	refused := g.checkBrowser(r, route)
	if refused == nil {
		refused = checkRequest(r, route, known)
	}
	var principal string
	if refused == nil {
		principal, refused = g.checkToken(r, route)
	}
	if refused == nil {
		var leave func()
		if leave, refused = g.budget.waitForRoom(r, route, principal); refused == nil {
			defer leave()
		}
	}
	if refused != nil {
		g.log.LogAttrs(r.Context(), slog.LevelInfo, "request refused", slog.String("rule", refused.rule),
			slog.Int("http_status", refused.status), slog.String("route", route.Path))
		refused.write(sealed, r)
		return
	}
	r = withPrincipal(r, principal)
	if r.ContentLength != 0 {
		r.Body = http.MaxBytesReader(sealed, r.Body, route.MaxBody)
	}
	g.next.ServeHTTP(sealed, r)
	sealed.finish()
}

func fromLoopback(addr string) bool {
	ap, err := netip.ParseAddrPort(addr)
	return err == nil && ap.Addr().Unmap().IsLoopback()
}
