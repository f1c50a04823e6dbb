package notesapi

import (
	"encoding/json"
	"sync"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// A noteCache keeps the answers to requests for notes, for as long as nobody commits
// anything: an answer depends on the note, on its class, and on all notes that its links
// lead to or come from. Grants and rules are asked for each request, before this and after
// it; what is hidden is the same for all that an API answers.
type noteCache struct {
	mu      sync.Mutex
	version notestore.Version // of the answers
	answers recentCache[*noteCached]
}

// A noteRequest is what an answer depends on beside the database.
type noteRequest struct {
	workspace, id string
	withoutLinks  bool
}

type noteCached struct {
	body json.RawMessage
	name NoteName
	read notestore.NoteRead
}

// key is the request as one text. What somebody asks for as a note may have a slash, the
// name of a workspace that exists has none.
func (r noteRequest) key() string {
	if r.withoutLinks {
		return "text/" + r.workspace + "/" + r.id
	}
	return "all/" + r.workspace + "/" + r.id
}

func (c *noteCache) find(v notestore.Version, r noteRequest) (cached *noteCached, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v != c.version {
		return nil, false
	}
	return c.answers.find(r.key())
}

func (c *noteCache) add(v notestore.Version, r noteRequest, cached *noteCached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v != c.version {
		c.version, c.answers = v, recentCache[*noteCached]{}
	}
	c.answers.add(r.key(), cached, len(cached.body))
}

// A versionGuard says whether the answers of an Overlay are those of anybody.
type versionGuard struct {
	shared bool              // it hides what the API hides, and began without writes
	asked  bool              // it had a request
	known  bool              // at the first request the version was known
	first  notestore.Version // then; what the Draft has remembered is not older
}

// begin comes before each request.
func (g *versionGuard) begin(s *notestore.Store) {
	if !g.asked {
		g.asked = true
		g.first, g.known = s.Version()
	}
}

// findCached returns the answer that somebody was given to the same request, if it is still
// what would be answered. The Draft has read the note then.
func (c *call) findCached(r noteRequest) (json.RawMessage, bool) {
	if !c.guard.shared || !notestore.IsUnchanged(c.draft) {
		return nil, false
	}
	now, known := c.api.store.Version()
	if !known {
		return nil, false
	}
	cached, found := c.api.notes.find(now, r)
	if !found {
		return nil, false
	}
	c.note = cached.name
	notestore.AddRead(c.draft, cached.read)
	return cached.body, true
}

// keepNote keeps an answer for others, if nothing was committed since the Overlay's first
// request: it may have used what the Draft remembered of then.
func (c *call) keepNote(r noteRequest, n *notestore.Note, body json.RawMessage) {
	if !c.guard.shared || !c.guard.known || !notestore.IsUnchanged(c.draft) {
		return
	}
	if now, known := c.api.store.Version(); known && now == c.guard.first {
		c.api.notes.add(now, r, &noteCached{body, c.note, notestore.NewNoteRead(c.draft, r.workspace, n)})
	}
}
