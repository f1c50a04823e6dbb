package bridge

import (
	"time"
)

// A Connection is a Peer that is connected, for people.
type Connection struct {
	Graph
	App       string // the other application's version
	Plugin    string
	SDK       string
	Skill     string
	Session   string
	Transport string // "websocket" or "poll"
	Origin    string // empty: a program, or the host's own requests
	Since     time.Time
	// Latency is what pings take, to 5 ms or the half of it; 0: there was none
	// yet.
	Latency      time.Duration
	Capabilities []string // what the Peer can do
	Methods      int      // how many the Peer found in its host
	Calls        uint64
	Failures     uint64
	Unmatched    uint64 // answers that were dropped
	LastError    string // the last error's code; empty: there was none
}

// Connections are the Peers that are connected, in the order of their graphs.
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
