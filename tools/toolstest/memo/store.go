package memo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// A Store keeps drawers of notes. It outlives the sources opened on it, as
// a disk does. Its methods may be called from any goroutine.
type Store struct {
	mu        sync.Mutex
	notebooks map[string]*notebook
}

// NewStore is an empty cupboard.
func NewStore() *Store { return &Store{notebooks: map[string]*notebook{}} }

// A notebook holds the notes of one source, by title.
type notebook struct {
	// writing is held from looking at a note to changing it. mu is held only
	// for an instant, so that what a call is about to change can be looked at
	// while it waits for leave.
	writing sync.Mutex
	mu      sync.RWMutex
	notes   map[Title]note
}

type note struct {
	text     string
	colour   Colour
	revision int // counts the writes; the first is 1
}

// open finds the drawer, or makes it with texts in it.
func (c *Store) open(name string, texts map[string]string) *notebook {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d, ok := c.notebooks[name]; ok {
		return d
	}
	d := &notebook{notes: map[Title]note{}}
	for title, text := range texts {
		d.notes[Title(title)] = note{text, yellow, 1}
	}
	c.notebooks[name] = d
	return d
}

// Put writes a note as a person does who opens the drawer: not through a
// source, and whatever was there before. A note that is new is yellow.
func (c *Store) Put(name, title, text string) {
	d := c.open(name, nil)
	d.writing.Lock()
	defer d.writing.Unlock()
	old, ok := d.note(Title(title))
	if !ok {
		old.colour = yellow
	}
	d.set(Title(title), &note{text, old.colour, old.revision + 1})
}

// Digest identifies everything in a drawer: equal digests, equal contents. A
// drawer that was never opened is empty.
func (c *Store) Digest(name string) string {
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

// note is the note with that title, if there is one.
func (d *notebook) note(t Title) (note, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	n, ok := d.notes[t]
	return n, ok
}

// set stores a note, or takes it out if n is nil.
func (d *notebook) set(t Title, n *note) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n == nil {
		delete(d.notes, t)
		return
	}
	d.notes[t] = *n
}
