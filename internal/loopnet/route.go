package loopnet

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"
)

// A Route is one path behind a [Guard] and what may be requested of it. What a
// field does not allow is refused, so a Route{Path: p} lets nothing through.
type Route struct {
	// Path matches exactly or, if it ends in a slash, everything below it. The
	// longest match wins. It is named in answers and in the log.
	Path string
	// Methods that are served. OPTIONS never is.
	Methods []string
	// Origins of pages that may send requests, exactly as browsers send them.
	// Requests without an Origin are not from a page and need no entry.
	Origins []string
	// AllowOrigin is called for an origin that is not in Origins, so that people can
	// approve a page while the server runs. It must be quick; nil refuses all.
	AllowOrigin func(origin string) bool
	// Authenticate says whose token it is if the guard's Authorize does not know it;
	// nil: nobody else's. The context is that of the request from then on.
	Authenticate func(r *http.Request, bearer string) (ctx context.Context, principal string, ok bool)
	// Unauthorized answers a request without a token that counts, and reports whether
	// it did; nil: the guard answers.
	Unauthorized func(w http.ResponseWriter, r *http.Request) bool
	// Refused is told of a request that the guard refuses, with what it answers; the
	// reason repeats nothing of the request. [RequestPrincipal] is known if the token
	// was not why. Nil: nobody is.
	Refused func(r *http.Request, status int, reason string)
	// NoToken means that requests need no bearer token.
	NoToken bool
	// Stream means that a GET must accept text/event-stream and stays open.
	// Such requests have slots of their own, as do upgrades to WebSocket.
	Stream bool
	// Types are the content types of bodies; nil means application/json.
	Types []string
	// MaxBody is the largest body in bytes; 0 means no body.
	MaxBody int64
}

// allowsOrigin reports whether pages of origin may send requests.
func (r Route) allowsOrigin(origin string) bool {
	return slices.Contains(r.Origins, origin) || r.AllowOrigin != nil && r.AllowOrigin(origin)
}

// findRoute finds the route of a URL path. A path that another matcher could
// read differently, with empty or dot segments, has none. A missing route is
// the zero Route, which allows no origin.
func (g *guard) findRoute(p string) (found Route, ok bool) {
	if clean := path.Clean(p); p != clean && p != clean+"/" {
		return Route{}, false
	}
	for _, route := range g.routes {
		exact := route.Path == p
		below := strings.HasSuffix(route.Path, "/") && strings.HasPrefix(p, route.Path)
		if (exact || below) && len(route.Path) > len(found.Path) {
			found, ok = route, true
		}
	}
	if !ok && g.lookup != nil {
		return g.lookup(p)
	}
	return found, ok
}
