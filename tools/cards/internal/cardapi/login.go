package cardapi

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// postAuth exchanges an API key, or a user name and password, for a token.
func postAuth(r *request) (answer, error) {
	var in struct {
		Key      string `json:"api_key"`
		Username string `json:"username"`
		Password string `json:"password"`
		Role     string `json:"role"`
	}
	if err := r.into(&in); err != nil {
		return answer{}, err
	}
	if in.Key == "" {
		in.Key = r.Header.Get("X-API-Key")
	}
	byPassword := in.Username != "" && in.Password != ""
	switch {
	case in.Key == "" && !byPassword:
		return answer{}, invalid("", "Must provide either (username + password) or api_key")
	case !byPassword && in.Role == "":
		return answer{}, invalid("role", "Missing role (required with API key)")
	case in.Role != "" && !slices.Contains(cardstore.Roles(), cardstore.Role(in.Role)):
		e := invalid("role", "Invalid role")
		e.details = map[string]any{"valid_roles": cardstore.Roles()}
		return answer{}, e
	}
	login := cardauth.Login{Role: in.Role}
	if byPassword {
		login.User, login.Password = in.Username, in.Password
	} else {
		login.Key = in.Key
	}
	who, err := r.api.login(r, login)
	if err != nil {
		return answer{}, err
	}
	token, err := r.api.Auth.Issue(r.Context(), who)
	if err != nil {
		return answer{}, err
	}
	out := map[string]any{
		"token": token.Text, "role": who.Role, "expires_in": int(token.Life.Seconds()), "expires_at": stamp(token.ExpiresAt),
		"auth_method": "api_key",
	}
	if byPassword {
		out["auth_method"], out["username"] = "username", who.Account
	}
	return created(out)
}

// login counts against the account until it succeeds: after too many failures in a minute
// no password of that account is looked at any more. A key cannot be guessed, so one that
// is right always does; those that are none share one budget.
func (a *API) login(r *request, in cardauth.Login) (cardauth.Principal, error) {
	count := func(n int64) error {
		name, limit := "cards/logins/key", sqlstore.RateLimit{Limit: a.Limits.Logins, Window: time.Minute}
		if in.User != "" {
			name = fmt.Sprintf("cards/logins/user:%x", sha256.Sum256([]byte(strings.ToLower(in.User))))
		}
		return a.take(r.Context(), name, n, limit, "Too many failed logins; wait a minute")
	}
	if in.User != "" {
		if err := count(1); err != nil {
			return cardauth.Principal{}, err
		}
	}
	who, err := a.Auth.Authenticate(r.Context(), in)
	if errors.Is(err, cardauth.ErrCredentials) && in.User == "" {
		if err := count(1); err != nil {
			return cardauth.Principal{}, err
		}
	}
	if role, ok := errors.AsType[*cardauth.RoleError](err); ok {
		err = &apiError{
			status: http.StatusForbidden, code: "permission_denied", message: "The requested role is not granted",
			details: map[string]any{"user_role": role.Has, "requested_role": role.Wants},
		}
	}
	switch {
	case errors.Is(err, cardauth.ErrCredentials):
		return cardauth.Principal{}, &apiError{
			status: http.StatusUnauthorized, code: "invalid_credentials", message: "Invalid API key", challenge: `Bearer realm="cards"`,
		}
	case errors.Is(err, cardauth.ErrPassword):
		return cardauth.Principal{}, &apiError{
			status: http.StatusUnauthorized, code: "authentication_failed", message: "Invalid username or password",
			challenge: `Bearer realm="cards"`,
		}
	case err != nil:
		return cardauth.Principal{}, err
	}
	if in.User != "" {
		err = count(-1)
	}
	return who, err
}

func getJWKS(r *request) (answer, error) {
	keys, err := r.api.Auth.JWKS(r.Context())
	if err != nil {
		return answer{}, err
	}
	return ok(map[string]any{"keys": keys})
}

func getPing(r *request) (answer, error) {
	return ok(map[string]any{"status": "ok", "timestamp": stamp(r.api.Now())})
}

// getHealth tries the database and a card, and says no more than whether they answer.
func getHealth(r *request) (answer, error) {
	_, err := r.store.Get(r.Context(), cardstore.Caller{Role: cardstore.User}, ":basic")
	database := err == nil || errors.Is(err, cardstore.ErrNotFound)
	state, status := "healthy", http.StatusOK
	if err != nil {
		state, status = "degraded", http.StatusServiceUnavailable
	}
	return answer{status: status, value: map[string]any{
		"status": state, "version": r.api.Version, "checks": map[string]any{"database": database, "cards": err == nil},
		"timestamp": stamp(r.api.Now()),
	}}, nil
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
