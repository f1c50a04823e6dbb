package cards_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
)

// Three hubs on one database agree on limits, idempotency, rotation and revocation,
// and two of them go on when one is gone.
func TestThreeHubs(t *testing.T) {
	database := postgres.Database(t)
	var hubs []*wiki
	for range 3 {
		hubs = append(hubs, openWiki(t, database, time.Now))
	}
	k, key, err := hubs[0].auth.MakeKey(t.Context(), keyOf("team"))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hubs {
		h.key = key
	}
	tokens := []string{hubs[0].roleToken(t, "admin"), hubs[1].roleToken(t, "admin"), hubs[2].roleToken(t, "admin")}
	for i, token := range tokens {
		if code, answer := hubs[(i+1)%3].do(t, token, "GET", "/types/RichText", ""); code != 200 {
			t.Errorf("a token of hub %d at the next: %d %v", i, code, answer)
		}
	}

	t.Run("idempotency", func(t *testing.T) {
		bodies := sendTogether(t, hubs, 4, func(w *wiki, _ int) *http.Request {
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/cards", strings.NewReader(`{"name":"Once","type":"RichText","content":"<p>a</p>"}`))
			r.Header.Set("Authorization", "Bearer "+tokens[0])
			r.Header.Set("Idempotency-Key", "one")
			return r
		})
		if len(bodies) != 1 || distinct(bodies, "201") != 1 {
			t.Errorf("want one answer to all: %v", bodies)
		}
	})
	t.Run("rate limit", func(t *testing.T) {
		_, limited, err := hubs[0].auth.MakeKey(t.Context(), cardauth.APIKey{Name: "small", Roles: keyOf("").Roles, RateLimit: 10})
		if err != nil {
			t.Fatal(err)
		}
		who, err := hubs[0].auth.Authenticate(t.Context(), cardauth.Login{Key: limited, Role: "user"})
		if err != nil {
			t.Fatal(err)
		}
		token, err := hubs[0].auth.Issue(t.Context(), who)
		if err != nil {
			t.Fatal(err)
		}
		answers := sendTogether(t, hubs, 8, func(*wiki, int) *http.Request {
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/types/RichText", nil)
			r.Header.Set("Authorization", "Bearer "+token.Text)
			return r
		})
		allowed := 0
		for body, n := range answers {
			if strings.HasPrefix(body, "200") {
				allowed += n
			}
		}
		if allowed != 10 && time.Now().Minute() != 0 { // a new hour begins another window
			t.Errorf("%d of 24 requests were let through, want 10", allowed)
		}
	})
	t.Run("rotation", func(t *testing.T) {
		var wait sync.WaitGroup
		for _, h := range hubs {
			wait.Go(func() {
				if err := h.auth.RotateAfter(t.Context(), time.Nanosecond); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		for i, h := range hubs {
			if keys, err := h.auth.JWKS(t.Context()); err != nil || len(keys) < 1 {
				t.Errorf("hub %d publishes %d keys, %v", i, len(keys), err)
			}
			for _, token := range tokens {
				if _, err := h.auth.Verify(t.Context(), token); err != nil {
					t.Errorf("a token of before at hub %d: %v", i, err)
				}
			}
		}
		var kept int
		if err := hubs[0].store.DB().Reader().QueryRow(t.Context(), "SELECT count(*) FROM signing_key").Scan(&kept); err != nil || kept != 2 {
			t.Errorf("%d signing keys, %v; want the former and one new", kept, err)
		}
	})
	t.Run("one is gone", func(t *testing.T) {
		holds, release := make(chan struct{}), make(chan struct{})
		gone := make(chan error, 1)
		var held sync.Once
		go func() { // it dies while it writes
			gone <- hubs[2].store.DB().Write(t.Context(), func(c *sqlstore.Conn) error {
				_, err := c.Exec(t.Context(), "UPDATE card SET updater = 'gone' WHERE codename = 'home'")
				held.Do(func() { close(holds) })
				<-release
				return err
			})
		}()
		<-holds
		_, err := hubs[0].store.DB().Reader().Exec(t.Context(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle in transaction' AND datname = current_database()")
		if err != nil {
			t.Fatal(err)
		}
		close(release)
		if err := <-gone; err == nil {
			t.Log("the transaction was run again after its connection was lost")
		}
		if err := hubs[2].source.Close(); err != nil {
			t.Error(err)
		}
		for i, h := range hubs[:2] {
			if code, answer := h.do(t, tokens[2], "POST", "/cards", fmt.Sprintf(`{"name":"After %d","type":"RichText"}`, i)); code != 201 {
				t.Errorf("hub %d: %d %v", i, code, answer)
			}
		}
	})
	t.Run("revocation", func(t *testing.T) {
		if _, err := hubs[0].auth.SetKeyState(t.Context(), k.ID, k.State(), nil); err != nil {
			t.Fatal(err)
		}
		for i, h := range hubs[:2] {
			if code, _ := h.do(t, tokens[1], "GET", "/types/RichText", ""); code != 401 {
				t.Errorf("a revoked token at hub %d: %d", i, code)
			}
		}
	})
}

// sendTogether sends requests to all hubs at once and counts the answers.
func sendTogether(t *testing.T, hubs []*wiki, each int, request func(w *wiki, i int) *http.Request) map[string]int {
	t.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	answers := map[string]int{}
	for _, h := range hubs {
		for i := range each {
			wait.Go(func() {
				rec := httptest.NewRecorder()
				h.ServeHTTP(rec, request(h, i))
				mu.Lock()
				defer mu.Unlock()
				answers[fmt.Sprint(rec.Code, " ", rec.Body)]++
			})
		}
	}
	wait.Wait()
	return answers
}

// distinct is how many different answers begin so.
func distinct(answers map[string]int, prefix string) (n int) {
	for body := range answers {
		if strings.HasPrefix(body, prefix) {
			n++
		}
	}
	return n
}
