package cards_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/sqlstore"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardname"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// Requests to a wiki of 100,000 cards, through the handler and with a token, on both
// databases. CARDS_BENCH is another number of cards, or several to see what grows with
// the wiki: 10000,100000,1000000.
func BenchmarkWiki(b *testing.B) {
	sizes := os.Getenv("CARDS_BENCH")
	if sizes == "" {
		sizes = "100000"
	}
	for text := range strings.SplitSeq(sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("sqlite/"+text, func(b *testing.B) { benchWiki(b, b.TempDir(), size) })
		b.Run("postgres/"+text, func(b *testing.B) { benchWiki(b, postgres.Database(b), size) })
	}
}

func benchWiki(b *testing.B, database string, size int) {
	w := newWiki(b, database)
	fillWiki(b, w.store, size)
	user, admin := w.roleToken(b, "user"), w.roleToken(b, "admin")
	made := 0
	for _, bench := range []struct {
		name, token, method string
		request             func(i int) (path, body string)
		status              int
	}{
		{"get", user, "GET", func(i int) (string, string) { return fmt.Sprintf("/cards/Topic+%d", i*7919%(size/5)), "" }, 200},
		// Every search finds ten cards, of which players read eight, whatever the size.
		{"search words", user, "GET", func(i int) (string, string) { return "/cards?search_in=content&q=" + rareWord(i%9), "" }, 200},
		{"search substring", user, "GET", func(i int) (string, string) { return "/cards?search_in=content&q=" + rareWord(i % 9)[2:7], "" }, 200},
		{"search both", user, "GET", func(i int) (string, string) { return "/cards?search_in=both&q=" + rareWord(i%9), "" }, 200},
		{"search name", user, "GET", func(i int) (string, string) { return "/cards?q=" + rareWord(i%9), "" }, 200},
		{"search whole word", user, "GET", func(i int) (string, string) {
			return "/cards?search_in=content&match_mode=whole_word&q=" + rareWord(i%9), ""
		}, 200},
		{"search prefix", user, "GET", func(i int) (string, string) { return fmt.Sprintf("/cards?prefix=Topic+%d%%2B", i*7919%(size/5)), "" }, 200},
		{"children", user, "GET", func(i int) (string, string) {
			return fmt.Sprintf("/cards/Topic+%d/children?depth=3", i*7919%(size/5)), ""
		}, 200},
		{"create", admin, "POST", func(int) (string, string) { made++; return "/cards", newCardBody(made) }, 201},
		{"batch of 20", admin, "POST", func(int) (string, string) {
			var ops []string
			for range 20 {
				made++
				ops = append(ops, `{"action":"create",`+newCardBody(made)[1:])
			}
			return "/cards/batch", `{"ops":[` + strings.Join(ops, ",") + `]}`
		}, 200},
	} {
		b.Run(strings.ReplaceAll(bench.name, " ", "_"), func(b *testing.B) {
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				path, body := bench.request(i)
				path = strings.Replace(path, "/cards/Topic+", "/cards/Topic%20", 1)
				r := httptest.NewRequestWithContext(b.Context(), bench.method, path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+bench.token)
				r.Header.Set("Content-Type", "application/json")
				rec, began := httptest.NewRecorder(), time.Now()
				w.ServeHTTP(rec, r)
				took = append(took, time.Since(began))
				if rec.Code != bench.status || strings.Contains(bench.name, "search ") && !strings.Contains(bench.name, "prefix") && !strings.Contains(rec.Body.String(), `"total":8`) {
					b.Fatalf("%s %s: %d %.300s", bench.method, path, rec.Code, rec.Body)
				}
			}
			var all time.Duration
			for _, one := range took {
				all += one
			}
			b.ReportMetric(float64(len(took))/all.Seconds(), "requests/s")
			slices.Sort(took)
			for _, percent := range []int{50, 99} {
				b.ReportMetric(float64(took[len(took)*percent/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", percent))
			}
		})
	}
}

func newCardBody(n int) string {
	return fmt.Sprintf(`{"name":"Made %d","type":"RichText","content":"<p>Made for the %d. time, see [[Topic 1]].</p>"}`, n, n)
}

// rareWord is in ten cards of a filled wiki, and in no other.
func rareWord(i int) string { return "quixot" + strings.Repeat(string(rune('k'+i)), 6) }

// fillWiki writes cards as rows: four of five are read by players. Names are Topic N, and
// every fifth card is Topic N+GM.
func fillWiki(b testing.TB, store *cardstore.Store, size int) {
	b.Helper()
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	for _, c := range []string{"Sample+note", "Sample+GM"} {
		if _, err := store.Create(b.Context(), admin, cardstore.NewCard{Name: c, Type: "RichText", Content: "A sample of a class."}); err != nil {
			b.Fatal(err)
		}
	}
	const rows = 500
	for from := 0; from < size; from += rows {
		err := store.DB().Write(b.Context(), func(q *sqlstore.Conn) error { return fillRows(b.Context(), q, from, min(from+rows, size)) })
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := cardstore.MergeIndex(b.Context(), store); err != nil { // as the background work does every ten minutes
		b.Fatal(err)
	}
	if store.DB().Dialect() == sqlstore.Postgres {
		if _, err := store.DB().Reader().Exec(b.Context(), "ANALYZE"); err != nil {
			b.Fatal(err)
		}
	}
}

func fillRows(ctx context.Context, q *sqlstore.Conn, from, to int) error {
	const firstID = int64(1) << 40
	class, part := map[string]int64{}, map[string]int64{}
	for _, name := range []string{"note", "gm"} {
		var c, id int64
		if err := q.QueryRow(ctx, "SELECT k.class_id, p.id FROM card k JOIN card p ON p.id = k.right_id WHERE k.key = ?", "sample+"+name).Scan(&c, &id); err != nil {
			return err
		}
		class[name], part[name] = c, id
	}
	var values []string
	var args []any
	for i := from; i < to; i++ {
		topic, kind := i/5, []string{"", "note", "links", "log", "gm"}[i%5]
		id, text := firstID+int64(i), fmt.Sprintf("<p>Topic %d of a wiki, with the words that such texts have: harbour, lantern, river %d and [[Topic %d]].</p>", topic, i*31%997, topic+1)
		name, left, right := cardname.Name(fmt.Sprintf("Topic %d", topic)), any(nil), any(nil)
		words, readers := string(name), class["note"]
		switch kind {
		case "":
		case "gm":
			name, left, right, readers = name+"+GM", id-4, part["gm"], class["gm"]
		default: // several parts of one kind suffice
			name, left, right = cardname.Join(name, cardname.Name(kind)), id-int64(i%5), part["note"]
		}
		if spot := i % 1000; i < 10_000 && spot >= 5*7 && spot < 5*7+45 { // ten in the first 10,000 cards
			word := rareWord((spot - 35) / 5)
			if kind == "gm" && i/1000 < 2 || kind == "note" && i/1000 >= 2 {
				text, words = text+" "+word, words+" "+word
			}
		}
		values = append(values, "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, 'mcp-admin', ?)")
		args = append(args, id, id, name.Key(), string(name), strings.ToLower(words), left, right, 2, text, readers, id, id, id)
	}
	_, err := q.Exec(ctx, "INSERT INTO card (id, position, key, name, words, left_id, right_id, type_id, content, class_id, trash, created_at, updated_at, updater, act_id) VALUES "+strings.Join(values, ", "), args...)
	return err
}
