// Package deckotest is a wiki for tests that answers like Decko's, with its statuses,
// shapes and faults: what it ignores, what it answers with 500, and the other forms of
// its errors.
//
// It is our own API behind a handler that takes back what ours does better; the test of
// tools/cards holds it to recorded answers. It is not part of the product: only tests
// import it. Start reading at [Wiki.ServeHTTP].
package deckotest

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// URL is the address that a client of a Wiki is given, with the Wiki as its transport.
const URL = "https://wiki.example.org/api/mcp"

// A Wiki is a server. The zero value of its switches is a Decko that is well.
type Wiki struct {
	API   http.Handler // ours, whose paths begin below the mount
	Store *cardstore.Store
	Auth  *cardauth.Auth
	Key   string // with every role
	// Own answers as our own server does, with nothing taken back.
	Own bool

	mu    sync.Mutex
	fails []failure
	seen  []string
	admin string
}

type failure struct {
	fits   func(*http.Request) bool
	answer http.HandlerFunc
}

// New opens an empty wiki with a key.
func New(t testing.TB, now func() time.Time) *Wiki {
	t.Helper()
	return NewOn(t, filepath.Join(t.TempDir(), "wiki.db"), now)
}

// NewOn is New on a database that may have cards already.
func NewOn(t testing.TB, database string, now func() time.Time) *Wiki {
	t.Helper()
	store, err := cardstore.Open(t.Context(), cardstore.Options{Database: database, Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w := &Wiki{Store: store, Auth: cardauth.New(cardauth.Options{DB: store.DB(), Now: now})}
	folder := cardapi.Folder{Dir: t.TempDir()}
	w.API = ownServer{w.Auth, cardapi.New(cardapi.Options{
		Store: store, Auth: w.Auth, Files: folder, Backups: folder, Limits: cardapi.DefaultLimits(), Now: now, Log: slog.New(slog.DiscardHandler),
	}), now}
	if _, w.Key, err = w.Auth.MakeKey(t.Context(), cardauth.APIKey{Name: "tests", Roles: cardstore.Roles(), RateLimit: 1 << 40}); err != nil {
		t.Fatal(err)
	}
	return w
}

// Put writes cards as an administrator.
func (w *Wiki) Put(t testing.TB, cards ...cardstore.NewCard) {
	t.Helper()
	for _, c := range cards {
		if _, err := w.Store.Create(t.Context(), cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}, c); err != nil {
			t.Fatalf("create %s: %v", c.Name, err)
		}
	}
}

// Fail answers the next request that fits in another way.
func (w *Wiki) Fail(fits func(*http.Request) bool, answer http.HandlerFunc) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fails = append(w.fails, failure{fits, answer})
}

// Seen lists the requests so far: method and escaped path with its query.
func (w *Wiki) Seen() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.seen)
}

// RoundTrip implements [http.RoundTripper], without a network.
func (w *Wiki) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = http.NoBody
	}
	in := r.Clone(r.Context())
	in.URL.Path, in.URL.RawPath = strings.TrimPrefix(r.URL.Path, "/api/mcp"), strings.TrimPrefix(r.URL.RawPath, "/api/mcp")
	w.ServeHTTP(rec, in)
	out := rec.Result()
	out.Request = r
	return out, r.Context().Err()
}

// ServeHTTP implements [http.Handler] for paths below the mount.
func (w *Wiki) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if answer := w.note(r); answer != nil {
		answer(rw, r)
		return
	}
	if w.Own {
		w.API.ServeHTTP(rw, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	d := &decko{Wiki: w, r: r, body: body}
	d.answer(rw)
}

func (w *Wiki) note(r *http.Request) http.HandlerFunc {
	w.mu.Lock()
	defer w.mu.Unlock()
	line := r.Method + " " + r.URL.EscapedPath()
	if r.URL.RawQuery != "" {
		line += "?" + r.URL.RawQuery
	}
	w.seen = append(w.seen, line)
	for i, f := range w.fails {
		if f.fits(r) {
			w.fails = slices.Delete(w.fails, i, i+1)
			return f.answer
		}
	}
	return nil
}

// decko is one request to a Decko.
type decko struct {
	*Wiki
	r    *http.Request
	body []byte
}

// ask sends a request to our API: as it came, or as an administrator.
func (d *decko) ask(method, path string, query url.Values, body []byte, admin bool) (int, map[string]any, *httptest.ResponseRecorder) {
	r := d.r.Clone(d.r.Context())
	r.Method, r.Body = method, io.NopCloser(bytes.NewReader(body))
	r.URL = &url.URL{RawQuery: query.Encode(), RawPath: path}
	r.URL.Path, _ = url.PathUnescape(path)
	for _, name := range []string{"If-Match", "If-None-Match", "Idempotency-Key"} {
		r.Header.Del(name)
	}
	if admin {
		r.Header.Set("Authorization", "Bearer "+d.adminToken())
	}
	rec := httptest.NewRecorder()
	d.API.ServeHTTP(rec, r)
	var object map[string]any
	_ = json.Unmarshal(rec.Body.Bytes(), &object)
	return rec.Code, object, rec
}

func (d *decko) adminToken() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.admin == "" {
		who, err := d.Auth.Authenticate(d.r.Context(), cardauth.Login{Key: d.Key, Role: "admin"})
		if err == nil {
			token, _ := d.Auth.Issue(d.r.Context(), who)
			d.admin = token.Text
		}
	}
	return d.admin
}

func (d *decko) write(rw http.ResponseWriter, status int, object any) {
	b, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	rw.Header().Set("Content-Type", "application/json; charset=utf-8")
	rw.WriteHeader(status)
	_, _ = rw.Write(b)
}

func refusal(code, message string, details map[string]any) map[string]any {
	if details == nil {
		details = map[string]any{}
	}
	return map[string]any{"error": map[string]any{"code": code, "message": message, "details": details}}
}

func broken() map[string]any {
	return refusal("internal_error", "An unexpected error occurred", map[string]any{
		"exception": "NoMethodError", "exception_message": "undefined method for nil",
	})
}
