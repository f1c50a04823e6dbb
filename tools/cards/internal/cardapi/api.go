// Package cardapi answers the HTTP requests of a wiki of cards: the paths, shapes and
// errors that clients of Decko's API know, over a store that keeps what a caller may
// not read out of every answer.
//
// It opens no port. tools/cards mounts it; the tests play the recorded cases on it.
// Start reading at [API.Do] and [API.Write], then routes.go.
package cardapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardtext"
)

// Limits bound what a request may ask for.
type Limits struct {
	Logins  int64 // failed logins in a minute, of an account and of all wrong keys
	Probes  int64 // writes onto names of hidden cards in an hour, of a subject and of all claimed names
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
	Version string // of Lectern
	Base    string // what stands before the paths of the API where the wiki is served
	Log     *slog.Logger
	Hides   func(cardstore.Description) bool // as [cardstore.Caller].Hides
}

// API answers requests. Paths are those below the mount: /cards/Home.
type API struct {
	Options
	converter *cardtext.Converter
	scans     sync.Map // progress of the jobs that run here, by their ids as text: a jobProgress
}

// New returns an API.
func New(o Options) *API { return &API{Options: o, converter: cardtext.NewConverter()} }

// A request is one request whose caller is known.
type request struct {
	*http.Request
	api       *API
	store     *cardstore.Store // within a transaction, if the request writes cards
	who       cardauth.Principal
	args      []string // what the path names
	body      []byte
	anyName   bool   // as [cardstore.Caller].AnyName
	trying    bool   // nothing that it writes is kept
	dryRun    bool   // nor shall it be: the answer says what would be
	probes    *int64 // writes onto names of hidden cards
	beforeKey BeforeKey
	after     func(error)
	progress  func(done, total int)
}

func (r *request) by() cardstore.Caller {
	return cardstore.Caller{Account: r.who.Account, Role: r.who.Role, AnyName: r.anyName, Hides: r.api.Hides}
}

// An answer is what a handler answers: a status and a value that becomes JSON, or
// bytes of another type.
type answer struct {
	status  int
	value   any
	raw     []byte
	headers map[string]string
	dryRun  bool // a part of the request asked for it
}

func ok(value any) (answer, error)      { return answer{status: http.StatusOK, value: value}, nil }
func created(value any) (answer, error) { return answer{status: http.StatusCreated, value: value}, nil }

// An Answer is what a request is answered.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Effect returns what a request may do; false: there is no such path. Paths are those
// below the mount, and a body that cannot be read writes nothing.
func Effect(r *http.Request, body []byte) (e RouteEffect, known bool) {
	route, _, known := findRoute(r.Method, r.URL.EscapedPath())
	if route.effect == Writes && deletesCards(route, body) {
		return Deletes, known
	}
	return route.effect, known
}

// Do answers a request that writes no cards. Nobody needs to be known for one that is
// [Open].
func (a *API) Do(who cardauth.Principal, r *http.Request, body []byte) Answer {
	q, route, err := a.begin(who, r, body)
	if err != nil {
		return a.encode(r, failure(err))
	}
	out, err := a.guarded(func() (answer, error) { return route.handle(q) })
	if err != nil {
		out = a.failed(q, route, err)
	}
	return a.encode(r, out)
}

func (a *API) newRequest(who cardauth.Principal, r *http.Request, args []string, body []byte) *request {
	return &request{
		Request: r, api: a, store: a.Store, who: who, args: args, body: body, probes: new(int64),
		beforeKey: func(int64, *cardauth.KeyState, *cardauth.KeyState) error { return nil }, after: func(error) {}, progress: func(int, int) {},
	}
}

// begin finds the route of a request and counts it.
func (a *API) begin(who cardauth.Principal, r *http.Request, body []byte) (*request, route, error) {
	route, args, known := findRoute(r.Method, r.URL.EscapedPath())
	q := a.newRequest(who, r, args, body)
	if err := q.readDryRun(route); known && err != nil {
		return q, route, err
	}
	switch {
	case !known:
		return q, route, notFound("No such path: %s %s", r.Method, r.URL.Path)
	case int64(len(body)) > a.maxBody(route):
		return q, route, &apiError{
			status: http.StatusRequestEntityTooLarge, code: "validation_error",
			message: fmt.Sprintf("The request is larger than %d bytes", a.maxBody(route)),
		}
	}
	if err := checkText(r, route.names(), args, body); err != nil {
		return q, route, err
	}
	switch {
	case route.effect == Open:
		return q, route, nil
	case who.Subject == "":
		return q, route, a.unauthorized(r)
	case who.RateLimit == 0:
		return q, route, nil
	}
	return q, route, a.take(r.Context(), "cards/rate/"+who.Subject, 1, sqlstore.RateLimit{Limit: who.RateLimit, Window: time.Hour},
		"Too many requests")
}

// readDryRun reads whether a request only asks what it would do. Who says so of a request that
// cannot be tried out is refused: it would be carried out.
func (r *request) readDryRun(route route) (err error) {
	r.dryRun, err = asksDryRun(r.Request, r.body)
	writes := route.effect == Writes || route.effect == Deletes
	if _, given := r.URL.Query()["dry_run"]; given && !writes && err == nil {
		err = invalid("dry_run", "Unknown parameter \"dry_run\": this request cannot be tried out")
	}
	return err
}

// CheckText returns the answer to a request that has something which is no text; false: all
// of it is.
func (a *API) CheckText(r *http.Request, body []byte) (Answer, bool) {
	route, args, known := findRoute(r.Method, r.URL.EscapedPath())
	if !known {
		return Answer{}, false
	}
	err := checkText(r, route.names(), args, body)
	if err == nil {
		return Answer{}, false
	}
	return a.encode(r, failure(err)), true
}

// maxBody is the largest body of a route: a file is larger by its base64.
func (a *API) maxBody(route route) int64 {
	if strings.HasSuffix(route.path, "/upload") {
		return max(a.Limits.Body, int64(a.Limits.Upload)*4/3+4096)
	}
	return a.Limits.Body
}

// take counts n against a limit.
func (a *API) take(ctx context.Context, name string, n int64, limit sqlstore.RateLimit, message string) error {
	wait := limit.Window
	if n <= limit.Limit {
		var err error
		if wait, err = a.Store.DB().Take(ctx, name, n, limit); err != nil || wait == 0 {
			return err
		}
	}
	seconds := int(wait.Seconds()) + 1
	return &apiError{
		status: http.StatusTooManyRequests, code: "rate_limited", message: message, retry: wait,
		details: map[string]any{"limit": limit.Limit, "window": int(limit.Window.Seconds()), "retry_after": seconds},
	}
}

// guarded turns a panic of a handler into an error that nobody expected.
func (a *API) guarded(handle func() (answer, error)) (out answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return handle()
}

// Unauthorized is the answer to a request whose token is missing or does not count.
func (a *API) Unauthorized(r *http.Request) Answer {
	err := a.unauthorized(r)
	if scheme, token, found := strings.Cut(r.Header.Get("Authorization"), " "); found && strings.EqualFold(scheme, "Bearer") && token != "" {
		err = &apiError{
			status: http.StatusUnauthorized, code: "unauthorized", message: "Invalid or expired token", challenge: `Bearer error="invalid_token"`,
		}
		switch _, why := a.Auth.Verify(r.Context(), strings.TrimSpace(token)); {
		case errors.Is(why, cardauth.ErrExpired):
			err.challenge = `Bearer error="expired"`
		case errors.Is(why, cardauth.ErrNobody):
			err.message = "Account not found"
		}
	}
	return a.encode(r, failure(err))
}

func (a *API) unauthorized(*http.Request) *apiError {
	return &apiError{
		status: http.StatusUnauthorized, code: "unauthorized", message: "Missing authorization token", challenge: `Bearer realm="cards"`,
	}
}

// Refused is the answer to a request that was stopped on its way, with a code of the
// API: permission_denied, rate_limited, conflict or unavailable.
func (a *API) Refused(r *http.Request, status int, code, message string) Answer {
	return a.encode(r, failure(&apiError{status: status, code: code, message: message}))
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

func (a *API) encode(r *http.Request, in answer) Answer {
	out := Answer{in.status, http.Header{}, in.raw}
	if out.Body == nil {
		var err error
		if out.Body, err = encode(in.value); err != nil {
			a.Log.Error("encode answer", "err", err)
			out.Status = http.StatusInternalServerError
			out.Body = []byte(`{"error":{"code":"internal_error","message":"An unexpected error occurred"}}`)
		}
		out.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	out.Header.Set("Cache-Control", "private, no-store")
	out.Header.Set("X-Content-Type-Options", "nosniff")
	for name, value := range in.headers {
		out.Header.Set(name, value)
	}
	if tag := out.Header.Get("ETag"); tag != "" && r.Method == http.MethodGet && matches(r.Header.Get("If-None-Match"), tag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out
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
