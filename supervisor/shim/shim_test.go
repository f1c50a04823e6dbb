package shim

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stage is a shim between a scripted client and scripted hubs, all in memory.
type stage struct {
	t    *testing.T
	to   *sender // the client's end
	from *bufio.Reader
	hubs chan *peer            // each stream that the shim was given
	fail atomic.Pointer[error] // Connect answers this; nil: it succeeds
	done chan error
}

// peer is the hub's end of one stream.
type peer struct {
	t *testing.T
	*sender
	r *bufio.Reader
}

// sender gives an unbuffered pipe room, as the system's pipes have.
type sender struct {
	lines chan string
	once  sync.Once
}

func newSender(t *testing.T, w io.WriteCloser) *sender {
	s := &sender{lines: make(chan string, 64)}
	go func() {
		for line := range s.lines {
			_, _ = io.WriteString(w, line)
		}
		_ = w.Close()
	}()
	t.Cleanup(s.close)
	return s
}

// close closes the pipe after what was said has been read.
func (s *sender) close() { s.once.Do(func() { close(s.lines) }) }

func (s *sender) say(lines ...string) {
	for _, line := range lines {
		s.lines <- line + "\n"
	}
}

func newStage(t *testing.T, c Config) *stage { return newStageWithout(t, c, nil) }

// newStageWithout begins without a hub, for the reason of err.
func newStageWithout(t *testing.T, c Config, err error) *stage {
	in, to := io.Pipe()
	from, out := io.Pipe()
	s := &stage{t: t, to: newSender(t, to), from: bufio.NewReader(from), hubs: make(chan *peer, 8), done: make(chan error, 1)}
	if err != nil {
		s.fail.Store(&err)
	}
	c.In, c.Out, c.Log = in, out, slog.New(slog.DiscardHandler)
	c.Connect = func(context.Context) (net.Conn, error) {
		if err := s.fail.Load(); err != nil {
			return nil, *err
		}
		near, far := net.Pipe()
		s.hubs <- &peer{t, newSender(t, far), bufio.NewReader(far)}
		return near, nil
	}
	go func() { s.done <- Run(t.Context(), c) }()
	return s
}

func (s *stage) say(lines ...string) { s.to.say(lines...) }

func (s *stage) hears(wants ...string) { s.t.Helper(); hears(s.t, "client", s.from, wants) }

// ends closes the client's pipe and waits for the shim to end, which may have
// one more frame to say.
func (s *stage) ends() {
	s.t.Helper()
	s.to.close()
	if err := <-s.done; err != nil {
		s.t.Errorf("Run: %v", err)
	}
}

func (p *peer) hears(wants ...string) string { p.t.Helper(); return hears(p.t, "hub", p.r, wants) }

// hears reads one line for each want and compares: exactly, or up to a "…".
func hears(t *testing.T, who string, r *bufio.Reader, wants []string) (last string) {
	t.Helper()
	for _, want := range wants {
		line, err := r.ReadString('\n')
		line = strings.TrimSuffix(line, "\n")
		head, _, open := strings.Cut(want, "…")
		if err != nil || line != want && !(open && strings.HasPrefix(line, head)) {
			t.Fatalf("%s heard %s, %v\nwant %s", who, line, err, want)
		}
		last = line
	}
	return last
}

const (
	initialize  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`
	welcome     = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	list        = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	tools       = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","annotations":{"readOnlyHint":true}},{"name":"write"}]}}`
	changed     = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`
)

func callTool(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

// begin carries a session of the legacy era past its handshake.
func (s *stage) begin() *peer {
	s.t.Helper()
	hub := <-s.hubs
	s.say(initialize)
	hub.hears(initialize)
	hub.say(`{"jsonrpc":"2.0","id":0,` + welcome)
	s.hears(`{"jsonrpc":"2.0","id":0,` + welcome)
	s.say(initialized, list)
	hub.hears(initialized, list)
	hub.say(tools)
	s.hears(tools)
	return hub
}

// again answers the handshake that the shim repeats.
func (s *stage) again() *peer {
	s.t.Helper()
	hub := <-s.hubs
	asked := hub.hears(`{"jsonrpc":"2.0","id":"lectern-…`)
	m, _ := parse([]byte(asked))
	if m.method != "initialize" || string(m.params) != `{"protocolVersion":"2025-11-25"}` {
		s.t.Fatalf("replayed %s", asked)
	}
	hub.say(`{"jsonrpc":"2.0","id":` + string(m.id) + `,` + welcome)
	hub.hears(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`)
	s.hears(changed)
	return hub
}

func TestHubIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{})
		hub := s.begin()
		s.say(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"note:a"}}`)
		hub.hears(`{"jsonrpc":"2.0","id":2,…`)
		hub.say(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		s.hears(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		s.say(callTool("3", "read"), callTool("4", "write"), callTool(`"five"`, "unheard-of"), callTool("6", "read"))
		hub.hears(callTool("3", "read"), callTool("4", "write"), callTool(`"five"`, "unheard-of"), callTool("6", "read"))
		hub.say(`{"jsonrpc":"2.0","id":6,"result":{}}`)
		s.hears(`{"jsonrpc":"2.0","id":6,"result":{}}`)
		hub.say(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		s.hears(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		hub.lines <- `{"jsonrpc":"2.0","id":4,"resu` // dies in the middle of a frame
		hub.close()
		s.hears(
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32001,…`,
			`{"jsonrpc":"2.0","id":"five","error":{"code":-32001,…`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the hub restarted"}}`)
		next := s.again()
		next.hears(`{"jsonrpc":"2.0","id":"lectern-…`, callTool("3", "read"))
		next.say(`{"jsonrpc":"2.0","id":3,"result":{}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.hears(`{"jsonrpc":"2.0","id":3,"result":{}}`) // once
		// What the first hub asked is not answered to the second.
		s.say(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		next.say(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		s.hears(`{"jsonrpc":"2.0","id":"lectern-ask-1","method":"roots/list"}`)
		s.say(`{"jsonrpc":"2.0","id":"lectern-ask-1","result":{"roots":["b"]}}`)
		next.hears(`{"jsonrpc":"2.0","id":1,"result":{"roots":["b"]}}`)
		s.ends()
	})
}

func TestReadIsRetriedSomeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{})
		hub := s.begin()
		s.say(callTool("3", "read"))
		hub.hears(callTool("3", "read"))
		for range maxAttempts - 1 {
			hub.close()
			hub = s.again()
			hub.hears(callTool("3", "read"))
		}
		hub.close()
		s.hears(`{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"Lectern's hub restarted while this call was in flight. It may have been carried out or not: look first, then call again if need be.","data":{"code":"HUB_RESTARTED","retryable":true}}}`)
		hub = s.again()
		s.say(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
		hub.hears(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
		hub.say(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		s.hears(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		s.ends()
	})
}

// TestModernEra has no handshake to repeat, and a request that waits for ever.
func TestModernEra(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{})
		const listen = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"_meta":{}}}`
		s.say(listen)
		for range 3 {
			hub := <-s.hubs
			hub.hears(listen)
			hub.close()
		}
		hub := <-s.hubs
		hub.hears(listen)
		s.ends() // although it has no answer
	})
}

func TestCancelledCallIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{})
		hub := s.begin()
		const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`
		s.say(callTool("3", "write"), cancel)
		hub.hears(callTool("3", "write"), cancel)
		hub.close()
		s.again()
		s.ends()
	})
}

type finalError struct{ error }

func (finalError) Final() bool { return true }

func TestNoHub(t *testing.T) {
	for name, c := range map[string]struct {
		err       error
		retryable string
		after     time.Duration // at most
	}{
		"for now":  {errors.New("start hub: no luck"), "true", 15 * time.Second},
		"for good": {finalError{errors.New("start hub: no luck")}, "false", time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStageWithout(t, Config{}, c.err)
				began := time.Now()
				s.say(initialize, "garbage")
				s.hears(`{"jsonrpc":"2.0","id":0,"error":{"code":-32001,"message":"Lectern's hub cannot be reached: start hub: no luck. Run ` +
					"`lectern status` in a terminal to see more." + `","data":{"code":"HUB_UNREACHABLE","retryable":` + c.retryable + `}}}`)
				if took := time.Since(began); took > c.after {
					t.Errorf("answered after %s", took)
				}
				s.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,…`)
				// It lives on, and finds the hub when there is one.
				s.fail.Store(nil)
				s.say(initialize)
				hub := <-s.hubs
				hub.hears(initialize)
				hub.say(`{"jsonrpc":"2.0","id":0,` + welcome)
				s.hears(`{"jsonrpc":"2.0","id":0,` + welcome)
				s.ends()
			})
		})
	}
}

// A client that asks and closes its pipe is answered even when no hub comes.
func TestNoHubAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStageWithout(t, Config{Linger: 3 * time.Second}, errors.New("start hub: no luck"))
		s.say(initialize)
		s.to.close()
		s.hears(`{"jsonrpc":"2.0","id":0,"error":{"code":-32001,"message":"Lectern's hub cannot be reached: start hub: no luck…`)
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
}

func TestGarbageIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{})
		s.say(`{"jsonrpc"`, `[]`)
		hub := <-s.hubs
		hub.hears(`{"jsonrpc"`, `[]`)
		hub.say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`)
		s.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`)
		s.ends()
	})
}

func TestAnswersBeforeEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{})
		s.say(initialize)
		s.to.close() // as `echo … | lectern serve` does
		hub := <-s.hubs
		hub.hears(initialize)
		hub.say(`{"jsonrpc":"2.0","id":0,` + welcome)
		s.hears(`{"jsonrpc":"2.0","id":0,` + welcome)
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
}

func TestSilentHubDoesNotHoldTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{Linger: 3 * time.Second})
		s.say(initialize)
		hub := <-s.hubs
		hub.hears(initialize)
		began := time.Now()
		s.ends()
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("ended after %s, want 3 s", took)
		}
	})
}

func TestParentGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		s := newStage(t, Config{Parent: gone})
		close(gone)
		if err := <-s.done; !errors.Is(err, ErrParentGone) {
			t.Errorf("Run: %v, want ErrParentGone", err)
		}
		s.to.close()
	})
}

func TestLongFrame(t *testing.T) {
	if testing.Short() {
		t.Skip("moves 17 MB")
	}
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t, Config{})
		hub := <-s.hubs
		s.say(`{"id":1,"method":"m","params":"` + strings.Repeat("x", 17<<20) + `"}`)
		s.hears(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,…`)
		s.say(initialize)
		hub.hears(initialize)
		hub.close()
		(<-s.hubs).hears(initialize)
		s.to.close()
		<-s.done
	})
}
