package bridge

import (
	"encoding/json"
	"sync"
)

// Notifications that the bridge adds to those of a Peer.
const (
	Connected    = "peer.connected"
	Disconnected = "peer.gone"
)

// A listener delivers the notifications of one Peer in order, on a goroutine
// of its own.
type listener struct {
	kind, name string // of the Peer
	limit      int
	wake       chan struct{} // cap 1
	stop       chan struct{}

	mu       sync.Mutex
	queue    []peerNotification
	attached *conn   // its connection now; nil if there is none
	key      connKey // of attached
}

type peerNotification struct {
	method string
	params json.RawMessage
}

// Listen calls f with each notification of the Peer, one at a time and in
// order, until stop is called; a call of f that has begun by then continues.
// [Connected] and [Disconnected], without params, are notifications too;
// Connected also comes for a Peer that is connected already. When another
// Peer or a new connection of the same one takes over, both come. A
// listener that falls behind by Limits.ListenerQueue loses its queue and gets
// both instead.
func (p *Peer) Listen(f func(method string, params json.RawMessage)) (stop func()) {
	b := p.bridge
	l := &listener{kind: p.kind, name: p.name, limit: b.limits.ListenerQueue, wake: make(chan struct{}, 1), stop: make(chan struct{})}
	var once sync.Once
	stop = func() {
		once.Do(func() {
			close(l.stop)
			b.mu.Lock()
			delete(b.listeners, l)
			b.mu.Unlock()
		})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ctx.Err() != nil {
		return stop
	}
	b.listeners[l] = struct{}{}
	l.attach(b.findPeerLocked(l.kind, l.name))
	b.work.Go(func() { l.run(b.ctx.Done(), f) })
	return stop
}

func (l *listener) run(over <-chan struct{}, f func(string, json.RawMessage)) {
	for {
		select {
		case <-over:
			return
		case <-l.stop:
			return
		case <-l.wake:
		}
		for next, ok := l.dequeue(); ok; next, ok = l.dequeue() {
			f(next.method, next.params)
			select {
			case <-over:
				return
			case <-l.stop:
				return
			default:
			}
		}
	}
}

func (l *listener) dequeue() (peerNotification, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return peerNotification{}, false
	}
	first := l.queue[0]
	l.queue = l.queue[1:]
	return first, true
}

// attach sets the connection whose notifications l gets from now on.
func (l *listener) attach(c *conn, key connKey) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c == l.attached && key == l.key {
		return
	}
	if l.attached != nil {
		l.enqueue(peerNotification{method: Disconnected})
	}
	if c != nil {
		l.enqueue(peerNotification{method: Connected})
	}
	l.attached, l.key = c, key
}

// publish queues a notification of c for its listeners.
func (b *Bridge) publish(c *conn, method string, params json.RawMessage) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.listeners {
		l.mu.Lock()
		switch {
		case l.attached != c:
		case len(l.queue) >= l.limit:
			l.queue = nil
			l.enqueue(peerNotification{method: Disconnected})
			l.enqueue(peerNotification{method: Connected})
			b.log.Warn("notifications lost: the listener is too slow", "component", "bridge", "peer", c.key().key, "count", l.limit)
		default:
			l.enqueue(peerNotification{method, params})
		}
		l.mu.Unlock()
	}
}

// enqueue adds to the queue; l.mu is held.
func (l *listener) enqueue(h peerNotification) {
	l.queue = append(l.queue, h)
	select {
	case l.wake <- struct{}{}:
	default:
	}
}
