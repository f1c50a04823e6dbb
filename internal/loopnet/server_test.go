package loopnet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

func dial(t *testing.T, addr, text string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(runtest.Timeout)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	return conn
}

func (g guarded) header(line string) string {
	return line + " HTTP/1.1\r\nHost: " + g.addr + "\r\nAuthorization: Bearer " + g.token.Reveal() + "\r\n"
}

// TestSlowHeaders opens 500 connections that send half a header and wait.
func TestSlowHeaders(t *testing.T) {
	g := serveGuarded(t, ServerLimits{Header: time.Second}, Budget{}, func(http.ResponseWriter, *http.Request) {})
	var wg sync.WaitGroup
	var alive atomic.Int64
	for range 500 {
		conn := dial(t, g.addr, "POST /mcp HTTP/1.1\r\nHost: ")
		wg.Go(func() {
			if _, err := io.Copy(io.Discard, conn); timedOut(err) {
				alive.Add(1)
			}
		})
	}
	c := wire{addr: g.addr}
	defer c.close()
	if res := c.ask(t, g.header("GET /metrics")+"\r\n"); res.StatusCode != http.StatusOK {
		t.Errorf("a good client among them is answered %d", res.StatusCode)
	}
	wg.Wait()
	if n := alive.Load(); n != 0 {
		t.Errorf("%d of 500 connections stay alive", n)
	}
}

func timedOut(err error) bool {
	var netErr net.Error
	ok := errors.As(err, &netErr)
	return ok && netErr.Timeout()
}

// TestConnectionCap fills the cap with connections that ask for nothing. Each
// newcomer is served, and the oldest of them closed for it.
func TestConnectionCap(t *testing.T) {
	g := serveGuarded(t, ServerLimits{Connections: 4, Header: time.Minute}, Budget{}, func(http.ResponseWriter, *http.Request) {})
	var waiting []net.Conn
	for range 4 {
		waiting = append(waiting, dial(t, g.addr, ""))
	}
	for i, victim := range waiting {
		c := wire{addr: g.addr}
		if res := c.ask(t, g.header("GET /metrics")+"\r\n"); res.StatusCode != http.StatusOK {
			t.Errorf("newcomer %d is answered %d", i, res.StatusCode)
		}
		if _, err := io.Copy(io.Discard, victim); timedOut(err) {
			t.Errorf("connection %d is alive", i)
		}
		defer c.close() // idle from now on, and younger than the rest
	}
}

// TestConnectionCapOfBusy: those that are at work do not give way.
func TestConnectionCapOfBusy(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	g := serveGuarded(t, ServerLimits{Connections: 2, Header: time.Minute}, Budget{}, func(http.ResponseWriter, *http.Request) {
		started <- struct{}{}
		<-finish
	})
	var busy []net.Conn
	for range 2 {
		busy = append(busy, dial(t, g.addr, g.header("GET /metrics")+"\r\n"))
		<-started
	}
	if _, err := io.Copy(io.Discard, dial(t, g.addr, "")); timedOut(err) {
		t.Error("a third connection stays open")
	}
	close(finish)
	for _, conn := range busy {
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err != nil || res.StatusCode != http.StatusOK {
			t.Errorf("a busy connection gets %v, %v", res, err)
		}
	}
}

// TestSlowBodies: a body that never comes ends with its connection, whether
// the request is let through or refused.
func TestSlowBodies(t *testing.T) {
	read := make(chan error, 1)
	short := serveGuarded(t, ServerLimits{Body: 200 * time.Millisecond}, Budget{}, func(_ http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		read <- err
	})
	const half = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	long := serveGuarded(t, ServerLimits{Body: time.Hour}, Budget{}, func(http.ResponseWriter, *http.Request) {})
	var all sync.WaitGroup
	for _, c := range []struct{ addr, request string }{
		{short.addr, short.header("POST /mcp") + half},
		{long.addr, long.header("POST /mcp") + half}, // the handler does not want it
		{long.addr, "POST /mcp HTTP/1.1\r\nHost: " + long.addr + "\r\n" + half},
		{long.addr, "POST /mcp HTTP/1.1\r\nHost: evil.example\r\n" + half},
	} {
		conn := dial(t, c.addr, c.request)
		all.Go(func() {
			if _, err := io.Copy(io.Discard, conn); timedOut(err) {
				t.Errorf("the connection stays open after %q", c.request)
			}
		})
	}
	all.Wait()
	if err := <-read; !timedOut(err) {
		t.Errorf("the handler's read ended with %v, want a time-out", err)
	}
}

// TestBodyDeadlineEndsWithBody: once the body is whole, the handler has all the
// time it wants; the deadline must not look like a client that went away.
func TestBodyDeadlineEndsWithBody(t *testing.T) {
	const body = time.Second
	g := serveGuarded(t, ServerLimits{Body: body}, Budget{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
			http.Error(w, "cancelled", http.StatusTeapot)
		case <-time.After(body + body/4):
		}
	})
	c := wire{addr: g.addr}
	defer c.close()
	for range 2 { // the second over the same connection
		if res := c.ask(t, g.header("POST /mcp")+jsonBody); res.StatusCode != http.StatusOK {
			t.Errorf("answered %d", res.StatusCode)
		}
	}
}

// TestStreamOutlivesWriteLimit: a stream whose events are read goes on for
// longer than one write may take.
func TestStreamOutlivesWriteLimit(t *testing.T) {
	const write = time.Second
	g := serveGuarded(t, ServerLimits{Write: write}, Budget{}, func(w http.ResponseWriter, _ *http.Request) {
		tick := time.NewTicker(write / 4)
		defer tick.Stop()
		for i := range 6 {
			fmt.Fprintf(w, "data: %d\n\n", i)
			w.(http.Flusher).Flush()
			<-tick.C
		}
	})
	c := wire{addr: g.addr}
	defer c.close()
	res := c.ask(t, g.header("GET /mcp")+"Accept: text/event-stream\r\n\r\n")
	body, _ := io.ReadAll(res.Body)
	if got := strings.Count(string(body), "data:"); got != 6 {
		t.Errorf("%d events of 6 arrived:\n%s", got, body)
	}
}

// TestSlowReader: an answer far longer than one piece goes on for as long as
// its reader does, however slow.
func TestSlowReader(t *testing.T) {
	const write, size = time.Second, 24 << 20
	g := serveGuarded(t, ServerLimits{Write: write}, Budget{}, func(w http.ResponseWriter, _ *http.Request) {
		if n, err := w.Write(make([]byte, size)); err != nil {
			t.Errorf("write ended at %d: %v", n, err)
		}
	})
	conn := dial(t, g.addr, g.header("GET /metrics")+"\r\n")
	start := time.Now()
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	got := int64(0)
	for got < size {
		n, err := io.CopyN(io.Discard, res.Body, 256<<10)
		if got += n; err != nil {
			t.Fatalf("read ended at %d: %v", got, err)
		}
		<-tick.C
	}
	if took := time.Since(start); took < 2*write {
		t.Fatalf("read in %v: too fast to prove anything", took)
	}
}

// TestNeverReadingStreamEnds: a stream that the client does not read ends, with its
// handler.
func TestNeverReadingStreamEnds(t *testing.T) {
	ended := make(chan error, 1)
	g := serveGuarded(t, ServerLimits{Write: 200 * time.Millisecond}, Budget{}, func(w http.ResponseWriter, _ *http.Request) {
		event := "data: " + strings.Repeat("x", 100_000) + "\n\n"
		for {
			if _, err := io.WriteString(w, event); err != nil {
				ended <- err
				return
			}
		}
	})
	dial(t, g.addr, g.header("GET /mcp")+"Accept: text/event-stream\r\n\r\n")
	select {
	case err := <-ended:
		if !timedOut(err) {
			t.Errorf("the write ended with %v, want a time-out", err)
		}
	case <-time.After(runtest.Timeout):
		t.Error("the handler still writes")
	}
}

// TestHijackedHasNoDeadline: a WebSocket is its owner's from the hand-over on.
func TestHijackedHasNoDeadline(t *testing.T) {
	const write = 50 * time.Millisecond
	g := serveGuarded(t, ServerLimits{Write: write}, Budget{}, func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		go func() {
			defer conn.Close()
			<-time.After(4 * write)
			_, _ = io.WriteString(conn, "late")
		}()
	})
	conn := dial(t, g.addr, g.header("GET /plugin")+"Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	if text, err := io.ReadAll(conn); string(text) != "late" {
		t.Errorf("read %q, %v", text, err)
	}
}

// TestServerWithoutGuard: the control socket's streams have progress deadlines, too.
func TestServerWithoutGuard(t *testing.T) {
	l, err := ListenTCP(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	srv := NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !isProgressWriter(w) {
			t.Error("the answer has no progress deadline")
		}
	}), slog.New(slog.DiscardHandler))
	go srv.Serve(l)
	defer srv.Close()
	c := wire{addr: l.Addr().String()}
	defer c.close()
	if res := c.ask(t, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); res.StatusCode != http.StatusOK {
		t.Errorf("answered %d", res.StatusCode)
	}
}

func isProgressWriter(w http.ResponseWriter) bool { _, ok := w.(*progressWriter); return ok }
