package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net"
	"os"
	"path/filepath"
)

// Everything about sockets and files that internal/loopnet and
// internal/atomicfile do goes through these few functions.

// MCP is the address of the socket that speaks Hello and then MCP.
func (p Paths) MCP() string { return socketPath(p.Runtime, "mcp") }

// Control is the address of the socket that speaks HTTP: the status wire and
// this package's own routes.
func (p Paths) Control() string { return socketPath(p.Runtime, "control") }

func socketPath(dir, name string) string {
	path := filepath.Join(dir, name+".sock")
	if len(path) < 104 {
		return path
	}
	sum := sha256.Sum256([]byte(dir))
	return filepath.Join(os.TempDir(), "lectern-"+hex.EncodeToString(sum[:6]), name+".sock")
}

func listen(ctx context.Context, path string) (net.Listener, error) {
	_ = os.Remove(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	return new(net.ListenConfig).Listen(ctx, "unix", path)
}

func dial(ctx context.Context, path string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, "unix", path)
}

func writeFile(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".hub-*")
	if err != nil {
		return err
	}
	if _, err := tmp.Write(data); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
