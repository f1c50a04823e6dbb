package loopnet

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// connectionLimit keeps the number of a server's connections under its limit.
type connectionLimit struct {
	limit     int
	mu        sync.Mutex
	open      int
	idleSince map[net.Conn]time.Time // no request yet, or none at present; since when
}

// track is an [http.Server.ConnState]. A connection is new until its first
// header is complete, so slow headers count as waiting. Hijacked ones leave the
// count: whoever took them has limits of its own.
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

// evictLongestWaiting closes the connection that has waited longest, or the new one. Its
// StateClosed comes later; until then open counts it, so it is taken off the
// waiting at once and nobody closes it twice.
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
