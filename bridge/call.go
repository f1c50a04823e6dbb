package bridge

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
)

// A pendingCall is a request of ours. conn.mu guards all fields but done.
type pendingCall struct {
	id   string
	key  connKey // of what it is for
	sent bool    // it was sent, or is being sent
	done chan callResult
}

type callResult struct {
	result json.RawMessage
	err    error // *Error or *connectionLostError
}

func (k *pendingCall) finish(result json.RawMessage, err error) { k.done <- callResult{result, err} }

// call sends a request to the Peer, which must have key open, and waits for the
// answer.
func (c *conn) call(ctx context.Context, key connKey, method string, params json.RawMessage) (json.RawMessage, error) {
	if err := c.acquireSlot(ctx); err != nil {
		return nil, err
	}
	defer func() { <-c.inFlight }()
	k, frame, err := c.prepareRequest(key, method, params)
	if err != nil {
		return nil, err
	}
	select {
	case c.out <- outgoing{frame, k}:
	case r := <-k.done:
		return r.result, r.err
	case <-ctx.Done():
		return c.cancelCall(ctx, k)
	}
	select {
	case r := <-k.done:
		return r.result, r.err
	case <-ctx.Done():
		return c.cancelCall(ctx, k)
	}
}

func (c *conn) prepareRequest(key connKey, method string, params json.RawMessage) (*pendingCall, []byte, error) {
	k, err := c.registerCall("", key)
	if err != nil {
		return nil, nil, err
	}
	frame := encodeRequest(k.id, method, params)
	if limit := c.bridge.limits.Frame; len(frame) > limit {
		c.dropCall(k)
		return nil, nil, &Error{
			Code: TooLarge, Msg: fmt.Sprintf("the request has %d bytes, more than the %d that a peer takes", len(frame), limit),
		}
	}
	c.mu.Lock()
	c.metrics.calls++
	c.mu.Unlock()
	return k, frame, nil
}

// acquireSlot takes a slot for a call in flight. It waits for one unless too
// many calls wait already.
func (c *conn) acquireSlot(ctx context.Context) error {
	select {
	case c.inFlight <- struct{}{}:
		return nil
	default:
	}
	if c.waiting.Add(1) > int64(c.bridge.limits.Queue) {
		c.waiting.Add(-1)
		return &Error{Code: Limited, Msg: fmt.Sprintf("%d calls wait for this peer already", c.bridge.limits.Queue)}
	}
	defer c.waiting.Add(-1)
	select {
	case c.inFlight <- struct{}{}:
		return nil
	case <-c.closed:
		return &connectionLostError{reason: c.reason()}
	case <-ctx.Done():
		return timeoutError(ctx, false)
	}
}

// registerCall registers a call. Its id names the connection and contains
// random bits, so that an answer to a call of another connection cannot match.
func (c *conn) registerCall(prefix string, key connKey) (*pendingCall, error) {
	var bits [8]byte
	_, _ = rand.Read(bits[:]) // never fails (crypto/rand)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.endReason != nil {
		return nil, &connectionLostError{reason: *c.endReason}
	}
	c.count++
	k := &pendingCall{id: fmt.Sprintf("%s%d-%d-%x", prefix, c.epoch, c.count, bits), key: key, done: make(chan callResult, 1)}
	c.calls[k.id] = k
	return k, nil
}

// markSent reports whether a request is still wanted when it is about to be
// sent. A call for what is no longer open is not.
func (c *conn) markSent(k *pendingCall) bool {
	key := c.key()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[k.id] != k {
		return false
	}
	if k.key != key {
		delete(c.calls, k.id)
		k.finish(nil, &connectionLostError{reason: otherOpened})
		return false
	}
	k.sent = true
	return true
}

// dropCall removes a call that was not sent.
func (c *conn) dropCall(k *pendingCall) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, k.id)
}

// cancelCall ends a call whose context has ended, unless its answer has
// arrived. It tells the Peer, so that the Peer can stop.
func (c *conn) cancelCall(ctx context.Context, k *pendingCall) (json.RawMessage, error) {
	c.mu.Lock()
	select {
	case r := <-k.done:
		c.mu.Unlock()
		return r.result, r.err
	default:
	}
	delete(c.calls, k.id)
	if k.sent {
		c.recent.add(k.id, lateAnswer)
	}
	c.metrics.failures++
	c.mu.Unlock()
	if k.sent {
		c.sendOptional(encodeNotification("cancel", map[string]any{"id": k.id}))
	}
	return nil, timeoutError(ctx, k.sent)
}

// otherOpened is why calls fail when the Peer opens something else.
var otherOpened = endReason{reason: "another graph was opened"}

// failCallsOfFormerKey fails the calls for what the Peer has closed: an answer
// that arrives now may be about what it has opened since.
func (c *conn) failCallsOfFormerKey() {
	key := c.key()
	var cancelled []string
	c.mu.Lock()
	for id, k := range c.calls {
		if k.key == key {
			continue
		}
		delete(c.calls, id)
		if k.sent {
			c.recent.add(id, lateAnswer)
			cancelled = append(cancelled, id)
		}
		k.finish(nil, &connectionLostError{reason: otherOpened, sent: k.sent})
	}
	c.mu.Unlock()
	for _, id := range cancelled {
		c.sendOptional(encodeNotification("cancel", map[string]any{"id": id}))
	}
}

// handleAnswer gives an answer to the call it belongs to, or drops it.
func (c *conn) handleAnswer(f frame) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[f.id]
	if k == nil || !k.sent {
		return c.dropUnmatched(f.id)
	}
	delete(c.calls, f.id)
	c.recent.add(f.id, duplicateAnswer)
	if f.failure == nil {
		k.finish(f.result, nil)
		return nil
	}
	c.metrics.failures++
	c.metrics.lastError = f.failure.Code
	k.finish(nil, &Error{Code: PeerError, PeerCode: f.failure.Code, Msg: f.failure.text(), Data: f.failure.Data})
	return nil
}

func (f *errorObject) text() string {
	if f.Message == "" {
		return "the peer answered " + f.Code
	}
	return f.Message
}

func timeoutError(ctx context.Context, sent bool) *Error {
	msg := "the peer did not answer in time"
	if errors.Is(ctx.Err(), context.Canceled) {
		msg = "the call was cancelled"
	}
	return &Error{Code: Timeout, Msg: msg, OutcomeUnknown: sent, Err: ctx.Err()}
}
