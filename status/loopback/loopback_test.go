package loopback

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

type dialer = func(context.Context) (net.Conn, error)

// overSocket serves h on a unix socket.
func overSocket(t *testing.T, h http.Handler) dialer {
	t.Helper()
	dir, err := os.MkdirTemp("", "lectern") // t.TempDir can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	serveOn(t, l, h)
	return func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", path)
	}
}

// overPipe serves h on pipes in memory, which have no buffer at all.
func overPipe(t *testing.T, h http.Handler) dialer {
	t.Helper()
	l := &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	serveOn(t, l, h)
	return l.dial
}

func serveOn(t *testing.T, l net.Listener, h http.Handler) {
	t.Helper()
	// The deadlines are those of an ordinary server: streams must outlive them.
	srv := &http.Server{
		Handler: h, ErrorLog: log.New(io.Discard, "", 0),
		ReadTimeout: 5 * time.Second, WriteTimeout: 5 * time.Second,
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		if err := srv.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			t.Errorf("serve: %v", err)
		}
	})
	t.Cleanup(func() {
		if err := srv.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		serving.Wait()
	})
}

// pipeListener is a net.Listener whose connections are net.Pipe.
type pipeListener struct {
	conns  chan net.Conn
	once   sync.Once
	closed chan struct{}
}

func (p *pipeListener) dial(ctx context.Context) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.conns <- far:
		return near, nil
	case <-p.closed:
		return nil, syscall.ECONNREFUSED
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipeListener) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (p *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

func TestOverSocket(t *testing.T) {
	statustest.Run(t, func(t *testing.T, f *statustest.Fake) status.Client { return Dial(overSocket(t, Handler(f))) })
}

func TestOverPipe(t *testing.T) {
	statustest.Run(t, func(t *testing.T, f *statustest.Fake) status.Client { return Dial(overPipe(t, Handler(f))) })
}

func TestErrorsOfWatchAndLogs(t *testing.T) {
	f := new(statustest.Fake)
	c := Dial(overSocket(t, Handler(f)))
	f.SetErr(errors.New("open log: no such file"))
	if _, err := c.Watch(t.Context()); err == nil || err.Error() != "open log: no such file" {
		t.Errorf("watch: %v", err)
	}
	if _, err := status.Open(t.Context(), c, status.LogsQuery, status.LogFilter{}); err == nil || err.Error() != "open log: no such file" {
		t.Errorf("logs: %v", err)
	}
}

func TestDialErrorIsKept(t *testing.T) {
	broken := errors.New("dial control socket: nobody listens")
	c := Dial(func(context.Context) (net.Conn, error) { return nil, broken })
	err := c.Do(t.Context(), status.Action{Verb: status.StopHub})
	if !errors.Is(err, broken) || err.Error() != broken.Error() {
		t.Errorf("do: %v, want %v", err, broken)
	}
}

func TestHubGone(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := new(statustest.Fake)
	hold := make(chan struct{})
	srv := &http.Server{Handler: Handler(slowClient{f, hold}), ReadHeaderTimeout: time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	var serving sync.WaitGroup
	serving.Go(func() { _ = srv.Serve(l) })
	defer serving.Wait()
	c := Dial(func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	})
	snaps, err := c.Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	<-snaps
	lines, err := status.Open(t.Context(), c, status.LogsQuery, status.LogFilter{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	doing := make(chan error)
	go func() { doing <- c.Do(t.Context(), status.Action{Verb: status.StopHub}) }()
	<-hold

	if err := srv.Close(); err != nil {
		t.Fatal(err)
	}
	for range snaps { // is closed
	}
	for range lines {
	}
	if err := <-doing; !errors.Is(err, ErrGone) {
		t.Errorf("do: %v, want %v", err, ErrGone)
	}
}

// slowClient is a Client whose actions take an hour, or until their context ends.
type slowClient struct {
	status.Client
	begun chan<- struct{}
}

func (s slowClient) Do(ctx context.Context, a status.Action) error {
	if s.begun != nil {
		s.begun <- struct{}{}
	}
	select {
	case <-time.After(time.Hour):
		return s.Client.Do(ctx, a)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func TestQuietStreamsStayOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(statustest.Fake)
		c := Dial(overPipe(t, Handler(slowClient{f, nil})))
		snaps, err := c.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		lines, err := status.Open(t.Context(), c, status.LogsQuery, status.LogFilter{Follow: true})
		if err != nil {
			t.Fatal(err)
		}
		<-snaps
		// An action that takes an hour is answered too.
		if err := c.Do(t.Context(), status.Action{Verb: status.Reload}); err != nil {
			t.Fatalf("do: %v", err)
		}
		f.Set(status.Snapshot{Hub: status.Hub{PID: 7}})
		if s := <-snaps; s.Hub.PID != 7 {
			t.Errorf("after an hour came %+v", s)
		}
		f.AddLine(status.Line{Text: "late"})
		if l := <-lines; l.Text != "late" {
			t.Errorf("after an hour came %+v", l)
		}
		f.End()
	})
}

func TestDeadHubIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// It takes what it is sent, begins one answer, and says no more.
		c := Dial(func(context.Context) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				b := make([]byte, 4096)
				n, _ := far.Read(b)
				if strings.Contains(string(b[:n]), "/v1/watch") {
					_, _ = io.WriteString(far, "HTTP/1.1 200 OK\r\n\r\n\n{\"snapshot\":{\"seq\":1}}\n")
				}
				_, _ = io.Copy(io.Discard, far)
			}()
			return near, nil
		})
		start := time.Now()
		snaps, err := c.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		<-snaps
		if _, open := <-snaps; open {
			t.Error("a silent hub sent a snapshot")
		}
		if took := time.Since(start); took > 30*time.Second {
			t.Errorf("noticing took %v, want at most 30s", took)
		}
		start = time.Now()
		err = c.Do(t.Context(), status.Action{Verb: status.Reload})
		if took := time.Since(start); !errors.Is(err, errSilent) || took > 30*time.Second {
			t.Errorf("do: %v after %v, want %v within 30s", err, took, errSilent)
		}
	})
}

// TestDeadReaderIsNoticed has a peer that asks and then reads nothing: what
// serves it must end, though the peer never hangs up.
func TestDeadReaderIsNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		h := Handler(new(statustest.Fake))
		dial := overPipe(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer close(ended)
			h.ServeHTTP(w, r)
		}))
		conn, err := dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		start := time.Now()
		if _, err := io.WriteString(conn, "POST /v1/watch HTTP/1.1\r\nHost: lectern\r\nContent-Length: 2\r\n\r\n{}"); err != nil {
			t.Fatal(err)
		}
		<-ended
		if took := time.Since(start); took > 40*time.Second {
			t.Errorf("noticing took %v, want a beat and the silence", took)
		}
	})
}

func TestSlowReaderOfLogsIsNotCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(statustest.Fake)
		f.AddLine(status.Line{Text: "one"})
		f.AddLine(status.Line{Text: "two"})
		c := Dial(overPipe(t, Handler(f)))
		lines, err := status.Open(t.Context(), c, status.LogsQuery, status.LogFilter{})
		if err != nil {
			t.Fatal(err)
		}
		<-lines
		time.Sleep(5 * time.Minute)
		if l := <-lines; l.Text != "two" {
			t.Errorf("after a pause came %+v", l)
		}
		for range lines { // ends
		}
	})
}

func TestBadRequests(t *testing.T) {
	f := new(statustest.Fake)
	dial := overSocket(t, Handler(f))
	web := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
	}}
	for _, c := range []struct {
		name, path, body string
		code             int
		says             string
	}{
		{"no JSON", "/v1/do", "stop", 409, `{"error":"read request: invalid character`},
		{"unknown field", "/v1/do", `{"verb":"hub.stop","force":true}`, 409, `unknown field \"force\"`},
		{"a flood", "/v1/do", `{"verb":"` + strings.Repeat("x", maxRequest) + `"}`, 409, "too large"},
		{"nothing", "/v1/logs", "", 409, "EOF"},
		{"unknown query", "/v1/weather", "{}", 409, `unknown query \"weather\"`},
		{"unknown path", "/v9/do", "{}", 404, "not found"},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://lectern"+c.path, strings.NewReader(c.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := web.Do(req)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.code || !strings.Contains(string(b), c.says) {
			t.Errorf("%s: %d %s, want %d and %s", c.name, resp.StatusCode, b, c.code, c.says)
		}
	}
	if did := f.Actions(); len(did) != 0 {
		t.Errorf("a bad request did %v", did)
	}
}

func TestBadAnswers(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"garbage", "SSH-2.0-OpenSSH_9.2\r\n", "malformed HTTP"},
		{"hangs up", "", ErrGone.Error()},
		{"hangs up in the middle", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"err", ErrGone.Error()},
		{"no JSON", "HTTP/1.1 200 OK\r\n\r\nhello\n", "read answer of the hub: invalid character"},
		{"another program", "HTTP/1.1 404 Not Found\r\n\r\nno such page\n", "404 Not Found: no such page; it may be of another version"},
	} {
		dial := func(context.Context) (net.Conn, error) {
			near, far := net.Pipe()
			go func() {
				_, _ = far.Read(make([]byte, 4096))
				_, _ = io.WriteString(far, c.answer)
				_ = far.Close()
			}()
			return near, nil
		}
		err := Dial(dial).Do(t.Context(), status.Action{Verb: status.Reload})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

// panickingClient is a Client that is broken.
type panickingClient struct{ *statustest.Fake }

func (panickingClient) Do(context.Context, status.Action) error { panic("oops") }

func TestPanicEndsOnlyItsRequest(t *testing.T) {
	f := new(statustest.Fake)
	c := Dial(overSocket(t, Handler(panickingClient{f})))
	if err := c.Do(t.Context(), status.Action{Verb: status.Reload}); !errors.Is(err, ErrGone) {
		t.Errorf("do: %v, want %v", err, ErrGone)
	}
	if _, err := c.Preview(t.Context(), status.Action{Verb: status.Reload}); err != nil {
		t.Errorf("preview after that: %v", err)
	}
}
