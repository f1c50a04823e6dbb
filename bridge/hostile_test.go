package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/bridge/bridgetest"
)

// A hostile is a plugin that has the token and no manners. A call waits for
// its answer: id is its request's.
type hostile struct {
	*stage
	wire *bridgetest.Wire
	id   string
}

func (h *hostile) send(format string, args ...any) {
	_ = h.wire.Send(fmt.Appendf(nil, format, args...)) // the bridge may have had enough
}

func (h *hostile) repeat(n int, format string, args ...any) {
	for range n {
		h.send(format, args...)
	}
}

var (
	lostCall = &bridge.Error{Code: bridge.Unavailable, OutcomeUnknown: true}
	lateCall = &bridge.Error{Code: bridge.Timeout, OutcomeUnknown: true}
)

// hostilities are what a plugin may do wrong over either transport. fails is
// what becomes of the call, nil when it gets its answer; ends is how the
// connection ends, 0 when it goes on.
var hostilities = []struct {
	name  string
	do    func(h *hostile)
	fails *bridge.Error
	ends  int
}{
	{"leaves in the middle of a call", func(h *hostile) { h.wire.Close() }, lostCall, -1},
	{"answers too late", func(h *hostile) { time.Sleep(16 * time.Second); h.send(`{"id":%q,"result":{}}`, h.id) }, lateCall, 0},
	{"never answers", func(*hostile) {}, lateCall, 0},
	{"answers twice", func(h *hostile) { h.repeat(2, `{"id":%q,"result":{}}`, h.id) }, nil, 0},
	{"answers calls that were never made", func(h *hostile) { h.repeat(99, `{"id":"1-1-0","result":{}}`) }, lateCall, 0},
	{"answers nothing but that", func(h *hostile) { h.repeat(100, `{"id":"1-1-0","result":{}}`) }, lostCall, 4002},
	{"answers in another form", func(h *hostile) { h.send(`{"id":%q,"result":[1]}`, h.id) }, &bridge.Error{Code: bridge.InvalidAnswer}, 0},
	{"sends what is not UTF-8", func(h *hostile) { h.send(`{"id":%q,"result":"`+"\xff"+`"}`, h.id) }, lostCall, 4002},
	{"nests without end", func(h *hostile) {
		h.send(`{"id":%q,"result":%s1%s}`, h.id, strings.Repeat("[", 600), strings.Repeat("]", 600))
	}, lostCall, 4002},
	{"says a member twice", func(h *hostile) { h.send(`{"id":"x","id":%q,"result":{}}`, h.id) }, lostCall, 4002},
	{"numbers its answers", func(h *hostile) { h.send(`{"id":1,"result":{}}`) }, lostCall, 4002},
	{"answers both ways", func(h *hostile) { h.send(`{"id":%q,"result":{},"error":{"code":"A"}}`, h.id) }, lostCall, 4002},
	{"answers neither way", func(h *hostile) { h.send(`{"id":%q}`, h.id) }, lostCall, 4002},
	{"fails without a code", func(h *hostile) { h.send(`{"id":%q,"error":{"message":"m"}}`, h.id) }, lostCall, 4002},
	{"sends a list", func(h *hostile) { h.send(`[{"id":%q,"result":{}}]`, h.id) }, lostCall, 4002},
	{"sends null", func(h *hostile) { h.send(`null`) }, lostCall, 4002},
	{"uses endless names", func(h *hostile) { h.send(`{"method":"%s"}`, strings.Repeat("m", 200)) }, lostCall, 4002},
	{"announces nonsense", func(h *hostile) { h.send(`{"method":"announce","params":{"graph":7}}`) }, lostCall, 4002},
	{"greets again", func(h *hostile) { h.send(`{"id":"h2","method":"hello","params":{}}`) }, lateCall, 0},
	{"floods with notifications", func(h *hostile) { h.repeat(3000, `{"method":"changed","params":{}}`) }, lateCall, 0},
	{"floods with requests", func(h *hostile) { h.repeat(1000, `{"id":"r","method":"tell"}`) }, lateCall, 0},
	{"never answers a ping", func(*hostile) { time.Sleep(31 * time.Second) }, lateCall, 4004},
}

func TestHostilePlugin(t *testing.T) {
	for _, hostility := range hostilities {
		t.Run(hostility.name, func(t *testing.T) {
			onBoth(t, func(s *stage) {
				h, outcome, good := s.hostile()
				hostility.do(h)
				h.judge(<-outcome, hostility.fails, hostility.ends)
				h.sane(good)
			})
		})
	}
}

// hostile connects a hostile plugin beside a good one, with a call to each.
func (s *stage) hostile() (h *hostile, outcome, good chan error) {
	s.Helper()
	outcome, good = make(chan error, 1), make(chan error, 1)
	s.join("good", func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		if method == "slow" {
			select {
			case <-time.After(time.Minute):
			case <-ctx.Done():
			}
		}
		return echo(ctx, method, params)
	})
	wire, _, err := bridgetest.Handshake(s.Context(), bridgetest.Options{Dial: s.dial(), Token: s.token, Hello: bridgetest.Hello("evil")})
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(wire.Cut)
	go func() {
		ctx, cancel := context.WithTimeout(s.Context(), 2*time.Minute)
		defer cancel()
		var out struct{ Method string }
		err := s.Peer("good").Call(ctx, "slow", nil, &out, false)
		if err == nil && out.Method != "slow" {
			err = fmt.Errorf("got another graph's answer %+v", out)
		}
		good <- err
	}()
	go func() {
		ctx, cancel := context.WithTimeout(s.Context(), 15*time.Second)
		defer cancel()
		var out struct{}
		outcome <- s.Peer("evil").Call(ctx, "m", nil, &out, false)
	}()
	frame, err := wire.Receive(s.Context())
	var asked struct{ ID string }
	if err != nil || json.Unmarshal(frame, &asked) != nil {
		s.Fatalf("got %s, %v", frame, err)
	}
	return &hostile{stage: s, wire: wire, id: asked.ID}, outcome, good
}

func (h *hostile) judge(got error, want *bridge.Error, ends int) {
	h.Helper()
	if want == nil && got != nil {
		h.Errorf("the call: %v", got)
	}
	if want != nil {
		fails(h.T, got, *want)
	}
	ctx, cancel := context.WithTimeout(h.Context(), time.Second)
	defer cancel()
	var err error
	for err == nil {
		_, err = h.wire.Receive(ctx)
	}
	closed, ended := errors.AsType[*bridgetest.Closed](err)
	switch {
	case ends == 0 && ended, ends != 0 && !ended, ends > 0 && closed.Code != ends:
		h.Errorf("the connection: %v, want %d", err, ends)
	}
}

// sane checks that the bridge serves everybody else as before, and even the
// same graph when it comes back.
func (h *hostile) sane(good chan error) {
	h.Helper()
	if err := <-good; err != nil {
		h.Errorf("the other graph: %v", err)
	}
	for _, graph := range []string{"good", "evil"} {
		if graph == "evil" {
			h.join(graph, echo)
		}
		var out struct{ Method string }
		if err := h.Peer(graph).Call(h.Context(), "m", nil, &out, false); err != nil || out.Method != "m" {
			h.Errorf("%s: %v, %v", graph, out, err)
		}
	}
}

// An answer that is too large says so to the one call that asked for it.
func TestHugeAnswer(t *testing.T) {
	onBoth(t, func(s *stage) {
		h, outcome, good := s.hostile()
		h.send(`{"id":%q,"result":"%s"}`, h.id, strings.Repeat("x", 8<<20))
		h.judge(<-outcome, &bridge.Error{Code: bridge.TooLarge, OutcomeUnknown: true}, 1009)
		h.sane(good)
	})
}

// An answer counts only on the connection that was asked.
func TestNoCrossTalk(t *testing.T) {
	onBoth(t, func(s *stage) {
		wires := map[string]*bridgetest.Wire{}
		for _, graph := range []string{"a", "b"} {
			w, _, err := bridgetest.Handshake(s.Context(), bridgetest.Options{Dial: s.dial(), Token: s.token, Hello: bridgetest.Hello(graph)})
			if err != nil {
				s.Fatal(err)
			}
			defer w.Cut()
			wires[graph] = w
		}
		outcome := make(chan string, 1)
		go func() {
			var out string
			err := s.Peer("a").Call(s.Context(), "m", nil, &out, false)
			outcome <- fmt.Sprint(out, err)
		}()
		frame, _ := wires["a"].Receive(s.Context())
		var asked struct{ ID string }
		if err := json.Unmarshal(frame, &asked); err != nil {
			s.Fatal(err)
		}
		for _, graph := range []string{"b", "a"} {
			if err := wires[graph].Send(fmt.Appendf(nil, `{"id":%q,"result":%q}`, asked.ID, graph)); err != nil {
				s.Fatal(err)
			}
			synctest.Wait()
		}
		if got := <-outcome; got != "a<nil>" {
			s.Errorf("got %s", got)
		}
		if got := s.Connections(); got[0].Unmatched != 0 || got[1].Unmatched != 1 {
			s.Errorf("strays: %d, %d", got[0].Unmatched, got[1].Unmatched)
		}
	})
}

// The handshake reveals nothing and ends in time.
func TestHostileHello(t *testing.T) {
	for _, c := range []struct {
		name, frame string
		ends        int
		after       time.Duration
	}{
		{"says nothing", "", 4003, 5 * time.Second},
		{"begins with something else", `{"method":"announce","params":{}}`, 4002, 0},
		{"sends no JSON object", `[]`, 4002, 0},
		{"has no proof", `{"id":"h","method":"hello","params":{"nonce":"00000000000000000000000000000000","proof":""}}`, 4003, 0},
		{"sends the token's name", `{"id":"h","method":"hello","params":{"token":"lectern_[redacted]"}}`, 4003, 0},
		{"has no params", `{"id":"h","method":"hello"}`, 4002, 0},
		{"is no request", `{"method":"hello","params":{}}`, 4002, 0},
		{"is too long", `{"id":"h","method":"hello","params":"` + strings.Repeat("x", 300<<10) + `"}`, 1009, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			onBoth(t, func(s *stage) {
				start := time.Now()
				w, err := s.dial().Open(s.Context())
				if err != nil {
					s.Fatal(err)
				}
				defer w.Cut()
				if c.frame != "" {
					_ = w.Send([]byte(c.frame)) // the bridge may have had enough
				}
				for err == nil {
					_, err = w.Receive(s.Context())
				}
				closed, ok := errors.AsType[*bridgetest.Closed](err)
				if !ok || closed.Code != c.ends || time.Since(start) != c.after {
					s.Errorf("got %v after %s", err, time.Since(start))
				}
				if len(s.Connections()) != 0 {
					s.Error("it is connected")
				}
			})
		})
	}
}

// A proof is valid for only one challenge.
func TestReplayedProof(t *testing.T) {
	onBoth(t, func(s *stage) {
		old := map[string]any{"nonce": bridgetest.NewNonce(), "proof": nil}
		old["proof"] = bridgetest.PluginProof(s.token, bridgetest.NewNonce(), old["nonce"].(string))
		params, _ := json.Marshal(old)
		w, err := s.dial().Open(s.Context())
		if err != nil {
			s.Fatal(err)
		}
		defer w.Cut()
		_ = w.Send(fmt.Appendf(nil, `{"id":"h","method":"hello","params":%s}`, params)) // judged below
		for err == nil {
			_, err = w.Receive(s.Context())
		}
		if closed, ok := errors.AsType[*bridgetest.Closed](err); !ok || closed.Code != 4003 {
			s.Errorf("got %v", err)
		}
	})
}

// A storm of connections is let in five a second, and a crowd that does not
// greet does not keep others out for longer than it takes to notice.
func TestStorm(t *testing.T) {
	onBoth(t, func(s *stage) {
		open := func() (wires []*bridgetest.Wire, refused int) {
			for range 20 {
				w, err := s.dial().Open(s.Context())
				if err == nil {
					wires = append(wires, w)
					defer w.Cut()
					continue
				}
				refused++
				if closed, ok := errors.AsType[*bridgetest.Closed](err); !ok || closed.Code != http.StatusTooManyRequests {
					s.Errorf("refused with %v", err)
				}
			}
			return wires, refused
		}
		if wires, refused := open(); len(wires) != 5 || refused != 15 {
			s.Errorf("%d let in, %d refused", len(wires), refused)
		}
		time.Sleep(6 * time.Second)
		s.join("a", nil)
	})
}

func TestOrigins(t *testing.T) {
	token := bridgetest.NewToken(t)
	synctest.Test(t, func(t *testing.T) {
		let := map[string]bool{"https://graph.example": true}
		changes := 0
		s := newStage(t, token, false, bridge.Config{
			KnownOrigins: []string{"lsp://one.example", "lsp://two.example"},
			Approve:      func(o string) bool { return let[o] }, Changed: func() { changes++ },
		})
		connects := func(origin string) bool {
			d := s.dial()
			d.Origin = origin
			w, err := d.Open(t.Context())
			if err != nil {
				return false
			}
			w.Cut()
			time.Sleep(time.Second)
			return true
		}
		for origin, want := range map[string]bool{
			"": true, "lsp://one.example": true, "lsp://two.example": true, "https://graph.example": true,
			"https://evil.example": false, "http://127.0.0.1:9": false, "LSP://one.example": false, "lsp://one.example.evil": false,
		} {
			if connects(origin) != want {
				t.Errorf("%q connects: %v", origin, !want)
			}
		}
		for range 2 {
			if connects("file://") {
				t.Error("an unknown origin connects")
			}
		}
		var waiting []string
		for _, o := range s.Origins() {
			waiting = append(waiting, o.Origin)
			if o.Origin == "file://" && (o.Tries != 2 || o.First.IsZero()) {
				t.Errorf("got %+v", o)
			}
		}
		if len(waiting) != 3 || waiting[2] != "file://" || changes == 0 {
			t.Errorf("waiting: %v, changes: %d", waiting, changes)
		}
		for _, odd := range []string{"x://$(id)", "x://a;b", "x://a'b", "x://a b"} {
			if connects(odd) || len(s.Origins()) != 3 {
				t.Errorf("%q connects, or is shown to a person", odd)
			}
		}
		let["http://localhost:3001"] = true
		if !connects("http://localhost:3001") || connects("http://localhost:3002") {
			t.Error("of web pages not just the one that is let in connects")
		}
		let["file://"] = true
		if !connects("file://") || len(s.Origins()) != 2 {
			t.Errorf("approved, and yet: %v", s.Origins())
		}
	})
}
