package loopnet

import (
	"context"
	"net/http"
	"strings"
)

// checkToken applies the rule about who sends a request. A token in the URL
// does not count, because URLs end up in histories and logs.
func (g *guard) checkToken(r *http.Request, route Route) (as *http.Request, principal string, refused *refusal) {
	if route.NoToken {
		return r, "", nil
	}
	const challenge = `Bearer realm="lectern"`
	values := r.Header["Authorization"]
	if len(values) == 0 {
		return r, "", refuse("token", http.StatusUnauthorized, "%s needs the header Authorization: Bearer TOKEN", route.Path).
			with("WWW-Authenticate", challenge)
	}
	scheme, bearer, _ := strings.Cut(values[0], " ")
	if len(values) == 1 && strings.EqualFold(scheme, "Bearer") {
		if g.authorize != nil {
			if principal, ok := g.authorize(bearer); ok {
				return r, principal, nil
			}
		}
		if route.Authenticate != nil {
			if ctx, principal, ok := route.Authenticate(r, bearer); ok {
				return r.WithContext(ctx), principal, nil
			}
		}
	}
	return r, "", refuse("token", http.StatusUnauthorized, "the token is not valid; it may have been rotated").
		with("WWW-Authenticate", challenge+`, error="invalid_token"`)
}

type principalKey struct{}

func withPrincipal(r *http.Request, principal string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), principalKey{}, principal))
}

// RequestPrincipal returns whose token came with a request that a [Guard] let
// through; "" on routes without token and for requests that passed no guard.
func RequestPrincipal(r *http.Request) string {
	principal, _ := r.Context().Value(principalKey{}).(string)
	return principal
}
