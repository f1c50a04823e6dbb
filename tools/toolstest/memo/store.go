package memo

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"
)

// A Store holds notebooks. Like a disk, it outlives the sources that are opened
// on it. Its methods may be called from any goroutine.
type Store struct {
	mu        sync.Mutex
	notebooks map[string]*notebook
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{notebooks: map[string]*notebook{}} }

// A notebook holds the notes of one source by title.
type notebook struct {
	// writing is held from reading a note to changing it. mu is held only for
	// an instant, so that State can be called while a call waits for approval.
	writing *semaphore.Weighted
	mu      sync.RWMutex
	notes   map[Title]note
	writes  []string      // ids of those that were made
	changed chan struct{} // closed at the next change
	broken  error         // what watch returns; nil: it works
}

type note struct {
	text     string
	colour   Colour
	revision int    // number of writes, from 1
	write    string // that made it so
}

// open finds a notebook, or creates it with texts in it.
func (s *Store) open(name string, texts map[string]string) *notebook {
	s.mu.Lock()
	defer s.mu.Unlock()
	if nb, ok := s.notebooks[name]; ok {
		return nb
	}
	nb := &notebook{writing: semaphore.NewWeighted(1), notes: map[Title]note{}, changed: make(chan struct{})}
	for title, text := range texts {
		nb.notes[Title(title)] = note{text: text, colour: yellow, revision: 1}
	}
	s.notebooks[name] = nb
	return nb
}

// Put writes a note from outside, as a person would: not through a source, and
// without a check of what was there before. A new note is yellow.
func (s *Store) Put(name, title, text string) {
	nb := s.open(name, nil)
	_ = nb.writing.Acquire(context.Background(), 1) // which does not end
	defer nb.writing.Release(1)
	old, ok := nb.note(Title(title))
	if !ok {
		old.colour = yellow
	}
	nb.set(Title(title), &note{text, old.colour, old.revision + 1, newWrite()}, "")
}

// Digest identifies the content of a notebook: equal digests, equal contents.
func (s *Store) Digest(name string) string {
	nb := s.open(name, nil)
	nb.mu.RLock()
	defer nb.mu.RUnlock()
	h := sha256.New()
	for _, title := range slices.Sorted(maps.Keys(nb.notes)) {
		n := nb.notes[title]
		h.Write(fmt.Appendf(nil, "%q %q %s %d\n", title, n.text, n.colour, n.revision))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Break makes the background work of a notebook fail with err; nil repairs it.
func (s *Store) Break(name string, err error) {
	nb := s.open(name, nil)
	nb.mu.Lock()
	defer nb.mu.Unlock()
	nb.broken = err
	nb.announceChange()
}

// watch returns a channel that is closed when the notebook has changed.
func (nb *notebook) watch() (changed <-chan struct{}, err error) {
	nb.mu.RLock()
	defer nb.mu.RUnlock()
	return nb.changed, nb.broken
}

func (nb *notebook) announceChange() {
	close(nb.changed)
	nb.changed = make(chan struct{})
}

// note returns the note with that title, if there is one.
func (nb *notebook) note(t Title) (note, bool) {
	nb.mu.RLock()
	defer nb.mu.RUnlock()
	n, ok := nb.notes[t]
	return n, ok
}

// newWrite is the id of a write that is about to be made.
func newWrite() string { return rand.Text() }

// set stores a note, or removes it if n is nil, by a write.
func (nb *notebook) set(t Title, n *note, write string) {
	nb.mu.Lock()
	defer nb.mu.Unlock()
	defer nb.announceChange()
	nb.writes = append(nb.writes, write)
	if n == nil {
		delete(nb.notes, t)
		return
	}
	nb.notes[t] = *n
}
