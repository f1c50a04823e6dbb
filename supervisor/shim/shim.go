// Package shim is what an MCP client runs: it copies frames between the
// client's pipes and the hub's socket, and outlives the hub.
//
// It does not speak MCP. It reads the outermost level of each frame, as much
// as it takes to know which requests wait for an answer, so that when the hub
// goes away every one of them is answered exactly once: by the next hub if it
// only reads, or if the hub shut down in good order before it began, else by an error
// that asks to check before trying again.
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
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/frame"
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

// errClientDone ends the shim after In has ended.
var errClientDone = errors.New("the client is done")

// Run copies frames until In ends and every request is answered, the parent is
// gone, Out cannot be written, or ctx ends. Only the first of these returns nil. A read of In or a write of Out that
// never returns outlives Run: the process is expected
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
	go r.copyClientFrames(ctx)
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
	if err := context.Cause(ctx); !errors.Is(err, errClientDone) {
		return err
	}
	return nil
}

// lastWriteTimeout is how long the client may take to read the last frame.
const lastWriteTimeout = time.Second

// run serves one hub after another.
func (r *relay) run(ctx context.Context) {
	for first := true; ; first = false {
		if r.isDisconnectedByPerson() {
			r.refuseCalls(ctx)
			return
		}
		conn := r.connectHub(ctx, first)
		if conn == nil {
			return
		}
		r.serveHub(ctx, conn)
		if ctx.Err() != nil {
			return
		}
		r.handleHubLoss()
	}
}

// Bounds of what is kept for a hub that is not there. When they are reached,
// the client's pipe is no longer read.
const (
	maxQueueFrames = 1024
	maxQueueBytes  = 8 << 20
)

// maxHubFrameBytes is the longest frame from the hub, in bytes: it may add to what fits
// into one of the client's.
const maxHubFrameBytes = 4 * frame.Max

// A relay is a running shim. Frames to the hub are written by copyClientFrames, and
// by replaySession while up is nil; frames to the client under out.
type relay struct {
	Config

	end  context.CancelCauseFunc
	wake chan struct{} // a frame came while no hub was there

	out sync.Mutex // held to write to Out

	mu             sync.Mutex
	queueSpace     sync.Cond // signalled when queue is emptied
	hub            net.Conn  // nil: none, or the session is still being replayed
	queue          [][]byte  // from the client while up is nil
	queued         int       // bytes in queue
	closed         bool      // In has ended
	disconnected   bool      // by a person: no hub is connected to any more
	allAnswered    bool      // the hub shuts down, and gave back what has no answer
	connectError   error     // why the hub could not be reached the last time; nil: it was
	calls          pendingCalls
	serverRequests serverRequests
	session        sessionState
}

func newRelay(c Config, end context.CancelCauseFunc) *relay {
	r := &relay{
		Config: c, end: end, wake: make(chan struct{}, 1), calls: newPendingCalls(), serverRequests: serverRequests{}, session: newSessionState(),
	}
	r.queueSpace.L = &r.mu
	return r
}

// copyClientFrames copies frames to the hub until In ends.
func (r *relay) copyClientFrames(ctx context.Context) {
	in := frame.NewReader(r.In, frame.Max)
	for ctx.Err() == nil {
		f, err := in.Next()
		switch {
		case errors.Is(err, frame.ErrTooLong):
			var skipped *frame.TooLongError
			errors.As(err, &skipped)
			r.writeClient(errorFrame(skipped.ID, codeInvalidRequest, "a frame of more than 16 MiB was skipped; send less in one request"))
		case err != nil:
			r.handleClientEnd(err)
			return
		default:
			r.handleClientFrame(f)
		}
	}
}

// handleClientEnd waits for the answers still due, and then ends the shim.
func (r *relay) handleClientEnd(err error) {
	if !errors.Is(err, io.EOF) {
		r.Log.Warn("reading from the client failed", "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	endWrites(r.hub)
	if !r.hasAwaitedCallsLocked() {
		r.end(errClientDone)
		return
	}
	time.AfterFunc(r.DrainTimeout, func() {
		r.mu.Lock()
		why := r.connectError
		r.mu.Unlock()
		if why != nil { // an error is better than no answer
			r.Log.Warn("no hub can be reached", "error", why)
			r.failPending(why)
		}
		r.end(errClientDone)
	})
}

// endWrites tells the hub that the client sends nothing more, so that nobody is asked about
// its calls: what runs is answered. A pipe of Windows cannot be closed by halves.
func endWrites(hub net.Conn) {
	if c, ok := hub.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite() // a hub that is gone is noticed by reading
	}
}

// handleClientFrame passes one frame on, or keeps it until there is a hub.
func (r *relay) handleClientFrame(f []byte) {
	m, whole := parseFrame(f)
	r.mu.Lock()
	for r.hub == nil && (len(r.queue) >= maxQueueFrames || r.queued >= maxQueueBytes) {
		r.queueSpace.Wait()
	}
	conn := r.hub
	if conn == nil {
		first := len(r.queue) == 0 && !r.calls.needsHub()
		r.queue = append(r.queue, f)
		r.queued += len(f)
		r.mu.Unlock()
		if first {
			select {
			case r.wake <- struct{}{}:
			default:
			}
		}
		return
	}
	f, pass := r.recordFrame(f, m, whole)
	r.mu.Unlock()
	if pass {
		// An error is ignored: reading from the hub fails too, and then recorded
		// requests are sent again or answered.
		_, _ = conn.Write(copyAsLine(f))
	}
}

// recordFrame remembers a request of the client, and returns the frame to pass on
// and whether to pass it on. mu is held.
func (r *relay) recordFrame(f []byte, m message, whole bool) ([]byte, bool) {
	switch {
	case !whole: // garbage: the hub answers it
	case m.isAnswer():
		return r.serverRequests.takeAnswer(f, m)
	case m.awaitsAnswer():
		r.session.recordRequest(m)
		r.calls.add(f, m)
	case m.id == nil && m.method == "notifications/cancelled":
		r.calls.markCancelled(m)
	case m.id == nil:
		r.session.recordRequest(m)
	}
	return f, true
}

// serveHub carries frames from the hub until it goes away or ctx ends.
func (r *relay) serveHub(ctx context.Context, conn net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	var resumed sync.WaitGroup
	resumed.Go(func() { r.replaySession(ctx, conn) })
	in := frame.NewReader(conn, maxHubFrameBytes)
	for {
		f, err := in.Next()
		if errors.Is(err, frame.ErrTooLong) {
			r.Log.Error("a frame from the hub was longer than the bound and is lost", "bound", maxHubFrameBytes)
			continue
		}
		if err != nil {
			r.Log.Debug("the hub's stream ended", "error", err)
			break
		}
		r.handleHubFrame(f)
	}
	cancel() // resume may wait for an answer that will not come
	stop()
	_ = conn.Close()
	resumed.Wait()
}

// handleHubFrame passes one frame on, unless it answers a request of the shim.
func (r *relay) handleHubFrame(f []byte) {
	m, whole := parseFrame(f)
	if !whole {
		r.Log.Warn("a frame from the hub was cut off")
		return
	}
	r.mu.Lock()
	pass := true
	switch {
	case m.method == frame.MethodDisconnected:
		r.disconnected, pass = true, false
	case m.method == frame.MethodReadOnlyTools:
		r.session.recordReadOnlyTools(m)
		pass = false
	case m.method == frame.MethodAllAnswered:
		r.allAnswered, pass = true, false
	case m.method != "" && m.id != nil:
		f = r.serverRequests.add(f, m)
	case m.isAnswer():
		pass = r.takeAnsweredCall(m)
	}
	done := r.closed && !r.hasAwaitedCallsLocked()
	r.mu.Unlock()
	if pass {
		r.writeClient(f)
	}
	if done {
		r.end(errClientDone)
	}
}

// takeAnsweredCall removes the request that m answers, and reports whether it is one of
// the client. mu is held.
func (r *relay) takeAnsweredCall(m message) bool {
	if r.session.takeReplayAnswer(m) {
		return false
	}
	c := r.calls.takeAnswered(m.idKey())
	if c == nil {
		r.Log.Debug("the hub sent an answer without a request")
		return false
	}
	r.session.recordResult(c.method, m.result)
	return true
}

// writeClient writes one frame to the client.
func (r *relay) writeClient(f []byte) {
	r.out.Lock()
	defer r.out.Unlock()
	if _, err := r.Out.Write(copyAsLine(f)); err != nil {
		r.end(err)
	}
}

// hasAwaitedCallsLocked reports whether the client waits for an answer. mu is held.
func (r *relay) hasAwaitedCallsLocked() bool { return len(r.queue) > 0 || r.calls.countAwaited() > 0 }
