package bridge

import (
	"slices"
	"time"
)

// A Refusal is a hello that was not accepted: its token was wrong, or it was of
// nothing that works here.
type Refusal struct {
	Origin, Reason string
	Last           time.Time
}

const (
	maxRefusals = 8
	// refusalAge is how long a plugin counts as refused that does not try again.
	refusalAge = time.Minute
)

// Refusals lists the Peers that were refused within the last minute, the latest
// last. A connection from the same origin ends a refusal.
func (b *Bridge) Refusals() []Refusal {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.refusals), func(r Refusal) bool { return b.conf.Now().Sub(r.Last) > refusalAge })
}

// recordRefusal remembers why a Peer was refused.
func (b *Bridge) recordRefusal(origin, reason string) {
	b.mu.Lock()
	b.forgetRefusalsLocked(func(r Refusal) bool { return r.Origin == origin && r.Reason == reason })
	b.refusals = append(b.refusals, Refusal{origin, reason, b.conf.Now()})
	b.refusals = b.refusals[max(0, len(b.refusals)-maxRefusals):]
	b.mu.Unlock()
	b.notifyChanged()
}

func (b *Bridge) forgetRefusalsLocked(which func(Refusal) bool) {
	b.refusals = slices.DeleteFunc(b.refusals, which)
}
