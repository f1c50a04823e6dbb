package bridge

import (
	"errors"
	"time"
)

// fate is how a call ended that a Peer may still answer.
type fate string

const (
	wasAnswered fate = "twice"   // a second answer
	givenUp     fate = "late"    // an answer after the caller had gone
	neverAsked  fate = "unknown" // an answer to nothing
)

// pastCalls is how many ended calls are remembered, to tell late answers from
// made-up ones.
const pastCalls = 1024

// past remembers how the last calls ended.
type past struct {
	fates map[string]fate
	order []string // a ring
	next  int
}

func newPast() past { return past{fates: map[string]fate{}, order: make([]string, pastCalls)} }

func (p *past) add(id string, f fate) {
	delete(p.fates, p.order[p.next])
	p.order[p.next], p.fates[id] = id, f
	p.next = (p.next + 1) % len(p.order)
}

func (p *past) of(id string) fate {
	if f, ok := p.fates[id]; ok {
		return f
	}
	return neverAsked
}

// strayWindow is how long strays count together.
const strayWindow = 10 * time.Second

// strays counts answers that no call asked for.
type strays struct {
	start time.Time
	count int
}

// stray drops an answer that belongs to no call. Late ones are our callers'
// impatience; too many others are an error. c.mu is held.
func (c *conn) stray(id string) error {
	f := c.past.of(id)
	c.tally.strays++
	c.bridge.log.Info("answer dropped", "part", "bridge", "fate", string(f), "call_id", id, "epoch", c.epoch)
	if f == givenUp {
		c.past.fates[id] = wasAnswered
		return nil
	}
	now := time.Now()
	if now.Sub(c.strays.start) > strayWindow {
		c.strays = strays{start: now}
	}
	if c.strays.count++; c.strays.count >= c.bridge.limits.Strays {
		return errors.New("too many answers to calls that nobody made")
	}
	return nil
}
