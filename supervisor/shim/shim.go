// Package shim is what an MCP client runs: it copies frames between the
// client's pipes and the hub's socket, and outlives the hub.
//
// It does not speak MCP. It reads the outermost level of each frame, as much
// as it takes to know which requests wait for an answer, so that when the hub
// goes away every one of them is answered exactly once: by the next hub if it
// only reads, else by an error that asks to check before trying again.
//
// cmd/lectern imports it. Start reading at [Run]; pending_calls.go and
// session_state.go hold what is remembered, replay.go repeats it to the next hub.
package shim

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/lectern-mcp/lectern/supervisor"
)

// Config is the two ends of a shim.
type Config struct {
	// In and Out are the client's end. Reading from In ends the shim.
	In  io.Reader
	Out io.Writer
	// Connect returns a stream to the hub, and starts a hub when none runs.
	// An error with a method Final() bool that returns true is not tried again
	// until the client asks for something more.
	Connect func(ctx context.Context) (net.Conn, error)
	// Reconnect is Connect while no call waits: it need not start a hub that a person
	// has stopped. Nil: Connect.
	Reconnect func(ctx context.Context) (net.Conn, error)
	// Parent is closed when the process that started the shim is gone; see
	// WatchParent. Nil: it is not watched.
	Parent <-chan struct{}
	// ReconnectTimeout is how long calls wait for a hub before they are answered with
	// an error; 0: 60 s.
	ReconnectTimeout time.Duration
	// DrainTimeout is how long calls may take to be answered once In has ended; 0: 5 s.
	DrainTimeout time.Duration
	Log          *slog.Logger
}

// ErrParentGone means that the client ended without closing its pipe.
var ErrParentGone = errors.New("the parent process is gone")

// errDone ends the shim after In has ended.
var errDone = errors.New("the client is done")

// Run copies frames until In ends and every request is answered, the parent is
// gone, Out cannot be written, or ctx ends. Only the first of these returns nil. A read of In or a write of Out that never returns outlives Run: the process is expected
// to exit.
func Run(ctx context.Context, c Config) error {
	if c.Reconnect == nil {
		c.Reconnect = c.Connect
	}
	c.ReconnectTimeout = cmp.Or(c.ReconnectTimeout, 60*time.Second)
	c.DrainTimeout = cmp.Or(c.DrainTimeout, 5*time.Second)
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	r := newRelay(c, end)
	go r.readClient(ctx)
	if c.Parent != nil {
		go func() {
			select {
			case <-c.Parent:
				end(ErrParentGone)
			case <-ctx.Done():
			}
		}()
	}
	ran := make(chan struct{})
	go func() {
		defer close(ran)
		r.run(ctx)
	}()
	<-ctx.Done()
	select {
	case <-ran:
	case <-time.After(lastWriteTimeout): // do not wait for a client that does not read
	}
	if err := context.Cause(ctx); !errors.Is(err, errDone) {
		return err
	}
	return nil
}

// lastWriteTimeout is how long the client may take to read the last frame.
const lastWriteTimeout = time.Second

// errDisconnected is why a relay connects to no hub any more.
var errDisconnected = errors.New("the user disconnected this agent from Lectern")

func (r *relay) isDisconnected() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.disconnected
}

// refuseCalls answers every call with an error until ctx ends: a person
// disconnected the agent, and it stays so until the client starts another relay.
func (r *relay) refuseCalls(ctx context.Context) {
	r.Log.Warn("the user disconnected this agent from Lectern; restart the client to connect it again")
	r.setConnectError(errDisconnected)
	for {
		r.failPending(errDisconnected)
		select {
		case <-r.wake:
		case <-ctx.Done():
			return
		}
	}
}

// run serves one hub after another.
func (r *relay) run(ctx context.Context) {
	for first := true; ; first = false {
		if r.isDisconnected() {
			r.refuseCalls(ctx)
			return
		}
		conn := r.connectHub(ctx, first)
		if conn == nil {
			return
		}
		r.serve(ctx, conn)
		if ctx.Err() != nil {
			return
		}
		r.hubLost()
	}
}

// reconnectPolicy spaces the attempts to reach a hub.
var reconnectPolicy = supervisor.RestartPolicy{Steps: []time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond,
	1600 * time.Millisecond, 3200 * time.Millisecond, 5 * time.Second,
}}

// startPatience bounds Patience until there was a first hub: the client waits
// for its initialize, and some give up within a minute without a reason.
const startPatience = 10 * time.Second

// connectHub returns a stream to a hub, or nil when ctx ends. While no call waits
// it tries without end; calls that wait are answered after c.Patience.
func (r *relay) connectHub(ctx context.Context, first bool) net.Conn {
	var waiting time.Time // since when; zero: no call waits
	attempts := supervisor.RestartHistory{RestartPolicy: reconnectPolicy}
	for atOnce := first; ; atOnce = false {
		connect := r.Reconnect
		if waiting = r.waitingSince(waiting); !waiting.IsZero() || atOnce {
			connect = r.Connect
		}
		conn, err := connect(ctx)
		if ctx.Err() == nil {
			r.setConnectError(err)
		}
		if err == nil {
			return conn
		}
		if ctx.Err() != nil {
			return nil
		}
		if supervisor.IsFinal(err) || !waiting.IsZero() && time.Since(waiting) >= r.patience(first) {
			r.Log.Warn("no hub can be reached", "error", err)
			r.failPending(err)
			waiting = time.Time{}
		}
		delay, _ := attempts.Failed(0, time.Now())
		if r.sleep(ctx, delay) {
			attempts.Reset()
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// waitingSince is since when a call waits for an answer; zero: none does.
func (r *relay) waitingSince(since time.Time) time.Time {
	switch {
	case !r.isWaiting():
		return time.Time{}
	case since.IsZero():
		return time.Now()
	default:
		return since
	}
}

func (r *relay) patience(first bool) time.Duration {
	if first {
		return min(r.ReconnectTimeout, startPatience)
	}
	return r.ReconnectTimeout
}

// sleep waits for delay, or until a first call waits; then it returns true.
func (r *relay) sleep(ctx context.Context, delay time.Duration) bool {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.wake:
		return true
	case <-ctx.Done():
	}
	return false
}
