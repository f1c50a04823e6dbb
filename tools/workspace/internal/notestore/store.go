// Package notestore keeps workspaces in a database: notes with every revision of
// them, the links in their text, the words to find them by, and small documents,
// which are classes, made links and attachments.
//
// All reading and writing goes through a [Draft], whose writes stay apart until they
// are committed as one. What is hidden from agents is absent from everything that a
// Draft answers. It speaks no HTTP and asks nobody for permission.
// tools/workspace/internal/notesapi imports it, and the export and import of
// folders. Start reading at [Draft], then commit.go.
package notestore

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
)

//go:embed migrations
var migrations embed.FS

// A Store is an open database of workspaces. It is safe for concurrent use, and by
// several processes at once.
type Store struct {
	db  *sqlstore.Store
	now func() time.Time
	key []byte // signs revisions

	// The constants of these names, but in tests.
	freshNotes    int64 // after how many saves their words are indexed
	analyzedNotes int   // after how many saves in one commit tables are counted
}

// Options configure a Store.
type Options struct {
	Database string // as in [sqlstore.Options]
	Now      func() time.Time
}

// Open opens a database and creates what is missing, which is no workspace yet.
func Open(ctx context.Context, o Options) (*Store, error) {
	db, err := sqlstore.Open(ctx, sqlstore.Options{
		Database: o.Database, Schema: sqlstore.Schema{Name: "notes", Migrations: migrations, Folder: "migrations"}, Now: o.Now,
	})
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, now: o.Now, freshNotes: freshNotes, analyzedNotes: analyzedNotes}
	if err := s.loadKey(ctx); err != nil {
		_ = db.Close()
		return nil, fmt.Errorf("open store notes: %w", err)
	}
	return s, nil
}

// loadKey reads the key of the signatures. It is made with the database.
func (s *Store) loadKey(ctx context.Context) error {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails
	return s.db.Write(ctx, func(c *sqlstore.Conn) error {
		if _, err := c.Exec(ctx, "INSERT INTO settings (name, value) VALUES ('signature_key', ?) ON CONFLICT DO NOTHING", key); err != nil {
			return err
		}
		return c.QueryRow(ctx, "SELECT value FROM settings WHERE name = 'signature_key'").Scan(&s.key)
	})
}

// Close closes the database.
func (s *Store) Close() error { return s.db.Close() }

// A Record is what lists and queries say of a note.
type Record struct {
	ID         string          `json:"id"`
	Revision   string          `json:"revision_id"`
	Title      string          `json:"title"` // the id if the text has none
	Class      string          `json:"class"` // empty: none
	Tags       []string        `json:"tags"`
	Properties map[string]any  `json:"properties"`
	Links      []string        `json:"links"` // what the text names, as it is written
	Canvas     json.RawMessage `json:"canvas_position"`
	Created    time.Time       `json:"created_at"`
	Updated    time.Time       `json:"updated_at"`
	Path       string          `json:"path,omitempty"` // of the file that it was imported from
}

// Attributes are what a note has besides its text.
type Attributes struct {
	Class       string          `json:"class,omitempty"` // where the front matter names none
	Path        string          `json:"path,omitempty"`
	Attachments []string        `json:"attachments,omitempty"` // ids
	Canvas      json.RawMessage `json:"canvas_position,omitempty"`
}

// Content is a note as its writer sees it.
type Content struct {
	Text string
	Attributes
}

// A Note is a note as it is now.
type Note struct {
	Record
	Content
	Checksum  string
	Signature string

	links []textLink // of one that a Draft saves
}

// A Revision is a note as it was saved once, or that it was deleted.
type Revision struct {
	ID      string
	Note    string
	Parent  string // empty: the first
	Time    time.Time
	Author  string
	Run     string // of the script that saved it; empty: none
	Deleted bool   // the content is empty
	Content
	Checksum  string
	Signature string

	seq int64
}

// sign fills the checksum, which covers everything that says what was saved, when and
// after what, and its signature.
func (r *Revision) sign(key []byte) error {
	attributes, err := json.Marshal(r.Attributes)
	if err != nil {
		return err
	}
	state := "saved"
	if r.Deleted {
		state = "deleted"
	}
	text := strings.Join([]string{r.Note, r.ID, r.Parent, r.Time.UTC().Format(time.RFC3339Nano), state, string(attributes), r.Text}, "\n")
	sum := sha256.Sum256([]byte(text))
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write(sum[:]) // never fails
	r.Checksum, r.Signature = hex.EncodeToString(sum[:]), hex.EncodeToString(mac.Sum(nil))
	return nil
}

// Verify reports whether a revision is as it was saved.
func (s *Store) Verify(r Revision) bool {
	again := r
	err := again.sign(s.key)
	return err == nil && again.Checksum == r.Checksum && hmac.Equal([]byte(again.Signature), []byte(r.Signature))
}

// nameKey is the form in which names of notes are compared.
func nameKey(name string) string { return strings.ToLower(norm.NFC.String(strings.TrimSpace(name))) }

// fileKey is nameKey of a file's name without folders and .md.
func fileKey(path string) string {
	return nameKey(strings.TrimSuffix(path[strings.LastIndexByte(path, '/')+1:], ".md"))
}
