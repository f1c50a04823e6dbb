package hub

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A computeQueue bounds how many calls compute at a time: scripts, and searches that read
// all files. Fewer run than there are processors, so that all else is answered meanwhile.
// The others wait in line: clients take turns, and of one client the first call is next.
type computeQueue struct {
	mu      sync.Mutex
	free    int
	lines   map[policy.Client][]chan struct{} // of calls that wait
	clients []policy.Client                   // whose calls wait, in the order of their turns
}

func newComputeQueue(atOnce int) *computeQueue {
	return &computeQueue{free: atOnce, lines: map[policy.Client][]chan struct{}{}}
}

// acquire waits for a turn, which lasts until release.
func (q *computeQueue) acquire(ctx context.Context, client policy.Client) error {
	turn := q.join(client)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !q.leave(client, turn) { // its turn came at the same moment
		q.release()
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return tools.Errorf(tools.Limited, "the call was not run: other scripts and searches of all files were before it until its deadline").
			WithHint("Nothing was changed. Try again later.")
	}
	return ctx.Err()
}

// join enters the line of a client, unless there is nobody to wait for. Its channel is
// closed when it is its turn.
func (q *computeQueue) join(client policy.Client) chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	turn := make(chan struct{})
	if q.free > 0 {
		q.free--
		close(turn)
		return turn
	}
	if len(q.lines[client]) == 0 {
		q.clients = append(q.clients, client)
	}
	q.lines[client] = append(q.lines[client], turn)
	return turn
}

// leave leaves the line; false: it is out of it already.
func (q *computeQueue) leave(client policy.Client, turn chan struct{}) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	line := q.lines[client]
	at := slices.Index(line, turn)
	if at < 0 {
		return false
	}
	q.setLine(client, slices.Delete(line, at, at+1))
	return true
}

// setLine replaces the line of a client.
func (q *computeQueue) setLine(client policy.Client, line []chan struct{}) {
	if len(line) > 0 {
		q.lines[client] = line
		return
	}
	delete(q.lines, client)
	q.clients = slices.DeleteFunc(q.clients, func(c policy.Client) bool { return c == client })
}

// release ends a turn, and begins the next one.
func (q *computeQueue) release() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.clients) == 0 {
		q.free++
		return
	}
	client := q.clients[0]
	line := q.lines[client]
	close(line[0])
	q.clients = append(q.clients[1:], client)
	q.setLine(client, line[1:])
}

// A computeTurn is the turn of one call. It holds while the call is rehearsed and while it
// is carried out, but not while a person is asked in between. Nil: the call needs none.
type computeTurn struct {
	queue  *computeQueue
	client policy.Client

	mu      sync.Mutex
	held    bool
	wanted  bool // the call goes on
	running int  // parts of the call; one may outlive the deadline
}

// newComputeTurn is the turn of a call; nil: it does not compute, or within one that has a
// turn, which it must not wait for.
func newComputeTurn(h *Hub, c *call) *computeTurn {
	if c.tool.info.Computes == nil || !c.tool.info.Computes(c.raw) {
		return nil
	}
	for outer := c.outer; outer != nil; outer = outer.outer {
		if outer.decided.turn != nil {
			return nil
		}
	}
	return &computeTurn{queue: h.computing, client: c.client}
}

// prepareToCompute has the source make what a call with a turn needs, before it has the turn.
func (h *Hub) prepareToCompute(ctx context.Context, c *call) error {
	if c.decided.turn == nil {
		return nil
	}
	in := runOptions{session: c.session, timeout: h.runner.timeoutOf(c.tool.info), outer: c.outer != nil}
	_, err := runOnSource(ctx, h.runner, in, c.source, func(ctx context.Context, open *sourceRef) (struct{}, error) {
		if p, ok := tools.As[tools.Preparer](open.OpenedSource); ok {
			return struct{}{}, p.Prepare(ctx, tools.CallContext{Notify: c.Notify})
		}
		return struct{}{}, nil
	})
	return err
}

// begin is called before a part of the call runs, and waits for the turn if the call does
// not have it.
func (t *computeTurn) begin(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	held := t.held
	t.mu.Unlock()
	if !held {
		if err := t.queue.acquire(ctx, t.client); err != nil {
			return err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.held, t.wanted = true, true
	t.running++
	return nil
}

// end is called when that part has returned.
func (t *computeTurn) end() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running--
	t.settle()
}

// giveBack ends the turn as soon as nothing of the call runs.
func (t *computeTurn) giveBack() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wanted = false
	t.settle()
}

func (t *computeTurn) settle() {
	if t.held && !t.wanted && t.running == 0 {
		t.held = false
		t.queue.release()
	}
}
