package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// endIn says when a call ends.
type endIn struct {
	After    int64 `json:"after" jsonschema:"nanoseconds that it takes"`
	Stubborn bool  `json:"stubborn" jsonschema:"it takes them whatever becomes of the call"`
}

// startTimed is a hub with a tool that takes as long as it is told.
func startTimed(t *testing.T, limits hub.Limits) *testHub {
	kind := tools.Erase(tools.System[slowSource, struct{}]{
		Name: "slow", Title: "Slow", Doc: "Waits.",
		Open: func(context.Context, struct{}, tools.Env) (slowSource, error) { return slowSource{}, nil },
		Tools: []tools.Tool[slowSource]{tools.Define(tools.Spec[endIn, slowOut]{Name: "take", Title: "Take", Doc: "Waits.", Effect: tools.Reads},
			func(_ slowSource, ctx context.Context, in endIn) (slowOut, error) {
				over := ctx.Done()
				if in.Stubborn {
					over = nil
				}
				select {
				case <-time.After(time.Duration(in.After)):
					return slowOut{true}, nil
				case <-over:
					return slowOut{}, ctx.Err()
				}
			})},
	})
	return startWith(t, hub.Config{Systems: []tools.Kind{kind}, Sources: []hub.Source{{Name: "slow", Kind: "slow"}}, Limits: limits})
}

// A transport sends requests, each from a goroutine of its own, and counts their answers.
type transport struct {
	send func(body string)

	mu      sync.Mutex
	answers map[int]int // by id
}

func (s *transport) count(f hubtest.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, ok := f.ID.(float64); ok && f.Method == "" {
		s.answers[int(id)]++
	}
}

func overStream(t *testing.T, h *testHub) *transport {
	c := connect(t, h, "")
	c.Initialize()
	s := &transport{answers: map[int]int{}}
	var sending sync.Mutex
	s.send = func(body string) {
		sending.Lock()
		defer sending.Unlock()
		c.Send(body)
	}
	go func() {
		for f, err := c.RecvOrError(); err == nil; f, err = c.RecvOrError() {
			s.count(f)
		}
	}()
	return s
}

// overHTTP has no network, of which a test that waits for the clock knows nothing.
func overHTTP(t *testing.T, h *testHub) *transport {
	handler, session := h.MCP().HTTP(), ""
	post := func(body string) *httptest.ResponseRecorder {
		req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Mcp-Session-Id", session)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, req)
		return w
	}
	session = post(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":` + hubtest.InitParams + `}`).Header().Get("Mcp-Session-Id")
	s := &transport{answers: map[int]int{}}
	s.send = func(body string) {
		for line := range strings.Lines(post(body).Body.String()) {
			var f hubtest.Frame
			if err := json.Unmarshal([]byte(line), &f); err != nil {
				t.Errorf("answered %q", line)
			}
			s.count(f)
		}
	}
	return s
}

// Each request is answered once, whatever comes first: the end of its tool, its deadline
// or its cancellation, after which a stream may leave it unanswered. Then its slot is free.
func TestEveryCallIsAnsweredOnce(t *testing.T) {
	const deadline, each = 30 * time.Second, 250
	rounds := runtest.Size(20, 8, 4)
	offsets := []time.Duration{-time.Millisecond, -1, 0, 0, 0, 1, time.Millisecond, time.Second}
	limits := hub.Limits{Deadline: deadline, InFlight: 200} // the others wait for a slot
	for name, open := range map[string]func(*testing.T, *testHub) *transport{"stream": overStream, "HTTP": overHTTP} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := startTimed(t, limits)
				s := open(t, h)
				rng := rand.New(rand.NewPCG(1, 2))
				pick := func() time.Duration { return deadline + offsets[rng.IntN(len(offsets))] }
				id, cancelled := 1000, map[int]bool{}
				for range rounds {
					for range each {
						id++
						go s.send(hubtest.CallBody(id, "take", fmt.Sprintf(`{"after":%d,"stubborn":%t}`, pick(), rng.IntN(2) == 0), ""))
						if rng.IntN(4) == 0 {
							cancelled[id] = true
							body := fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, id)
							time.AfterFunc(pick(), func() { s.send(body) })
						}
					}
					time.Sleep(3 * deadline)
				}
				synctest.Wait()
				for n := 1001; n <= id; n++ {
					if got := s.answers[n]; got != 1 && (got != 0 || !cancelled[n] || name == "HTTP") {
						t.Errorf("request %d, cancelled: %t, has %d answers", n, cancelled[n], got)
					}
				}
				if n, _ := h.ActivityCounts(); n != 0 {
					t.Errorf("%d calls are in flight", n)
				}
				for range limits.InFlight {
					id++
					go s.send(hubtest.CallBody(id, "take", `{"after":1000000000,"stubborn":true}`, ""))
				}
				time.Sleep(time.Second)
				synctest.Wait()
				for n := id - limits.InFlight + 1; n <= id; n++ {
					if s.answers[n] != 1 {
						t.Fatalf("request %d waits for a slot", n)
					}
				}
			})
		})
	}
}
