package bridge

import (
	"encoding/json"
	"time"
)

// A Connection describes a connected Peer for people.
type Connection struct {
	Description
	// Hello is what the Peer says about itself, without its proof.
	Hello     json.RawMessage
	Transport string // "websocket" or "poll"
	Origin    string // empty: a program, or requests of the host itself
	Since     time.Time
	// Latency of pings, updated when it changes by 5 ms and by half; 0: unknown.
	Latency   time.Duration
	Calls     uint64
	Failures  uint64
	Unmatched uint64 // answers that belonged to no call
	LastError string // code of the last error; empty if there was none
}

// Connections returns the connected Peers, sorted by kind and key.
func (b *Bridge) Connections() []Connection {
	b.mu.Lock()
	conns := b.connsLocked()
	b.mu.Unlock()
	list := make([]Connection, 0, len(conns))
	for _, c := range conns {
		list = append(list, c.describe())
	}
	return list
}

func (c *conn) describe() Connection {
	a := c.info.Load()
	c.mu.Lock()
	t := c.metrics
	c.mu.Unlock()
	return Connection{
		Description: a.Description, Hello: a.hello,
		Transport: c.link.transport(), Origin: c.origin, Since: c.since, Latency: t.latency,
		Calls: t.calls, Failures: t.failures, Unmatched: t.unmatched, LastError: t.lastError,
	}
}
