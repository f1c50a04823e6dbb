package loopnet

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// TestBudget fills each bound and asks for one more; then one leaves, and the
// same request is served.
func TestBudget(t *testing.T) {
	post := func(n int) string {
		return "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(n) + "\r\n\r\n" + strings.Repeat(" ", n)
	}
	const stream = "Accept: text/event-stream\r\n\r\n"
	for _, c := range []struct {
		name       string
		budget     Budget
		line, rest string
		fills      int // requests that fit
		status     int
		other      string // one more, of another kind, that fits all the same
	}{
		{"calls of one", Budget{CallsEach: 3}, "POST /mcp", post(2), 3, 429, "GET /healthz"},
		{"calls", Budget{Calls: 3}, "POST /mcp", post(2), 3, 503, "GET /mcp"},
		{"streams of one", Budget{StreamsEach: 2}, "GET /mcp", stream, 2, 429, "POST /mcp"},
		{"streams", Budget{Streams: 2}, "GET /mcp", stream, 2, 503, "POST /mcp"},
		{"bytes", Budget{BodyBytes: 200_000}, "POST /mcp", post(90_000), 2, 503, "POST /mcp"},
		{"one large body", Budget{BodyBytes: 200_000}, "POST /mcp", post(300_000), 1, 503, "POST /mcp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.budget.Wait = 50 * time.Millisecond
			started, finish := make(chan struct{}), make(chan struct{})
			g := serveGuarded(t, ServerLimits{}, c.budget, func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				started <- struct{}{}
				<-finish
			})
			for range c.fills {
				dial(t, g.addr, g.header(c.line)+c.rest)
				<-started
			}
			one := wire{addr: g.addr}
			defer one.close()
			res := one.ask(t, g.header(c.line)+c.rest)
			if res.StatusCode != c.status || res.Header.Get("Retry-After") != "1" {
				t.Errorf("one more is answered %d, Retry-After %q; want %d", res.StatusCode, res.Header.Get("Retry-After"), c.status)
			}
			checkSealed(t, res)
			small := jsonBody
			if strings.HasPrefix(c.other, "GET") {
				small = stream
			}
			dial(t, g.addr, g.header(c.other)+small)
			<-started
			finish <- struct{}{} // whichever it is, there is room for the other
			finish <- struct{}{}
			dial(t, g.addr, g.header(c.line)+c.rest)
			select {
			case <-started:
			case <-time.After(runtest.Timeout):
				t.Error("there is no room after some have left")
			}
			close(finish)
		})
	}
}

// TestBudgetWaits: a request that finds no room is served when some comes.
func TestBudgetWaits(t *testing.T) {
	started, finish := make(chan struct{}), make(chan struct{})
	g := serveGuarded(t, ServerLimits{}, Budget{Calls: 1, Wait: runtest.Timeout}, func(http.ResponseWriter, *http.Request) {
		started <- struct{}{}
		<-finish
	})
	dial(t, g.addr, g.header("GET /metrics")+"\r\n")
	<-started
	dial(t, g.addr, g.header("GET /metrics")+"\r\n")
	finish <- struct{}{}
	select {
	case <-started:
	case <-time.After(runtest.Timeout):
		t.Error("the second request is not served")
	}
	close(finish)
}

// TestNeverReadingClients: 60 clients send 4 MB each and never read the answer,
// of a handler that spends memory as freely as decoding does. What they cost
// is bounded, and others do not notice.
func TestNeverReadingClients(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc/self/statm")
	}
	g := serveGuarded(t, ServerLimits{}, Budget{}, func(w http.ResponseWriter, r *http.Request) {
		var v any
		if r.Method == http.MethodPost {
			text, err := io.ReadAll(r.Body)
			if err == nil {
				err = json.Unmarshal(text, &v)
			}
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		_ = json.NewEncoder(w).Encode(v)
	})
	body := []byte(`["` + strings.Repeat(strings.Repeat("x", 61)+`","`, 1<<16-100) + `"]`)
	request := g.header("POST /mcp") + "Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"

	debug.FreeOSMemory()
	before, peak := resident(t), int64(0)
	clients := make([]net.Conn, 60)
	for i := range clients {
		clients[i] = dial(t, g.addr, request)
		go clients[i].Write(body) // all the same bytes: the clients live in this process, too
	}
	c := wire{addr: g.addr}
	defer c.close()
	for range 500 {
		if res := c.ask(t, g.header("POST /mcp")+jsonBody); res.StatusCode != http.StatusOK {
			t.Fatalf("another client is answered %d", res.StatusCode)
		}
		peak = max(peak, resident(t)-before)
	}
	if peak > 256<<20 {
		t.Errorf("memory grew by %d MB, want at most 256", peak>>20)
	}
}

func resident(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}
