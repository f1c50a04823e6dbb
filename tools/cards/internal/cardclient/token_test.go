package cardclient_test

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardclient"
)

// Facts 8.1: refresh once on 401, of a write too; 1.12: no WWW-Authenticate says so.
func TestRefreshOnceOn401(t *testing.T) {
	s := newScript(func(n int, w http.ResponseWriter, r *http.Request) {
		if n == 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		ok(w)
	})
	if _, err := post(t, newClient(t, s, "k")); err != nil || s.tokens != 2 || s.count != 2 {
		t.Errorf("%v, %d tokens, %d requests; want two of each\n%s", err, s.tokens, s.count, s.sent())
	}
	always := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) })
	_, err := get(t, newClient(t, always, "k"))
	if e := refusalOf(t, err); e.Status != http.StatusUnauthorized || always.tokens != 2 || always.count != 2 {
		t.Errorf("%v after %d tokens, %d requests; want two of each", err, always.tokens, always.count)
	}
}

// A token is used until five minutes before its end, or for four fifths of its life.
func TestTokenIsRenewedBeforeItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { ok(w) })
		c := newClient(t, s, "k")
		for _, step := range []struct {
			wait   time.Duration
			tokens int
		}{{0, 1}, {54 * time.Minute, 1}, {2 * time.Minute, 2}} {
			time.Sleep(step.wait)
			if _, err := get(t, c); err != nil || s.tokens != step.tokens {
				t.Errorf("after %s more: %v, %d tokens; want %d", step.wait, err, s.tokens, step.tokens)
			}
		}
	})
}

// 1.12: the header is a hint that Decko never gives, and ours does.
func TestTokenExpiresInIsAHint(t *testing.T) {
	s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Token-Expires-In", "20")
		ok(w)
	})
	c := newClient(t, s, "k")
	for range 2 {
		if _, err := get(t, c); err != nil {
			t.Fatal(err)
		}
	}
	if s.tokens != 2 {
		t.Errorf("%d tokens, want a second one after the wiki said that the first ends", s.tokens)
	}
}

// While the wiki gives no token, the one that is still good is used.
func TestOldTokenIsUsedWhileNoneIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { ok(w) })
		down := false
		c := newClient(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			if down && strings.HasSuffix(r.URL.Path, "/auth") {
				rec := httptest.NewRecorder()
				rec.WriteHeader(http.StatusServiceUnavailable)
				return rec.Result(), nil
			}
			return s.RoundTrip(r)
		}), "k")
		if _, err := get(t, c); err != nil {
			t.Fatal(err)
		}
		down = true
		time.Sleep(57 * time.Minute)
		if _, err := get(t, c); err != nil {
			t.Errorf("three minutes before its end: %v", err)
		}
		time.Sleep(4 * time.Minute)
		if _, err := get(t, c); err == nil {
			t.Error("a token was used after its end")
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Many calls at once ask for one token.
func TestManyCallsAskForOneToken(t *testing.T) {
	s := newScript(nil)
	var mu sync.Mutex
	s.answer = func(_ int, w http.ResponseWriter, _ *http.Request) { ok(w) }
	c := newClient(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		return s.RoundTrip(r)
	}), "k")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			_, _ = c.Do(context.Background(), cardclient.Request{Role: "gm", Method: "GET", Path: "/types"})
		})
	}
	all.Wait()
	if s.tokens != 1 {
		t.Errorf("%d tokens", s.tokens)
	}
}

// Facts 8.1: tokens are verified against the wiki's keys; 1.12: sub is a text.
func TestTokensAreVerified(t *testing.T) {
	other := makeKey()
	for name, spoil := range map[string]func(*script){
		"another key":    func(s *script) { s.jwks = keysOf("key-001", other) },
		"another issuer": func(s *script) { s.claims = func(c jwt.MapClaims) { c["iss"] = "somebody" } },
		"another role":   func(s *script) { s.claims = func(c jwt.MapClaims) { c["role"] = "admin" } },
		"no end":         func(s *script) { s.claims = func(c jwt.MapClaims) { delete(c, "exp") } },
		"over":           func(s *script) { s.claims = func(c jwt.MapClaims) { c["exp"] = time.Now().Add(-time.Hour).Unix() } },
		"of the future":  func(s *script) { s.claims = func(c jwt.MapClaims) { c["iat"] = time.Now().Add(time.Hour).Unix() } },
		"not signed":     func(s *script) { s.method = jwt.SigningMethodNone },
		"key confusion":  func(s *script) { s.method = jwt.SigningMethodHS256 },
		"unknown kid":    func(s *script) { s.jwks = keysOf("key-002", s.key) },
		"no keys": func(s *script) {
			s.jwks = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"keys":[]}`) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { ok(w) })
			spoil(s)
			_, err := get(t, newClient(t, s, "k"))
			if _, is := errors.AsType[*cardclient.NetworkError](err); !is || s.count != 0 {
				t.Errorf("%v after %d requests; want an error before the first", err, s.count)
			}
		})
	}
}

func keysOf(kid string, key *rsa.PrivateKey) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{publicKey(kid, key)}})
	}
}

// Keys are kept for an hour; one that is not among them is asked for at once, and then
// once a minute; an outage does not matter while there are old ones.
func TestKeysAreKeptAndRotated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { ok(w) })
		s.life = 10 * time.Minute
		fetches, down := 0, false
		published := map[string]*rsa.PrivateKey{"key-001": s.key}
		s.jwks = func(w http.ResponseWriter, _ *http.Request) {
			fetches++
			if down {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			var all []any
			for kid, key := range published {
				all = append(all, publicKey(kid, key))
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"keys": all})
		}
		c := newClient(t, s, "k")
		try := func(what string, wait time.Duration, want int, fails bool) {
			t.Helper()
			time.Sleep(wait)
			if _, err := get(t, c); (err != nil) != fails || fetches != want {
				t.Errorf("%s: %v after %d fetches, want %d", what, err, fetches, want)
			}
		}
		try("first", 0, 1, false)
		try("a second token", 20*time.Minute, 1, false)
		s.kid, s.key = "key-002", makeKey()
		published["key-002"] = s.key
		try("rotated", 20*time.Minute, 2, false)
		s.kid = "key-003"
		try("unknown", 20*time.Minute, 3, true)
		try("unknown again at once", 0, 3, true)
		try("unknown after a minute", time.Minute, 4, true)
		s.kid, down = "key-002", true
		try("outage", 2*time.Hour, 5, false)
	})
}

// While a wiki does not give its keys, every call of many goes on with the old ones, and
// the wiki is asked for them once a minute at most.
func TestOutageOfKeysUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { ok(w) })
		s.life = 2 * time.Minute
		fetches, down := 0, false
		s.jwks = func(w http.ResponseWriter, r *http.Request) {
			fetches++
			if down {
				w.WriteHeader(http.StatusNotFound)
				return
			}
			keysOf("key-001", s.key)(w, r)
		}
		var mu sync.Mutex
		c := newClient(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			return s.RoundTrip(r)
		}), "k")
		if _, err := get(t, c); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		down = true
		const minutes = 30
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() {
				for range 6 * minutes {
					_, err := c.Do(t.Context(), cardclient.Request{Role: []string{"user", "gm", "admin"}[i%3], Method: "GET", Path: "/types"})
					if err != nil {
						t.Error(err)
						return
					}
					time.Sleep(10 * time.Second)
				}
			})
		}
		all.Wait()
		if fetches < 3 || fetches > 2+minutes || s.tokens < 20 {
			t.Errorf("%d fetches for %d tokens in %d minutes", fetches, s.tokens, minutes)
		}
	})
}

// While a wiki rotates its keys, no call of many fails, and the wiki is asked for its keys
// once for each of them.
func TestRotationOfKeysUnderLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript(func(_ int, w http.ResponseWriter, _ *http.Request) { ok(w) })
		s.life = 2 * time.Minute
		fetches := 0
		published := []any{publicKey(s.kid, s.key)}
		s.jwks = func(w http.ResponseWriter, _ *http.Request) {
			fetches++
			_ = json.NewEncoder(w).Encode(map[string]any{"keys": published})
		}
		var mu sync.Mutex
		c := newClient(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			mu.Lock()
			defer mu.Unlock()
			return s.RoundTrip(r)
		}), "k")
		const rotations = 5
		var all sync.WaitGroup
		all.Go(func() {
			for i := range rotations {
				time.Sleep(5*time.Minute + time.Second)
				mu.Lock()
				s.kid, s.key = fmt.Sprintf("key-%d", 100+i), makeKey()
				published = []any{published[len(published)-1], publicKey(s.kid, s.key)} // the former for a while
				mu.Unlock()
			}
		})
		for i := range 60 {
			all.Go(func() {
				for range 30 * 6 {
					if _, err := c.Do(t.Context(), cardclient.Request{Role: []string{"user", "gm", "admin"}[i%3], Method: "GET", Path: "/types"}); err != nil {
						t.Error(err)
						return
					}
					time.Sleep(10 * time.Second)
				}
			})
		}
		all.Wait()
		if fetches != 1+rotations {
			t.Errorf("%d fetches for %d rotations", fetches, rotations)
		}
	})
}
