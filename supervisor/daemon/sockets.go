package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// MCPSocket is the address of the socket for Hello and then MCP.
func (p Paths) MCPSocket() string { return loopnet.SocketPath(p.Runtime, "mcp") }

// ControlSocket is the address of the socket that speaks HTTP: the status wire and
// this package's own routes.
func (p Paths) ControlSocket() string { return loopnet.SocketPath(p.Runtime, "control") }

// listen listens at path after it has removed what a killed hub left there.
// hub.lock is held, so no hub serves at path.
func listen(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !isPipe(path) {
		return nil, fmt.Errorf("remove stale socket: %w", err)
	}
	return loopnet.ListenSocket(path)
}

// isNotListening reports whether err means that no hub listens: no socket, or one
// that a killed hub left behind.
func isNotListening(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || loopnet.IsStale(err)
}

// writeFile replaces one of our own files, also if it is a symbolic link.
func writeFile(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return atomicfile.WriteFile(path, data, 0o600)
}
