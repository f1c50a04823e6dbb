// Package bridge is the loopback connection to Peers: plugins inside other
// applications that connect to us by WebSocket or long polling, prove that
// they have the token, and then answer requests.
//
// It moves frames and does not know what they mean; methods and results are
// its callers' business. It does not listen: cmd/lectern mounts
// [Bridge.Handler] behind a loopnet.Guard with [Bridge.Routes], and hub gives
// a [Peer] to every Source that wants one. It does not import package tools,
// so hub translates its [Error]s.
//
// Start reading at [Bridge], then handshake.go (who may connect), conn.go (one
// connection), peer.go (what callers see). Transcripts of the protocol are in
// testdata; bridgetest replays them and has a fake Peer.
package bridge

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

// Config configures a Bridge. Token, Describe, Log and Now are required.
type Config struct {
	// Token returns the secret that Peers share with us. It is called for every
	// hello, so a rotated token counts from the next connection on.
	Token func() loopnet.Token
	// Describe reads the hello of a Peer that has proved the token. An error
	// refuses it; the Peer and the log get its text.
	Describe func(hello json.RawMessage) (Description, error)
	// PlainToken lets a Peer send the token itself instead of proving it. It is
	// for Peers that cannot compute an HMAC. A program that takes our port while
	// we do not run then learns the token.
	PlainToken bool
	Version    string // of Lectern, told to Peers
	Skill      string // version of SKILL.md, told to Peers
	Command    string // absolute path of Lectern's binary, told to Peers; may be empty
	// KnownOrigins may connect without asking a person.
	KnownOrigins []string
	// Approve reports whether a person has approved this origin. It is called for
	// every connection of an unknown origin. [Bridge.Origins] lists what it
	// refuses, except web pages (http, https), because any page could ask. Nil
	// refuses all.
	Approve func(origin string) bool
	Limits  Limits
	Log     *slog.Logger
	Now     func() time.Time
	// Changed is called after [Bridge.Connections] or [Bridge.Origins] have
	// changed. It must not block; it may be nil.
	Changed func()
}

// A Bridge holds the connections to all Peers. Its methods are safe for
// concurrent use.
type Bridge struct {
	conf         Config
	limits       Limits
	log          *slog.Logger
	originGate   *originGate
	connectRate  *connectRateLimit
	pollSessions *pollSessions
	epochs       atomic.Uint64
	started      time.Time

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	work   sync.WaitGroup // one for each link, and one for each listener

	mu          sync.Mutex
	links       map[link]struct{} // open, authenticated or not
	conns       map[connKey]*conn
	listeners   map[*listener]struct{}
	refusals    []Refusal     // newest last
	peerArrived chan struct{} // closed, and replaced, when a Peer has come
}

// New makes a bridge without connections.
func New(c Config) *Bridge {
	b := &Bridge{
		conf: c, limits: c.Limits.withDefaults(), log: c.Log, originGate: newOriginGate(c),
		links: map[link]struct{}{}, conns: map[connKey]*conn{}, listeners: map[*listener]struct{}{},
		peerArrived: make(chan struct{}), started: time.Now(),
	}
	b.connectRate = newConnectRateLimit(b.limits.ConnectsPerSecond, c.Now)
	b.pollSessions = newPollSessions(b)
	b.ctx, b.cancel = context.WithCancel(context.Background())
	return b
}

// Close tells all Peers that we stop, fails the calls in flight and returns
// when all goroutines of the bridge have ended.
func (b *Bridge) Close() error {
	b.cancel()
	b.mu.Lock()
	conns, links := b.connsLocked(), b.links
	b.links = map[link]struct{}{}
	b.mu.Unlock()
	for _, c := range conns {
		c.end(endReason{code: codeGoingAway, reason: "Lectern stops"})
	}
	for l := range links {
		b.work.Go(func() { l.close(codeGoingAway, "Lectern stops") })
	}
	b.work.Wait()
	b.pollSessions.clear()
	return nil
}

// registerLink counts a link, unless there are too many in the handshake or
// the bridge is closed.
func (b *Bridge) registerLink(l link) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil || len(b.links)-len(b.conns) >= b.limits.Handshakes {
		return false
	}
	b.links[l] = struct{}{}
	b.work.Add(1)
	return true
}

// serveLink runs a link that registerLink has counted, until it ends.
func (b *Bridge) serveLink(l link, origin string) {
	defer b.work.Done()
	defer func() {
		b.mu.Lock()
		delete(b.links, l)
		b.mu.Unlock()
	}()
	c, refused := b.handshake(l, origin)
	if refused == nil {
		refused = b.addConn(c)
	}
	if refused != nil {
		b.log.Warn("peer refused", "component", "bridge", "origin", origin, "transport", l.transport(),
			"code", refused.code, "reason", refused.reason)
		l.close(refused.code, refused.reason)
		return
	}
	c.run()
}

// addConn makes c the connection of what it has open and replaces the former
// one: the newest is where the person is.
func (b *Bridge) addConn(c *conn) *endReason {
	b.mu.Lock()
	key := c.key()
	former := b.conns[key]
	switch {
	case b.ctx.Err() != nil:
		b.mu.Unlock()
		return &endReason{code: codeGoingAway, reason: "Lectern stops"}
	case former == nil && len(b.conns) >= b.limits.Peers:
		b.mu.Unlock()
		return &endReason{code: codeTryLater, reason: "too many peers are connected"}
	}
	b.conns[key] = c
	b.forgetRefusalsLocked(func(r Refusal) bool { return r.Origin == c.origin })
	b.refreshListeners()
	b.mu.Unlock()
	if former != nil {
		former.endReplaced()
	}
	b.log.Info("peer connected", "component", "bridge", "kind", key.kind, "peer", key.key,
		"transport", c.link.transport(), "origin", c.origin, "epoch", c.epoch)
	b.notifyChanged()
	return nil
}

// removeConn removes c, which has ended, unless it was replaced already.
func (b *Bridge) removeConn(c *conn) {
	b.mu.Lock()
	for key, other := range b.conns {
		if other == c {
			delete(b.conns, key)
		}
	}
	b.refreshListeners()
	b.mu.Unlock()
	why := c.reason()
	b.log.Info("peer gone", "component", "bridge", "kind", c.key().kind, "peer", c.key().key,
		"code", why.code, "reason", why.reason, "epoch", c.epoch)
	b.notifyChanged()
}

// updateInfo stores what c now says about itself, which may be that it
// has opened something else.
func (b *Bridge) updateInfo(c *conn, a *peerInfo) {
	b.mu.Lock()
	from, to := c.key(), a.key()
	c.info.Store(a)
	var former *conn
	if from != to && b.conns[from] == c {
		delete(b.conns, from)
		former = b.conns[to]
		b.conns[to] = c
	}
	b.refreshListeners()
	b.mu.Unlock()
	if former != nil {
		former.endReplaced()
	}
	if from != to {
		c.failCallsOfFormerKey()
		b.log.Info("peer opened something else", "component", "bridge", "kind", to.kind, "from", from.key, "peer", to.key, "epoch", c.epoch)
	}
	b.notifyChanged()
}

// refreshListeners tells listeners whose Peer connected, disconnected or
// changed, and wakes calls that wait for a Peer. b.mu is held.
func (b *Bridge) refreshListeners() {
	for l := range b.listeners {
		l.attach(b.findPeerLocked(l.kind, l.name))
	}
	close(b.peerArrived)
	b.peerArrived = make(chan struct{})
}

func (b *Bridge) notifyChanged() {
	if b.conf.Changed != nil {
		b.conf.Changed()
	}
}

// connsLocked returns every connection, sorted by key. b.mu is held.
func (b *Bridge) connsLocked() []*conn {
	conns := make([]*conn, 0, len(b.conns))
	for _, c := range b.conns {
		conns = append(conns, c)
	}
	slices.SortFunc(conns, func(x, y *conn) int { return x.key().compare(y.key()) })
	return conns
}
