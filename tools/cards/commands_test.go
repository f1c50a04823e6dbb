package cards_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardauth"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// changeList collects what a command reports.
type changeList []tools.Change

func (l *changeList) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	*l = append(*l, changes...)
	return nil
}

func (l *changeList) AfterWrite(string, tools.State) {}
func (l *changeList) OutcomeUnknown(string)          {}

// run gives a command and returns what it prints.
func (w *wiki) run(t *testing.T, name string, args map[string]string) (out string, changes changeList, err error) {
	t.Helper()
	var b bytes.Buffer
	err = w.source.Command(t.Context(), name, tools.CommandCall{Args: args, Context: tools.CallContext{Writes: &changes}}, &b)
	return b.String(), changes, err
}

func (w *wiki) mustRun(t *testing.T, name string, args map[string]string) (string, changeList) {
	t.Helper()
	out, changes, err := w.run(t, name, args)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out, changes
}

// A key that a command makes logs in, is rotated without a gap and removed at once. An undo
// takes away what a key allows, and gives nothing back.
func TestKeyCommands(t *testing.T) {
	now := time.Now()
	w := openWiki(t, t.TempDir(), func() time.Time { return now })
	login := func(key string, role cardstore.Role) error {
		_, err := w.auth.Authenticate(t.Context(), cardauth.Login{Key: key, Role: string(role)})
		return err
	}
	out, changes := w.mustRun(t, "key add", map[string]string{"name": "team", "roles": "user, gm", "days": "30"})
	first := regexp.MustCompile(`^[0-9a-f]{64}`).FindString(out)
	if len(changes) != 1 || login(first, "gm") != nil || login(first, "admin") == nil {
		t.Fatalf("%q reports %d changes; as gm %v, as admin %v", out, len(changes), login(first, "gm"), login(first, "admin"))
	}
	if list, _ := w.mustRun(t, "key list", nil); !strings.Contains(list, "team") || strings.Contains(list, first) {
		t.Errorf("listed as %q", list)
	}
	w.key = first
	token := w.roleToken(t, "gm")
	out, _ = w.mustRun(t, "key rotate", map[string]string{"name": "team"})
	second := regexp.MustCompile(`^[0-9a-f]{64}`).FindString(out)
	if login(first, "gm") != nil || login(second, "gm") != nil {
		t.Errorf("while both count: %v, %v", login(first, "gm"), login(second, "gm"))
	}
	now = now.Add(25 * time.Hour)
	if login(first, "gm") == nil || login(second, "gm") != nil {
		t.Errorf("a day later: %v, %v", login(first, "gm"), login(second, "gm"))
	}
	now = now.Add(-25 * time.Hour)
	if _, err := w.auth.Verify(t.Context(), token); err != nil {
		t.Errorf("a token of the rotated key: %v", err)
	}
	_, changes = w.mustRun(t, "key remove", map[string]string{"name": "team"})
	if _, err := w.auth.Verify(t.Context(), token); err == nil || login(second, "user") == nil {
		t.Error("a removed key still counts")
	}
	undo := func(changes []tools.Change) error {
		for i, c := range changes {
			changes[i].Before, changes[i].After = c.After, c.Before
		}
		return w.source.Restorer().Restore(t.Context(), tools.CallContext{}, changes)
	}
	if err := undo(changes); tools.AsError(err).Code != tools.Denied || login(first, "user") == nil || login(second, "user") == nil {
		t.Errorf("the removal undone: %v", err)
	}
	out, changes = w.mustRun(t, "key add", map[string]string{"name": "other"})
	third := regexp.MustCompile(`^[0-9a-f]{64}`).FindString(out)
	_, rotated := w.mustRun(t, "key rotate", map[string]string{"name": "other"})
	if err := undo(rotated); tools.AsError(err).Code != tools.Denied || login(third, "user") != nil {
		t.Errorf("a rotation undone: %v, %v", err, login(third, "user"))
	}
	_, removed := w.mustRun(t, "key remove", map[string]string{"name": "other"})
	if err := undo(removed[:1]); tools.AsError(err).Code != tools.Denied {
		t.Errorf("the removal of a rotated key undone: %v", err)
	}
	if err := undo(changes); err != nil || login(third, "user") == nil {
		t.Errorf("a key undone that is gone: %v", err)
	}
	out, changes = w.mustRun(t, "key add", map[string]string{"name": "fourth"})
	fourth := regexp.MustCompile(`^[0-9a-f]{64}`).FindString(out)
	if err := undo(changes); err != nil || login(fourth, "user") == nil {
		t.Errorf("a key undone: %v, %v", err, login(fourth, "user"))
	}
	if err := undo(changes); tools.AsError(err).Code != tools.Denied || login(fourth, "user") == nil {
		t.Errorf("the undo of that undone: %v", err)
	}
	for _, bad := range []map[string]string{{"name": ""}, {"name": "x", "roles": "emperor"}, {"name": "x", "rate": "-1"}, {"name": "x", "days": "soon"}} {
		if _, _, err := w.run(t, "key add", bad); err == nil || tools.AsError(err).Code != tools.Invalid {
			t.Errorf("key add %v: %v", bad, err)
		}
	}
}

func TestAccountCommands(t *testing.T) {
	w := openWiki(t, t.TempDir(), time.Now)
	out, _ := w.mustRun(t, "account add", map[string]string{"name": "Ann", "role": "gm", "email": "ann@example.com"})
	password := strings.Fields(out)[0]
	who, err := w.auth.Authenticate(t.Context(), cardauth.Login{User: "ann@example.com", Password: password})
	if err != nil || who.Role != cardstore.GM {
		t.Fatalf("logs in as %+v, %v", who, err)
	}
	token, err := w.auth.Issue(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	if list, _ := w.mustRun(t, "account list", nil); !strings.Contains(list, "Ann") || !strings.Contains(list, "mcp-admin") {
		t.Errorf("listed as %q", list)
	}
	w.mustRun(t, "account remove", map[string]string{"name": "Ann"})
	if _, err := w.auth.Verify(t.Context(), token.Text); err == nil {
		t.Error("a token outlives its account")
	}
	if _, _, err := w.run(t, "account remove", map[string]string{"name": "mcp-gm"}); err == nil {
		t.Error("a service account was removed")
	}
}

// An account ends with its card, and no undo brings it back: not that of its making, nor that
// of the deletion, nor one that renames.
func TestAccountsEndWithTheirCards(t *testing.T) {
	play := func(t *testing.T, database string) {
		w := openWiki(t, database, time.Now)
		box := toolbox{OpenedSource: w.source}
		undo := func(changes []tools.Change) {
			t.Helper()
			back := make([]tools.Change, len(changes))
			for i, c := range changes {
				back[i] = tools.Change{Target: c.Target, Before: c.After, After: c.Before}
			}
			if err := w.source.Restorer().Restore(t.Context(), tools.CallContext{}, back); err != nil {
				t.Fatal(err)
			}
		}
		add := func(name string) (password string, changes []tools.Change) {
			t.Helper()
			out, changes := w.mustRun(t, "account add", map[string]string{"name": name, "role": "gm"})
			return strings.Fields(out)[0], changes
		}
		login := func(name, password string) (token string) {
			t.Helper()
			who, err := w.auth.Authenticate(t.Context(), cardauth.Login{User: name, Password: password})
			if err != nil {
				return ""
			}
			made, err := w.auth.Issue(t.Context(), who)
			if err != nil {
				t.Fatal(err)
			}
			return made.Text
		}
		ended := func(when, name, password, token string) {
			t.Helper()
			if login(name, password) != "" {
				t.Errorf("%s %s logs in", when, name)
			}
			if _, err := w.auth.Verify(t.Context(), token); err == nil {
				t.Errorf("%s a token of %s counts", when, name)
			}
		}
		change := func(tool string, in map[string]any) []tools.Change {
			t.Helper()
			_, changes, err := box.call(t, "admin", tool, in)
			if err != nil {
				t.Fatal(err)
			}
			return changes
		}
		password, changes := add("Ann")
		token := login("Ann", password)
		undo(changes)
		ended("after the undo of its making", "Ann", password, token)

		password, _ = add("ann") // its card comes back
		token = login("ann", password)
		deleted := change("delete_card", map[string]any{"name": "Ann"})
		ended("after the deletion", "ann", password, token)
		undo(deleted)
		ended("after the undo of the deletion", "ann", password, token)
		change("delete_card", map[string]any{"name": "Ann"})
		change("restore_card", map[string]any{"name": "Ann", "from_trash": true})
		ended("out of the trash", "Ann", password, token)

		password, _ = add("Bob")
		token = login("Bob", password)
		renamed := change("rename_card", map[string]any{"name": "Bob", "new_name": "Bert"})
		ended("after a renaming", "Bob", password, token)
		if login("Bert", password) == "" {
			t.Error("an account does not follow its card")
		}
		undo(renamed)
		token = login("Bob", password)
		change("rename_card", map[string]any{"name": "Bob", "new_name": "Bert"})
		change("delete_card", map[string]any{"name": "Bert"})
		ended("deleted by its new name", "Bert", password, token)
	}
	t.Run("sqlite", func(t *testing.T) { play(t, t.TempDir()) })
	t.Run("postgres", func(t *testing.T) { play(t, postgres.Database(t)) })
}

// What is exported and imported elsewhere is the same, and the import can be undone.
func TestExportImport(t *testing.T) {
	runtest.InOrder(t)
	one, two := openConfigured(t, t.TempDir(), `"sample":true`), openWiki(t, t.TempDir(), time.Now)
	file := filepath.Join(t.TempDir(), "cards.jsonl")
	one.mustRun(t, "export", map[string]string{"file": file})
	if _, _, err := one.run(t, "export", map[string]string{"file": file}); err == nil {
		t.Error("an export overwrites a file")
	}
	before := digest(t, two.store)
	_, changes := two.mustRun(t, "import", map[string]string{"file": file})
	for _, name := range []string{"Lighthouse+GM", "Salt Guild", "Index"} {
		admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
		a, errA := one.store.Get(t.Context(), admin, name)
		b, errB := two.store.Get(t.Context(), admin, name)
		if errA != nil || errB != nil || a.Content != b.Content || a.Type != b.Type {
			t.Errorf("%s: %q of %s and %q of %s (%v, %v)", name, a.Content, a.Type, b.Content, b.Type, errA, errB)
		}
	}
	var undo []tools.Change
	for _, c := range changes {
		undo = append(undo, tools.Change{Target: c.Target, Before: c.After, After: c.Before})
	}
	if err := two.source.Restorer().Restore(t.Context(), tools.CallContext{}, undo); err != nil || digest(t, two.store) != before {
		t.Errorf("undone: %v; as before: %t", err, digest(t, two.store) == before)
	}
	bad := filepath.Join(t.TempDir(), "bad")
	if err := os.WriteFile(bad, []byte("{\"name\":\"x\"}\nnot a card\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := two.run(t, "import", map[string]string{"file": bad}); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("a bad line: %v", err)
	}
	if out, _ := one.mustRun(t, "backup", nil); !strings.Contains(out, ".jsonl.gz") {
		t.Errorf("backup says %q", out)
	}
}

// The cards of another wiki are imported with the rules about who reads them, and the
// import can be undone.
func TestImportFromWiki(t *testing.T) {
	runtest.InOrder(t)
	for name, own := range map[string]bool{"decko": false, "ours": true} {
		t.Run(name, func(t *testing.T) {
			from := remoteBox(t, own, "admin", tools.Privacy{})
			from.wiki.Put(t,
				cardstore.NewCard{Name: "Place", Type: "Cardtype"}, cardstore.NewCard{Name: "Quay", Type: "Place", Content: "<p>By the [[Harbour]].</p>"},
				cardstore.NewCard{Name: "Vault", Type: "RichText", Content: "<p>Gold.</p>"}, cardstore.NewCard{Name: "Vault+*self+*read", Type: "List", Content: "Game Master"},
				cardstore.NewCard{Name: "Sketch", Type: "File", Content: "0123456789abcdef\nsketch.txt", Upload: true},
			)
			w := openWiki(t, t.TempDir(), time.Now)
			before := digest(t, w.store)
			w.otherKey = from.wiki.Key
			out, changes := w.mustRun(t, "import", map[string]string{"from": from.url, "key": "env:OTHER_KEY"})
			if !strings.Contains(out, "Sketch: a file") || !strings.Contains(out, "wrote") {
				t.Errorf("import says %q", out)
			}
			admin, player := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}, cardstore.Caller{Account: "mcp-user", Role: cardstore.User}
			for _, name := range []string{"Harbour", "Town+GM", "Town+tags", "Quay", "Vault", "Dr. Smith"} {
				a, errA := from.wiki.Store.Get(t.Context(), admin, name)
				b, errB := w.store.Get(t.Context(), admin, name)
				if errA != nil || errB != nil || a.Content != b.Content || a.Type != b.Type {
					t.Errorf("%s: %q of %s and %q of %s (%v, %v)", name, a.Content, a.Type, b.Content, b.Type, errA, errB)
				}
			}
			if _, err := w.store.Get(t.Context(), player, "Vault"); err == nil {
				t.Error("players read a card that they could not read there")
			}
			var undo []tools.Change
			for _, c := range changes {
				undo = append(undo, tools.Change{Target: c.Target, Before: c.After, After: c.Before})
			}
			if err := w.source.Restorer().Restore(t.Context(), tools.CallContext{}, undo); err != nil || digest(t, w.store) != before {
				t.Errorf("undone: %v; as before: %t", err, digest(t, w.store) == before)
			}
		})
	}
	w := openWiki(t, t.TempDir(), time.Now)
	for _, bad := range []map[string]string{{}, {"file": "x", "from": "y"}, {"from": "https://wiki.example.org"}, {"from": "https://wiki.example.org", "key": "the key itself"}, {"from": "nonsense", "key": "env:X"}} {
		if _, _, err := w.run(t, "import", bad); err == nil || tools.AsError(err).Code != tools.Invalid {
			t.Errorf("import %v: %v", bad, err)
		}
	}
}
