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
	bearer, given, one := requestToken(r.Header)
	if !given {
		const missing = "%s needs the header Authorization: Bearer TOKEN, or X-API-Key: TOKEN"
		return r, "", refuse("token", http.StatusUnauthorized, missing, route.Path).with("WWW-Authenticate", challenge)
	}
	if one {
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

// requestToken is the token of a request, whether one is given, and whether it is one: two
// that differ are none.
func requestToken(h http.Header) (token string, given, one bool) {
	authorizations, keys := h["Authorization"], h["X-Api-Key"]
	one = len(authorizations) <= 1 && len(keys) <= 1
	if len(authorizations) > 0 {
		scheme, bearer, _ := strings.Cut(authorizations[0], " ")
		token, one = bearer, one && strings.EqualFold(scheme, "Bearer")
	}
	if len(keys) > 0 {
		one = one && (len(authorizations) == 0 || token == keys[0])
		token = keys[0]
	}
	return token, len(authorizations)+len(keys) > 0, one
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
