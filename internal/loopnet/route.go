package loopnet

import (
	"path"
	"slices"
	"strings"
)

// Route is one path behind a [Guard] and what may be asked of it. What a field
// does not allow is refused, so a Route{Path: p} lets nothing through.
type Route struct {
	// Path matches exactly, or, when it ends in a slash, everything below it.
	// The longest match wins.
	Path string
	// Methods lists what is served. OPTIONS never is.
	Methods []string
	// Origins lists, exactly as browsers send them, the pages that may ask.
	// Requests without an Origin are not from a page and need no entry.
	Origins []string
	// AllowOrigin is asked about an origin that Origins lacks: people can let a page
	// in while the server runs. It must be quick; nil refuses all.
	AllowOrigin func(origin string) bool
	// NoToken routes need no token.
	NoToken bool
	// Stream means that a GET must accept text/event-stream and stays open.
	// Such requests have slots of their own, as have upgrades to WebSocket.
	Stream bool
	// Types lists the content types of bodies; nil means application/json.
	Types []string
	// MaxBody is the most bytes a body may have; 0 means no body.
	MaxBody int64
}

// allowsOrigin tells whether pages of origin may ask.
func (r Route) allowsOrigin(origin string) bool {
	return slices.Contains(r.Origins, origin) || r.AllowOrigin != nil && r.AllowOrigin(origin)
}

// findRoute finds the route of an URL's path. A path that another matcher could
// read differently (empty and dot segments) has none. The Route of a path
// without one is zero, which allows no origin.
func findRoute(routes []Route, p string) (found Route, ok bool) {
	if clean := path.Clean(p); p != clean && p != clean+"/" {
		return Route{}, false
	}
	for _, route := range routes {
		exact := route.Path == p
		below := strings.HasSuffix(route.Path, "/") && strings.HasPrefix(p, route.Path)
		if (exact || below) && len(route.Path) > len(found.Path) {
			found, ok = route, true
		}
	}
	return found, ok
}
