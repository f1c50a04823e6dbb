package notestore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notetext"
)

// A View is how a Draft is begun.
type View struct {
	// Hides reports whether a note is hidden. It is asked with the class in Class and
	// the workspace beside it. nil hides nothing.
	Hides func(workspace string, r Record) bool
	// Author and Run are kept with each revision.
	Author, Run string
	// Began and Seed are where times and ids come from; the clock and random numbers
	// if Began is zero.
	Began time.Time
	Seed  uint64
}

// A Draft is the workspaces with writes that stay apart: its reads see them, nobody
// else does, and nothing is written before [Draft.Commit]. It holds no transaction.
// It is for one goroutine.
type Draft struct {
	store *Store
	view  View
	ids   *IDSource

	documents map[documentKey]*documentChange
	notes     map[noteKey]*noteChange
	read      map[noteKey]string              // the current revision of a note when it was first read
	classes   map[documentKey]*string         // bodies of classes that decided what was written; nil: missing
	decoded   map[documentKey]*notetext.Class // those of classes, as they were first read
}

type noteKey struct{ workspace, id string }

// A documentChange is a document before the Draft and in it; nil: it is missing.
type documentChange struct{ before, after *Document }

// A noteChange is what a Draft does to a note.
type noteChange struct {
	base      int64 // the seq of its current revision; 0: it never was
	before    *Note // nil: it is missing
	revisions []Revision
	after     *Note  // nil: it is deleted
	last      Record // of what was deleted
}

// Reasons why a Draft refuses.
var (
	ErrNotFound = errors.New("not found")
	// ErrHidden means that something hidden is in the way.
	ErrHidden = errors.New("hidden notes are in the way")
	// ErrCursor means that no list has gone on from there.
	ErrCursor = errors.New("the cursor is not known; list from the beginning")
)

// A ConflictError means that somebody else changed what a Draft read for a write.
type ConflictError struct {
	Workspace string
	Kind      Kind   // empty: a note
	ID        string // of the note or document
	Current   *Note  // nil: it is deleted, or it is a document
	Create    bool   // the Draft was to create it
}

func (e *ConflictError) Error() string {
	if e.Kind != "" {
		return fmt.Sprintf("the %s %s was changed in the meantime", e.Kind, e.ID)
	}
	if e.Current == nil {
		return fmt.Sprintf("the note %s was deleted in the meantime", e.ID)
	}
	if e.Create {
		return fmt.Sprintf("the note %s already exists; its current revision is %s", e.ID, e.Current.Revision)
	}
	return fmt.Sprintf("the note %s was changed in the meantime; its current revision is %s", e.ID, e.Current.Revision)
}

// Begin begins a Draft.
func (s *Store) Begin(v View) *Draft {
	d := &Draft{
		store: s, view: v, documents: map[documentKey]*documentChange{}, notes: map[noteKey]*noteChange{},
		read: map[noteKey]string{}, classes: map[documentKey]*string{}, decoded: map[documentKey]*notetext.Class{},
	}
	if v.Began.IsZero() {
		v.Began, v.Seed = s.now(), rand.Uint64() //nolint:gosec // ids, not secrets
	}
	d.ids = newIDSource(v.Began, v.Seed)
	return d
}

// IDs makes the ids and times of what the Draft writes.
func (d *Draft) IDs() *IDSource { return d.ids }

// ChangedNotes is how many notes a Draft changes.
func ChangedNotes(d *Draft) int { return len(d.notes) }

// ChangesNote reports whether a Draft changes a note.
func ChangesNote(d *Draft, workspace, id string) bool { return d.notes[noteKey{workspace, id}] != nil }

func (d *Draft) hides(workspace string, r Record) bool {
	return d.view.Hides != nil && d.view.Hides(workspace, r)
}

// isStorable reports whether both databases can hold a text.
func isStorable(s string) bool { return utf8.ValidString(s) && !strings.Contains(s, "\x00") }

// maxID is how long an id may be, in bytes.
const maxID = 200

// mayBeID reports whether id has the form of an id. Every request asks, several times.
func mayBeID(id string) bool {
	for _, c := range []byte(id) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return id != "" && len(id) <= maxID
}

// IsID reports whether id may be that of a workspace or a note.
func IsID(id string) bool { return mayBeID(id) && id != "list" }

// Document returns a document; nil if there is none.
func (d *Draft) Document(ctx context.Context, workspace string, kind Kind, id string) (*Document, error) {
	k := documentKey{workspace, kind, id}
	if c, changed := d.documents[k]; changed || !isStorable(id) {
		if c == nil {
			return nil, nil
		}
		return c.after, nil
	}
	return readDocument(ctx, d.store.db.Reader(), k)
}

// Put creates or replaces a document.
func (d *Draft) Put(ctx context.Context, doc Document) error { return d.change(ctx, doc.key(), &doc) }

// Remove deletes a document; a missing one is no error.
func (d *Draft) Remove(ctx context.Context, workspace string, kind Kind, id string) error {
	return d.change(ctx, documentKey{workspace, kind, id}, nil)
}

func (d *Draft) change(ctx context.Context, k documentKey, after *Document) error {
	c := d.documents[k]
	if c == nil {
		before, err := readDocument(ctx, d.store.db.Reader(), k)
		if err != nil {
			return err
		}
		c = &documentChange{before: before}
		d.documents[k] = c
	}
	c.after = after
	return nil
}

// Documents lists documents without content after one, at most limit: workspaces,
// classes and scripts by id, links and attachments newest first. Of workspaces it
// lists all.
func (d *Draft) Documents(ctx context.Context, workspace string, kind Kind, after string, limit int) ([]Document, error) {
	newest := kind == LinkKind || kind == AttachmentKind
	if !isStorable(after) {
		return nil, ErrCursor
	}
	var found []Document
	var err error
	if kind == WorkspaceKind {
		found, err = listWorkspaces(ctx, d.store.db.Reader())
	} else {
		found, err = listDocuments(ctx, d.store.db.Reader(), workspace, kind, newest, after, limit+len(d.documents))
	}
	if err != nil {
		return nil, err
	}
	found = slices.DeleteFunc(found, func(doc Document) bool { return d.documents[doc.key()] != nil })
	for k, c := range d.documents {
		isAfter := after == "" || k.id > after != newest && k.id != after
		if k.kind == kind && (kind == WorkspaceKind || k.workspace == workspace && isAfter) && c.after != nil {
			found = append(found, *c.after)
		}
	}
	slices.SortFunc(found, func(a, b Document) int {
		if newest {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.Workspace, b.Workspace), cmp.Compare(a.ID, b.ID))
	})
	return found[:min(limit, len(found))], nil
}

// class returns a class, nil if there is none. What it decides is committed only if
// it is still the same.
func (d *Draft) class(ctx context.Context, workspace, name string) (*notetext.Class, error) {
	if name == "" {
		return nil, nil
	}
	k := documentKey{workspace, ClassKind, name}
	if c, known := d.decoded[k]; known && d.documents[k] == nil {
		return c, nil
	}
	doc, err := d.Document(ctx, workspace, ClassKind, name)
	if err != nil {
		return nil, err
	}
	return learnClass(d, k, doc)
}

// learnClass decodes a class that was read, nil: there is none, and keeps it for the
// commit.
func learnClass(d *Draft, k documentKey, doc *Document) (*notetext.Class, error) {
	c, err := decodeClass(doc)
	if _, known := d.classes[k]; err == nil && !known && d.documents[k] == nil {
		d.classes[k], d.decoded[k] = nil, c
		if doc != nil {
			d.classes[k] = &doc.Body
		}
	}
	return c, err
}

func decodeClass(doc *Document) (*notetext.Class, error) {
	if doc == nil {
		return nil, nil
	}
	var c notetext.Class
	if err := json.Unmarshal([]byte(doc.Body), &c); err != nil {
		return nil, fmt.Errorf("read class %s: %w", doc.ID, err)
	}
	return &c, nil
}

// changedClasses are the classes that the Draft changes, whose notes have other
// properties in it.
func (d *Draft) changedClasses(workspace string) (names []string) {
	keys := slices.Collect(maps.Keys(d.documents))
	slices.SortFunc(keys, func(a, b documentKey) int { return cmp.Compare(a.id, b.id) })
	for _, k := range keys {
		if k.workspace == workspace && k.kind == ClassKind {
			names = append(names, k.id)
		}
	}
	return names
}

// ClassUse returns a visible note that has a class, empty if there is none, and whether
// a hidden one has it.
func (d *Draft) ClassUse(ctx context.Context, workspace, name string) (visible string, hidden bool, err error) {
	all := *d
	all.view.Hides = nil
	err = all.Each(ctx, workspace, Selection{Class: name}, func(r Record) bool {
		if d.hides(workspace, r) {
			hidden = true
		} else {
			visible = r.ID
		}
		return visible == ""
	})
	return visible, hidden, err
}

// HidesClass reports whether a class is hidden: as a note of it would be whose id is
// class:NAME, and no visible note has it.
func (d *Draft) HidesClass(ctx context.Context, workspace, name string) (bool, error) {
	if !d.hides(workspace, Record{ID: string(ClassKind) + ":" + name, Class: name}) {
		return false, nil
	}
	visible, _, err := d.ClassUse(ctx, workspace, name)
	return visible == "", err
}
