package loopnet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// guarded is a server with a guard on a real socket, as cmd wires it.
type guarded struct {
	addr, port string
	token      Token
	passed     *atomic.Int64 // requests that reached next
}

func mcpRoute(path string) Route {
	return Route{Path: path, Methods: []string{"POST", "GET", "DELETE"}, Stream: true, MaxBody: 4 << 20}
}

func serveGuarded(t *testing.T, limits ServerLimits, budget Budget, next http.HandlerFunc) guarded {
	t.Helper()
	l, err := ListenTCP(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	g := guarded{addr: l.Addr().String(), token: newToken(), passed: new(atomic.Int64)}
	_, g.port, _ = net.SplitHostPort(g.addr)
	log := slog.New(slog.DiscardHandler)
	guard := Guard(GuardConfig{
		Port: l.Addr().(*net.TCPAddr).Port,
		Routes: []Route{
			mcpRoute("/mcp"), mcpRoute("/mcp/"),
			{Path: "/plugin", Methods: []string{"GET"}, NoToken: true, Origins: []string{"lsp://logseq.io", "lsp://logseq.com"}},
			{Path: "/healthz", Methods: []string{"GET", "HEAD"}, NoToken: true},
			{Path: "/metrics", Methods: []string{"GET"}},
			{Path: "/closed"},
		},
		Authorize: g.token.AuthorizeAs("client"), Budget: budget, Log: log,
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.passed.Add(1)
		w.Header().Set("Access-Control-Allow-Origin", "*") // as some libraries do
		next(w, r)
	}))
	srv := limits.NewServer(guard, log)
	go srv.Serve(l)
	t.Cleanup(func() { srv.Close() })
	return g
}

// wire is a client that writes what no library would.
type wire struct {
	addr string
	conn net.Conn
	in   *bufio.Reader
}

// ask sends one request and gives the whole answer, over the same connection
// as the last where the server keeps it.
func (c *wire) ask(t *testing.T, request string) *http.Response {
	t.Helper()
	if c.conn == nil {
		conn, err := net.Dial("tcp", c.addr)
		if err != nil {
			t.Fatal(err)
		}
		c.conn, c.in = conn, bufio.NewReader(conn)
	}
	if _, err := io.WriteString(c.conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(c.in, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%v after %q", err, request)
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	res.Body = io.NopCloser(strings.NewReader(string(body)))
	if res.Close {
		c.close()
	}
	return res
}

func (c *wire) close() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}

// choice is one value of a header; ok ones may pass.
type choice struct {
	lines string
	ok    bool
}

type endpoint struct {
	line, rest string // request line, and what follows the choices
	origins    bool   // lets the plugin's pages in
	open       bool
}

const jsonBody = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"

// TestMatrix sends every endpoint every combination of what web pages, rebound
// names and other programs can send, and counts what passes: exactly the rows
// that are ours.
func TestMatrix(t *testing.T) {
	g := serveGuarded(t, ServerLimits{}, Budget{}, func(http.ResponseWriter, *http.Request) {})
	endpoints := []endpoint{
		{line: "POST /mcp", rest: jsonBody},
		{line: "GET /mcp", rest: "Accept: text/event-stream\r\n\r\n"},
		{line: "DELETE /mcp", rest: "\r\n"},
		{line: "POST /mcp/notes", rest: jsonBody},
		{line: "GET /plugin", rest: "Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n", origins: true, open: true},
		{line: "GET /healthz", rest: "\r\n", open: true},
		{line: "GET /metrics", rest: "\r\n"},
	}
	var hosts []choice
	for i, name := range []string{
		"127.0.0.1:PORT", "localhost:PORT", "[::1]:PORT",
		"127.0.0.1", "localhost:1", "evil.example", "evil.example:PORT", "127.0.0.2:PORT", "localhost.:PORT", "LOCALHOST:PORT",
		"0.0.0.0:PORT", "127.1:PORT", "2130706433:PORT", "localhost.evil.example:PORT",
	} {
		hosts = append(hosts, choice{"Host: " + strings.ReplaceAll(name, "PORT", g.port) + "\r\n", i < 3})
	}
	origins := []choice{{"", true}, {"Origin: lsp://logseq.io\r\n", false}, {"Origin: lsp://logseq.com\r\n", false}}
	for _, name := range []string{
		"null", "https://evil.example", "http://127.0.0.1:" + g.port, "lsp://logseq.io.evil.example", "LSP://logseq.io",
		"lsp://logseq.io\r\nOrigin: https://evil.example", "",
	} {
		origins = append(origins, choice{"Origin: " + name + "\r\n", false})
	}
	sites := []choice{
		{"", true},
		{"Sec-Fetch-Site: none\r\n", true},
		{"Sec-Fetch-Site: same-origin\r\n", true},
		{"Sec-Fetch-Site: same-site\r\n", false},
		{"Sec-Fetch-Site: cross-site\r\n", false},
	}
	tokens := []choice{
		{"", false},
		{"Authorization: Bearer " + newToken().Reveal() + "\r\n", false},
		{"Authorization: Bearer " + g.token.Reveal() + "\r\n", true},
		{"X-API-Key: " + g.token.Reveal() + "\r\n", true},
	}
	var rows, accepted atomic.Int64
	var wg sync.WaitGroup
	for _, e := range endpoints {
		wg.Go(func() {
			c := wire{addr: g.addr}
			defer c.close()
			for i := range len(hosts) * len(origins) * len(sites) * len(tokens) {
				host, i := hosts[i%len(hosts)], i/len(hosts)
				origin, i := origins[i%len(origins)], i/len(origins)
				site, token := sites[i%len(sites)], tokens[i/len(sites)]
				request := e.line + " HTTP/1.1\r\n" + host.lines + origin.lines + site.lines + token.lines + e.rest
				pluginPage := e.origins && slices.Contains(origins[1:3], origin)
				want := host.ok && (origin.ok || pluginPage) && site.ok && (token.ok || e.open)
				res := c.ask(t, request)
				if got := res.StatusCode == http.StatusOK; got != want {
					t.Errorf("status %d for %q", res.StatusCode, request)
				}
				checkSealed(t, res)
				rows.Add(1)
				if res.StatusCode == http.StatusOK {
					accepted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	// 3 Hosts x 3 Sec-Fetch-Sites, times 2 headers with the token; times 4 on /healthz, and 3
	// again for the two origins more on /plugin.
	const want = 5*9*2 + 9*4*3 + 9*4
	if rows.Load() != 7*14*10*5*4 || accepted.Load() != want || g.passed.Load() != want {
		t.Errorf("%d rows, %d accepted, %d passed on; want %d and %d", rows.Load(), accepted.Load(), g.passed.Load(), 7*14*10*5*4, want)
	}
}

func checkSealed(t *testing.T, res *http.Response) {
	t.Helper()
	for name, want := range map[string]string{
		"X-Content-Type-Options":       "nosniff",
		"Content-Security-Policy":      "default-src 'none'; frame-ancestors 'none'",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-store",
		"Access-Control-Allow-Origin":  "",
	} {
		if got := res.Header.Get(name); got != want {
			t.Errorf("answer %d has %s: %q, want %q", res.StatusCode, name, got, want)
		}
	}
}

// TestGuardRules has a row for every rule that the matrix does not vary. HOST
// and TOKEN stand for the right headers.
func TestGuardRules(t *testing.T) {
	g := serveGuarded(t, ServerLimits{}, Budget{}, func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusTeapot)
			return
		}
		fmt.Fprintf(w, "hello %s", RequestPrincipal(r))
	})
	const post = "POST /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\n"
	for _, c := range []struct {
		request string
		status  int
		body    string // part of it
	}{
		{post + jsonBody, 200, "hello client"},
		{post + "Content-Type: application/json; charset=UTF-8\r\nContent-Length: 2\r\n\r\n{}", 200, "hello client"},
		{post + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 200, "hello client"},
		{"GET /healthz HTTP/1.1\r\nHOST\r\n\r\n", 200, "hello "},
		{"HEAD /healthz HTTP/1.1\r\nHOST\r\n\r\n", 200, ""},
		{"DELETE /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\n\r\n", 200, ""},

		{"GET /healthz HTTP/1.0\r\n\r\n", 403, "exactly that Host"},
		{"GET http://HOSTNAME/healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403, "exactly that Host"},
		{"GET /healthz HTTP/1.1\r\nHOST\r\nHost: evil.example\r\n\r\n", 400, ""},
		{"GET /healthz HTTP/1.1\r\nHOST\r\nSec-Fetch-Site: \r\n\r\n", 403, "Sec-Fetch-Site"},
		{"GET /healthz HTTP/1.1\r\nHOST\r\nSec-Fetch-Site: none\r\nSec-Fetch-Site: cross-site\r\n\r\n", 403, "Sec-Fetch-Site"},
		{post + "Referer: http://127.0.0.1/\r\n" + jsonBody, 403, "Referer"},
		{"DELETE /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\nReferer: \r\n\r\n", 403, "Referer"},
		{"GET /healthz HTTP/1.1\r\nHOST\r\nReferer: http://evil.example/\r\n\r\n", 200, ""},

		{"GET / HTTP/1.1\r\nHOST\r\nTOKEN\r\n\r\n", 404, "nothing is served"},
		{"GET /healthz/ HTTP/1.1\r\nHOST\r\n\r\n", 404, ""},
		{"GET //healthz HTTP/1.1\r\nHOST\r\n\r\n", 404, ""},
		{"GET /healthz/../mcp HTTP/1.1\r\nHOST\r\n\r\n", 404, ""},
		{"GET /healthz%2f..%2fmcp HTTP/1.1\r\nHOST\r\n\r\n", 404, ""},
		{"GET /closed HTTP/1.1\r\nHOST\r\nTOKEN\r\n\r\n", 405, ""},
		{"OPTIONS /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\n\r\n", 405, "POST, GET, DELETE"},
		{"OPTIONS * HTTP/1.1\r\nHOST\r\n\r\n", 404, ""},
		{"PUT /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\n" + jsonBody, 405, ""},
		{"HEAD /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\n\r\n", 405, ""},
		{"CONNECT HOSTNAME HTTP/1.1\r\nHOST\r\n\r\n", 403, ""},
		{"GET /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\n\r\n", 406, "Accept: text/event-stream"},
		{"GET /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\nAccept: text/html, text/event-stream;q=0.9\r\n\r\n", 200, ""},

		{post + "Content-Length: 2\r\n\r\n{}", 415, "application/json"},
		{post + "Content-Length: 0\r\n\r\n", 415, ""},
		{post + "Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415, ""},
		{post + "Content-Type: application/json-seq\r\nContent-Length: 2\r\n\r\n{}", 415, ""},
		{post + "Content-Type: application/json; charset=utf-7\r\nContent-Length: 2\r\n\r\n{}", 415, ""},
		{post + "Content-Type: text/plain\r\n" + jsonBody, 415, ""},
		{post + "Content-Encoding: gzip\r\n" + jsonBody, 415, "not compressed"},
		{"DELETE /mcp HTTP/1.1\r\nHOST\r\nTOKEN\r\nContent-Length: 2\r\n\r\n{}", 415, ""},
		{post + "Content-Type: application/json\r\nContent-Length: 4194305\r\n\r\n", 413, "at most 4194304 bytes"},
		{"GET /healthz HTTP/1.1\r\nHOST\r\n" + jsonBody, 413, "at most 0 bytes"},

		{"GET /metrics HTTP/1.1\r\nHOST\r\nAuthorization: Basic TOKENTEXT\r\n\r\n", 401, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nTOKEN\r\nTOKEN\r\n\r\n", 401, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nAuthorization: Bearer \r\n\r\n", 401, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nx-api-key: TOKENTEXT\r\n\r\n", 200, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nX-API-Key: TOKENTEXT\r\nTOKEN\r\n\r\n", 200, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nX-API-Key: other\r\nTOKEN\r\n\r\n", 401, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nX-API-Key: TOKENTEXT\r\nAuthorization: Bearer other\r\n\r\n", 401, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nX-API-Key: TOKENTEXT\r\nAuthorization: Basic TOKENTEXT\r\n\r\n", 401, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nX-API-Key: TOKENTEXT\r\nX-API-Key: TOKENTEXT\r\n\r\n", 401, ""},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nX-API-Key: \r\n\r\n", 401, ""},
		{"GET /metrics?token=TOKENTEXT HTTP/1.1\r\nHOST\r\nCookie: token=TOKENTEXT\r\n\r\n", 401, "Authorization: Bearer"},
		{"GET /metrics HTTP/1.1\r\nHOST\r\nauthorization: bearer TOKENTEXT\r\n\r\n", 200, ""},
	} {
		request := strings.NewReplacer("TOKENTEXT", g.token.Reveal(), "TOKEN", "Authorization: Bearer "+g.token.Reveal(),
			"HOSTNAME", g.addr, "HOST", "Host: "+g.addr).Replace(c.request)
		client := wire{addr: g.addr}
		res := client.ask(t, request)
		client.close()
		body, _ := io.ReadAll(res.Body)
		if res.StatusCode != c.status || !strings.Contains(string(body), c.body) {
			t.Errorf("%q\n\tis answered %d %q, want %d with %q", c.request, res.StatusCode, body, c.status, c.body)
		}
		if c.status != http.StatusBadRequest { // net/http's own
			checkSealed(t, res)
		}
		if brings := strings.Contains(request, "Content-Length: 2\r\n"); brings && c.status != http.StatusOK && !res.Close {
			t.Errorf("%q: the server waits for a body that it refused", c.request)
		}
		if got := res.Header.Get("WWW-Authenticate"); (got != "") != (c.status == 401) {
			t.Errorf("%q: WWW-Authenticate is %q", c.request, got)
		}
		if strings.Contains(string(body), g.token.Reveal()) {
			t.Errorf("%q: the answer holds the token", c.request)
		}
	}
}

// TestGuardClosesStrangers: an address from elsewhere gets no answer at all.
func TestGuardClosesStrangers(t *testing.T) {
	for addr, want := range map[string]bool{
		"127.0.0.1:1": true, "127.8.8.8:1": true, "[::1]:1": true, "[::ffff:127.0.0.1]:1": true,
		"192.0.2.1:1": false, "[2001:db8::1]:1": false, "[::ffff:192.0.2.1]:1": false, "": false, "@": false,
	} {
		if got := (*Remote)(nil).allows(addr); got != want {
			t.Errorf("allows(%q) = %v", addr, got)
		}
	}
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
			t.Error("the guard answers a stranger")
		}
	}()
	Guard(GuardConfig{Log: slog.New(slog.DiscardHandler)}, nil).ServeHTTP(nil, &http.Request{RemoteAddr: "192.0.2.1:1"})
}
