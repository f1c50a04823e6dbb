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

// shimTest is a shim between a scripted client and scripted hubs, all in memory.
type shimTest struct {
	t    *testing.T
	to   *lineWriter // the client's end
	from *bufio.Reader
	hubs chan *fakeHub         // each stream that the shim was given
	fail atomic.Pointer[error] // Connect answers this; nil: it succeeds
	done chan error
}

// fakeHub is the hub's end of one stream.
type fakeHub struct {
	t *testing.T
	*lineWriter
	r     *bufio.Reader
	ended chan struct{} // closed when the shim writes nothing more
}

// lineWriter gives an unbuffered pipe room, as the system's pipes have.
type lineWriter struct {
	lines chan string
	once  sync.Once
}

func newLineWriter(t *testing.T, w io.WriteCloser) *lineWriter {
	s := &lineWriter{lines: make(chan string, 64)}
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
func (s *lineWriter) close() { s.once.Do(func() { close(s.lines) }) }

func (s *lineWriter) write(lines ...string) {
	for _, line := range lines {
		s.lines <- line + "\n"
	}
}

func newShimTest(t *testing.T, c Config) *shimTest { return newShimTestWithout(t, c, nil) }

// newShimTestWithout begins without a hub, for the reason of err.
func newShimTestWithout(t *testing.T, c Config, err error) *shimTest {
	in, to := io.Pipe()
	from, out := io.Pipe()
	s := &shimTest{t: t, to: newLineWriter(t, to), from: bufio.NewReader(from), hubs: make(chan *fakeHub, 8), done: make(chan error, 1)}
	if err != nil {
		s.fail.Store(&err)
	}
	c.In, c.Out, c.Log = in, out, slog.New(slog.DiscardHandler)
	c.Connect = func(context.Context) (net.Conn, error) {
		if err := s.fail.Load(); err != nil {
			return nil, *err
		}
		near, far := net.Pipe()
		ended := make(chan struct{})
		s.hubs <- &fakeHub{t, newLineWriter(t, far), bufio.NewReader(far), ended}
		return halfCloser{near, ended}, nil
	}
	go func() { s.done <- Run(t.Context(), c) }()
	return s
}

func (s *shimTest) send(lines ...string) { s.to.write(lines...) }

func (s *shimTest) expect(wants ...string) { s.t.Helper(); expectFrames(s.t, "client", s.from, wants) }

// expectEnd closes the client's pipe and waits for the shim to end, which may have
// one more frame to say.
func (s *shimTest) expectEnd() {
	s.t.Helper()
	s.to.close()
	if err := <-s.done; err != nil {
		s.t.Errorf("Run: %v", err)
	}
}

func (p *fakeHub) expect(wants ...string) string {
	p.t.Helper()
	return expectFrames(p.t, "hub", p.r, wants)
}

// expectFrames reads one line for each want and compares: exactly, or up to a "…".
func expectFrames(t *testing.T, who string, r *bufio.Reader, wants []string) (last string) {
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
	readOnly    = `{"jsonrpc":"2.0","method":"notifications/lectern/read_only_tools","params":{"tools":["read"]}}`
	allAnswered = `{"jsonrpc":"2.0","method":"notifications/lectern/all_answered"}`
	changed     = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`
)

func callTool(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

// connect carries a session of the legacy era past its handshake.
func (s *shimTest) connect() *fakeHub {
	s.t.Helper()
	hub := <-s.hubs
	s.send(initialize)
	hub.expect(initialize)
	hub.write(readOnly, `{"jsonrpc":"2.0","id":0,`+welcome)
	s.expect(`{"jsonrpc":"2.0","id":0,` + welcome)
	s.send(initialized)
	hub.expect(initialized)
	return hub
}

// reconnect answers the handshake that the shim repeats.
func (s *shimTest) reconnect() *fakeHub {
	s.t.Helper()
	hub := <-s.hubs
	asked := hub.expect(`{"jsonrpc":"2.0","id":"lectern-…`)
	m, _ := parseFrame([]byte(asked))
	if m.method != "initialize" || string(m.params) != `{"protocolVersion":"2025-11-25"}` {
		s.t.Fatalf("replayed %s", asked)
	}
	hub.write(`{"jsonrpc":"2.0","id":` + string(m.id) + `,` + welcome)
	hub.expect(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}`)
	s.expect(changed)
	return hub
}

func TestHubIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		s.send(`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"note:a"}}`)
		hub.expect(`{"jsonrpc":"2.0","id":2,…`)
		hub.write(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		s.send(callTool("3", "read"), callTool("4", "write"), callTool(`"five"`, "unheard-of"), callTool("6", "read"))
		hub.expect(callTool("3", "read"), callTool("4", "write"), callTool(`"five"`, "unheard-of"), callTool("6", "read"))
		hub.write(`{"jsonrpc":"2.0","id":6,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":6,"result":{}}`)
		hub.write(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		s.expect(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		hub.lines <- `{"jsonrpc":"2.0","id":4,"resu` // dies in the middle of a frame
		hub.close()
		s.expect(
			`{"jsonrpc":"2.0","id":4,"error":{"code":-32001,…`,
			`{"jsonrpc":"2.0","id":"five","error":{"code":-32001,…`,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"the hub restarted"}}`)
		next := s.reconnect()
		next.expect(`{"jsonrpc":"2.0","id":"lectern-…`, callTool("3", "read"))
		next.write(`{"jsonrpc":"2.0","id":3,"result":{}}`, `{"jsonrpc":"2.0","id":3,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":3,"result":{}}`) // once
		// What the first hub asked is not answered to the second.
		s.send(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
		next.write(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		s.expect(`{"jsonrpc":"2.0","id":"lectern-ask-1","method":"roots/list"}`)
		s.send(`{"jsonrpc":"2.0","id":"lectern-ask-1","result":{"roots":["b"]}}`)
		next.expect(`{"jsonrpc":"2.0","id":1,"result":{"roots":["b"]}}`)
		s.expectEnd()
	})
}

func TestReadIsRetriedSomeTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		s.send(callTool("3", "read"))
		hub.expect(callTool("3", "read"))
		for range maxSendAttempts - 1 {
			hub.close()
			hub = s.reconnect()
			hub.expect(callTool("3", "read"))
		}
		hub.close()
		s.expect(`{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"Lectern's hub restarted while this call was in flight. It may have been carried out or not: check first, then call again if needed.","data":{"code":"HUB_RESTARTED","retryable":true}}}`)
		hub = s.reconnect()
		s.send(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
		hub.expect(`{"jsonrpc":"2.0","id":4,"method":"ping"}`)
		hub.write(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":4,"result":{}}`)
		s.expectEnd()
	})
}

// TestStatelessProtocol has no handshake to repeat, and a request that waits for ever.
func TestStatelessProtocol(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		const listen = `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{"_meta":{}}}`
		s.send(listen)
		for range 3 {
			hub := <-s.hubs
			hub.expect(listen)
			hub.close()
		}
		hub := <-s.hubs
		hub.expect(listen)
		s.expectEnd() // although it has no answer
	})
}

func TestCancelledCallIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`
		s.send(callTool("3", "write"), cancel)
		hub.expect(callTool("3", "write"), cancel)
		hub.close()
		s.reconnect()
		s.expectEnd()
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
				s := newShimTestWithout(t, Config{}, c.err)
				began := time.Now()
				s.send(initialize, "garbage")
				s.expect(`{"jsonrpc":"2.0","id":0,"error":{"code":-32001,"message":"Lectern's hub cannot be reached: start hub: no luck. Run ` +
					"`lectern status` in a terminal for details." + `","data":{"code":"HUB_UNREACHABLE","retryable":` + c.retryable + `}}}`)
				if took := time.Since(began); took > c.after {
					t.Errorf("answered after %s", took)
				}
				s.expect(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,…`)
				// It lives on, and finds the hub when there is one.
				s.fail.Store(nil)
				s.send(initialize)
				hub := <-s.hubs
				hub.expect(initialize)
				hub.write(`{"jsonrpc":"2.0","id":0,` + welcome)
				s.expect(`{"jsonrpc":"2.0","id":0,` + welcome)
				s.expectEnd()
			})
		})
	}
}

// A client that asks and closes its pipe is answered even when no hub comes.
func TestNoHubAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTestWithout(t, Config{DrainTimeout: 3 * time.Second}, errors.New("start hub: no luck"))
		s.send(initialize)
		s.to.close()
		s.expect(`{"jsonrpc":"2.0","id":0,"error":{"code":-32001,"message":"Lectern's hub cannot be reached: start hub: no luck…`)
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
}

func TestGarbageIsPassedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		s.send(`{"jsonrpc"`, `[]`)
		hub := <-s.hubs
		hub.expect(`{"jsonrpc"`, `[]`)
		hub.write(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`)
		s.expect(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}`)
		s.expectEnd()
	})
}

// What is no right request is a request all the same: the hub says what is wrong with it, and the
// client is told that.
func TestWrongRequestsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		s.send(`[]`)
		hub := <-s.hubs
		hub.expect(`[]`)
		for id, members := range map[string]string{
			`"a"`: `"method":"tools/call"`, `1`: `"method":"tools/call","params":[]`, `2`: `"method":"tools/call","params":{"name":7}`,
			`3`: `"method":"resources/subscribe"`, `4`: `"method":"resources/unsubscribe","params":{}`, `5`: `"method":5`,
			`1.5`: `"method":"ping"`, `-6`: `"method":"ping","params":{"a":tru}`, `7`: `"params":{}`, `8`: `"method":"initialize","params":3`,
		} {
			request := `{"jsonrpc":"2.0","id":` + id + `,` + members + `}`
			s.send(request)
			hub.expect(request)
			answer := `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600}}`
			hub.write(answer)
			s.expect(answer)
		}
		s.expectEnd()
	})
}

func TestAnswersBeforeEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		s.send(initialize)
		s.to.close() // as `echo … | lectern serve` does
		hub := <-s.hubs
		hub.expect(initialize)
		hub.write(`{"jsonrpc":"2.0","id":0,` + welcome)
		s.expect(`{"jsonrpc":"2.0","id":0,` + welcome)
		if err := <-s.done; err != nil {
			t.Error(err)
		}
	})
}

// The hub is told at once that the client has closed its pipe, also a hub that comes later.
func TestHubIsToldOfTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		s.send(callTool("2", "write"))
		hub.expect(callTool("2", "write"))
		s.to.close()
		synctest.Wait()
		select {
		case <-hub.ended:
		default:
			t.Error("the hub is not told")
		}
		hub.write(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		s.expect(`{"jsonrpc":"2.0","id":2,"result":{}}`)
		if err := <-s.done; err != nil {
			t.Error(err)
		}

		s = newShimTest(t, Config{})
		s.send(initialize)
		s.to.close()
		late := <-s.hubs
		late.expect(initialize)
		<-late.ended
		late.write(`{"jsonrpc":"2.0","id":0,` + welcome)
		s.expect(`{"jsonrpc":"2.0","id":0,` + welcome)
		<-s.done
	})
}

// A halfCloser notes that nothing more is written to it.
type halfCloser struct {
	net.Conn
	ended chan struct{}
}

func (c halfCloser) CloseWrite() error {
	close(c.ended)
	return nil
}

func TestSilentHubDoesNotDelayTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{DrainTimeout: 3 * time.Second})
		s.send(initialize)
		hub := <-s.hubs
		hub.expect(initialize)
		began := time.Now()
		s.expectEnd()
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("ended after %s, want 3 s", took)
		}
	})
}

func TestParentGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := make(chan struct{})
		s := newShimTest(t, Config{Parent: gone})
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
		s := newShimTest(t, Config{})
		hub := <-s.hubs
		s.send(`{"id":1,"method":"m","params":"` + strings.Repeat("x", 17<<20) + `"}`)
		s.expect(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,…`)
		s.send(initialize)
		hub.expect(initialize)
		hub.close()
		(<-s.hubs).expect(initialize)
		s.to.close()
		<-s.done
	})
}

// An agent that a person disconnected does not come back by itself, and every
// call is told why, at once.
func TestDisconnectedByAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShimTest(t, Config{})
		hub := s.connect()
		s.send(callTool("3", "read"), callTool("4", "write"))
		hub.expect(callTool("3", "read"), callTool("4", "write"))
		hub.write(`{"jsonrpc":"2.0","method":"notifications/lectern/disconnected"}`)
		hub.close()
		const why = `"error":{"code":-32001,"message":"The user disconnected this agent from Lectern.…`
		s.expect(`{"jsonrpc":"2.0","id":4,`+why, `{"jsonrpc":"2.0","id":3,`+why)
		time.Sleep(time.Hour)
		s.send(callTool("5", "read"), initialized)
		s.expect(`{"jsonrpc":"2.0","id":5,` + why)
		if len(s.hubs) != 0 {
			t.Error("it connected again")
		}
		s.expectEnd()
	})
}
