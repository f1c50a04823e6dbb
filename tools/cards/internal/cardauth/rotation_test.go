package cardauth

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A clock is moved by tests.
type clock struct{ at atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *clock) advance(d time.Duration) { c.at.Add(int64(d)) }

func newAuths(t *testing.T, c *clock, n int) (all []*Auth) {
	t.Helper()
	c.at.Store(time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC).UnixNano())
	store, err := cardstore.Open(t.Context(), cardstore.Options{Database: filepath.Join(t.TempDir(), "cards.db"), Now: c.now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	for range n {
		all = append(all, New(Options{DB: store.DB(), Now: c.now}))
	}
	return all
}

// While keys rotate, no token that has not expired is refused by any hub, and the keys
// that are published are those that tokens of now need.
func TestRotationUnderLoad(t *testing.T) {
	var c clock
	hubs := newAuths(t, &c, 3)
	k, _, err := hubs[0].MakeKey(t.Context(), APIKey{Name: "team", Roles: cardstore.Roles()})
	if err != nil {
		t.Fatal(err)
	}
	p := Principal{Subject: keySubject(k.ID), Role: cardstore.User}
	kids := map[string]bool{}
	var old Token
	for range 12 { // four hours each
		if err := hubs[1].RotateAfter(t.Context(), 12*time.Hour); err != nil {
			t.Fatal(err)
		}
		if old.Text == "" {
			if old, err = hubs[0].Issue(t.Context(), p); err != nil {
				t.Fatal(err)
			}
		}
		for range 4 {
			c.advance(time.Hour)
			tokens := make([]Token, 12)
			var wait sync.WaitGroup
			for i := range tokens {
				wait.Go(func() {
					token, err := hubs[i%3].Issue(t.Context(), p)
					if err != nil {
						t.Error(err)
						return
					}
					if _, err := hubs[(i+1)%3].Verify(t.Context(), token.Text); err != nil {
						t.Errorf("a new token at the next hub: %v", err)
					}
				})
			}
			wait.Wait()
		}
		keys, err := hubs[2].JWKS(t.Context())
		if err != nil || len(keys) == 0 || len(keys) > 4 {
			t.Fatalf("%d keys are published, %v", len(keys), err)
		}
		for _, one := range keys {
			kids[one.Kid] = true
		}
	}
	if len(kids) < 3 {
		t.Errorf("%d keys in two days, want rotation", len(kids))
	}
	if _, err := hubs[2].Verify(t.Context(), old.Text); !errors.Is(err, ErrExpired) && !errors.Is(err, ErrToken) {
		t.Errorf("a token of two days ago: %v", err)
	}
}

// A new key is published before it signs, so that a client that keeps the published keys for
// ten minutes knows every key in time.
func TestPublishedBeforeItSigns(t *testing.T) {
	var c clock
	a := newAuths(t, &c, 1)[0]
	k, _, err := a.MakeKey(t.Context(), APIKey{Name: "team", Roles: cardstore.Roles()})
	if err != nil {
		t.Fatal(err)
	}
	p := Principal{Subject: keySubject(k.ID), Role: cardstore.User}
	first, err := a.JWKS(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Rotate(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	kid := func() string {
		token, err := a.Issue(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		who, err := a.Verify(t.Context(), token.Text)
		if err != nil || who.Name != "team" {
			t.Fatalf("%+v, %v", who, err)
		}
		return kidOf(t, token.Text)
	}
	c.advance(publishedBefore - time.Minute)
	both, err := a.JWKS(t.Context())
	if err != nil || len(both) != 2 || kid() != first[0].Kid {
		t.Errorf("%d keys are published, and %s signs; %v", len(both), kid(), err)
	}
	c.advance(2 * time.Minute)
	if kid() == first[0].Kid {
		t.Error("the former key still signs")
	}
	c.advance(acceptedAfter)
	if last, err := a.JWKS(t.Context()); err != nil || len(last) != 1 || last[0].Kid == first[0].Kid {
		t.Errorf("a day later %d keys are published, %v", len(last), err)
	}
}

// Tokens of a key end with it within the clock's second, and others do not.
func TestRevocation(t *testing.T) {
	var c clock
	hubs := newAuths(t, &c, 2)
	var tokens []string
	var keys []APIKey
	for range 2 {
		k, _, err := hubs[0].MakeKey(t.Context(), APIKey{Name: "team", Roles: cardstore.Roles()})
		if err != nil {
			t.Fatal(err)
		}
		token, err := hubs[0].Issue(t.Context(), Principal{Subject: keySubject(k.ID), Role: cardstore.User})
		if err != nil {
			t.Fatal(err)
		}
		tokens, keys = append(tokens, token.Text), append(keys, k)
	}
	after := keys[0]
	after.Active = false
	if fits, err := hubs[0].SetKeyState(t.Context(), after.ID, keys[0].State(), after.State()); err != nil || !fits {
		t.Fatal(fits, err)
	}
	if _, err := hubs[1].Verify(t.Context(), tokens[0]); !errors.Is(err, ErrToken) {
		t.Errorf("a token of a key that is not active: %v", err)
	}
	if _, err := hubs[1].Verify(t.Context(), tokens[1]); err != nil {
		t.Errorf("a token of another key: %v", err)
	}
	who, err := hubs[1].Verify(t.Context(), tokens[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := hubs[0].Revoke(t.Context(), who.TokenID); err != nil {
		t.Fatal(err)
	}
	if _, err := hubs[1].Verify(t.Context(), tokens[1]); !errors.Is(err, ErrToken) {
		t.Errorf("a token that was revoked by itself: %v", err)
	}
}

func kidOf(t *testing.T, token string) string {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	kid, _ := parsed.Header["kid"].(string)
	return kid
}
