package bridge

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// known are the origins that Logseq gives to the frames of its plugins.
var known = []string{"lsp://logseq.io", "lsp://logseq.com"}

// An Origin is one that tried to connect and that nobody has approved.
type Origin struct {
	Origin string
	First  time.Time
	Last   time.Time
	Tries  int
}

// The bounds of what is remembered of unknown origins.
const (
	mostOrigins = 8
	originBytes = 200
)

// origins decides which pages may connect, and remembers whom it refused.
type origins struct {
	conf Config
	mu   sync.Mutex
	list []Origin // newest last
}

func newOrigins(c Config) *origins { return &origins{conf: c} }

// Admits tells whether a page of this origin may connect; empty means that no
// page asks. It is what a guard's Route.Admit wants.
func (b *Bridge) Admits(origin string) bool {
	o := b.origins
	switch {
	case origin == "" || slices.Contains(known, origin):
		return true
	case !isPlain(origin):
		return false
	case b.conf.Approve != nil && b.conf.Approve(origin):
		o.forget(origin)
		return true
	case isWeb(origin):
		return false // shown to nobody: any page could ask
	}
	o.note(origin)
	b.changed()
	return false
}

// Origins are those that wait for a person to approve them, the latest last.
func (b *Bridge) Origins() []Origin {
	b.origins.mu.Lock()
	waiting := slices.Clone(b.origins.list)
	b.origins.mu.Unlock()
	return slices.DeleteFunc(waiting, func(o Origin) bool { return b.conf.Approve != nil && b.conf.Approve(o.Origin) })
}

func (o *origins) note(origin string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.conf.Now()
	entry := Origin{Origin: origin, First: now}
	if i := slices.IndexFunc(o.list, func(e Origin) bool { return e.Origin == origin }); i >= 0 {
		entry = o.list[i]
		o.list = slices.Delete(o.list, i, i+1)
	}
	entry.Last = now
	entry.Tries++
	o.list = append(o.list, entry)
	o.list = o.list[max(0, len(o.list)-mostOrigins):]
}

func (o *origins) forget(origin string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = slices.DeleteFunc(o.list, func(e Origin) bool { return e.Origin == origin })
}

// isWeb is true for pages that anybody can put before the person.
func isWeb(origin string) bool {
	return strings.HasPrefix(origin, "http:") || strings.HasPrefix(origin, "https:")
}

// isPlain is true for what a browser can have sent, of characters that mean
// nothing to a shell: a person may be told to paste it.
func isPlain(origin string) bool {
	return len(origin) <= originBytes && !strings.ContainsFunc(origin, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && !strings.ContainsRune(":/.-_+%[]", r)
	})
}
