//go:build unix

package loopnet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// SocketPaths returns where the socket called name of the directory dir may be,
// the usual path first: dir/name, unless that exceeds the system's limit for
// socket addresses, and a name with a hash of dir in /tmp/lectern-UID, which also
// serves file systems that hold no sockets. It does not touch the disk. The same
// arguments give the same paths in every process of a user, whatever its
// environment says.
func SocketPaths(dir, name string) []string {
	short := filepath.Join("/tmp", "lectern-"+strconv.Itoa(os.Getuid()), shortHash(dir)+"-"+name)
	if path := filepath.Join(dir, name); len(path) <= maxSocketPath {
		return []string{path, short}
	}
	return []string{short}
}

// ListenSocket listens on a unix socket that only this user can reach. The
// directory is created with mode 0700, or must belong to this user and be
// closed to others; otherwise the error says how to fix it. The socket has
// mode 0600, and Accept closes connections of other users without returning
// them. Closing the listener removes the file.
//
// A file left behind by a killed process is an address in use; see [IsStale]
// to tell it from a live one.
func ListenSocket(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("listen on socket %s: the path has %d bytes and the system allows %d: choose a shorter directory", path, len(path),
			maxSocketPath)
	}
	if err := makePrivateDir(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("listen on socket %s: %w", path, err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err // names the socket and the operation
	}
	// Until here the umask has set the mode; the directory's 0700 restricts access.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("listen on socket: %w", err), l.Close())
	}
	return sameUserListener{l}, nil
}

// DialSocket connects to a socket made by [ListenSocket]. It refuses one that
// another user owns or could have put there, and one whose listener runs as
// another user. A missing socket is [fs.ErrNotExist].
func DialSocket(ctx context.Context, path string) (net.Conn, error) {
	if err := checkSocket(path); err != nil {
		return nil, fmt.Errorf("dial socket %s: %w", path, err)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	// The file's owner was checked before and could have changed since. What the
	// kernel says about the listening process cannot.
	if err := checkPeer(conn.(*net.UnixConn)); err != nil {
		return nil, errors.Join(fmt.Errorf("dial socket %s: %w", path, err), conn.Close())
	}
	return conn, nil
}

// IsStale reports whether a dial failed because nothing listens on a socket
// file that still exists. The process that holds the right to listen may
// remove the file.
func IsStale(err error) bool { return errors.Is(err, unix.ECONNREFUSED) }

func checkSocket(path string) error {
	if err := CheckPrivateDir(filepath.Dir(path)); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return fmt.Errorf("%s is not a socket: remove it", path)
	case ownerUID(info) != os.Getuid():
		return fmt.Errorf("%s belongs to uid %d, not to you (uid %d): remove it", path, ownerUID(info), os.Getuid())
	}
	return nil
}

// A sameUserListener accepts only connections of this user.
type sameUserListener struct{ *net.UnixListener }

func (l sameUserListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			return nil, err
		}
		if checkPeer(conn) == nil {
			return conn, nil
		}
		_ = conn.Close() // another user, or disconnected already
	}
}

// checkPeer asks the kernel who is at the other end.
func checkPeer(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return fmt.Errorf("identify peer: %w", err)
	}
	var uid int
	var credErr error
	if err := raw.Control(func(fd uintptr) { uid, credErr = peerUID(int(fd)) }); err != nil {
		return fmt.Errorf("identify peer: %w", err)
	}
	switch {
	case credErr != nil:
		return fmt.Errorf("identify peer: %w", credErr)
	case uid != os.Getuid():
		return fmt.Errorf("peer runs as uid %d, not as you (uid %d)", uid, os.Getuid())
	}
	return nil
}
