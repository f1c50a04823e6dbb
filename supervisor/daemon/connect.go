package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// ConnectConfig is how to reach the hub, and how to start one.
type ConnectConfig struct {
	Paths Paths
	Stamp Stamp
	Scope string // the one source wanted; empty: all
	Token string // the client's, to prove its name; empty: none
	Start StartPolicy

	// Command runs a hub: program and arguments. Empty: Connect starts none,
	// and asks no older hub to make room.
	Command []string
	// Stale reports that Command no longer runs the build of Stamp, because its
	// file was replaced meanwhile. No older hub is then asked to make room: what
	// came would be no newer. Nil: never.
	Stale func() bool
	// Env is the environment from which the hub's own is taken: only what
	// names directories, the user, locale and Lectern's own variables.
	Env []string
	// Ready is how long a new hub may take to welcome; 0: 10 s.
	Ready time.Duration
	hello time.Duration // for a hub to answer a hello; 0: helloTimeout

	// Offline is what Client shows while no hub runs: of the configuration its
	// path, sources and snippets, and where the hub has a State, why none runs.
	// Without one it is stopped. Nil: nothing.
	Offline func() status.Snapshot
	// Ended is told how a hub ended that this process started, as long as it
	// lives itself. Nil: nobody asks.
	Ended func(exit string)
	Log   *slog.Logger
	Now   func() time.Time
}

// StartPolicy says when Connect may start a hub.
type StartPolicy int

// The policies.
const (
	// StartAlways starts a hub whenever none runs.
	StartAlways StartPolicy = iota
	// StartLost starts a hub only in place of one that died or handed over,
	// not in place of one that a person stopped or that left when idle.
	StartLost
	// StartNever only looks.
	StartNever
)

// Connect returns a stream to the hub, which it starts when none runs and the
// policy allows; any number of callers at one moment share one hub. Errors
// with a method Final() bool that returns true are not cured by trying again.
func Connect(ctx context.Context, c ConnectConfig) (net.Conn, Welcome, error) {
	if c.Ready == 0 {
		c.Ready = 10 * time.Second
	}
	conn, w, err := c.dialHub(ctx)
	if err == nil || isFinal(err) || ctx.Err() != nil {
		return conn, w, err
	}
	if !c.mayStart() {
		return nil, w, fmt.Errorf("connect to hub: %w", ErrNoHub)
	}
	if err := c.Paths.prepare(); err != nil {
		return nil, w, err
	}
	for range startTries {
		if conn, w, err = c.startOrJoin(ctx); !errors.Is(err, errReplaced) {
			break
		}
	}
	return conn, w, err
}

// startTries bounds how often Connect starts a hub that at once makes room for
// another.
const startTries = 3

// errReplaced says that the hub we started has left for another to take over.
var errReplaced = errors.New("start hub: it made room for another at once")

// startOrJoin starts a hub, or connects to the one that another process starts
// meanwhile: whoever holds start.lock starts, the others wait for either.
func (c *ConnectConfig) startOrJoin(ctx context.Context) (conn net.Conn, w Welcome, err error) {
	limit := c.Ready + stopTimeout
	waiting, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf(
		"start hub: another lectern has been at it for %s; end the process that holds %s", limit, c.Paths.startLock()))
	defer cancel()
	var held *lock
	err = waitFor(waiting, func() (bool, error) {
		if conn, w, err = c.dialHub(waiting); err == nil || isFinal(err) {
			return true, err
		}
		if c.yieldsToNewer() {
			return false, nil
		}
		var err error
		if held, err = tryLock(c.Paths.startLock()); errors.Is(err, errHeld) {
			return false, nil
		}
		return true, err
	})
	if err != nil || held == nil {
		return conn, w, err
	}
	defer func() { _ = held.release() }()
	return c.startAndWait(ctx)
}

// dialHub connects to a hub that runs.
func (c *ConnectConfig) dialHub(ctx context.Context) (net.Conn, Welcome, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.hello, helloTimeout))
	defer cancel()
	conn, err := loopnet.DialSocket(ctx, c.Paths.MCP())
	if err != nil {
		return nil, Welcome{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	w, err := handshake(conn, Hello{Stamp: c.Stamp, PID: os.Getpid(), Scope: c.Scope, Token: c.Token, Replace: c.canReplace()})
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, w, errors.Join(err, ignoreClosed(conn.Close()))
	}
	return conn, w, nil
}

// canReplace reports whether what Command starts is of the build of Stamp.
func (c *ConnectConfig) canReplace() bool {
	return len(c.Command) > 0 && (c.Stale == nil || !c.Stale())
}

// startAndWait starts a hub and waits for its welcome. start.lock is held.
func (c *ConnectConfig) startAndWait(ctx context.Context) (net.Conn, Welcome, error) {
	var conn net.Conn
	var w Welcome
	// A hub that turns everybody away is still there; let it finish.
	gone, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	err := waitFor(gone, func() (bool, error) {
		var err error
		conn, w, err = c.dialHub(gone)
		if errors.Is(err, errShuttingDown) {
			return false, nil
		}
		if isFinal(err) {
			return true, err
		}
		return true, nil
	})
	if err != nil || conn != nil {
		return conn, w, err
	}
	child, err := c.spawn()
	if err != nil {
		return nil, w, err
	}
	ready, cancel := context.WithTimeoutCause(ctx, c.Ready, c.notReadyError())
	defer cancel()
	err = waitFor(ready, func() (bool, error) {
		ended := child.ended()
		var err error
		if conn, w, err = c.dialHub(ready); err == nil || isFinal(err) {
			return true, err
		}
		if ended { // looked at before trying: another hub may have been faster
			return false, child.failure()
		}
		return false, nil
	})
	return conn, w, err
}

// notReadyError says why a hub that was just started may not get ready. It is made
// beforehand: a hub that holds the lock by then is the one in the way.
func (c *ConnectConfig) notReadyError() error {
	if d, err := Find(c.Paths); err == nil {
		return fmt.Errorf("start hub: a hub (pid %d, version %s) runs but does not answer; end that process, then try again", d.PID, d.Version)
	}
	return fmt.Errorf("start hub: it did not get ready within %s; see %s", c.Ready, c.Paths.Output())
}

// mayStart applies the policy. A hub that died leaves its files; one that left
// took its sockets away, and says in hub.json if it left for a newer build.
func (c *ConnectConfig) mayStart() bool {
	if len(c.Command) == 0 || c.Start == StartNever {
		return false
	}
	return c.Start == StartAlways || Lost(c.Paths)
}

// Lost reports whether the last hub died or handed over, where it could have
// been stopped or have left when idle.
func Lost(p Paths) bool {
	_, err := os.Lstat(p.Discovery())
	return err == nil
}

// yieldsToNewer reports whether a newer build is about to start the hub.
func (c *ConnectConfig) yieldsToNewer() bool {
	d, err := readDiscovery(c.Paths)
	return err == nil && d.Next != nil && d.Next.Newer(c.Stamp) &&
		c.Now().Before(d.NextUntil) && d.NextUntil.Sub(c.Now()) <= handoverMax
}

func isFinal(err error) bool {
	final, ok := errors.AsType[interface {
		error
		Final() bool
	}](err)
	return ok && final.Final()
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}
