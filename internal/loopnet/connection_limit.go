package loopnet

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// A connectionLimit keeps the number of a server's connections under its
// limit. netutil.LimitListener would make new connections wait until idle ones
// time out; this closes the one that has been idle longest.
type connectionLimit struct {
	limit     int
	mu        sync.Mutex
	open      int
	idleSince map[net.Conn]time.Time // since when a connection has had no request
}

// track is an [http.Server.ConnState]. A connection is new until its first
// header is complete, so slow headers count as idle. Hijacked connections are
// no longer counted, because their owner limits them.
func (c *connectionLimit) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if c.open++; c.open > c.limit {
			c.evictLongestWaiting(conn)
		}
		c.idleSince[conn] = time.Now()
	case http.StateIdle:
		c.idleSince[conn] = time.Now()
	case http.StateActive:
		delete(c.idleSince, conn)
	case http.StateClosed, http.StateHijacked:
		delete(c.idleSince, conn)
		c.open--
	}
}

// evictLongestWaiting closes the connection that has been idle longest, or the
// new one. Its StateClosed comes later, and until then it counts as open; so
// it leaves idleSince at once and is not closed twice.
func (c *connectionLimit) evictLongestWaiting(newest net.Conn) {
	victim, since := newest, time.Now()
	for conn, t := range c.idleSince {
		if t.Before(since) {
			victim, since = conn, t
		}
	}
	delete(c.idleSince, victim)
	_ = victim.Close()
}
