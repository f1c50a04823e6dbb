package loopnet

import (
	"net/http"
	"slices"
)

// checkBrowser applies the rules about headers that a script in a page cannot
// set. They tell a page from a program, and our name from a rebound one.
func (g *guard) checkBrowser(r *http.Request, route Route) *refusal {
	// A request line with a complete URL has a host of its own, which wins.
	// net/http has refused two Host headers already.
	if !slices.Contains(g.hosts, r.Host) || r.URL.Host != "" {
		return refuse("host", http.StatusForbidden, "send the request to %s and with exactly that Host", g.url)
	}
	origin, fromPage := r.Header["Origin"]
	allowed := len(origin) == 1 && (slices.Contains(g.origins, origin[0]) || route.allowsOrigin(origin[0]))
	if fromPage && !allowed {
		return refuse("origin", http.StatusForbidden, "this path is not served to web pages of that origin; a program sends no Origin header")
	}
	for _, site := range r.Header["Sec-Fetch-Site"] {
		if site != "none" && site != "same-origin" {
			return refuse("sec-fetch-site", http.StatusForbidden,
				"this path is not served to other sites' pages; a program sends no Sec-Fetch-Site header")
		}
	}
	if _, linked := r.Header["Referer"]; linked && !allowed && changesState(r.Method) {
		return refuse("referer", http.StatusForbidden, "this path is not served to web pages; a program sends no Referer header")
	}
	return nil
}

// changesState reports whether a method is not one of RFC 9110's safe methods.
func changesState(method string) bool { return method != http.MethodGet && method != http.MethodHead }
