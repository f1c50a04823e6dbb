package loopnet

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

// SocketPaths returns the named pipe for the socket called name of the
// directory dir. Pipes share one name space, so the name contains a hash of
// dir.
func SocketPaths(dir, name string) []string {
	return []string{`\\.\pipe\lectern-` + shortHash(dir) + "-" + name}
}

// ListenSocket listens on a named pipe that only this user can open. It fails
// if the pipe exists already.
func ListenSocket(path string) (net.Listener, error) {
	sid, err := currentUser()
	if err != nil {
		return nil, fmt.Errorf("listen on pipe %s: %w", path, err)
	}
	l, err := winio.ListenPipe(path, &winio.PipeConfig{
		// The owner is this user, and one protected entry gives them all rights.
		SecurityDescriptor: fmt.Sprintf("O:%sD:P(A;;GA;;;%s)", sid, sid),
	})
	if err != nil {
		return nil, fmt.Errorf("listen on pipe %s: %w", path, err)
	}
	return l, nil
}

// DialSocket connects to a pipe made by [ListenSocket] and refuses one that
// another user owns. A pipe that does not exist is fs.ErrNotExist.
func DialSocket(ctx context.Context, path string) (net.Conn, error) {
	conn, err := winio.DialPipeContext(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("dial pipe %s: %w", path, err)
	}
	if err := checkPipe(conn); err != nil {
		return nil, errors.Join(fmt.Errorf("dial pipe %s: %w", path, err), conn.Close())
	}
	return conn, nil
}

// IsStale is always false: a pipe disappears with the process that made it.
func IsStale(error) bool { return false }

func checkPipe(conn net.Conn) error {
	pipe, ok := conn.(interface{ Fd() uintptr })
	if !ok {
		return errors.New("identify peer: the pipe has no handle")
	}
	sd, err := windows.GetSecurityInfo(windows.Handle(pipe.Fd()), windows.SE_KERNEL_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("identify peer: %w", err)
	}
	return checkOwner(sd)
}

func checkOwner(sd *windows.SECURITY_DESCRIPTOR) error {
	owner, _, err := sd.Owner()
	if err != nil {
		return fmt.Errorf("identify owner: %w", err)
	}
	sid, err := currentUser()
	if err != nil {
		return err
	}
	if !owner.Equals(sid) {
		return fmt.Errorf("it belongs to %s, not to you (%s)", owner, sid)
	}
	return nil
}

func currentUser() (*windows.SID, error) {
	user, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("identify user: %w", err)
	}
	return user.User.Sid, nil
}
