package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/filelock"
)

// HubConfig is what the hub's process is made of.
type HubConfig struct {
	Paths Paths
	Self  BuildInfo
	// Exclusive are files that only a hub that serves has open. While another hub has
	// one open, such as that of an older build, which is found elsewhere, Run does not
	// serve. Nil: not looked at.
	Exclusive []string
	// FormerRuntimes returns the folders where a hub of an older build may have its sockets,
	// by the variables of its process. A hub that has an Exclusive file open and is found
	// there is asked to hand over. Nil: none is.
	FormerRuntimes func(getenv func(string) string) []string

	// Open is called once the lock is held and before anybody can connect: the
	// place to open what two hubs must not have open at once. Nil: nothing.
	Open func(ctx context.Context) error
	// Close is called when nobody is served any more and before the lock is released,
	// whatever Open returned: the place to close what two hubs must not have open at
	// once. It is not called where the lock was never held. Nil: nothing.
	Close func() error
	// Attach serves one MCP stream. When reading from conn returns io.EOF it
	// answers what it has already read and returns; when ctx ends it returns
	// at once.
	Attach func(ctx context.Context, h Hello, conn net.Conn) error
	// Control serves the control socket, but for the paths below /daemon/.
	Control http.Handler
	// OnPrevious is called before Open with the hub.json of the previous hub, which
	// died or, where Next is set, handed over to a newer build. A hub that was
	// stopped or shut down when idle removed the file. Nil: ignored.
	OnPrevious func(before Discovery)
	// Busy counts calls being served and sessions open, over every transport.
	// A subscription that merely waits is not a call. It must not block.
	Busy func() (inFlight, sessions int)
	// Waiting counts the calls that wait for a person. It must not block. Nil:
	// none ever does.
	Waiting func() int
	// Pinned reports whether the hub keeps running when idle. Nil: it does not.
	Pinned func() bool
	// OnSuccessor is called when a newer build begins to wait for this hub to be
	// quiet. Nil: ignored.
	OnSuccessor func(next BuildInfo)
	// Drain is called when the hub shuts down, and ends the calls that would not
	// end by themselves: those that wait for a person, and those that did not come
	// through Attach. Nil: Run only waits for Busy.
	Drain func(ctx context.Context) error

	// Lifeline is closed when the supervisor of this process is gone, which
	// makes it shut down. A hub that has one is a service and keeps running when
	// idle. Nil: it is not supervised. See supervisor.WatchLifeline.
	Lifeline <-chan struct{}

	HTTPPort  func() int    // for hub.json; nil or 0: no HTTP
	IdleAfter time.Duration // 0: keep running when idle
	Timing    HubTiming     // zero fields: the usual times
	Log       *slog.Logger
	Now       func() time.Time
}

// HubTiming holds the waits of a hub; tests shorten them.
type HubTiming struct {
	QuietFor time.Duration // nothing in flight for so long: quiet enough to hand over; 2 s
	Cooldown time.Duration // a hub younger than this does not hand over; 10 s
	Drain    time.Duration // calls in flight may take so long to end; 8 s
	Lock     time.Duration // for a hub that shuts down to release the lock; 15 s
	OtherHub time.Duration // for a hub that cannot be reached to end; 3 s

	CheckFiles  time.Duration // how often the hub looks whether it can still be found; 1 s
	Unreachable time.Duration // how long it may fail to put its sockets back; 10 s
}

func (t HubTiming) withDefaults() HubTiming {
	t.QuietFor = cmp.Or(t.QuietFor, 2*time.Second)
	t.Cooldown = cmp.Or(t.Cooldown, 10*time.Second)
	t.Drain = cmp.Or(t.Drain, 8*time.Second)
	t.Lock = cmp.Or(t.Lock, 15*time.Second)
	t.OtherHub = cmp.Or(t.OtherHub, 3*time.Second)
	t.CheckFiles = cmp.Or(t.CheckFiles, time.Second)
	t.Unreachable = cmp.Or(t.Unreachable, 10*time.Second)
	return t
}

// ErrRunning says that another hub of this user already serves.
var ErrRunning = errors.New("another hub already runs")

// ErrRestart is how Run returns when the hub shut down so that another can take its
// place. A supervisor starts it again: cmd exits with 75 (EX_TEMPFAIL).
var ErrRestart = errors.New("the hub shut down for another to take its place")

// Run is the hub process from its lock to its shutdown: when ctx ends (a
// signal), when asked over the control socket, when idle, or to hand over to a
// newer build. It finishes calls in flight first, within Timing.Drain. A nil
// error means that the hub need not be started again.
func Run(ctx context.Context, c HubConfig) (err error) {
	c.Timing = c.Timing.withDefaults()
	if c.Lifeline != nil {
		c.IdleAfter = 0
	}
	if c.Pinned == nil {
		c.Pinned = func() bool { return false }
	}
	if c.Waiting == nil {
		c.Waiting = func() int { return 0 }
	}
	if c.HTTPPort == nil {
		c.HTTPPort = func() int { return 0 }
	}
	if err := c.Paths.prepare(); err != nil {
		return err
	}
	held, err := awaitLock(ctx, c.Paths, c.Timing.Lock)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Release()) }()
	if err := awaitOtherHubs(ctx, c); err != nil {
		return err
	}
	if c.Close != nil {
		defer func() { err = errors.Join(err, c.Close()) }()
	}
	if before, err := readDiscovery(c.Paths); err == nil && c.OnPrevious != nil {
		c.OnPrevious(before)
	}
	if c.Open != nil {
		if err := c.Open(ctx); err != nil {
			return fmt.Errorf("open hub: %w", err)
		}
	}
	h := &hubServer{HubConfig: c, lock: held, lifecycle: newLifecycle(&c), instance: newInstanceID(), conns: map[*agentConn]struct{}{}}
	return h.run(ctx)
}

// awaitLock takes hub.lock. It waits while the holder shuts down, and
// returns ErrRunning when the holder serves.
func awaitLock(ctx context.Context, p Paths, limit time.Duration) (*filelock.Lock, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w, or hangs: it holds %s", ErrRunning, p.hubLock()))
	defer cancel()
	var held *filelock.Lock
	err := waitFor(ctx, func() (bool, error) {
		var err error
		if held, err = filelock.TryFile(p.hubLock()); !errors.Is(err, filelock.ErrHeld) {
			return true, err
		}
		now, err := requestHealth(ctx, p)
		switch _, elsewhere := errors.AsType[*OtherMachineError](err); {
		case elsewhere:
			return false, err
		case err == nil && !now.ShuttingDown:
			return false, fmt.Errorf("%w (version %s, pid %d)", ErrRunning, now.Version, now.PID)
		}
		return false, nil
	})
	return held, err
}

// hubServer serves the two sockets of a running hub.
type hubServer struct {
	HubConfig

	lock      *filelock.Lock
	lifecycle *hubLifecycle
	instance  string
	streams   sync.WaitGroup

	sockets     []*hubSocket // MCP and control
	accepting   sync.WaitGroup
	discovery   Discovery     // as hub.json is to be
	unreachable time.Duration // how long sockets or hub.json have been gone

	// stopRequests are those without an answer yet.
	stopRequests sync.WaitGroup

	mu    sync.Mutex
	conns map[*agentConn]struct{}
}

func (h *hubServer) run(ctx context.Context) error {
	server := h.controlServer()
	// Signals end ctx, but calls in flight outlive it until they are drained.
	serving, abandon := context.WithCancel(context.WithoutCancel(ctx))
	defer abandon()
	h.sockets = []*hubSocket{
		{name: mcpSocket, serve: func(l net.Listener) { h.accept(serving, l) }},
		{name: controlSocket, serve: func(l net.Listener) { _ = server.Serve(l) }},
	}
	if err := h.openSockets(); err != nil {
		return errors.Join(err, h.closeSockets())
	}
	h.Log.Info("hub is ready", "pid", os.Getpid(), "version", h.Self.Version, "socket", h.sockets[0].path)
	go h.lifecycle.run(serving.Done())
	h.awaitShutdown(ctx)
	err := h.retireDiscovery()
	h.drain(serving)
	abandon()
	h.stopRequests.Wait()
	err = errors.Join(err, ignoreClosed(server.Close()), h.closeSockets())
	h.closeConns()
	h.accepting.Wait()
	h.streams.Wait()
	return errors.Join(err, h.exitError())
}

// awaitShutdown returns when the hub is to shut down.
func (h *hubServer) awaitShutdown(ctx context.Context) {
	tick := time.NewTicker(h.Timing.CheckFiles)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			h.lifecycle.stop(shutdownDecision{reason: "ended by a signal"}, false)
		case <-h.Lifeline:
			h.lifecycle.stop(shutdownDecision{reason: "its supervisor is gone"}, false)
		case <-tick.C:
			h.checkFiles()
			continue
		case <-h.lifecycle.shuttingDown:
		}
		return
	}
}

// accept serves the MCP socket until it is closed.
func (h *hubServer) accept(ctx context.Context, l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			h.Log.Warn("an agent's connection was not accepted", "error", err)
			continue
		}
		h.streams.Go(func() { h.serveStream(ctx, &agentConn{Conn: conn}) })
	}
}

// serveStream serves one connection from hello to end.
func (h *hubServer) serveStream(ctx context.Context, l *agentConn) {
	h.trackConn(l, true)
	defer h.trackConn(l, false)
	defer func() { _ = l.Close() }()
	var hello Hello
	_ = l.SetDeadline(time.Now().Add(helloTimeout))
	if err := readJSONLine(l.Conn, &hello); err != nil || hello.Lectern != lineTypeHello {
		h.Log.Warn("a connection sent no hello", "error", err)
		return
	}
	before := h.lifecycle.pendingSuccessor()
	answer := h.lifecycle.admit(hello)
	admitted := answer.Lectern == lineTypeWelcome
	if admitted {
		defer h.lifecycle.uncountStream(hello)
	}
	answer.Wire, answer.BuildInfo, answer.PID, answer.Instance = min(hello.Wire, WireVersion), h.Self, os.Getpid(), h.instance
	if err := writeJSONLine(l.Conn, answer); err != nil || !admitted {
		return
	}
	if next := h.lifecycle.pendingSuccessor(); next != before && h.OnSuccessor != nil {
		h.Log.Info("a newer build waits to take over", "version", next.Version, "build", next.Build)
		h.OnSuccessor(*next)
	}
	l.endHandshake()
	if hello.Probe {
		h.Log.Debug("a process looks whether the hub answers", "pid", hello.PID)
		_, _ = io.Copy(io.Discard, l) // it sends nothing, and ends when it likes
		return
	}
	if err := h.Attach(ctx, hello, l); err != nil && ctx.Err() == nil {
		h.Log.Warn("a stream ended with an error", "shim_pid", hello.PID, "error", err)
	}
}
