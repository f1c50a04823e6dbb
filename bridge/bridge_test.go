package bridge_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/bridge/bridgetest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// A stage is a bridge behind its guard, without sockets, in a synctest bubble.
type stage struct {
	*testing.T
	*bridge.Bridge
	token  loopnet.Token
	client *http.Client
	poll   bool
}

// onBoth plays a test over either transport.
func onBoth(t *testing.T, play func(s *stage)) {
	for _, poll := range []bool{false, true} {
		t.Run(map[bool]string{false: "websocket", true: "poll"}[poll], func(t *testing.T) {
			token := bridgetest.NewToken(t)
			synctest.Test(t, func(t *testing.T) { play(newStage(t, token, poll, bridge.Config{})) })
		})
	}
}

func newStage(t *testing.T, token loopnet.Token, poll bool, conf bridge.Config) *stage {
	conf.Token = func() loopnet.Token { return token }
	if conf.Describe == nil {
		conf.Describe = bridgetest.Describe
	}
	conf.Version, conf.Skill, conf.Log, conf.Now = "1.2.3", "7", slog.New(slog.DiscardHandler), time.Now
	s := &stage{T: t, Bridge: bridge.New(conf), token: token, poll: poll}
	s.client = bridgetest.Serve(t, bridgetest.Guarded(s.Bridge, 12740))
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Peer is the Peer that has this name.
func (s *stage) Peer(name string) *bridge.Peer { return s.Bridge.Peer(bridgetest.Kind, name) }

func (s *stage) dial() bridgetest.Dial {
	return bridgetest.Dial{URL: bridgetest.URL, Client: s.client, Poll: s.poll}
}

type answering = func(ctx context.Context, method string, params json.RawMessage) (any, error)

// join connects a Peer with a graph, and sees it off at the end.
func (s *stage) join(graph string, answer answering) *bridgetest.Peer {
	s.Helper()
	p, err := bridgetest.Connect(s.Context(), bridgetest.Options{Dial: s.dial(), Token: s.token, Hello: bridgetest.Hello(graph), Answer: answer})
	if err != nil {
		s.Fatalf("connect: %v", err)
	}
	s.Cleanup(p.Cut)
	return p
}

// fails checks what a call's error says.
func fails(t *testing.T, err error, want bridge.Error) {
	t.Helper()
	got, ok := errors.AsType[*bridge.Error](err)
	if !ok {
		t.Fatalf("got %v, want %+v", err, want)
	}
	if d := cmp.Diff(want, *got, cmpopts.IgnoreFields(bridge.Error{}, "Msg", "Err", "Data")); d != "" {
		t.Errorf("%v: (-want +got)\n%s", err, d)
	}
}

func echo(_ context.Context, method string, params json.RawMessage) (any, error) {
	return map[string]any{"method": method, "params": params}, nil
}

func never(ctx context.Context, _ string, _ json.RawMessage) (any, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestCall(t *testing.T) {
	onBoth(t, func(s *stage) {
		s.join("notes", func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			if method == "fail" {
				return nil, &bridgetest.Fault{Code: "NOT_FOUND", Message: "no such page", Data: map[string]int{"near": 3}}
			}
			return echo(ctx, method, params)
		})
		var out struct {
			Method string
			Params struct{ A int }
		}
		if err := s.Peer("").Call(s.Context(), "m", map[string]int{"a": 7}, &out, false); err != nil || out.Method != "m" || out.Params.A != 7 {
			s.Errorf("got %+v, %v", out, err)
		}
		err := s.Peer("notes").Call(s.Context(), "fail", nil, nil, false)
		fails(s.T, err, bridge.Error{Code: bridge.PeerError, PeerCode: "NOT_FOUND"})
		if e, _ := errors.AsType[*bridge.Error](err); e.Msg != "no such page" || string(e.Data) != `{"near":3}` {
			s.Errorf("got %q, %s", e.Msg, e.Data)
		}
		var wrong struct{ Method int }
		fails(s.T, s.Peer("notes").Call(s.Context(), "m", nil, &wrong, false), bridge.Error{Code: bridge.InvalidAnswer})
		fails(s.T, s.Peer("other").Call(s.Context(), "m", nil, nil, true), bridge.Error{Code: bridge.Unavailable})
	})
}

func TestConnections(t *testing.T) {
	onBoth(t, func(s *stage) {
		s.join("b", nil)
		s.join("a", nil)
		time.Sleep(21 * time.Second)
		transport := map[bool]string{false: "websocket", true: "poll"}[s.poll]
		want := []bridge.Connection{}
		for _, name := range []string{"a", "b"} {
			want = append(want, bridge.Connection{
				Description: bridge.Description{
					Kind: bridgetest.Kind, Key: "db_" + name, Names: []string{name, "db_" + name}, Capabilities: []string{"pages.list", "pages.read", "blocks.read"},
				},
				Transport: transport,
			})
		}
		got := s.Connections()
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(bridge.Connection{}, "Since", "Hello", "Latency")); d != "" {
			s.Error(d)
		}
	})
}

// A Peer without a graph's name means the only one there is.
func TestPick(t *testing.T) {
	onBoth(t, func(s *stage) {
		fails(s.T, s.Peer("").Call(s.Context(), "m", nil, nil, true), bridge.Error{Code: bridge.Unavailable})
		if s.Peer("").Hello() != nil {
			s.Error("About returned something without a Peer")
		}
		s.join("a", nil)
		about := s.Peer("").Hello()
		var said map[string]any
		if err := json.Unmarshal(about, &said); err != nil || said["graph"] == nil || said["proof"] != nil || said["nonce"] != nil {
			s.Errorf("about: %s, %v", about, err)
		}
		s.join("b", echo)
		fails(s.T, s.Peer("").Call(s.Context(), "m", nil, nil, true), bridge.Error{Code: bridge.Unavailable})
		for _, name := range []string{"b", "db_b"} {
			var out struct{ Method string }
			if err := s.Peer(name).Call(s.Context(), "m", nil, &out, true); err != nil || out.Method != "m" {
				s.Errorf("%s: got %v, %v", name, out, err)
			}
		}
	})
}

// Names and the only Peer are looked up within a kind, and two kinds may have
// the same key.
func TestKindsAreApart(t *testing.T) {
	token := bridgetest.NewToken(t)
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, token, false, bridge.Config{Describe: func(hello json.RawMessage) (bridge.Description, error) {
			d, err := bridgetest.Describe(hello)
			d.Kind, d.Key = d.Names[0], "the same"
			return d, err
		}})
		s.join("one", echo)
		if err := s.Bridge.Peer("one", "").Call(t.Context(), "m", nil, nil, true); err != nil {
			t.Error(err)
		}
		err := s.Bridge.Peer("two", "").Call(t.Context(), "m", nil, nil, true)
		fails(t, err, bridge.Error{Code: bridge.Unavailable})
		s.join("two", echo)
		for _, kind := range []string{"one", "two"} {
			if err := s.Bridge.Peer(kind, "").Call(t.Context(), "m", nil, nil, true); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
			if err := s.Bridge.Peer(kind, kind).Call(t.Context(), "m", nil, nil, true); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if got := s.Connections(); len(got) != 2 {
			t.Errorf("connected: %+v", got)
		}
	})
}

// What Describe does not know is refused in its words, and never sees a secret.
func TestDescribeRefuses(t *testing.T) {
	token := bridgetest.NewToken(t)
	for _, c := range []struct {
		describe func(hello json.RawMessage) (bridge.Description, error)
		reason   string
	}{
		{func(hello json.RawMessage) (bridge.Description, error) {
			return bridge.Description{}, fmt.Errorf("nobody knows %t", strings.Contains(string(hello), "proof"))
		}, "hello: nobody knows false"},
		{func(json.RawMessage) (bridge.Description, error) {
			return bridge.Description{Key: strings.Repeat("k", 5<<10)}, nil
		}, "hello: a name is longer than 4 KB, or there are more than 8"},
		{func(json.RawMessage) (bridge.Description, error) {
			return bridge.Description{Names: make([]string, 9)}, nil
		}, "hello: a name is longer than 4 KB, or there are more than 8"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, token, false, bridge.Config{Describe: c.describe})
			_, err := bridgetest.Connect(t.Context(), bridgetest.Options{Dial: s.dial(), Token: token})
			closed, ok := errors.AsType[*bridgetest.Closed](err)
			if !ok || closed.Code != 4002 || closed.Reason != c.reason || len(s.Connections()) != 0 {
				t.Errorf("got %v, want %s", err, c.reason)
			}
		})
	}
}

// A call that comes before the plugin has found us again waits for it.
func TestYoungBridgeWaits(t *testing.T) {
	onBoth(t, func(s *stage) {
		start := time.Now()
		early, named := make(chan error, 1), make(chan error, 1)
		go func() { early <- s.Peer("").Call(s.Context(), "m", nil, nil, false) }()
		go func() { named <- s.Peer("b").Call(s.Context(), "m", nil, nil, false) }()
		time.Sleep(10 * time.Second)
		s.join("a", echo)
		if err := <-early; err != nil || time.Since(start) != 10*time.Second {
			s.Errorf("%v after %s", err, time.Since(start))
		}
		fails(s.T, <-named, bridge.Error{Code: bridge.Unavailable})
		if took := time.Since(start); took != 12*time.Second {
			s.Errorf("no Peer connected, reported after %s", took)
		}
		fails(s.T, s.Peer("b").Call(s.Context(), "m", nil, nil, false), bridge.Error{Code: bridge.Unavailable})
		if took := time.Since(start); took != 12*time.Second {
			s.Errorf("an old bridge waits, until %s", took)
		}
	})
}

func TestNewestWins(t *testing.T) {
	onBoth(t, func(s *stage) {
		older := s.join("a", never)
		lost := make(chan error, 1)
		go func() { lost <- s.Peer("a").Call(s.Context(), "write", nil, nil, false) }()
		synctest.Wait()
		s.join("a", echo)
		if end := older.Wait(); end.Code != 4001 || !slices.Equal(older.Notifications(), []string{"replaced"}) {
			s.Errorf("the older one was told %v and %v", older.Notifications(), end)
		}
		fails(s.T, <-lost, bridge.Error{Code: bridge.Unavailable, OutcomeUnknown: true})
		if err := s.Peer("a").Call(s.Context(), "m", nil, nil, false); err != nil {
			s.Error(err)
		}
	})
}

// A read that was lost is sent again, a write is not.
func TestReconnect(t *testing.T) {
	onBoth(t, func(s *stage) {
		asked := make(chan string, 8)
		first := s.join("a", func(ctx context.Context, method string, _ json.RawMessage) (any, error) {
			asked <- method
			return never(ctx, method, nil)
		})
		read, write := make(chan error, 1), make(chan error, 1)
		go func() { read <- s.Peer("a").Call(s.Context(), "read", nil, nil, true) }()
		go func() { write <- s.Peer("a").Call(s.Context(), "write", nil, nil, false) }()
		synctest.Wait()
		if s.poll {
			first.Close() // only a ping would notice a cut
		} else {
			first.Cut()
		}
		fails(s.T, <-write, bridge.Error{Code: bridge.Unavailable, OutcomeUnknown: true})
		time.Sleep(2 * time.Second)
		s.join("b", echo) // another graph does not count
		var out struct{ Method string }
		s.join("a", echo)
		if err := <-read; err != nil {
			s.Errorf("the read: %v", err)
		}
		if err := s.Peer("a").Call(s.Context(), "m", nil, &out, true); err != nil || out.Method != "m" || len(asked) != 2 {
			s.Errorf("got %v, %v; the first one was asked %d times", out, err, len(asked))
		}
	})
}

func TestNobodyComesBack(t *testing.T) {
	onBoth(t, func(s *stage) {
		p := s.join("a", never)
		ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		read := make(chan error, 1)
		go func() { read <- s.Peer("a").Call(ctx, "read", nil, nil, true) }()
		synctest.Wait()
		p.Close()
		fails(s.T, <-read, bridge.Error{Code: bridge.Unavailable})
		if took := time.Since(start); took != 15*time.Second {
			s.Errorf("it waited %s", took)
		}
	})
}

func TestTimeoutAndCancel(t *testing.T) {
	onBoth(t, func(s *stage) {
		p := s.join("a", never)
		ctx, cancel := context.WithTimeout(s.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		fails(s.T, s.Peer("a").Call(ctx, "write", nil, nil, false), bridge.Error{Code: bridge.Timeout, OutcomeUnknown: true})
		if took := time.Since(start); took != 3*time.Second {
			s.Errorf("it took %s", took)
		}
		fails(s.T, s.Peer("a").Call(s.Context(), "read", nil, nil, true), bridge.Error{Code: bridge.Timeout})
		if took := time.Since(start); took != 33*time.Second {
			s.Errorf("without a deadline it took %s", took-3*time.Second)
		}
		synctest.Wait()
		if got := p.Notifications(); !slices.Equal(got, []string{"cancel", "cancel"}) {
			s.Errorf("the peer was told %v", got)
		}
	})
}

func TestBackPressure(t *testing.T) {
	onBoth(t, func(s *stage) {
		var mu sync.Mutex
		now, most := 0, 0
		s.join("a", func(context.Context, string, json.RawMessage) (any, error) {
			mu.Lock()
			now++
			most = max(most, now)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			now--
			mu.Unlock()
			return nil, nil
		})
		outcomes := make(chan error, 400)
		for range cap(outcomes) {
			go func() { outcomes <- s.Peer("a").Call(s.Context(), "m", nil, nil, true) }()
		}
		limited := 0
		for range cap(outcomes) {
			if err := <-outcomes; err != nil {
				fails(s.T, err, bridge.Error{Code: bridge.Limited})
				limited++
			}
		}
		if most != 64 || limited != 400-64-256 {
			s.Errorf("%d at once, %d refused", most, limited)
		}
	})
}

func TestListen(t *testing.T) {
	onBoth(t, func(s *stage) {
		var mu sync.Mutex
		var heard []string
		hear := func(prefix string) func(string, json.RawMessage) {
			return func(method string, params json.RawMessage) {
				mu.Lock()
				defer mu.Unlock()
				heard = append(heard, prefix+method+string(params))
			}
		}
		expect := func(want ...string) {
			s.Helper()
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			slices.Sort(heard)
			if d := cmp.Diff(want, heard); d != "" {
				s.Error(d)
			}
			heard = nil
		}
		p := s.join("a", nil)
		stop := s.Peer("a").Listen(hear("a "))
		defer s.Peer("c").Listen(hear("c "))()
		expect("a peer.connected")
		if err := p.Notify("changed", map[string]int{"n": 1}); err != nil {
			s.Fatal(err)
		}
		expect(`a changed{"n":1}`)
		if err := p.Notify("announce", map[string]any{"version": "9", "graph": map[string]any{"name": "a", "url": "db_a"}}); err != nil {
			s.Fatal(err)
		}
		expect(`a announce{"graph":{"name":"a","url":"db_a"},"version":"9"}`)
		if err := p.Notify("announce", map[string]any{"graph": map[string]any{"name": "c", "kind": "file"}}); err != nil {
			s.Fatal(err)
		}
		expect("a peer.gone", `c announce{"graph":{"kind":"file","name":"c"}}`, "c peer.connected")
		stop()
		q := s.join("a", nil)
		p.Close()
		q.Close()
		expect("c peer.gone")
	})
}

// Calls for a graph never reach another one, and answers neither.
func TestGraphSwitch(t *testing.T) {
	onBoth(t, func(s *stage) {
		release := make(chan struct{})
		p := s.join("a", func(context.Context, string, json.RawMessage) (any, error) {
			<-release
			return "of b by now", nil
		})
		write := make(chan error, 1)
		go func() { write <- s.Peer("a").Call(s.Context(), "write", nil, nil, false) }()
		synctest.Wait()
		if err := p.Notify("announce", map[string]any{"graph": map[string]any{"name": "b"}}); err != nil {
			s.Fatal(err)
		}
		fails(s.T, <-write, bridge.Error{Code: bridge.Unavailable, OutcomeUnknown: true})
		close(release)
		synctest.Wait()
		fails(s.T, s.Peer("a").Call(s.Context(), "m", nil, nil, false), bridge.Error{Code: bridge.Unavailable})
		if err := s.Peer("b").Call(s.Context(), "m", nil, nil, false); err != nil {
			s.Error(err)
		}
	})
}

func TestListenerThatFallsBehind(t *testing.T) {
	onBoth(t, func(s *stage) {
		p := s.join("a", nil)
		var heard []string
		hold := make(chan struct{})
		stop := s.Peer("a").Listen(func(method string, _ json.RawMessage) {
			<-hold
			heard = append(heard, method)
		})
		defer stop()
		for range 1100 {
			if err := p.Notify("changed", nil); err != nil {
				s.Fatal(err)
			}
		}
		synctest.Wait()
		close(hold)
		synctest.Wait()
		if len(heard) < 3 || len(heard) > 200 || !slices.Equal(heard[:3], []string{"peer.connected", "peer.gone", "peer.connected"}) {
			s.Errorf("heard %d, first %v", len(heard), heard[:min(4, len(heard))])
		}
	})
}

func TestClose(t *testing.T) {
	onBoth(t, func(s *stage) {
		p := s.join("a", never)
		read := make(chan error, 1)
		go func() { read <- s.Peer("a").Call(s.Context(), "read", nil, nil, true) }()
		synctest.Wait()
		if err := s.Close(); err != nil {
			s.Error(err)
		}
		fails(s.T, <-read, bridge.Error{Code: bridge.Unavailable})
		if end := p.Wait(); end.Code != 4000 {
			s.Errorf("the peer was told %v", end)
		}
		if _, err := bridgetest.Connect(s.Context(), bridgetest.Options{Dial: s.dial(), Token: s.token}); err == nil {
			s.Error("a closed bridge takes connections")
		}
	})
}

// The token itself is taken only where the configuration says so.
func TestPlainToken(t *testing.T) {
	token := bridgetest.NewToken(t)
	for _, plain := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t, token, false, bridge.Config{PlainToken: plain})
			w, err := s.dial().Open(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer w.Cut()
			frame, _ := json.Marshal(map[string]any{"id": "h", "method": "hello", "params": map[string]any{
				"token": token.Reveal(), "graph": map[string]string{"name": "a"},
			}})
			if err := w.Send(frame); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			if got := len(s.Connections()) == 1; got != plain {
				t.Errorf("with plain_token = %v it is connected: %v", plain, got)
			}
			if plain && json.Valid(s.Peer("a").Hello()) && strings.Contains(string(s.Peer("a").Hello()), "token") {
				t.Error("the token is passed on")
			}
		})
	}
}

// A Peer that is stopped, or whose line is dead, is seen to be gone after one
// ping, however long the goodbye takes.
func TestDeadPeerIsSeen(t *testing.T) {
	token := bridgetest.NewToken(t)
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, token, false, bridge.Config{})
		s.raw("dead") // reads nothing from now on
		time.Sleep(30*time.Second - time.Nanosecond)
		if len(s.Connections()) != 1 {
			t.Error("it was given up early")
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if len(s.Connections()) != 0 {
			t.Error("it is still shown")
		}
	})
}
