package cards_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A templateWiki is the database of a wiki that tests open copies of: to fill a new one,
// make its signing key and hash its passwords takes seconds under the race detector.
type templateWiki struct {
	fill func(t testing.TB, w *wiki)

	once      sync.Once
	folder    string
	key       string
	passwords map[string]string
}

var (
	// emptyWiki has a signing key and nothing else that a new wiki has not.
	emptyWiki = templateWiki{fill: func(t testing.TB, w *wiki) {
		if err := errors.Join(w.auth.CreateServiceAccounts(t.Context()), w.auth.Rotate(t.Context(), true)); err != nil {
			t.Fatal(err)
		}
	}}
	// usedWiki has an API key, passwords, and a card in its trash.
	usedWiki = templateWiki{fill: func(t testing.TB, w *wiki) { useWiki(t, w) }}
)

// copyTo puts the database into a folder that has none.
func (template *templateWiki) copyTo(t testing.TB, folder string) {
	t.Helper()
	file := filepath.Join(folder, "cards.db")
	if _, err := os.Stat(file); err == nil {
		return
	}
	template.once.Do(func() { template.build(t) })
	if template.folder == "" {
		t.Fatal("the database to copy was not made")
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	copyFile(t, filepath.Join(template.folder, "cards.db"), file)
}

func (template *templateWiki) build(t testing.TB) {
	t.Helper()
	folder, err := os.MkdirTemp("", "cards") // outlives this test; TestMain removes it
	if err != nil {
		t.Fatal(err)
	}
	store, err := cardstore.Open(t.Context(), cardstore.Options{Database: filepath.Join(folder, "cards.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	w := &wiki{store: store, auth: cardauth.New(cardauth.Options{DB: store.DB(), Now: time.Now}), passwords: map[string]string{}}
	template.fill(t, w)
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	template.folder, template.key, template.passwords = folder, w.key, w.passwords
}

// useWiki makes a key and passwords, and leaves something in the trash.
func useWiki(t testing.TB, w *wiki) {
	t.Helper()
	var err error
	if _, w.key, err = w.auth.MakeKey(t.Context(), keyOf("shared")); err != nil {
		t.Fatal(err)
	}
	for _, role := range cardstore.Roles() {
		name := cardstore.ServiceAccount(role)
		w.passwords[name] = rand.Text()
		if err := w.auth.SetAccount(t.Context(), cardauth.Account{Name: name, Email: name + "@example.com", Role: role}, w.passwords[name]); err != nil {
			t.Fatal(fmt.Errorf("account %s: %w", name, err))
		}
	}
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	if _, err := w.store.Create(t.Context(), admin, cardstore.NewCard{Name: "Once was", Type: "RichText"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Delete(t.Context(), admin, "Once was"); err != nil {
		t.Fatal(err)
	}
	if err := w.auth.Rotate(t.Context(), true); err != nil {
		t.Fatal(err)
	}
}
