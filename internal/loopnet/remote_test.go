package loopnet

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// writeCertificate writes a new certificate for notes.example.org and its key.
func writeCertificate(t *testing.T, certFile, keyFile string, serial int64) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "test"}, DNSNames: []string{"notes.example.org"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, &form, &form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// remoteServer is a second listener for peers in networks, with one client's own
// token and the token that clients of the loopback interface share.
type remoteServer struct {
	addr, port, certFile, keyFile string
	own, shared                   Token
	roots                         *x509.CertPool
}

func serveRemote(t *testing.T, networks ...string) remoteServer {
	t.Helper()
	dir := t.TempDir()
	s := remoteServer{certFile: filepath.Join(dir, "cert.pem"), keyFile: filepath.Join(dir, "key.pem"), own: newToken(), shared: newToken(), roots: x509.NewCertPool()}
	writeCertificate(t, s.certFile, s.keyFile, 1)
	text, err := os.ReadFile(s.certFile)
	if err != nil || !s.roots.AppendCertsFromPEM(text) {
		t.Fatalf("read certificate: %v", err)
	}
	remote, err := ParseRemote([]string{"notes.example.org", "10.1.2.3"}, networks)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := LoadCertificate(s.certFile, s.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	l, err := remote.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	_, s.port, _ = net.SplitHostPort(s.addr)
	log := slog.New(slog.DiscardHandler)
	server := NewServer(Guard(GuardConfig{
		Port: l.Addr().(*net.TCPAddr).Port, Remote: remote, Log: log, Authorize: s.own.AuthorizeAs("client:own"),
		Routes: []Route{mcpRoute("/mcp/wiki")},
		Lookup: func(path string) (Route, bool) {
			switch path {
			case "/sources/wiki/open":
				return Route{Path: path, Methods: []string{"GET"}, NoToken: true}, true
			case "/sources/wiki/page":
				return Route{Path: path, Methods: []string{"GET", "PUT"}, MaxBody: 2}, true
			}
			return Route{}, false
		},
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		fmt.Fprintf(w, "hello %s", RequestPrincipal(r))
	})), log)
	remote.SetTLS(server, func() *tls.Certificate {
		now, _ := certificate.Current()
		return now
	})
	go server.ServeTLS(l, "", "")
	t.Cleanup(func() { server.Close() })
	return s
}

// dial greets the server under a name; "" greets it by its address.
func (s remoteServer) dial(name string) (*tls.Conn, error) {
	return tls.Dial("tcp", s.addr, &tls.Config{ServerName: name, InsecureSkipVerify: name != "notes.example.org", RootCAs: s.roots, NextProtos: []string{"h2", "http/1.1"}})
}

// TestRemoteGuardRules is the second listener's table: TestGuardRules holds for it
// too, as far as both have the same rules.
func TestRemoteGuardRules(t *testing.T) {
	s := serveRemote(t)
	const json = "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
	const call, page = "POST /mcp/wiki HTTP/1.1\r\nHOST\r\n", "GET /sources/wiki/page HTTP/1.1\r\n"
	for _, c := range []struct {
		request string
		status  int
		body    string // part of it
	}{
		{call + "OWN\r\n" + json, 200, "hello client:own"},
		{page + "HOST\r\nOWN\r\n\r\n", 200, "hello client:own"},
		{page + "Host: notes.example.org\r\nOWN\r\n\r\n", 200, ""},
		{page + "Host: 10.1.2.3:PORT\r\nOWN\r\n\r\n", 200, ""},
		{page + "HOST\r\nOWN\r\nOrigin: https://notes.example.org:PORT\r\n\r\n", 200, ""},
		{page + "HOST\r\nOWN\r\nOrigin: https://notes.example.org\r\nSec-Fetch-Site: same-origin\r\n\r\n", 200, ""},
		{"PUT /sources/wiki/page HTTP/1.1\r\nHOST\r\nOWN\r\nOrigin: https://10.1.2.3\r\nReferer: https://10.1.2.3/\r\n" + json, 200, ""},
		{"GET /sources/wiki/open HTTP/1.1\r\nHOST\r\n\r\n", 200, "hello "},

		{page + "Host: evil.example\r\nOWN\r\n\r\n", 403, "https://notes.example.org:PORT"},
		{page + "Host: evil.example:PORT\r\nOWN\r\n\r\n", 403, "exactly that Host"},
		{page + "Host: notes.example.org.evil.example:PORT\r\nOWN\r\n\r\n", 403, "exactly that Host"},
		{page + "Host: notes.example.org.:PORT\r\nOWN\r\n\r\n", 403, "exactly that Host"},
		{page + "Host: notes.example.org:1\r\nOWN\r\n\r\n", 403, "exactly that Host"},
		{page + "Host: 127.0.0.1:PORT\r\nOWN\r\n\r\n", 403, "exactly that Host"},
		{page + "Host: localhost:PORT\r\nOWN\r\n\r\n", 403, "exactly that Host"},
		{"GET https://evil.example/sources/wiki/page HTTP/1.1\r\nHOST\r\nOWN\r\n\r\n", 403, "exactly that Host"},
		{page + "HOST\r\nOWN\r\nOrigin: http://notes.example.org:PORT\r\n\r\n", 403, "web pages"},
		{page + "HOST\r\nOWN\r\nOrigin: https://evil.example\r\n\r\n", 403, "web pages"},
		{page + "HOST\r\nOWN\r\nOrigin: null\r\n\r\n", 403, "web pages"},
		{page + "HOST\r\nOWN\r\nOrigin: lsp://logseq.io\r\n\r\n", 403, "web pages"},
		{page + "HOST\r\nOWN\r\nSec-Fetch-Site: cross-site\r\n\r\n", 403, "other sites"},
		{page + "HOST\r\nOWN\r\nSec-Fetch-Site: same-site\r\n\r\n", 403, "other sites"},
		{call + "OWN\r\nReferer: https://evil.example/\r\n" + json, 403, "Referer"},

		{call + json, 401, "Authorization"},
		{page + "HOST\r\n\r\n", 401, "Authorization"},
		{call + "SHARED\r\n" + json, 401, "not valid"},
		{page + "HOST\r\nSHARED\r\n\r\n", 401, "not valid"},
		{page + "HOST\r\nAuthorization: Basic x\r\n\r\n", 401, "not valid"},

		{"GET /plugin HTTP/1.1\r\nHOST\r\nOWN\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n", 404, "nothing is served"},
		{"GET /healthz HTTP/1.1\r\nHOST\r\nOWN\r\n\r\n", 404, "nothing is served"},
		{"POST /mcp HTTP/1.1\r\nHOST\r\nOWN\r\n" + json, 404, "nothing is served"},
		{"POST /mcp/wiki/ HTTP/1.1\r\nHOST\r\nOWN\r\n" + json, 404, "nothing is served"},
		{"POST /mcp/desk HTTP/1.1\r\nHOST\r\nOWN\r\n" + json, 404, "nothing is served"},
		{"GET /sources/desk/page HTTP/1.1\r\nHOST\r\nOWN\r\n\r\n", 404, "nothing is served"},
		{"GET /v1/status HTTP/1.1\r\nHOST\r\nOWN\r\n\r\n", 404, "nothing is served"},
		{"GET /sources/wiki/open/../page HTTP/1.1\r\nHOST\r\nOWN\r\n\r\n", 404, "nothing is served"},

		{"OPTIONS /sources/wiki/page HTTP/1.1\r\nHOST\r\nOWN\r\nOrigin: https://notes.example.org\r\n\r\n", 405, "GET, PUT"},
		{"DELETE /sources/wiki/page HTTP/1.1\r\nHOST\r\nOWN\r\n\r\n", 405, "GET, PUT"},
		{"PUT /sources/wiki/page HTTP/1.1\r\nHOST\r\nOWN\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}", 415, "application/json"},
		{"PUT /sources/wiki/page HTTP/1.1\r\nHOST\r\nOWN\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{ }", 413, "at most 2 bytes"},
	} {
		fill := strings.NewReplacer("OWN", "Authorization: Bearer "+s.own.Reveal(), "SHARED", "Authorization: Bearer "+s.shared.Reveal(),
			"HOST", "Host: notes.example.org:"+s.port, "PORT", s.port)
		conn, err := s.dial("notes.example.org")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, fill.Replace(c.request)); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatalf("%q: %v", c.request, err)
		}
		body, _ := io.ReadAll(res.Body)
		conn.Close()
		if res.StatusCode != c.status || !strings.Contains(string(body), fill.Replace(c.body)) {
			t.Errorf("%q\n\tis answered %d %q, want %d with %q", c.request, res.StatusCode, body, c.status, c.body)
		}
		checkSealed(t, res)
		if res.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("%q: no Strict-Transport-Security", c.request)
		}
	}
}

// TestRemoteHandshakes: who greets the second listener in another way gets no
// answer from what it serves.
func TestRemoteHandshakes(t *testing.T) {
	s := serveRemote(t)
	for name, ok := range map[string]bool{"notes.example.org": true, "": true, "evil.example": false, "localhost": false, "notes.example.org.evil.example": false} {
		conn, err := s.dial(name)
		if (err == nil) != ok {
			t.Errorf("TLS for %q: %v", name, err)
		}
		if err == nil {
			if p := conn.ConnectionState().NegotiatedProtocol; p != "http/1.1" {
				t.Errorf("it speaks %q", p)
			}
			conn.Close()
		}
	}
	if conn, err := tls.Dial("tcp", s.addr, &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}); err == nil {
		conn.Close()
		t.Error("it speaks TLS 1.1")
	}
	plain := wire{addr: s.addr}
	defer plain.close()
	res := plain.ask(t, "GET /sources/wiki/open HTTP/1.1\r\nHost: notes.example.org:"+s.port+"\r\n\r\n")
	if body, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusBadRequest || strings.Contains(string(body), "hello") {
		t.Errorf("without TLS it answers %d %q", res.StatusCode, body)
	}
	elsewhere := serveRemote(t, "192.0.2.0/24")
	if conn, err := elsewhere.dial("notes.example.org"); err == nil {
		conn.Close()
		t.Error("a peer outside of allow is greeted")
	}
}

// TestRemotePeers: the guard closes the connection of a stranger, and of one
// without TLS, whatever listener they came by.
func TestRemotePeers(t *testing.T) {
	remote, err := ParseRemote([]string{"notes.example.org"}, []string{"10.0.0.0/8", "2001:db8::/32"})
	if err != nil {
		t.Fatal(err)
	}
	for peer, want := range map[string]bool{
		"10.255.0.1:1": true, "[::ffff:10.0.0.1]:1": true, "[2001:db8::7]:1": true, "[2001:db8::7%eth0]:1": true,
		"127.0.0.1:1": false, "[::1]:1": false, "11.0.0.1:1": false, "[2001:db9::1]:1": false, "": false, "@": false,
	} {
		if got := remote.allows(peer); got != want {
			t.Errorf("allows(%q) = %v", peer, got)
		}
	}
	if new(Remote).allows("127.0.0.1:1") {
		t.Error("the zero Remote lets somebody in")
	}
	for _, r := range []*http.Request{
		{RemoteAddr: "192.0.2.1:1", TLS: &tls.ConnectionState{}},
		{RemoteAddr: "10.0.0.1:1"},
	} {
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
					t.Errorf("the guard answers %s with TLS %v", r.RemoteAddr, r.TLS != nil)
				}
			}()
			Guard(GuardConfig{Remote: remote, Log: slog.New(slog.DiscardHandler)}, nil).ServeHTTP(nil, r)
		}()
	}
}

func TestCheckAddressAndNetwork(t *testing.T) {
	for text, want := range map[string]string{
		"0.0.0.0:12741": "", "[::]:1": "", "127.0.0.1:1": "local", "[::1]:1": "local",
		"": "error", "12741": "error", ":12741": "error", "localhost:1": "error", "0.0.0.0:0": "error", "0.0.0.0": "error", "[::ffff:10.0.0.1]:1": "error",
	} {
		local, err := CheckAddress(text)
		if got := map[bool]string{local: "local", err != nil: "error"}[true]; got != want {
			t.Errorf("CheckAddress(%q) = %v, %v", text, local, err)
		}
	}
	for text, ok := range map[string]bool{
		"10.0.0.0/8": true, "0.0.0.0/0": true, "2001:db8::/32": true, "192.0.2.7/32": true,
		"": false, "10.0.0.0": false, "10.0.0.1/8": false, "10.0.0.0/33": false, "::ffff:10.0.0.0/104": false, "example.org": false,
	} {
		if err := CheckNetwork(text); (err == nil) != ok {
			t.Errorf("CheckNetwork(%q): %v", text, err)
		}
	}
}

// A renewed certificate counts at the next greeting, and one that is half
// written keeps the one before.
func TestRenewedCertificate(t *testing.T) {
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if _, err := LoadCertificate(certFile, keyFile); err == nil {
		t.Error("it loads files that are not there")
	}
	writeCertificate(t, certFile, keyFile, 1)
	link := filepath.Join(dir, "live.pem")
	if err := os.Symlink("key.pem", link); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	c, err := LoadCertificate(certFile, link)
	if err != nil {
		t.Fatal(err)
	}
	expect := func(serial int64, fails bool) {
		t.Helper()
		now, err := c.Current()
		if (err != nil) != fails || now == nil || now.Leaf.SerialNumber.Int64() != serial {
			t.Errorf("it is %v with error %v, want %d", now.Leaf.SerialNumber, err, serial)
		}
	}
	expect(1, false)
	writeCertificate(t, filepath.Join(dir, "new.pem"), filepath.Join(dir, "newkey.pem"), 2)
	if err := os.Rename(filepath.Join(dir, "new.pem"), certFile); err != nil {
		t.Fatal(err)
	}
	expect(1, true)
	expect(1, false) // said once
	if err := os.Rename(filepath.Join(dir, "newkey.pem"), keyFile); err != nil {
		t.Fatal(err)
	}
	expect(2, false)
	if runtime.GOOS == "windows" {
		return
	}
	if err := os.Chmod(keyFile, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadCertificate(certFile, link); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("a key that others can read: %v", err)
	}
}
