package cardclient_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/deckotest"
)

var signer = sync.OnceValue(func() *rsa.PrivateKey { return makeKey() })

func makeKey() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
}

// A script is a wiki whose answers a test writes. It gives tokens as Decko does.
type script struct {
	mu     sync.Mutex
	seen   []string
	tokens int
	life   time.Duration
	key    *rsa.PrivateKey // that signs; its public part is published as kid
	kid    string
	jwks   http.HandlerFunc // nil: it publishes key
	claims func(jwt.MapClaims)
	method jwt.SigningMethod
	answer func(n int, w http.ResponseWriter, r *http.Request) // n counts requests besides those for tokens and keys
	count  int
}

func newScript(answer func(n int, w http.ResponseWriter, r *http.Request)) *script {
	return &script{life: time.Hour, key: signer(), kid: "key-001", answer: answer, method: jwt.SigningMethodRS256}
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	rec := httptest.NewRecorder()
	s.mu.Lock()
	s.seen = append(s.seen, r.Method+" "+strings.TrimPrefix(r.URL.EscapedPath(), "/api/mcp"))
	s.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/auth"):
		s.giveToken(rec, r)
	case strings.HasSuffix(r.URL.Path, "/jwks.json"):
		s.giveKeys(rec, r)
	default:
		s.count++
		s.answer(s.count, rec, r)
	}
	if rec.Code == http.StatusTeapot {
		return nil, errors.New("connection reset")
	}
	return rec.Result(), r.Context().Err()
}

func (s *script) giveToken(w http.ResponseWriter, r *http.Request) {
	var in struct{ Role string }
	_ = json.NewDecoder(r.Body).Decode(&in)
	s.tokens++
	now := time.Now()
	c := jwt.MapClaims{"sub": "key:4711", "role": in.Role, "iss": "magi-archive", "iat": now.Unix(), "exp": now.Add(s.life).Unix(), "jti": rand.Text(), "kid": s.kid}
	if s.claims != nil {
		s.claims(c)
	}
	token := jwt.NewWithClaims(s.method, c)
	token.Header["kid"] = s.kid
	var by any = s.key
	switch s.method {
	case jwt.SigningMethodNone:
		by = jwt.UnsafeAllowNoneSignatureType
	case jwt.SigningMethodHS256:
		by = s.key.N.Bytes()
	}
	text, err := token.SignedString(by)
	if err != nil {
		panic(err)
	}
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]any{"token": text, "role": in.Role, "expires_in": int(s.life.Seconds()), "auth_method": "api_key"})
}

func (s *script) giveKeys(w http.ResponseWriter, r *http.Request) {
	if s.jwks != nil {
		s.jwks(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{publicKey(s.kid, s.key)}})
}

func publicKey(kid string, key *rsa.PrivateKey) map[string]string {
	b64 := base64.RawURLEncoding.EncodeToString
	return map[string]string{"kid": kid, "kty": "RSA", "use": "sig", "alg": "RS256", "n": b64(key.N.Bytes()), "e": b64(big.NewInt(int64(key.E)).Bytes())}
}

func (s *script) sent() string { return strings.Join(s.seen, "\n") }

func newClient(t *testing.T, transport http.RoundTripper, key string) *cardclient.Client {
	t.Helper()
	c, err := cardclient.New(cardclient.Options{
		URL: deckotest.URL, Key: func(context.Context) (string, error) { return key, nil }, Now: time.Now, Transport: transport,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ok(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"name":"A"}`) }

func get(t *testing.T, c *cardclient.Client) (cardclient.Response, error) {
	t.Helper()
	return c.Do(t.Context(), cardclient.Request{Role: "user", Method: http.MethodGet, Path: cardclient.Path("cards", "A")})
}

func post(t *testing.T, c *cardclient.Client) (cardclient.Response, error) {
	t.Helper()
	return c.Do(t.Context(), cardclient.Request{Role: "user", Method: http.MethodPost, Path: "/cards", Body: map[string]string{"name": "A"}})
}

func refusalOf(t *testing.T, err error) *cardclient.APIError {
	t.Helper()
	e, is := errors.AsType[*cardclient.APIError](err)
	if !is {
		t.Fatalf("%v is no refusal of the wiki", err)
	}
	return e
}

// 1.12: reads are repeated, and nothing else.
func TestOnlyReadsAreRepeated(t *testing.T) {
	for _, status := range []int{http.StatusTeapot, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, http.StatusTooManyRequests} {
		synctest.Test(t, func(t *testing.T) {
			fail := func(n int, w http.ResponseWriter, _ *http.Request) {
				if n < 3 {
					w.WriteHeader(status)
					return
				}
				ok(w)
			}
			read, write, query := newScript(fail), newScript(fail), newScript(fail)
			began := time.Now()
			if _, err := get(t, newClient(t, read, "k")); err != nil || read.count != 3 || time.Since(began) != 1500*time.Millisecond {
				t.Errorf("%d: read: %v after %d requests and %s", status, err, read.count, time.Since(began))
			}
			_, err := post(t, newClient(t, write, "k"))
			if err == nil || write.count != 1 || (status == http.StatusTeapot) != errors.Is(err, cardclient.ErrOutcomeUnknown) {
				t.Errorf("%d: write: %v after %d requests", status, err, write.count)
			}
			q := cardclient.Request{Role: "user", Method: http.MethodPost, Path: "/run_query", Body: 1, Reads: true}
			if _, err := newClient(t, query, "k").Do(t.Context(), q); err != nil || query.count != 3 {
				t.Errorf("%d: query: %v after %d requests", status, err, query.count)
			}
		})
	}
}

// 1.3: a 500 of Decko is its answer to a request that it does not understand.
func TestServerErrorIsNotRepeated(t *testing.T) {
	s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	if _, err := get(t, newClient(t, s, "k")); refusalOf(t, err).Code != "internal_error" || s.count != 1 {
		t.Errorf("%v after %d requests", err, s.count)
	}
}

// Retry-After is the least wait; one that does not fit into the budget ends the call.
// 1.12: Decko says it in the body alone.
func TestRetryAfter(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(w http.ResponseWriter)
		takes  time.Duration
		count  int
	}{
		"seconds": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		}, 7 * time.Second, 2},
		"a moment": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat))
			w.WriteHeader(http.StatusServiceUnavailable)
		}, 9 * time.Second, 2},
		"in the body": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"code":"rate_limited","message":"Too many","details":{"limit":1000,"window":3600,"retry_after":11}}}`)
		}, 11 * time.Second, 2},
		"an hour": {func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"error":{"code":"rate_limited","message":"Too many","details":{"retry_after":3600}}}`)
		}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newScript(func(n int, w http.ResponseWriter, _ *http.Request) {
					if n == 1 {
						c.answer(w)
						return
					}
					ok(w)
				})
				began := time.Now()
				_, err := get(t, newClient(t, s, "k"))
				if took := time.Since(began); (err == nil) != (c.count == 2) || took != c.takes || s.count != c.count {
					t.Errorf("%v after %d requests and %s; want %d and %s", err, s.count, took, c.count, c.takes)
				}
				if err != nil && refusalOf(t, err).RetryAfter != time.Hour {
					t.Errorf("says to retry after %s", refusalOf(t, err).RetryAfter)
				}
			})
		})
	}
}

// All tries of one call share one budget of time.
func TestBudgetOfACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(nil)
		slow := roundTrip(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/A") {
				<-r.Context().Done()
				return nil, r.Context().Err()
			}
			return s.RoundTrip(r)
		})
		began := time.Now()
		if _, err := get(t, newClient(t, slow, "k")); err == nil || time.Since(began) != 25*time.Second {
			t.Errorf("%v after %s, want 25s", err, time.Since(began))
		}
	})
}

// 1.12 and 1.3: errors have many forms, and codes that the specification lacks.
func TestErrorDialects(t *testing.T) {
	for name, c := range map[string]struct {
		status                      int
		body, code, message, fields string
	}{
		"object":           {403, `{"error":{"code":"permission_denied","message":"No","details":{"card":"A+GM","hint":"ask"}}}`, "permission_denied", "No", ""},
		"401":              {401, `{"error":{"code":"invalid_credentials","message":"Invalid API key"}}`, "unauthorized", "Invalid API key", ""},
		"errors":           {400, `{"error":{"code":"validation_error","message":"Card validation failed","details":{"errors":["Name is incomplete"]}}}`, "validation_error", "Card validation failed: Name is incomplete", "name"},
		"validation":       {400, `{"error":{"code":"validation_error","message":"x","validation_errors":[{"field":"type","error":"unknown"}]}}`, "validation_error", "x: unknown", "type"},
		"unknown type":     {400, `{"error":{"code":"not_found","message":"Type 'Basic' not found","details":{}}}`, "not_found", "Type 'Basic' not found", ""},
		"query":            {400, `{"error":{"code":"query_error","message":"Query failed"}}`, "validation_error", "Query failed", ""},
		"rename":           {400, `{"error":{"code":"rename_failed","message":"Rename failed","details":{}}}`, "validation_error", "Rename failed", ""},
		"text":             {404, `{"error":"Card not found: X"}`, "not_found", "Card not found: X", ""},
		"code and message": {400, `{"error":"invalid_filename","message":"Invalid filename"}`, "validation_error", "Invalid filename", ""},
		"of Decko":         {403, `{"error_status":403,"errors":[["permission","denied"]],"url":"/x"}`, "permission_denied", "the wiki answers 403 Forbidden", ""},
		"of Rails":         {500, `{"status":500,"error":"Internal Server Error"}`, "internal_error", "Internal Server Error", ""},
		"of a proxy":       {502, `<html>Bad gateway</html>`, "internal_error", "the wiki answers 502 Bad Gateway", ""},
		"conflict":         {412, `{"error":{"code":"conflict","message":"changed"}}`, "conflict", "changed", ""},
		"odd details":      {400, `{"error":{"code":"validation_error","message":"m","details":{"errors":"text"}}}`, "validation_error", "m", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.body)
			})
			_, err := post(t, newClient(t, s, "k"))
			e := refusalOf(t, err)
			var fields []string
			for _, f := range e.Fields {
				fields = append(fields, f.Field)
			}
			if e.Code != c.code || e.Error() != c.message || strings.Join(fields, " ") != c.fields {
				t.Errorf("%q, %q, fields %q; want %q, %q, %q", e.Code, e.Error(), fields, c.code, c.message, c.fields)
			}
		})
	}
}

// 8.1: a full stop is escaped; a plus is not, as the specification wishes.
func TestNamesInPaths(t *testing.T) {
	for name, want := range map[string]string{
		"Games+Butterfly Galaxii+Player": "/cards/Games+Butterfly%20Galaxii+Player", "Dr. Smith": "/cards/Dr%2E%20Smith", "a/b": "/cards/a%2Fb",
		"../auth": "/cards/%2E%2E%2Fauth", "Écoles": "/cards/%C3%89coles", "*self": "/cards/%2Aself", "a?b#c%": "/cards/a%3Fb%23c%25", ":basic": "/cards/%3Abasic", "~12": "/cards/~12",
	} {
		if got := cardclient.Path("cards", name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	w := deckotest.New(t, time.Now)
	w.Put(t, cardstore.NewCard{Name: "Dr. Smith", Type: "RichText", Content: "a physician"})
	answer, err := newClient(t, w, w.Key).Do(t.Context(), cardclient.Request{Role: "user", Method: "GET", Path: cardclient.Path("cards", "Dr. Smith")})
	if err != nil || !strings.Contains(string(answer.Body), "a physician") {
		t.Errorf("a name with a full stop: %s, %v", answer.Body, err)
	}
}

// The key and the token reach the wiki alone.
func TestTokenGoesNowhereElse(t *testing.T) {
	for _, to := range []string{"https://elsewhere.example/api/mcp/cards/A", "http://wiki.example.org/api/mcp/cards/A", "/api/mcp/cards/B"} {
		s := newScript(func(_ int, w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
		if _, err := get(t, newClient(t, s, "k")); err == nil || s.count != 1 {
			t.Errorf("redirect to %s: %v after %d requests", to, err, s.count)
		}
	}
	for address, good := range map[string]bool{
		"https://wiki.example.org": true, "https://wiki.example.org/api/mcp/": true, "http://127.0.0.1:3000/api/mcp": true, "http://localhost:3000": true, "http://[::1]/x": true,
		"http://wiki.example.org": false, "https://me:secret@wiki.example.org": false, "wiki.example.org": false, "ftp://wiki.example.org": false, "https://wiki.example.org?x=1": false, "http://localhost.evil.example": false,
	} {
		_, err := cardclient.New(cardclient.Options{URL: address, Now: time.Now})
		if (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows a password: %v", err)
		}
	}
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:9")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:9")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	defer server.Close()
	c, err := cardclient.New(cardclient.Options{URL: server.URL, Key: func(context.Context) (string, error) { return "k", nil }, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = get(t, c)
	if e := refusalOf(t, err); e.Status != http.StatusUnauthorized {
		t.Errorf("%v: the wiki itself did not answer", err)
	}
}

// A write that the wiki never saw is known not to be carried out.
func TestWriteToNobody(t *testing.T) {
	c, err := cardclient.New(cardclient.Options{URL: "http://127.0.0.1:1", Key: func(context.Context) (string, error) { return "k", nil }, Now: time.Now, Budget: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := post(t, c); err == nil || errors.Is(err, cardclient.ErrOutcomeUnknown) {
		t.Errorf("%v, want an error that says that nothing was done", err)
	}
}

// Answers and requests are bounded, and what is no API says so.
func TestBounds(t *testing.T) {
	big := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 33<<20)) })
	if _, err := get(t, newClient(t, big, "k")); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("33 MiB: %v", err)
	}
	page := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") })
	if _, err := get(t, newClient(t, page, "k")); err == nil || !strings.Contains(err.Error(), "not JSON") || page.count != 1 {
		t.Errorf("a page: %v", err)
	}
	silent := newScript(nil)
	r := cardclient.Request{Role: "user", Method: "POST", Path: "/cards", Body: strings.Repeat("x", 17<<20)}
	if _, err := newClient(t, silent, "k").Do(t.Context(), r); refusalOf(t, err).Code != "validation_error" || len(silent.seen) != 0 {
		t.Errorf("17 MiB: %v after %q", err, silent.seen)
	}
}

// A wrong key is said once, in the wiki's words, and not tried again.
func TestWrongKey(t *testing.T) {
	w := deckotest.New(t, time.Now)
	_, err := get(t, newClient(t, w, "wrong"))
	if e := refusalOf(t, err); e.Code != "unauthorized" || e.Message != "Invalid API key" || len(w.Seen()) != 1 {
		t.Errorf("%v after %q", err, w.Seen())
	}
}

// Queries keep what is special in them.
func TestQueries(t *testing.T) {
	w := deckotest.New(t, time.Now)
	c := newClient(t, w, w.Key)
	if _, err := c.Do(t.Context(), cardclient.Request{Role: "user", Method: "GET", Path: "/cards", Query: url.Values{"q": {"a+b & c"}}}); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(w.Seen(), "GET /cards?q=a%2Bb+%26+c") {
		t.Errorf("sent %q", w.Seen())
	}
}
