package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// A Peer is the far end as a caller sees it: the plugin that has a
// certain thing open. It may disconnect and reconnect; the Peer stays. Its methods are
// safe for concurrent use.
type Peer struct {
	bridge     *Bridge
	kind, name string
}

// Peer returns the Peer of a kind that has this name among its
// [Description].Names; an empty name means the only one of its kind that is
// connected.
func (b *Bridge) Peer(kind, name string) *Peer { return &Peer{b, kind, name} }

// Call sends a request to the Peer and decodes its answer into out, which may
// be nil. in is marshalled to an object; nil means an empty one. Every error
// is an [Error]. When ctx ends first, the Peer is told to stop; without a
// deadline, Limits.Call applies. If no Peer is connected, Call fails at once,
// except during the first Limits.StartupWait of the bridge.
//
// A call with again set changes nothing at the Peer. It is sent a second time,
// to the same Peer, if the connection is lost before the answer and another
// comes within Limits.Reconnect. Other calls are sent once; if the connection
// is lost or the time is up after they were sent, the error has OutcomeUnknown
// set.
func (p *Peer) Call(ctx context.Context, method string, in, out any, again bool) error {
	err := p.call(ctx, method, in, out, again)
	if err == nil {
		return nil
	}
	if over, ok := errors.AsType[*connectionLostError](err); ok {
		err = over.toError()
	}
	e, ok := errors.AsType[*Error](err)
	if !ok {
		e = &Error{Code: InvalidAnswer, Msg: err.Error(), Err: err}
	}
	if again && e.OutcomeUnknown {
		sure := *e
		sure.OutcomeUnknown = false
		e = &sure
	}
	return e
}

func (p *Peer) call(ctx context.Context, method string, in, out any, again bool) error {
	params, err := marshal(in)
	if err != nil {
		return fmt.Errorf("marshal params of %s: %w", method, err)
	}
	if _, bounded := ctx.Deadline(); !bounded {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, p.bridge.limits.Call)
		defer cancel()
	}
	c, key, err := p.bridge.waitForPeer(ctx, p.kind, p.name)
	if err != nil {
		return err
	}
	result, err := c.call(ctx, key, method, params)
	if over, ok := errors.AsType[*connectionLostError](err); ok && (again ||
		!over.sent) && !(over.onlyCall && over.reason.code == codeTooBig) {
		if c = p.bridge.awaitReconnect(ctx, key, c); c != nil {
			result, err = c.call(ctx, key, method, params)
		}
	}
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(result, out); err != nil {
		return &Error{Code: InvalidAnswer, Msg: "the peer answered " + method + " in an unknown form", Err: err}
	}
	return nil
}

func marshal(in any) (json.RawMessage, error) {
	if in == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(in)
}

// toError says what a caller needs to know about a lost connection.
func (l *connectionLostError) toError() *Error {
	if l.reason.code == codeTooBig && l.onlyCall {
		return &Error{Code: TooLarge, Msg: "the answer is larger than a frame: ask for less", OutcomeUnknown: l.sent, Err: l}
	}
	return &Error{Code: Unavailable, Msg: l.Error(), OutcomeUnknown: l.sent, Err: l}
}

// Hello returns what the Peer said about itself when it connected, or
// announced since, without its proof; nil if none is connected.
func (p *Peer) Hello() json.RawMessage {
	c, _, err := p.bridge.findPeer(p.kind, p.name)
	if err != nil {
		return nil
	}
	return c.info.Load().hello
}

// waitForPeer is findPeer, but waits while the bridge is young: when an agent
// starts Lectern, its first call is faster than a plugin that tries to
// reconnect every ten seconds.
func (b *Bridge) waitForPeer(ctx context.Context, kind, name string) (*conn, connKey, error) {
	for {
		b.mu.Lock()
		arrived := b.peerArrived
		b.mu.Unlock()
		c, key, err := b.findPeer(kind, name)
		young := b.limits.StartupWait - time.Since(b.started)
		if err == nil || young <= 0 {
			return c, key, err
		}
		settled := time.NewTimer(young)
		select {
		case <-arrived:
		case <-settled.C:
		case <-ctx.Done():
			return nil, connKey{}, err
		case <-b.ctx.Done():
			return nil, connKey{}, err
		}
		settled.Stop()
	}
}

// findPeer returns the connection that a kind and a name mean, and its key.
func (b *Bridge) findPeer(kind, name string) (*conn, connKey, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c, key := b.findPeerLocked(kind, name); c != nil {
		return c, key, nil
	}
	var open []string
	for _, c := range b.connsLocked() {
		if a := c.info.Load(); a.Kind == kind {
			open = append(open, a.title())
		}
	}
	e := &Error{Code: Unavailable}
	switch {
	case len(open) == 0:
		e.Msg = "no peer is connected"
	case name == "":
		e.Msg = fmt.Sprintf("several peers are connected (%s); the source must name one of them", strings.Join(open, ", "))
	default:
		e.Msg = fmt.Sprintf("%s is not connected, or its name is not unique (connected: %s)", name, strings.Join(open, ", "))
	}
	return nil, connKey{}, e
}

// findPeerLocked is findPeer without an error; nil if none or several match.
// b.mu is held.
func (b *Bridge) findPeerLocked(kind, name string) (found *conn, key connKey) {
	for k, c := range b.conns {
		switch {
		case !c.info.Load().matches(kind, name):
		case found != nil:
			return nil, connKey{}
		default:
			found, key = c, k
		}
	}
	return found, key
}

// awaitReconnect waits for another connection of the same Peer than former;
// nil if none comes.
func (b *Bridge) awaitReconnect(ctx context.Context, key connKey, former *conn) *conn {
	patience := time.NewTimer(b.limits.Reconnect)
	defer patience.Stop()
	for {
		b.mu.Lock()
		c, arrived := b.conns[key], b.peerArrived
		b.mu.Unlock()
		if c != nil && c != former {
			return c
		}
		select {
		case <-arrived:
		case <-patience.C:
			return nil
		case <-ctx.Done():
			return nil
		case <-b.ctx.Done():
			return nil
		}
	}
}
