package bridge

import (
	"time"
)

// A Connection describes a connected Peer for people.
type Connection struct {
	Graph
	App       string // the other application's version
	Plugin    string
	SDK       string
	Skill     string
	Session   string
	Transport string // "websocket" or "poll"
	Origin    string // empty: a program, or requests of the host itself
	Since     time.Time
	// Latency of pings, updated when it changes by 5 ms and by half; 0: unknown.
	Latency      time.Duration
	Capabilities []string // what the Peer can do
	Methods      int      // how many methods the Peer found in its host
	Calls        uint64
	Failures     uint64
	Unmatched    uint64 // answers that belonged to no call
	LastError    string // code of the last error; empty if there was none
}

// Connections returns the connected Peers, sorted by graph.
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
		Graph: a.Graph, App: a.App, Plugin: a.Plugin, SDK: a.SDK, Skill: a.Skill, Session: a.Session,
		Transport: c.link.transport(), Origin: c.origin, Since: c.since, Latency: t.latency,
		Capabilities: a.Capabilities, Methods: len(a.Methods),
		Calls: t.calls, Failures: t.failures, Unmatched: t.unmatched, LastError: t.lastError,
	}
}
