package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/lectern-mcp/lectern/internal/filelock"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// ConnectConfig is how to reach the hub, and how to start one.
type ConnectConfig struct {
	Paths Paths
	Self  BuildInfo
	Scope string // the sources wanted, separated by commas; empty: all
	Token string // the client's, to prove its name; empty: none
	Probe bool   // no agent is behind the connection
	Relay bool   // see [Hello]
	Start StartPolicy

	// Command runs a hub: program and arguments. Empty: Connect starts none,
	// and asks no older hub to hand over.
	Command []string
	// Stale reports that Command no longer runs the build of Self, because its
	// file was replaced meanwhile. Then no older hub is asked to hand over: what
	// would start is not newer. Nil: never.
	Stale func() bool
	// Env is the environment from which the hub's own is taken: only what
	// names directories, the user, locale, Lectern's own variables and those that
	// SecretNames names.
	Env []string
	// SecretNames are the variables that the configuration refers to. Nil: none.
	SecretNames func() []string
	// ReadyTimeout is how long a new hub may take to answer; 0: 10 s.
	ReadyTimeout time.Duration
	hello        time.Duration // for a hub to answer a hello; 0: helloTimeout

	// Offline is what Client shows while no hub is running: of the configuration its
	// path, sources and snippets, and where the hub has a State, why none runs.
	// Without one it is stopped. Nil: nothing.
	Offline func() status.Snapshot
	// OnExit is called with the exit of a hub that this process started, while
	// this process runs. Nil: ignored.
	OnExit func(exit string)
	// OnStartFailed is called when a person could not start or restart a hub through
	// [Client]. Nil: ignored.
	OnStartFailed func(error)
	Log           *slog.Logger
	Now           func() time.Time
}

// StartPolicy says when Connect may start a hub.
type StartPolicy int

// The policies.
const (
	// StartAlways starts a hub whenever none runs.
	StartAlways StartPolicy = iota
	// StartReplacement starts a hub only in place of one that died or handed over,
	// not in place of one that a person stopped or that shut down when idle.
	StartReplacement
	// StartNever only looks.
	StartNever
)

// Connect returns a stream to the hub, which it starts when none runs and the
// policy allows; any number of callers at one moment share one hub. Errors
// with a method Final() bool that returns true are permanent: another attempt fails too.
func Connect(ctx context.Context, c ConnectConfig) (net.Conn, HelloAnswer, error) {
	if c.ReadyTimeout == 0 {
		c.ReadyTimeout = 10 * time.Second
	}
	conn, w, err := c.dialHub(ctx)
	if err == nil || supervisor.IsFinalError(err) || ctx.Err() != nil {
		return conn, w, err
	}
	if err := c.Paths.noHubError(); !errors.Is(err, ErrNoHub) {
		return nil, w, fmt.Errorf("connect to hub: %w", err)
	}
	if !c.mayStart() {
		return nil, w, fmt.Errorf("connect to hub: %w", ErrNoHub)
	}
	if err := c.Paths.prepare(); err != nil {
		return nil, w, err
	}
	for range maxStartAttempts {
		if conn, w, err = c.startOrJoin(ctx); !errors.Is(err, errReplaced) {
			break
		}
	}
	return conn, w, err
}

// maxStartAttempts bounds how often Connect starts a hub that hands over at once.
const maxStartAttempts = 3

// errReplaced is for a hub that handed over as soon as we had started it.
var errReplaced = errors.New("start hub: it handed over to another at once")

// startOrJoin starts a hub, or connects to the one that another process starts
// meanwhile: the process that holds start.lock starts it, the others wait.
func (c *ConnectConfig) startOrJoin(ctx context.Context) (conn net.Conn, w HelloAnswer, err error) {
	limit := c.ReadyTimeout + stopTimeout
	waiting, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf(
		"start hub: another lectern has been starting it for %s; end the process that holds %s", limit, c.Paths.startLock()))
	defer cancel()
	var held *filelock.Lock
	err = waitFor(waiting, func() (bool, error) {
		if conn, w, err = c.dialHub(waiting); err == nil || supervisor.IsFinalError(err) {
			return true, err
		}
		if c.isNewerBuildStarting() {
			return false, nil
		}
		var err error
		if held, err = filelock.TryFile(c.Paths.startLock()); errors.Is(err, filelock.ErrHeld) {
			return false, nil
		}
		if errors.Is(err, fs.ErrPermission) {
			err = fmt.Errorf("%w; make the folder %s writable for you, or set LECTERN_HOME to another one", err, c.Paths.State)
		}
		return true, err
	})
	if err != nil || held == nil {
		return conn, w, err
	}
	defer func() { _ = held.Release() }()
	return c.startAndWait(ctx)
}

// dialHub connects to a hub that runs.
func (c *ConnectConfig) dialHub(ctx context.Context) (net.Conn, HelloAnswer, error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.hello, helloTimeout))
	defer cancel()
	conn, err := c.Paths.dialSocket(ctx, mcpSocket)
	if err != nil {
		return nil, HelloAnswer{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	w, err := handshake(conn, Hello{
		BuildInfo: c.Self, PID: os.Getpid(), Scope: c.Scope, Token: c.Token, Probe: c.Probe, Relay: c.Relay, Replace: c.commandStartsThisBuild(),
	})
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, w, errors.Join(err, ignoreClosed(conn.Close()))
	}
	return conn, w, nil
}

// commandStartsThisBuild reports whether Command starts this build.
func (c *ConnectConfig) commandStartsThisBuild() bool {
	return len(c.Command) > 0 && (c.Stale == nil || !c.Stale())
}

// startAndWait starts a hub and waits for its welcome. start.lock is held.
func (c *ConnectConfig) startAndWait(ctx context.Context) (net.Conn, HelloAnswer, error) {
	var conn net.Conn
	var w HelloAnswer
	// A hub that refuses every client is still shutting down; let it finish.
	gone, cancel := context.WithTimeout(ctx, stopTimeout)
	defer cancel()
	err := waitFor(gone, func() (bool, error) {
		var err error
		conn, w, err = c.dialHub(gone)
		if errors.Is(err, errShuttingDown) {
			return false, nil
		}
		if supervisor.IsFinalError(err) {
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
	ready, cancel := context.WithTimeoutCause(ctx, c.ReadyTimeout, c.notReadyError())
	defer cancel()
	err = waitFor(ready, func() (bool, error) {
		ended := child.ended()
		var err error
		if conn, w, err = c.dialHub(ready); err == nil || supervisor.IsFinalError(err) {
			return true, err
		}
		if ended { // read before connecting: another hub may have started first
			return false, child.failure()
		}
		return false, nil
	})
	return conn, w, err
}

// notReadyError is why a hub that is about to start may not get ready. It is made
// before the start, when only another hub can hold the lock.
func (c *ConnectConfig) notReadyError() error {
	if d, err := FindHub(c.Paths); err == nil {
		return fmt.Errorf("start hub: a hub (pid %d, version %s) runs but does not answer; end that process, then try again", d.PID, d.Version)
	}
	return fmt.Errorf("start hub: it did not get ready within %s; see %s", c.ReadyTimeout, c.Paths.Output())
}

// mayStart applies the policy. A hub that died leaves its files behind; one that
// shut down removed its sockets, and keeps hub.json only to hand over.
func (c *ConnectConfig) mayStart() bool {
	if len(c.Command) == 0 || c.Start == StartNever {
		return false
	}
	return c.Start == StartAlways || HubLeftDiscovery(c.Paths)
}

// HubLeftDiscovery reports whether the last hub died or handed over, where it could have
// been stopped or have shut down when idle.
func HubLeftDiscovery(p Paths) bool {
	_, err := os.Lstat(p.Discovery())
	return err == nil
}

// isNewerBuildStarting reports whether a newer build is about to start the hub.
func (c *ConnectConfig) isNewerBuildStarting() bool {
	d, err := readDiscovery(c.Paths)
	return err == nil && d.Successor != nil && d.Successor.Newer(c.Self) &&
		c.Now().Before(d.SuccessorUntil) && d.SuccessorUntil.Sub(c.Now()) <= maxHandoverWait
}

func ignoreClosed(err error) error {
	if errors.Is(err, net.ErrClosed) || errors.Is(err, io.ErrClosedPipe) {
		return nil
	}
	return err
}
