package cards_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
	"github.com/lectern-mcp/lectern/tools/toolstest"
)

// digest identifies the live cards and the keys, and what they are; not their
// revisions, of which an undo adds some.
func digest(t testing.TB, store *cardstore.Store) string {
	t.Helper()
	h := sha256.New()
	for _, query := range []string{
		"SELECT c.id || ' ' || c.key || ' ' || c.name || ' ' || t.name || ' ' || c.content FROM card c JOIN card t ON t.id = c.type_id WHERE c.trash = 0 ORDER BY c.key",
		"SELECT id || ' ' || name || ' ' || roles || ' ' || active || ' ' || digest FROM api_key ORDER BY id",
	} {
		rows, err := sqlstore.Select(t.Context(), store.DB().Reader(), func(row sqlstore.Row) (s string, err error) { return s, row.Scan(&s) }, query)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(h, "%q", rows)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// putCard writes a card as an administrator.
func putCard(t testing.TB, store *cardstore.Store, name, content string) {
	t.Helper()
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	if _, err := store.Create(t.Context(), admin, cardstore.NewCard{Name: name, Type: "RichText", Content: content}); err != nil {
		t.Fatal(err)
	}
}

// fillTemplate writes a database with the cards that the examples were written for.
// Every fixture is a copy: a new wiki takes long to fill.
func fillTemplate(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cards.db")
	store, err := cardstore.Open(t.Context(), cardstore.Options{Database: file, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	put := func(name, content string) { putCard(t, store, name, content) }
	put("Harbour", "Ships come to the [[Town]].")
	put("Town", "A town of wood by the {{Harbour}}.")
	put("Town+GM", "What only masters know.")
	put("tags", "A part of names.")
	put("Chronicle", "<h2>First age</h2><p>Fire.</p><h2>Second age</h2><p>Water.</p>")
	put("Chronicle+tags", "Age")
	put("Terms+GM", "<p>wood</p>")
	put("Wreck", "It sank.")
	if _, err := store.Delete(t.Context(), admin, "Wreck"); err != nil {
		t.Fatal(err)
	}
	sketch := cardstore.NewCard{Name: "Sketch", Type: "File", Content: "0123456789abcdef\nsketch.txt", Upload: true}
	if _, err := store.Create(t.Context(), admin, sketch); err != nil {
		t.Fatal(err)
	}
	put("door", "Another.")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

func copyFile(t testing.TB, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestSystem(t *testing.T) {
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	template := fillTemplate(t)
	toolstest.Run(t, cards.System(), func(t testing.TB) toolstest.Fixture {
		dir := t.TempDir()
		copyFile(t, template, filepath.Join(dir, "cards.db"))
		store, err := cardstore.Open(t.Context(), cardstore.Options{Database: filepath.Join(dir, "cards.db"), Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = store.Close() })
		put := func(name, content string) { putCard(t, store, name, content) }
		set := func(name, content string) {
			_, err := store.Update(t.Context(), admin, name, cardstore.CardUpdate{Content: func(string) (string, error) { return content, nil }})
			if errors.Is(err, cardstore.ErrNotFound) {
				put(name, content)
			} else if err != nil {
				t.Fatal(err)
			}
		}
		return toolstest.Fixture{
			Config: cards.Config{Folder: tools.Folder(dir)},
			Digest: func() string { return digest(t, store) },
			Nested: &toolstest.NestedTargets{
				SameState: func(string, tools.State, tools.State) bool { return false },
				Affects:   func(c tools.Change, target string, _, _ tools.State) bool { return sharePart(c.Target, target) },
				// A card that others have become parts of cannot go again.
				Blocked: func(c tools.Change) bool { return !c.Before.Exists },
			},
			Names: []string{"Harbour", "Town", "Town+GM"},
			Edit: func(seed uint64) {
				set("Town", fmt.Sprint("by hand ", seed))
			},
			Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Private*/**"}, {Tag: "secret"}}},
			Hide: func(round int) []string {
				set("Private plans", fmt.Sprint("See [[Harbour]]. ", round))
				set("Private plans+Town", fmt.Sprint("A part of it. ", round))
				set("Vault", fmt.Sprint("Below the [[Town]]. ", round))
				set("Vault+tags", "[[secret]]")
				set("Vault+door", fmt.Sprint("Behind {{Harbour}}. ", round))
				return []string{"Private plans", "Private plans+Town", "Vault", "Vault+door", "secret", "Vault+tags"}
			},
		}
	})
}

// sharePart reports whether two names have a part in common.
func sharePart(a, b string) bool {
	parts := strings.Split(strings.ToLower(a), "+")
	return slices.ContainsFunc(strings.Split(strings.ToLower(b), "+"), func(p string) bool { return slices.Contains(parts, p) })
}
