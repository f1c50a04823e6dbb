package bridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
)

// A call is one request of ours. conn.mu guards all but done.
type call struct {
	id   string
	key  string // of the graph that it is for
	sent bool   // it has left us, or is about to
	done chan reply
}

type reply struct {
	result json.RawMessage
	err    error // *fault's *Error, or *lost
}

func (k *call) reply(result json.RawMessage, err error) { k.done <- reply{result, err} }

// call asks the Peer, whose graph must be key, and waits for the answer.
func (c *conn) call(ctx context.Context, key, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := c.enter(ctx); err != nil {
		return nil, err
	}
	defer func() { <-c.slots }()
	k, frame, err := c.prepare(key, method, params)
	if err != nil {
		return nil, err
	}
	select {
	case c.out <- outgoing{frame, k}:
	case r := <-k.done:
		return r.result, r.err
	case <-ctx.Done():
		return c.abandon(ctx, k)
	}
	select {
	case r := <-k.done:
		return r.result, r.err
	case <-ctx.Done():
		return c.abandon(ctx, k)
	}
}

func (c *conn) prepare(key, method string, params json.RawMessage) (*call, []byte, error) {
	k, err := c.begin("", key)
	if err != nil {
		return nil, nil, err
	}
	frame := request(k.id, method, params)
	if limit := c.bridge.limits.Frame; len(frame) > limit {
		c.forget(k)
		return nil, nil, &Error{Code: TooLarge, Msg: fmt.Sprintf("the request has %d bytes, more than the %d that a peer takes", len(frame), limit)}
	}
	c.mu.Lock()
	c.tally.calls++
	c.mu.Unlock()
	return k, frame, nil
}

// enter takes one of the slots, and waits for it if not too many do.
func (c *conn) enter(ctx context.Context) error {
	select {
	case c.slots <- struct{}{}:
		return nil
	default:
	}
	if c.waiting.Add(1) > int64(c.bridge.limits.Queue) {
		c.waiting.Add(-1)
		return &Error{Code: Limited, Msg: fmt.Sprintf("%d calls wait for this peer already", c.bridge.limits.Queue)}
	}
	defer c.waiting.Add(-1)
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-c.gone:
		return &lost{why: c.why()}
	case <-ctx.Done():
		return outOfTime(ctx, false)
	}
}

// begin registers a call. Its id names the connection and holds random bits,
// so that an answer to another connection's call cannot match.
func (c *conn) begin(prefix, key string) (*call, error) {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // never fails (crypto/rand)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return nil, &lost{why: *c.ended}
	}
	c.count++
	k := &call{id: fmt.Sprintf("%s%d-%d-%x", prefix, c.epoch, c.count, bits), key: key, done: make(chan reply, 1)}
	c.calls[k.id] = k
	return k, nil
}

// sending reports whether a request is still wanted, at the moment when it is
// about to leave. A call for a graph that is no longer open is not.
func (c *conn) sending(k *call) bool {
	key := c.key()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[k.id] != k {
		return false
	}
	if k.key != key {
		delete(c.calls, k.id)
		k.reply(nil, &lost{why: switched})
		return false
	}
	k.sent = true
	return true
}

// forget drops a call that was not sent.
func (c *conn) forget(k *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, k.id)
}

// abandon ends a call whose context has ended, unless its answer is there. The
// Peer is told, so that it can stop.
func (c *conn) abandon(ctx context.Context, k *call) (json.RawMessage, error) {
	c.mu.Lock()
	select {
	case r := <-k.done:
		c.mu.Unlock()
		return r.result, r.err
	default:
	}
	delete(c.calls, k.id)
	if k.sent {
		c.past.add(k.id, givenUp)
	}
	c.tally.failures++
	c.mu.Unlock()
	if k.sent {
		c.spare(notification("cancel", map[string]any{"id": k.id}))
	}
	return nil, outOfTime(ctx, k.sent)
}

// switched is how calls for one graph end when the Peer opens another.
var switched = ending{reason: "another graph was opened"}

// abandonCalls fails the calls for a graph that the Peer has closed: an answer
// that comes now may be another graph's.
func (c *conn) abandonCalls() {
	key := c.key()
	var cancelled []string
	c.mu.Lock()
	for id, k := range c.calls {
		if k.key == key {
			continue
		}
		delete(c.calls, id)
		if k.sent {
			c.past.add(id, givenUp)
			cancelled = append(cancelled, id)
		}
		k.reply(nil, &lost{why: switched, sent: k.sent})
	}
	c.mu.Unlock()
	for _, id := range cancelled {
		c.spare(notification("cancel", map[string]any{"id": id}))
	}
}

// answered gives an answer to the call it belongs to, or drops it.
func (c *conn) answered(f frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[f.id]
	if k == nil || !k.sent {
		return c.stray(f.id)
	}
	delete(c.calls, f.id)
	c.past.add(f.id, wasAnswered)
	if f.fault == nil {
		k.reply(f.result, nil)
		return nil
	}
	c.tally.failures++
	c.tally.lastError = f.fault.Code
	k.reply(nil, &Error{Code: Answered, Word: f.fault.Code, Msg: f.fault.said(), Data: f.fault.Data})
	return nil
}

func (f *fault) said() string {
	if f.Message == "" {
		return "the peer answered " + f.Code
	}
	return f.Message
}

func outOfTime(ctx context.Context, sent bool) *Error {
	msg := "the peer did not answer in time"
	if errors.Is(ctx.Err(), context.Canceled) {
		msg = "the call was cancelled"
	}
	return &Error{Code: Timeout, Msg: msg, Unsure: sent, Err: ctx.Err()}
}
