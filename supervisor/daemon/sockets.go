package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// The names of a hub's sockets.
const (
	mcpSocket     = "mcp"     // for Hello and then MCP
	controlSocket = "control" // speaks HTTP: the status wire and this package's own routes
)

// Sockets are the paths where the hub's sockets may be.
func (p Paths) Sockets() []string {
	return slices.Concat(loopnet.SocketPaths(p.Runtime(), mcpSocket), loopnet.SocketPaths(p.Runtime(), controlSocket))
}

// dialSocket connects to a socket of the hub: at its usual path, else where hub.json
// says that the hub could listen instead.
func (p Paths) dialSocket(ctx context.Context, name string) (net.Conn, error) {
	usual := loopnet.SocketPaths(p.Runtime(), name)[0]
	conn, err := loopnet.DialSocket(ctx, usual)
	if err == nil {
		return conn, nil
	}
	d, discoveryErr := readDiscovery(p)
	stated := d.MCP
	if name == controlSocket {
		stated = d.Control
	}
	if discoveryErr != nil || stated == "" || stated == usual {
		return nil, err
	}
	if conn, statedErr := loopnet.DialSocket(ctx, stated); statedErr == nil {
		return conn, nil
	}
	return nil, err
}

// A hubSocket is a socket of a running hub.
type hubSocket struct {
	name  string
	serve func(net.Listener) // until it is closed

	listener net.Listener
	path     string
	file     fs.FileInfo // at path; nil: a named pipe, which nobody can remove
}

// listen listens at the first path where that is possible, after it has removed
// what stands there: hub.lock is held, so no hub serves at it. It replaces the
// listener before it, whose connections stay.
func (s *hubSocket) listen(p Paths) error {
	var failures []error
	for _, path := range loopnet.SocketPaths(p.Runtime(), s.name) {
		l, file, err := listenAt(path)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if s.listener != nil {
			s.abandon()
		}
		s.listener, s.path, s.file = l, path, file
		return nil
	}
	return fmt.Errorf("listen for %s: %w", s.name, failures[0])
}

func listenAt(path string) (l net.Listener, file fs.FileInfo, err error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !isPipe(path) {
		return nil, nil, fmt.Errorf("remove stale socket: %w", err)
	}
	if l, err = loopnet.ListenSocket(path); err != nil || isPipe(path) {
		return l, nil, err
	}
	if file, err = os.Lstat(path); err != nil {
		return nil, nil, errors.Join(err, l.Close())
	}
	return l, file, nil
}

// start serves the listener.
func (s *hubSocket) start(serving *sync.WaitGroup) {
	l := s.listener
	serving.Go(func() { s.serve(l) })
}

// isInPlace reports whether clients that look at the path find this socket.
func (s *hubSocket) isInPlace() bool {
	if s.file == nil {
		return true
	}
	at, err := os.Lstat(s.path)
	return err == nil && os.SameFile(at, s.file)
}

// abandon closes the listener and leaves what is at its path now, which is not its own.
// That it is closed already says nothing new.
func (s *hubSocket) abandon() {
	if l, ok := s.listener.(interface{ SetUnlinkOnClose(bool) }); ok {
		l.SetUnlinkOnClose(false)
	}
	_ = s.listener.Close()
}

// close ends the listener and removes its file.
func (s *hubSocket) close() error {
	if s.listener == nil {
		return nil
	}
	if !s.isInPlace() {
		s.abandon()
		return nil
	}
	return ignoreClosed(s.listener.Close())
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
