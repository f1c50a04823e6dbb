package bridgetest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// URL is the address of [Serve] for its client.
const URL = "http://127.0.0.1:12740"

// Serve serves h without a socket, so that it can run in a synctest bubble,
// and returns a client that reaches it at [URL]. Both end with the test; a
// bridge behind h must be closed before.
func Serve(t testing.TB, h http.Handler) *http.Client {
	l := &memoryListener{conns: make(chan net.Conn), closed: make(chan struct{})}
	server := loopnet.NewServer(h, slog.New(slog.DiscardHandler))
	served := make(chan struct{})
	go func() { defer close(served); _ = server.Serve(l) }() // ends with the test
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return l.dial(ctx) },
	}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		_ = server.Close() // closes only pipes
		<-served
	})
	return &http.Client{Transport: transport}
}

// NewToken creates a token for this test.
func NewToken(t testing.TB) loopnet.Token {
	token, err := loopnet.LoadOrCreateToken(filepath.Join(t.TempDir(), "private", "token"))
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// Guarded returns b behind the guard that it has in Lectern.
func Guarded(b *bridge.Bridge, port int) http.Handler {
	return loopnet.Guard(loopnet.GuardConfig{Port: port, Routes: b.Routes(), Log: slog.New(slog.DiscardHandler)}, b.Handler())
}

// A memoryListener is a listener whose connections are pipes.
type memoryListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

var errListenerClosed = errors.New("the server has ended")

func (m *memoryListener) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case m.conns <- loopback{theirs}:
		return ours, nil
	case <-m.closed:
		return nil, errListenerClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (m *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-m.conns:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memoryListener) Close() error   { m.once.Do(func() { close(m.closed) }); return nil }
func (m *memoryListener) Addr() net.Addr { return here }

// A loopback looks to a guard like a connection of this machine.
type loopback struct{ net.Conn }

var here = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 12740}

func (loopback) RemoteAddr() net.Addr { return here }
func (loopback) LocalAddr() net.Addr  { return here }
