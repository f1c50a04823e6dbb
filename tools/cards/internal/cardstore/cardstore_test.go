package cardstore

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
)

var (
	player = Caller{Account: "mcp-user", Role: User}
	master = Caller{Account: "mcp-gm", Role: GM}
	admin  = Caller{Account: "mcp-admin", Role: Admin}
)

func openStore(t *testing.T) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{Database: filepath.Join(t.TempDir(), "cards.db"), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func (s *Store) put(t *testing.T, by Caller, name, kind, content string) Card {
	t.Helper()
	c, err := s.Create(t.Context(), by, NewCard{Name: name, Type: kind, Content: content})
	if err != nil {
		t.Fatalf("create %s: %v", name, err)
	}
	return c
}

func names(cards []Card) (out []string) {
	for _, c := range cards {
		out = append(out, string(c.Name))
	}
	return out
}

// The index has few parts afterwards, finds the same, and is left alone until there is
// more to merge.
func TestMergeIndex(t *testing.T) {
	s := openStore(t)
	for i := range 40 {
		s.put(t, admin, fmt.Sprintf("Topic %d", i), "RichText", strings.Repeat(fmt.Sprintf("<p>quixotic %d</p>", i), 30))
	}
	parts := func() (n int) {
		if err := s.db.Reader().QueryRow(t.Context(), "SELECT count(DISTINCT segid) FROM card_text_idx").Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	found := func() int {
		cards, _, err := s.Search(t.Context(), admin, Search{Words: "quixotic 7", In: "content", Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		return len(cards)
	}
	before, hits := parts(), found()
	if err := MergeIndex(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if n := parts(); n >= before || n > 2 {
		t.Errorf("%d parts, %d before", n, before)
	}
	if n := found(); n != hits || n == 0 {
		t.Errorf("%d hits, %d before", n, hits)
	}
	err := s.db.Write(t.Context(), func(q *sqlstore.Conn) error {
		if merged, err := mergeStep(t.Context(), q); merged || err != nil {
			t.Errorf("merged once more: %v, %v", merged, err)
		}
		_, err := q.Exec(t.Context(), "INSERT INTO card_text (card_text) VALUES ('integrity-check')")
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestCreate(t *testing.T) {
	s := openStore(t)
	c := s.put(t, player, "Garden+Roses+Log", "RichText", "<p onclick=x>a</p>")
	if c.Content != "<p>a</p>" || c.Type != "RichText" {
		t.Errorf("%+v", c)
	}
	for _, name := range []string{"Garden", "Garden+Roses", "roses", "logs", "garden+rose+log"} {
		if _, err := s.Get(t.Context(), player, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := s.Create(t.Context(), player, NewCard{Name: "gardens", Type: "RichText"})
	if taken, ok := errors.AsType[*TakenError](err); !ok || taken.Card.Name != "Garden" {
		t.Errorf("%v", err)
	}
}

func TestReaders(t *testing.T) {
	s := openStore(t)
	s.put(t, admin, "Vault", "RichText", "the secret of the vault")
	s.put(t, admin, "Vault+kid", "RichText", "a kid of the vault")
	s.put(t, admin, "Town", "RichText", "a town with a secret")
	s.put(t, admin, "Town+GM", "RichText", "what only masters know, a secret")
	s.put(t, admin, "Town+GM+deep", "RichText", "deeper, a secret too")
	s.put(t, admin, "Vault+*self+*read", "List", "[[Game Master]]")
	search := func(by Caller) []string {
		cards, total, err := s.Search(t.Context(), by, Search{Words: "secret", In: "content", Limit: 50})
		if err != nil || total != len(cards) {
			t.Errorf("%d of %d, %v", len(cards), total, err)
		}
		return names(cards)
	}
	if got := search(player); !slices.Equal(got, []string{"Town"}) {
		t.Errorf("a player finds %q", got)
	}
	if got := search(master); !slices.Equal(got, []string{"Vault", "Town", "Town+GM", "Town+GM+deep"}) {
		t.Errorf("a master finds %q", got)
	}
	for name, want := range map[string]bool{"Town+GM": true, "Town+GM+deep": true, "Nobody+GM": true, "Vault": false, "Vault+kid": false, "Vault+nobody": false} {
		_, err := s.Get(t.Context(), player, name)
		_, barred := errors.AsType[*BarredError](err)
		if barred != want || !barred && !errors.Is(err, ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, total, err := s.Children(t.Context(), player, "Town", 3, Search{Limit: 9}); total != 0 || err != nil {
		t.Errorf("%d children, %v", total, err)
	}
	// A rule of *right holds for cards that are there, and when it goes for none.
	s.put(t, admin, "kid+*right+*read", "List", "Administrator")
	if _, err := s.Get(t.Context(), master, "Vault+kid"); err == nil {
		t.Error("a master reads what is for administrators")
	}
	if _, err := s.Delete(t.Context(), admin, "kid+*right+*read"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), master, "Vault+kid"); err != nil {
		t.Error(err)
	}
}

func TestRenameAndTrash(t *testing.T) {
	s := openStore(t)
	s.put(t, admin, "Old", "RichText", "0123456789")
	s.put(t, admin, "Old+kid", "RichText", "kid")
	s.put(t, admin, "Other+Old", "RichText", "kid")
	s.put(t, admin, "Refers", "RichText", "[[Old|x]] {{Old+kid}} Old")
	s.put(t, admin, "Points", "Pointer", "[[Old]]\nOther")
	if _, err := s.Rename(t.Context(), admin, "Old", "New", true); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"New": "0123456789", "New+kid": "kid", "Other+New": "kid", "Refers": "[[New|x]] {{New+kid}} Old", "Points": "New\nOther"} {
		if c, err := s.Get(t.Context(), admin, name); err != nil || c.Content != want {
			t.Errorf("%s: %q, %v", name, c.Content, err)
		}
	}
	if _, err := s.Delete(t.Context(), admin, "New"); err != nil {
		t.Fatal(err)
	}
	trash, total, err := s.Trash(t.Context(), admin, 9, 0)
	if err != nil || total != 3 || trash[0].Name != "Other+New" || trash[1].Name != "New+kid" {
		t.Errorf("%v, %d, %v", trash, total, err)
	}
	if _, err := s.RestoreTrashed(t.Context(), admin, "New"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), admin, "New+kid"); !errors.Is(err, ErrNotFound) {
		t.Errorf("the kid came along: %v", err)
	}
	_, revisions, total, err := s.History(t.Context(), admin, "New", false, 20)
	if err != nil || total != 4 || revisions[0].Action != "update" || revisions[1].Action != "delete" {
		t.Errorf("%+v, %d, %v", revisions, total, err)
	}
}

// A rule that names nobody lets in administrators alone, whatever it is about: not those who
// have no account either, nor once it was kept with a card.
func TestRuleThatNamesNobody(t *testing.T) {
	for _, content := range []string{"", " \n\n", "[[]]", "[[ ]]\n", "!!!"} {
		s := openStore(t)
		s.put(t, admin, "Town", "RichText", "a town with a secret")
		s.put(t, admin, "Town+kid", "RichText", "a kid with a secret")
		s.put(t, admin, "Other", "RichText", "no more")
		for _, rule := range []string{"Town+*self+*read", "Other+*self+*update", "Other+*self+*delete", "thing+*right+*create"} {
			s.put(t, admin, rule, "List", content)
		}
		for who, by := range map[string]Caller{"stranger": {Role: User}, "player": player, "master": master, "admin": admin} {
			isAdmin := by.Role == Admin
			for _, name := range []string{"Town", "Town+kid"} {
				if _, err := s.Get(t.Context(), by, name); (err == nil) != isAdmin {
					t.Errorf("rule %q: a %s reads %s: %v", content, who, name, err)
				}
			}
			if cards, total, err := s.Search(t.Context(), by, Search{Words: "secret", In: "content", Limit: 50}); err != nil || (len(cards) > 0) != isAdmin || total != len(cards) {
				t.Errorf("rule %q: a %s finds %q of %d, %v", content, who, names(cards), total, err)
			}
			if _, err := s.Get(t.Context(), by, "Other"); err != nil {
				t.Errorf("rule %q: a %s does not read what has no rule: %v", content, who, err)
			}
		}
		for who, by := range map[string]Caller{"stranger": {Role: User}, "player": player, "master": master} {
			if _, err := s.Create(t.Context(), by, NewCard{Name: "Other+thing", Type: "RichText"}); err == nil {
				t.Errorf("rule %q: a %s creates", content, who)
			}
			if _, err := s.Delete(t.Context(), by, "Other"); err == nil {
				t.Errorf("rule %q: a %s deletes", content, who)
			}
		}
		s.put(t, admin, "Other+thing", "RichText", "")
	}
}

// What everybody could read before a wiki had a name for that, everybody reads afterwards,
// with its history; and nobody else reads more.
func TestEverybodyIsNamed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "cards.db")
	open := func() *Store {
		s, err := Open(t.Context(), Options{Database: file, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := open()
	s.put(t, admin, "Town", "RichText", "x")
	s.put(t, admin, "Town+GM", "RichText", "x")
	if err := s.db.Write(t.Context(), func(q *sqlstore.Conn) error {
		_, err := q.Exec(t.Context(), "UPDATE class SET clauses = '' WHERE clauses = ?", groupAnyone)
		if err == nil { // as it was before searches had columns of their own
			_, err = q.Exec(t.Context(), "UPDATE card SET plain = NULL, title = NULL, words = name")
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Get(t.Context(), player, "Town"); err == nil {
		t.Error("a class that is not named lets in a player")
	}
	migration, err := migrations.ReadFile("migrations/sqlite/0005_everybody.sql")
	if err == nil {
		err = s.db.Write(t.Context(), func(q *sqlstore.Conn) error {
			_, err := q.Exec(t.Context(), string(migration))
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	if _, err := s.Get(t.Context(), player, "Town"); err != nil {
		t.Error(err)
	}
	if _, err := s.Get(t.Context(), player, "Town+GM"); err == nil {
		t.Error("a player reads what is for masters")
	}
	if _, revisions, _, err := s.History(t.Context(), player, "Town", false, 9); err != nil || len(revisions) != 1 {
		t.Errorf("%v, %v", revisions, err)
	}
	for _, f := range []Search{{Words: "town"}, {Words: "x", In: "content"}, {Names: []string{"TOWN+"}}} {
		f.WithVirtual, f.Limit = true, 9
		if cards, _, err := s.Search(t.Context(), admin, f); err != nil || len(cards) == 0 {
			t.Errorf("%+v finds %v, %v", f, cards, err)
		}
	}
}

func TestClauses(t *testing.T) {
	for _, nobody := range []clauses{parseClauses(""), parseClauses((clauses{{}}).String()), parseClauses((clauses{{}, {groupAnyone}}).String()), {{}}, {{""}}} {
		if nobody.admit(Caller{Role: User}.groups()) || nobody.admit(master.groups()) || !nobody.admit(admin.groups()) {
			t.Errorf("%q are not administrators alone", nobody)
		}
	}
	for _, everybody := range []clauses{nil, {{groupAnyone}}, {{groupGM, groupAnyone}}} {
		if text := everybody.String(); text != clauses(nil).String() || !parseClauses(text).admit(Caller{Role: User}.groups()) {
			t.Errorf("%q are not all", everybody)
		}
	}
	a := clauses{{groupGM, groupAdmin}, {groupAnyone}, {groupAdmin}}
	if got := a.String(); got != "administrator&administrator|game_master" || parseClauses(got).String() != got {
		t.Error(got)
	}
	if a.leastRole() != Admin || clauses(nil).leastRole() != User || (clauses{{groupGM}}).leastRole() != GM {
		t.Error("roles")
	}
	if nobody := (clauses{{"nobody"}}); nobody.leastRole() != Admin || !nobody.admit(Caller{Role: Admin}.groups()) || nobody.admit(Caller{Role: GM}.groups()) {
		t.Error("a rule that names nobody locks out administrators, or lets in masters")
	}
	if !slices.Equal(Roles(), []Role{User, GM, Admin}) || cardname.Name("Game Master").Key() != groupGM {
		t.Error("names")
	}
}
