// Package cardapi answers the HTTP requests of a wiki of cards: the paths, shapes and
// errors that clients of Decko's API know, over a store that keeps what a caller may
// not read out of every answer.
//
// It opens no port. tools/cards mounts it; the tests play the recorded cases on it.
// Start reading at [API.ServeHTTP], then routes.go.
package cardapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// Limits bound what a request may ask for.
type Limits struct {
	Logins  int64 // failed logins of an address in a minute
	Probes  int64 // writes of a subject onto names of hidden cards in an hour
	Content int   // bytes of a card
	Body    int64 // bytes of a request
	Upload  int   // bytes of a file
	Ops     int   // of a batch
}

// DefaultLimits are the limits of a wiki whose owner sets none.
func DefaultLimits() Limits {
	return Limits{Logins: 10, Probes: 10, Content: 1 << 20, Body: 8 << 20, Upload: 10 << 20, Ops: 100}
}

// Options configure an API.
type Options struct {
	Store   *cardstore.Store
	Auth    *cardauth.Auth
	Files   Files
	Backups Folder
	Limits  Limits
	Now     func() time.Time
	Log     *slog.Logger
}

// API answers requests. Paths are those below the mount: /cards/Home.
type API struct {
	Options
	converter *cardtext.Converter
}

// New returns an API.
func New(o Options) *API { return &API{o, cardtext.NewConverter()} }

// A request is one request whose caller is known.
type request struct {
	*http.Request
	api   *API
	store *cardstore.Store // within a transaction, if the request has an idempotency key
	who   cardauth.Principal
	args  []string // what the path names
	body  []byte
}

func (r *request) by() cardstore.Caller { return r.who.Caller() }

// An answer is what a handler answers: a status and a value that becomes JSON, or
// bytes of another type.
type answer struct {
	status  int
	value   any
	raw     []byte
	headers map[string]string
}

func ok(value any) (answer, error)      { return answer{status: http.StatusOK, value: value}, nil }
func created(value any) (answer, error) { return answer{status: http.StatusCreated, value: value}, nil }

// ServeHTTP implements [http.Handler].
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p != nil {
			a.Log.Error("answer request", "method", r.Method, "err", p)
			a.write(w, r, failure(errors.New("panic")))
		}
	}()
	a.write(w, r, a.answer(w, r))
}

func (a *API) answer(w http.ResponseWriter, r *http.Request) answer {
	route, args, known := findRoute(r.Method, r.URL.EscapedPath())
	if !known {
		return failure(notFound("No such path: %s %s", r.Method, r.URL.Path))
	}
	q := &request{Request: r, api: a, store: a.Store, args: args}
	if route.role != "" {
		if err := a.authenticate(w, q); err != nil {
			return failure(err)
		}
		wait, err := a.Store.DB().Take(r.Context(), "cards/rate/"+q.who.Subject, 1, sqlstore.RateLimit{Limit: q.who.RateLimit, Window: time.Hour})
		if err != nil || wait > 0 {
			return a.limited(err, wait, q.who.RateLimit)
		}
	}
	var err error
	if q.body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, a.Limits.Body)); err != nil {
		return failure(&apiError{status: http.StatusRequestEntityTooLarge, code: "validation_error", message: fmt.Sprintf("The request is larger than %d bytes", a.Limits.Body)})
	}
	out, err := a.once(q, route)
	if err != nil {
		return a.failed(q, route, err)
	}
	return out
}

// once runs the handler, or answers what it answered to the same request before.
func (a *API) once(q *request, route route) (answer, error) {
	key := q.Header.Get("Idempotency-Key")
	if key == "" || q.Method == http.MethodGet || route.role == "" {
		return route.handle(q)
	}
	digest := sha256.Sum256([]byte(q.Method + "\n" + q.URL.EscapedPath() + "\n" + string(q.body)))
	kept, replayed, err := a.Store.DB().Once(q.Context(), sqlstore.IdempotencyKey{Scope: "cards/" + q.who.Subject, Key: key, Digest: digest[:]}, 24*time.Hour,
		func(c *sqlstore.Conn) ([]byte, error) {
			within := *q
			within.store = a.Store.Within(c)
			out, err := route.handle(&within)
			if err != nil {
				return nil, err
			}
			value, err := encode(out.value)
			if err != nil {
				return nil, err
			}
			return append(fmt.Appendf(nil, "%d ", out.status), value...), nil
		})
	if errors.Is(err, sqlstore.ErrKeyReused) {
		return answer{}, &apiError{status: http.StatusConflict, code: "conflict", message: "This Idempotency-Key was used for another request"}
	}
	if err != nil {
		return answer{}, err
	}
	status, value, _ := bytes.Cut(kept, []byte(" "))
	code, err := strconv.Atoi(string(status))
	out := answer{status: code, value: json.RawMessage(value)}
	if replayed {
		out.headers = map[string]string{"Idempotency-Replayed": "true"}
	}
	return out, err
}

// authenticate finds out who asks. The scheme's letter case does not matter.
func (a *API) authenticate(w http.ResponseWriter, q *request) error {
	scheme, token, found := strings.Cut(q.Header.Get("Authorization"), " ")
	if !found || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return &apiError{status: http.StatusUnauthorized, code: "unauthorized", message: "Missing authorization token", challenge: `Bearer realm="cards"`}
	}
	who, err := a.Auth.Verify(q.Context(), strings.TrimSpace(token))
	switch {
	case errors.Is(err, cardauth.ErrExpired):
		return &apiError{status: http.StatusUnauthorized, code: "unauthorized", message: "Invalid or expired token", challenge: `Bearer error="expired"`}
	case errors.Is(err, cardauth.ErrToken):
		return &apiError{status: http.StatusUnauthorized, code: "unauthorized", message: "Invalid or expired token", challenge: `Bearer error="invalid_token"`}
	case errors.Is(err, cardauth.ErrNobody):
		return &apiError{status: http.StatusUnauthorized, code: "unauthorized", message: "Account not found", challenge: `Bearer error="invalid_token"`}
	case err != nil:
		return err
	}
	q.who = who
	w.Header().Set("X-Token-Expires-In", strconv.Itoa(int(who.ExpiresAt.Sub(a.Now()).Seconds())))
	return nil
}

func (a *API) limited(err error, wait time.Duration, limit int64) answer {
	if err != nil {
		return failure(err)
	}
	seconds := int(wait.Seconds()) + 1
	out := failure(&apiError{
		status: http.StatusTooManyRequests, code: "rate_limited", message: "Too many requests",
		details: map[string]any{"limit": limit, "window": 3600, "retry_after": seconds},
	})
	out.headers["Retry-After"] = strconv.Itoa(seconds)
	return out
}

// clientAddress is the address that counts for failed logins.
func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// encode writes JSON in which text stands as it is.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func (a *API) write(w http.ResponseWriter, r *http.Request, out answer) {
	body := out.raw
	if body == nil {
		var err error
		if body, err = encode(out.value); err != nil {
			a.Log.Error("encode answer", "err", err)
			out.status, body = http.StatusInternalServerError, []byte(`{"error":{"code":"internal_error","message":"An unexpected error occurred"}}`)
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
	}
	w.Header().Set("Cache-Control", "private, no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	for name, value := range out.headers {
		w.Header().Set(name, value)
	}
	if tag := w.Header().Get("ETag"); tag != "" && r.Method == http.MethodGet && matches(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.WriteHeader(out.status)
	_, _ = w.Write(body) // the client went away
}

// matches reports whether a list of entity tags holds one, or is a star.
func matches(list, tag string) bool {
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		if one == "*" || one == tag {
			return true
		}
	}
	return false
}

// into reads the body, which is a JSON object or empty.
func (r *request) into(v any) error {
	if len(bytes.TrimSpace(r.body)) == 0 {
		return nil
	}
	if err := json.Unmarshal(r.body, v); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return invalid(wrong.Field, "%s must be %s and is %s", wrong.Field, wantedType(wrong), wrong.Value)
		}
		return invalid("", "The request is not valid JSON: %v", err)
	}
	return nil
}

func wantedType(e *json.UnmarshalTypeError) string {
	switch e.Type.Kind().String() {
	case "slice":
		return "an array"
	case "struct", "map", "ptr":
		return "an object"
	case "int", "int64":
		return "a number"
	case "bool":
		return "true or false"
	}
	return "text"
}

// number is a number from the query: at least least, and at most most, which larger
// ones are cut to.
func (r *request) number(name string, usual, least, most int) (int, error) {
	return numberOf(r.URL.Query(), name, usual, least, most)
}

func numberOf(values url.Values, name string, usual, least, most int) (int, error) {
	text := values.Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, invalid(name, "%s must be a number of at least %d", name, least)
	}
	return min(n, most), nil
}

// moment is a date or a time from text.
func moment(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, invalid(name, "%s must be a date such as 2026-11-22 or a time such as 2026-11-22T15:04:05Z", name)
}

// probe counts a write onto the name of a hidden card, which is the one answer that
// tells that there is one.
func (a *API) probe(ctx context.Context, who cardauth.Principal) error {
	wait, err := a.Store.DB().Take(ctx, "cards/probes/"+who.Subject, 1, sqlstore.RateLimit{Limit: a.Limits.Probes, Window: time.Hour})
	if err != nil {
		return err
	}
	if wait > 0 {
		return &apiError{status: http.StatusTooManyRequests, code: "rate_limited", message: "Too many attempts on names that are not available", retry: wait}
	}
	return nil
}
