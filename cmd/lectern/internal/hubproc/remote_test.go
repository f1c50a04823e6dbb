package hubproc

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// remoteConfig listens at port for this machine under example.com.
const remoteConfig = `[hub]
http = false
[listen]
address = "127.0.0.1:%d"
tls_cert = "cert.pem"
tls_key = "key.pem"
hosts = ["example.com"]
sources = ["desk"]
mcp = %v
[[source]]
name = "desk"
kind = "memo"
key = "env:DESK_KEY"
[[source]]
name = "attic"
kind = "memo"
key = "env:DESK_KEY"
`

// writeTestCertificate writes httptest's certificate for example.com, and returns
// a client that trusts it and sends every request to port.
func writeTestCertificate(t *testing.T, dir string, port int) *http.Client {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{"cert.pem": {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, "key.pem": {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, fmt.Sprintf("127.0.0.1:%d", port))
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// Other machines reach the routes and the MCP of the sources that are named for
// them, with a token of their own, and nothing else.
func TestRemote(t *testing.T) {
	for _, mcp := range []bool{true, false} {
		store := memo.NewStore()
		store.Put("desk", "Milk", "two bottles")
		a, port := apptest.New(t), freePort(t)
		a.Environ = append(a.Environ, "DESK_KEY=desk key")
		a.Systems = func() []tools.Kind { return []tools.Kind{memo.SystemWith(store)} }
		client := writeTestCertificate(t, a.Paths.Config, port)
		apptest.WriteConfig(t, a, fmt.Sprintf(remoteConfig, port, mcp))
		own, err := loopnet.LoadOrCreateToken(a.Paths.ClientTokens().File("cursor"))
		if err != nil {
			t.Fatal(err)
		}
		h, c := openHubOf(t, a)
		s := apptest.AwaitSnapshot(t, c, "the second listener", hasReadySources("desk", "attic"))
		if want := fmt.Sprintf("https://example.com:%d", port); s.Hub.Remote != want {
			t.Errorf("it shows %q, want %q", s.Hub.Remote, want)
		}
		mcpCode := map[bool]int{true: http.StatusOK, false: http.StatusNotFound}[mcp]
		const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		for _, r := range []struct {
			method, path, bearer, body string
			code                       int
			answer                     string
		}{
			{"GET", "/sources/desk/notes/Milk", "desk key", "", 200, "two bottles"},
			{"GET", "/sources/desk/notes/Milk", own.Reveal(), "", 200, "two bottles"},
			{"GET", "/memo/notes/Milk", "desk key", "", 200, "two bottles"},
			{"GET", "/memo/health", "", "", 200, "ok"},
			{"GET", "/sources/desk/notes/Milk", "", "", 401, "Authorization"},
			{"GET", "/sources/desk/notes/Milk", "wrong", "", 401, "not valid"},
			{"GET", "/sources/attic/notes/Milk", "desk key", "", 404, "nothing is served"},
			{"GET", "/sources/attic/health", "", "", 404, "nothing is served"},
			{"POST", "/mcp/desk", own.Reveal(), initialize, mcpCode, ""},
			{"POST", "/mcp/desk", "", initialize, map[bool]int{true: 401, false: 404}[mcp], ""},
			{"POST", "/mcp/desk", "desk key", initialize, map[bool]int{true: 401, false: 404}[mcp], ""},
			{"POST", "/mcp/attic", own.Reveal(), initialize, 404, "nothing is served"},
			{"POST", "/mcp", own.Reveal(), initialize, 404, "nothing is served"},
			{"GET", "/plugin", own.Reveal(), "", 404, "nothing is served"},
			{"GET", "/healthz", own.Reveal(), "", 404, "nothing is served"},
			{"POST", "/v1/do", own.Reveal(), "{}", 404, "nothing is served"},
		} {
			req, err := http.NewRequestWithContext(t.Context(), r.method, fmt.Sprintf("https://example.com:%d%s", port, r.path), strings.NewReader(r.body))
			if err != nil {
				t.Fatal(err)
			}
			if r.body != "" {
				req.Header.Set("Content-Type", "application/json")
			}
			if r.bearer != "" {
				req.Header.Set("Authorization", "Bearer "+r.bearer)
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode != r.code || !strings.Contains(string(body), r.answer) {
				t.Errorf("mcp %v: %s %s: %d %s, want %d %s", mcp, r.method, r.path, resp.StatusCode, body, r.code, r.answer)
			}
		}
		shared, err := loopnet.LoadOrCreateToken(a.Paths.SharedClientToken())
		if err != nil {
			t.Fatal(err)
		}
		if principal, ok := h.authorizeClientToken(shared.Reveal()); ok {
			t.Errorf("the shared token is %s's", principal)
		}
	}
}

// Without a certificate and a key that nobody else reads nothing listens, and the
// hub says why. Everything else works.
func TestRemoteWithoutCertificate(t *testing.T) {
	a, port := apptest.New(t), freePort(t)
	a.Systems = func() []tools.Kind { return []tools.Kind{memo.System()} }
	a.Environ = append(a.Environ, "DESK_KEY=desk key")
	apptest.WriteConfig(t, a, fmt.Sprintf(remoteConfig, port, true))
	h, c := openHubOf(t, a)
	s := apptest.AwaitSnapshot(t, c, "why it does not listen", apptest.HasProblemFunc(problems.ListenStopped))
	if s.Hub.Remote != "" || h.remote.port() != 0 || !strings.Contains(s.Problems[0].Title, "cert.pem") {
		t.Errorf("it listens at %q with %+v", s.Hub.Remote, s.Problems)
	}
	writeTestCertificate(t, a.Paths.Config, port)
	if err := h.tryServeRemote(t.Context(), h.conf.Listen); err != nil || h.remote.port() != port {
		t.Errorf("with a certificate: %v", err)
	}
	wrong := h.conf.Listen
	wrong.Sources = []string{"nobody"}
	if err := h.tryServeRemote(t.Context(), wrong); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("a source that is not there: %v", err)
	}
}

// A hub for one source serves no other, after a reload either.
func TestHubOfOneSource(t *testing.T) {
	a := apptest.New(t)
	a.Systems = func() []tools.Kind { return []tools.Kind{memo.System()} }
	apptest.WriteConfig(t, a, "[hub]\nhttp = false\n[[source]]\nname = \"desk\"\nkind = \"memo\"\n[[source]]\nname = \"attic\"\nkind = \"memo\"\n")
	if _, err := newHubOfThisProcess(Config{App: a, Only: "cellar"}); err == nil || !strings.Contains(err.Error(), `no source named "cellar"`) {
		t.Errorf("a source that is not there: %v", err)
	}
	h, err := newHubOfThisProcess(Config{App: a, Only: "attic"})
	if err != nil {
		t.Fatal(err)
	}
	defer h.close()
	if err := h.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	only := hasReadySources("attic")
	apptest.AwaitSnapshot(t, h.newHubAPI(), "one source", only)
	if err := h.reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	apptest.AwaitSnapshot(t, h.newHubAPI(), "one source", func(s status.Snapshot) bool { return only(s) })
}
