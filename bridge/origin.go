package bridge

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// An Origin tried to connect and has not been approved.
type Origin struct {
	Origin string
	First  time.Time
	Last   time.Time
	Tries  int
}

// Limits of what is remembered about unknown origins.
const (
	maxOrigins     = 8
	maxOriginBytes = 200
)

// An originGate decides which origins may connect, and remembers those that it
// refused.
type originGate struct {
	conf    Config
	mu      sync.Mutex
	refused []Origin // newest last
}

func newOriginGate(c Config) *originGate { return &originGate{conf: c} }

// AllowsOrigin reports whether a page of this origin may connect; an empty
// origin means that the client is not a page. It serves as a guard's
// Route.AllowOrigin.
func (b *Bridge) AllowsOrigin(origin string) bool {
	o := b.originGate
	switch {
	case origin == "" || slices.Contains(b.conf.KnownOrigins, origin):
		return true
	case !isPlainOrigin(origin):
		return false
	case b.conf.Approve != nil && b.conf.Approve(origin):
		o.remove(origin)
		return true
	case isWebOrigin(origin):
		return false // not listed, because any page could ask
	}
	o.record(origin)
	b.notifyChanged()
	return false
}

// Origins lists the origins that wait for a person's approval, the latest
// last.
func (b *Bridge) Origins() []Origin {
	b.originGate.mu.Lock()
	waiting := slices.Clone(b.originGate.refused)
	b.originGate.mu.Unlock()
	return slices.DeleteFunc(waiting, func(o Origin) bool { return b.conf.Approve != nil && b.conf.Approve(o.Origin) })
}

func (o *originGate) record(origin string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.conf.Now()
	entry := Origin{Origin: origin, First: now}
	if i := slices.IndexFunc(o.refused, func(e Origin) bool { return e.Origin == origin }); i >= 0 {
		entry = o.refused[i]
		o.refused = slices.Delete(o.refused, i, i+1)
	}
	entry.Last = now
	entry.Tries++
	o.refused = append(o.refused, entry)
	o.refused = o.refused[max(0, len(o.refused)-maxOrigins):]
}

func (o *originGate) remove(origin string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.refused = slices.DeleteFunc(o.refused, func(e Origin) bool { return e.Origin == origin })
}

// isWebOrigin reports whether a website may have this origin.
func isWebOrigin(origin string) bool {
	return strings.HasPrefix(origin, "http:") || strings.HasPrefix(origin, "https:")
}

// isPlainOrigin reports whether a browser can have sent this origin and all
// its characters are harmless in a shell: a person may be told to paste it.
func isPlainOrigin(origin string) bool {
	return len(origin) <= maxOriginBytes && !strings.ContainsFunc(origin, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(":/.-_+%[]", r)
	})
}
