package memo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A Cupboard keeps drawers of notes. It outlives the sources opened on it, as
// a disk does. Its methods may be called from any goroutine.
type Cupboard struct {
	mu      sync.Mutex
	drawers map[string]*drawer
}

// NewCupboard is an empty cupboard.
func NewCupboard() *Cupboard { return &Cupboard{drawers: map[string]*drawer{}} }

// A drawer holds the notes of one source, by title.
type drawer struct {
	mu    sync.RWMutex
	notes map[Title]note
}

type note struct {
	text     string
	colour   Colour
	revision int // counts the writes; the first is 1
}

// open finds the drawer, or makes it with texts in it.
func (c *Cupboard) open(name string, texts map[string]string) *drawer {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.drawers[name]; ok {
		return d
	}
	d := &drawer{notes: map[Title]note{}}
	for title, text := range texts {
		d.notes[Title(title)] = note{text, yellow, 1}
	}
	c.drawers[name] = d
	return d
}

// Digest identifies everything in a drawer: equal digests, equal contents. A
// drawer that was never opened is empty.
func (c *Cupboard) Digest(name string) string {
	d := c.open(name, nil)
	d.mu.RLock()
	defer d.mu.RUnlock()
	h := sha256.New()
	for _, title := range slices.Sorted(maps.Keys(d.notes)) {
		n := d.notes[title]
		h.Write(fmt.Appendf(nil, "%q %q %s %d\n", title, n.text, n.colour, n.revision))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// sorted lists the titles. The caller holds the lock.
func (d *drawer) sorted() []Title { return slices.Sorted(maps.Keys(d.notes)) }
