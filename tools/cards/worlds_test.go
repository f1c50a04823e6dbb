package cards_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Two worlds are the same but for cards that players may not read. Names are given to
// both sides of every hidden name beforehand, because they are cards of their own.
var (
	shownCards = [][3]string{
		{"Town", "RichText", "A town of wood. [[River]] {{Town+Player}} [[Vault]]"},
		{"River", "RichText", "A river by the [[Town]]."},
		{"Town+Player", "RichText", "What players know of the ORACLE."},
		{"Town+tags", "Pointer", "[[Place]]"},
		{"Place", "RichText", "A tag for places."},
		{"notes", "RichText", "A part of names."},
		{"kid", "RichText", "Another part of names."},
		{"List of all", "Pointer", "[[Town]]\n[[Vault]]\n[[River]]"},
		{"GM", "RichText", "A part of names."},
		{"AI", "RichText", "A part of names."},
		{"Terms", "PlainText", "ORACLE"},
		{"Plan", "Cardtype", ""},
		{"Plan+*type+*read", "List", "[[Administrator]]"}, // of a type
		{"lore+*right+*read", "List", "[[Administrator]]"},
	}
	hiddenCards = [][3]string{
		{"Vault", "RichText", "SECRET gold below the [[Town]] {{River}}, says the ORACLE"},
		{"Vault+*self+*read", "List", "[[Game Master]]"},
		{"Vault+kid", "RichText", "SECRET kid of the vault [[Town+Player]]"},
		{"Town+GM", "RichText", "SECRET of masters [[River]]"},
		{"Town+GM+notes", "RichText", "SECRET notes on the ORACLE"},
		{"River+AI", "RichText", "SECRET of machines"},
		{"Town+kid", "RichText", "SECRET kid of the town"},
		{"Town+kid+*self+*read", "List", "[[Administrator]]"},
		{"Vault+tags", "Pointer", "[[Place]]"},
		{"Ambush", "Plan", "SECRET ambush at the [[River]], says the ORACLE {{Town}}"},
		{"Ambush+kid", "RichText", "SECRET kid below a type"},
		{"River+lore", "RichText", "SECRET lore of the [[Town]]"},
		{"Raid", "Plan", "SECRET gold in the trash [[Town]]"},
		{"Siege", "Plan", "SECRET that was renamed [[River]]"},
	}
)

// What only administrators read; the rest of what players do not is in both worlds.
var adminCards = [][3]string{
	{"Vault", "RichText", "SECRET gold below the [[Town]] {{River}}, says the ORACLE"},
	{"Vault+*self+*read", "List", "[[Administrator]]"},
	{"Vault+kid", "RichText", "SECRET kid of the vault [[Town+Player]]"},
	{"Vault+GM", "RichText", "SECRET of the masters of the vault"},
	{"Town+kid", "RichText", "SECRET kid of the town"},
	{"Town+kid+*self+*read", "List", "[[Administrator]]"},
	{"Vault+tags", "Pointer", "[[Place]]"},
	{"Ambush", "Plan", "SECRET ambush at the [[River]], says the ORACLE {{Town}}"},
	{"Ambush+kid", "RichText", "SECRET kid below a type"},
	{"River+lore", "RichText", "SECRET lore of the [[Town]]"},
	{"Raid", "Plan", "SECRET gold in the trash [[Town]]"},
	{"Siege", "Plan", "SECRET that was renamed [[River]]"},
}

// putAll writes cards as an administrator.
func (w *wiki) putAll(t *testing.T, cards [][3]string) {
	t.Helper()
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	for _, c := range cards {
		if _, err := w.store.Create(t.Context(), admin, cardstore.NewCard{Name: c[0], Type: c[1], Content: c[2]}); err != nil {
			t.Fatalf("create %s: %v", c[0], err)
		}
	}
}

// putHidden writes what one world has besides. One of the cards is deleted again, and one
// has another name.
func (w *wiki) putHidden(t *testing.T, hidden [][3]string) {
	t.Helper()
	w.putAll(t, hidden)
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	if _, err := w.store.Delete(t.Context(), admin, "Raid"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Rename(t.Context(), admin, "Siege", "Storming", true); err != nil {
		t.Fatal(err)
	}
}

// fillShown writes what is in both worlds: cards, and two in the trash.
func (w *wiki) fillShown(t *testing.T, shown [][3]string) {
	t.Helper()
	w.putAll(t, shown)
	for _, name := range []string{"Old vault", "Old town"} {
		w.putAll(t, [][3]string{{name, "RichText", "what was there before"}})
		if _, err := w.store.Delete(t.Context(), cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}, name); err != nil {
			t.Fatal(err)
		}
	}
}

func newWorld(role string, now time.Time) *world {
	return &world{role: role, now: now, seen: map[string]string{}, tags: map[string]string{}}
}

func (w *world) clock() time.Time { return w.now }

// copiedWorlds opens two copies of one SQLite file.
func copiedWorlds(t *testing.T, role string, shown [][3]string) (with, without *world) {
	t.Helper()
	began, dir := time.Now().Add(time.Minute), t.TempDir()
	first := newWiki(t, filepath.Join(dir, "without"))
	first.fillShown(t, shown)
	first.roleToken(t, "user") // makes the signing key
	if err := errors.Join(first.store.Close(), first.source.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(filepath.Join(dir, "with"), os.DirFS(filepath.Join(dir, "without"))); err != nil {
		t.Fatal(err)
	}
	open := func(name string) *world {
		w := newWorld(role, began)
		w.wiki = openWiki(t, filepath.Join(dir, name), w.clock)
		w.key = first.key
		return w
	}
	return open("with"), open("without")
}

// filledWorlds fills two PostgreSQL databases alike.
func filledWorlds(t *testing.T, role string, shown [][3]string) (with, without *world) {
	t.Helper()
	began := time.Now()
	open := func() *world {
		w := newWorld(role, began)
		w.wiki = openWiki(t, postgres.Database(t), w.clock)
		for _, fill := range []func(){func() { useWiki(t, w.wiki) }, func() { w.fillShown(t, shown) }} {
			w.now = w.now.Add(time.Second) // what comes later is listed later
			fill()
		}
		w.now = w.now.Add(time.Second)
		return w
	}
	return open(), open()
}

// A world is a wiki with a clock of its own and one caller. What both worlds draw, such
// as numbers of cards, is told by when the caller first saw it.
type world struct {
	*wiki
	role, token string
	now         time.Time
	asked       int
	seen        map[string]string
	tags        map[string]string // the last ETag by path
}

// drawn is what may differ between worlds: numbers, names of files, and ETags.
var drawn = regexp.MustCompile(`Etag: .*|"n":"[^"]*"|[0-9a-f]{9,}`)

func (w *world) answer(t *testing.T, q anyRequest) string {
	t.Helper()
	if w.asked%1000 == 0 { // a token is valid for an hour
		w.token = w.roleToken(t, w.role)
	}
	w.asked++
	w.now = w.now.Add(time.Second)
	r := httptest.NewRequestWithContext(t.Context(), q.method, q.path, strings.NewReader(q.body))
	r.Header.Set("Authorization", "Bearer "+w.token)
	if q.header != "" {
		value := q.value
		if value == "" {
			value = w.tags[q.path]
		}
		r.Header.Set(q.header, value)
	}
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	if tag := rec.Header().Get("Etag"); tag != "" {
		w.tags[q.path] = tag
	}
	return drawn.ReplaceAllStringFunc(answerText(rec), func(s string) string {
		if w.seen[s] == "" {
			w.seen[s] = fmt.Sprintf("#%d", len(w.seen))
		}
		return w.seen[s]
	})
}

// ask is the answer to a request: status, headers and body.
func (w *wiki) ask(t *testing.T, token, method, path, body string) string {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, r)
	rec.Header().Del("X-Token-Expires-In")
	return answerText(rec)
}

func answerText(rec *httptest.ResponseRecorder) string {
	var headers []string
	for name, values := range rec.Header() {
		headers = append(headers, name+": "+strings.Join(values, ", "))
	}
	slices.Sort(headers)
	return fmt.Sprintf("%d\n%s\n%s", rec.Code, strings.Join(headers, "\n"), rec.Body)
}

// TestTwoWorlds asks the same of a wiki with and of one without what the caller may
// not read, and writes to both: every answer is the same, to the byte. LEAK_REQUESTS
// is how many requests of each role, on both databases, in another sequence each time
// or that of LEAK_SEED.
func TestTwoWorlds(t *testing.T) {
	runtest.InOrder(t)
	requests, seed := runtest.Size(2000, 500, 150), uint64(1)
	long := os.Getenv("LEAK_REQUESTS")
	if long != "" {
		seed = rand.Uint64()
		readNumber(t, long, &requests)
	}
	if text := os.Getenv("LEAK_SEED"); text != "" {
		readNumber(t, text, &seed)
	}
	masters := append(slices.Clone(shownCards), [3]string{"Town+GM", "RichText", "of masters [[River]]"}, [3]string{"River+AI", "RichText", "of machines"})
	for role, cards := range map[string][2][][3]string{"user": {shownCards, hiddenCards}, "gm": {masters, adminCards}} {
		t.Run(role, func(t *testing.T) {
			with, without := copiedWorlds(t, role, cards[0])
			with.putHidden(t, cards[1])
			compareWorlds(t, with, without, seed, requests)
		})
		if long != "" {
			t.Run(role+" on postgres", func(t *testing.T) {
				with, without := filledWorlds(t, role, cards[0])
				with.putHidden(t, cards[1])
				compareWorlds(t, with, without, seed+1, requests)
			})
		}
	}
}

func readNumber(t *testing.T, text string, to any) {
	t.Helper()
	if _, err := fmt.Sscan(text, to); err != nil {
		t.Fatal(err)
	}
}

func compareWorlds(t *testing.T, with, without *world, seed uint64, requests int) {
	t.Helper()
	r, status := rand.New(rand.NewPCG(seed, 2)), map[string]int{}
	for i := range requests {
		q := newRequest(r, i)
		one, other := with.answer(t, q), without.answer(t, q)
		if one != other {
			t.Fatalf("seed %d, request %d: %+v\nwith what is hidden:\n%s\n\nwithout:\n%s", seed, i, q, one, other)
		}
		if strings.Contains(one, "SECRET") && !strings.Contains(q.body+q.path, "SECRET") {
			t.Fatalf("seed %d, request %d: %+v tells\n%s", seed, i, q, one)
		}
		status[q.method+" "+one[:3]]++
	}
	t.Logf("seed %d: %d requests, answered %v", seed, requests, status)
}
