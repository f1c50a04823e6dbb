package notestore

import (
	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A Version stands for everything that is committed: see [sqlstore.Version].
type Version = sqlstore.Version

// Version returns the present version. It is not known of PostgreSQL, nor on every system.
func (s *Store) Version() (v Version, known bool) { return s.db.Version() }

// IsUnchanged reports whether a Draft has no writes, so that it sees what everybody does
// who has the same View.
func IsUnchanged(d *Draft) bool { return len(d.documents)+len(d.notes) == 0 }

// A NoteRead is what a Draft remembers of a note that it has read, to compare at its commit.
type NoteRead struct {
	note     noteKey
	revision string
	class    documentKey // empty: no class was read
	body     *string
	decoded  *notetext.Class
}

// NewNoteRead is what a Draft remembers of a note that it has read.
func NewNoteRead(d *Draft, workspace string, n *Note) NoteRead {
	r := NoteRead{note: noteKey{workspace, n.ID}, revision: n.Revision}
	k := documentKey{workspace, ClassKind, n.Class}
	if body, known := d.classes[k]; known {
		r.class, r.body, r.decoded = k, body, d.decoded[k]
	}
	return r
}

// AddRead has a Draft remember what another one has read, as if it had read it now.
func AddRead(d *Draft, r NoteRead) {
	if _, again := d.read[r.note]; !again && d.notes[r.note] == nil {
		d.read[r.note] = r.revision
	}
	if _, known := d.classes[r.class]; !known && r.class != (documentKey{}) && d.documents[r.class] == nil {
		d.classes[r.class], d.decoded[r.class] = r.body, r.decoded
	}
}
