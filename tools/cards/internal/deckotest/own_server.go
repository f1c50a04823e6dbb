package deckotest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardapi"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// An ownServer serves our API without a hub: nobody is asked about writes.
type ownServer struct {
	auth *cardauth.Auth
	api  *cardapi.API
	now  func() time.Time
}

// ServeHTTP implements [http.Handler].
func (s ownServer) ServeHTTP(to http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	effect, known := cardapi.Effect(r, body)
	if known && effect == cardapi.Open {
		send(to, s.api.Do(cardauth.Principal{}, r, body))
		return
	}
	scheme, bearer, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	who, err := s.auth.Verify(r.Context(), bearer)
	if err != nil || !strings.EqualFold(scheme, "Bearer") {
		send(to, s.api.Unauthorized(r))
		return
	}
	to.Header().Set("X-Token-Expires-In", strconv.Itoa(int(who.ExpiresAt.Sub(s.now()).Seconds())))
	if !slices.Contains([]cardapi.RouteEffect{cardapi.Writes, cardapi.Deletes, cardapi.Manages}, effect) {
		send(to, s.api.Do(who, r, body))
		return
	}
	answer, err := s.api.Write(who, r, body, cardapi.WriteOptions{
		Seed:      rand.Uint64(), //nolint:gosec // of ids in tests
		Before:    func(context.Context, []cardstore.StateChange) error { return nil },
		BeforeKey: func(int64, *cardauth.KeyState, *cardauth.KeyState) error { return nil },
		After:     func(error) {},
		Progress:  func(int, int) {},
	})
	if err != nil {
		to.WriteHeader(http.StatusInternalServerError)
		return
	}
	send(to, answer)
}

func send(to http.ResponseWriter, a cardapi.Answer) {
	maps.Copy(to.Header(), a.Header)
	to.WriteHeader(a.Status)
	_, _ = io.Copy(to, bytes.NewReader(a.Body))
}
