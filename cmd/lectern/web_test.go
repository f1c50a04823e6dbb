package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A httpHub is the HTTP port of a hub that runs as its own process.
type httpHub struct {
	home       string
	addr, port string
	token      string
}

func startHTTPHub(t *testing.T) httpHub {
	t.Helper()
	port := freeTCPPort(t)
	home := newHomeWith(t, fmt.Sprintf("[hub]\nport = %d\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\n", port))
	start := exec.CommandContext(t.Context(), "lectern", "hub", "restart")
	start.Env = append(os.Environ(), "LECTERN_HOME="+home)
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("start hub: %v\n%s", err, out)
	}
	token, err := os.ReadFile(filepath.Join(home, "state", "client.token"))
	if err != nil {
		t.Fatal(err)
	}
	return httpHub{home: home, addr: fmt.Sprintf("127.0.0.1:%d", port), port: fmt.Sprint(port), token: strings.TrimSpace(string(token))}
}

// A rawRequest is a connection that writes what no library would.
type rawRequest struct {
	httpHub
	conn net.Conn
	in   *bufio.Reader
}

// roundTrip sends a request and returns the status of its answer. A connection is
// used again where it can be.
func (k *rawRequest) roundTrip(t *testing.T, request string) int {
	t.Helper()
	if k.conn == nil {
		conn, err := net.Dial("tcp", k.addr)
		if err != nil {
			t.Fatal(err)
		}
		k.conn, k.in = conn, bufio.NewReader(conn)
	}
	if _, err := io.WriteString(k.conn, request); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(request, " ")
	res, err := http.ReadResponse(k.in, &http.Request{Method: method})
	if err != nil {
		t.Fatalf("%v after %q", err, request)
	}
	endless := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
	if !endless {
		if _, err := io.Copy(io.Discard, res.Body); err != nil {
			t.Fatal(err)
		}
	}
	if endless || res.Close {
		k.close()
	}
	return res.StatusCode
}

func (k *rawRequest) close() {
	if k.conn != nil {
		_ = k.conn.Close()
		k.conn = nil
	}
}

// A variant is what a request may bring in one of its headers.
type variant struct {
	header string
	ok     bool
}

// TestDoorOfARunningHub sends a hub every endpoint as it is wired in every
// combination of what pages, rebound names and other programs can bring, and
// counts what gets in: exactly the requests that are ours.
func TestDoorOfARunningHub(t *testing.T) {
	d := startHTTPHub(t)
	defer stopTestHub(t, d.home)
	body := func(text string) string {
		return fmt.Sprintf("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	}
	initialize := body(strings.TrimSpace(hello))
	const listen = "Accept: text/event-stream\r\nMcp-Session-Id: none\r\n\r\n"
	endpoints := []struct {
		line, rest string
		open       bool  // needs no client token
		plugin     bool  // lets Logseq's pages in
		want       []int // of what gets in: no status of the guard's
	}{
		{"POST /mcp", initialize, false, false, []int{200}},
		{"GET /mcp", listen, false, false, []int{404}}, // that session does not exist
		{"DELETE /mcp", "Mcp-Session-Id: none\r\n\r\n", false, false, []int{404}},
		{"POST /mcp/notes", initialize, false, false, []int{200}},
		{"GET /mcp/notes", listen, false, false, []int{404}},
		{"GET /healthz", "\r\n", true, false, []int{200}},
		// No WebSocket; a challenge, which is all there is without the plugins'
		// token; and soon too many of either, within a moment or not yet answered.
		{"GET /plugin", "\r\n", true, true, []int{426, 429}},
		{"POST /plugin/poll", body("{}"), true, true, []int{200, 429, 503}},
	}
	hosts := []variant{{"127.0.0.1:" + d.port, true}, {"localhost:" + d.port, true}, {"[::1]:" + d.port, true}}
	for _, name := range []string{"127.0.0.1", "evil.example:" + d.port, "localhost.evil.example:" + d.port, "LOCALHOST:" + d.port, "127.1:" + d.port} {
		hosts = append(hosts, variant{name, false})
	}
	origins := []variant{{"", true}, {"Origin: lsp://logseq.io\r\n", false}, {"Origin: lsp://logseq.com\r\n", false}}
	for _, name := range []string{"null", "https://evil.example", "http://127.0.0.1:" + d.port, "lsp://logseq.io.evil.example"} {
		origins = append(origins, variant{"Origin: " + name + "\r\n", false})
	}
	sites := []variant{
		{"", true},
		{"Sec-Fetch-Site: none\r\n", true},
		{"Sec-Fetch-Site: same-origin\r\n", true},
		{"Sec-Fetch-Site: same-site\r\n", false},
		{"Sec-Fetch-Site: cross-site\r\n", false},
	}
	tokens := []variant{
		{"", false}, {"Authorization: Bearer " + strings.Repeat("a", len(d.token)) + "\r\n", false}, {"Authorization: Bearer " + d.token + "\r\n", true},
	}
	rows, accepted := 0, 0
	k := rawRequest{httpHub: d}
	defer k.close()
	for _, e := range endpoints {
		for i := range len(hosts) * len(origins) * len(sites) * len(tokens) {
			host, i := hosts[i%len(hosts)], i/len(hosts)
			origin, i := origins[i%len(origins)], i/len(origins)
			site, token := sites[i%len(sites)], tokens[i/len(sites)]
			request := e.line + " HTTP/1.1\r\nHost: " + host.header + "\r\n" + origin.header + site.header + token.header + e.rest
			page := e.plugin && slices.Contains(origins[1:3], origin)
			want := e.want
			switch {
			case !host.ok || !origin.ok && !page || !site.ok:
				want = []int{http.StatusForbidden}
			case !token.ok && !e.open:
				want = []int{http.StatusUnauthorized}
			}
			got := k.roundTrip(t, request)
			if !slices.Contains(want, got) {
				t.Errorf("status %d, want one of %d, for %q", got, want, request)
			}
			rows++
			if slices.Contains(e.want, got) && (got != http.StatusUnauthorized || e.open) {
				accepted++
			}
		}
	}
	// 3 Hosts times 3 Sec-Fetch-Sites with the one token; with any on the open
	// ones, and from 3 origins on the plugins'.
	if wantRows, want := 8*8*7*5*3, 5*9+9*3+2*9*3*3; rows != wantRows || accepted != want {
		t.Errorf("%d rows and %d accepted, want %d and %d", rows, accepted, wantRows, want)
	}
	// What the control socket answers is not to be had here.
	for _, path := range []string{"/", "/v1/watch", "/v1/logs", "/v1/preview", "/v1/do", "/v1/calls", "/v1/changes", "/v1/tools", "/v1/call", "/v1/check", "/v1/settings", "/daemon/hub", "/daemon/stop", "/debug/pprof/", "/mcp/../healthz", "/healthz/"} {
		if got := k.roundTrip(t, "GET "+path+" HTTP/1.1\r\nHost: "+d.addr+"\r\nAuthorization: Bearer "+d.token+"\r\n\r\n"); got != http.StatusNotFound {
			t.Errorf("GET %s is answered %d, want 404", path, got)
		}
	}
}
