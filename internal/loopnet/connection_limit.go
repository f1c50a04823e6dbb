package loopnet

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// connections keeps the number of a server's connections under its limit.
type connections struct {
	limit   int
	mu      sync.Mutex
	open    int
	waiting map[net.Conn]time.Time // no request yet, or none at present; since when
}

// track is an [http.Server.ConnState]. A connection is new until its first
// header is complete, so slow headers count as waiting. Hijacked ones leave the
// count: whoever took them has limits of its own.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		if c.open++; c.open > c.limit {
			c.makeRoom(conn)
		}
		c.waiting[conn] = time.Now()
	case http.StateIdle:
		c.waiting[conn] = time.Now()
	case http.StateActive:
		delete(c.waiting, conn)
	case http.StateClosed, http.StateHijacked:
		delete(c.waiting, conn)
		c.open--
	}
}

// makeRoom closes the connection that has waited longest, or the new one. Its
// StateClosed comes later; until then open counts it, so it is taken off the
// waiting at once and nobody closes it twice.
func (c *connections) makeRoom(newest net.Conn) {
	victim, since := newest, time.Now()
	for conn, t := range c.waiting {
		if t.Before(since) {
			victim, since = conn, t
		}
	}
	delete(c.waiting, victim)
	_ = victim.Close()
}
