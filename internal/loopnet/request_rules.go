package loopnet

import (
	"mime"
	"net/http"
	"slices"
	"strings"
)

// checkRequest applies the rules about what is requested.
func checkRequest(r *http.Request, route Route, known bool) *refusal {
	switch {
	case !known:
		return refuse("route", http.StatusNotFound, "nothing is served at this path")
	case r.Method == http.MethodOptions || !slices.Contains(route.Methods, r.Method):
		allow := strings.Join(route.Methods, ", ")
		return refuse("method", http.StatusMethodNotAllowed, "%s allows %s", route.Path, allow).with("Allow", allow)
	case route.Stream && r.Method == http.MethodGet && !accepts(r, "text/event-stream"):
		return refuse("accept", http.StatusNotAcceptable, "a GET of %s needs the header Accept: text/event-stream", route.Path)
	case expectsBody(r) && !hasAllowedType(r, route):
		return refuse("type", http.StatusUnsupportedMediaType, "%s takes bodies of type %s in UTF-8, not compressed", route.Path,
			strings.Join(route.types(), ", "))
	case r.ContentLength > route.MaxBody || r.ContentLength != 0 && route.MaxBody == 0:
		return refuse("length", http.StatusRequestEntityTooLarge, "%s takes bodies of at most %d bytes", route.Path, route.MaxBody)
	}
	return nil
}

// expectsBody reports whether the method is meant to have a body, even an
// empty one: otherwise a page could post without a content type.
func expectsBody(r *http.Request) bool {
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		return true
	}
	return r.ContentLength != 0
}

func (r Route) types() []string {
	if r.Types == nil {
		return []string{"application/json"}
	}
	return r.Types
}

func hasAllowedType(r *http.Request, route Route) bool {
	values := r.Header["Content-Type"]
	if len(values) != 1 || r.Header.Get("Content-Encoding") != "" {
		return false
	}
	kind, params, err := mime.ParseMediaType(values[0])
	charset, given := params["charset"]
	return err == nil && slices.Contains(route.types(), kind) && (!given || strings.EqualFold(charset, "utf-8"))
}

func accepts(r *http.Request, want string) bool {
	for _, value := range r.Header["Accept"] {
		for one := range strings.SplitSeq(value, ",") {
			if kind, _, err := mime.ParseMediaType(one); err == nil && kind == want {
				return true
			}
		}
	}
	return false
}
