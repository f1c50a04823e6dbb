package notestore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// benchNotes is how many notes the benchmarks work on: 100,000 in `make bench`.
func benchNotes(b *testing.B) int {
	b.Helper()
	if s := os.Getenv("NOTES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	return 100_000
}

// benchText is a meeting whose words are as frequent as those of a language.
func benchText(rnd *rand.Rand, i int) string {
	words := rand.NewZipf(rnd, 1.1, 4, 50_000)
	var b strings.Builder
	fmt.Fprintf(&b, "---\nclass: Meeting\ntags: [t%d]\n---\n# Meeting %d w%d\n\n## Date\n2025-11-%02d\n\n## Status\ns%d\n\n## Notes\n", i%50, i, words.Uint64(), i%28+1, i%100)
	for range 80 {
		fmt.Fprintf(&b, "w%d ", words.Uint64())
	}
	fmt.Fprintf(&b, "[[n%d]]\n", rnd.IntN(i+1))
	return b.String()
}

func BenchmarkStore(b *testing.B) {
	for name, database := range map[string]func() string{
		"sqlite":   func() string { return filepath.Join(b.TempDir(), "notes.db") },
		"postgres": func() string { return postgres.Database(b) },
	} {
		b.Run(name, func(b *testing.B) {
			s := open(b, database())
			rnd := rand.New(rand.NewPCG(1, 2))
			ctx := b.Context()
			n := benchNotes(b)
			d := s.Begin(View{})
			var queries []string // of two words that stand in one note
			for i := range n {
				text := benchText(rnd, i)
				if words := strings.Fields(text[strings.Index(text, "## Notes"):]); i%10 == 0 {
					queries = append(queries, words[2+rnd.IntN(40)]+" "+words[42+rnd.IntN(40)])
				}
				if _, err := d.Save(ctx, "ws", fmt.Sprintf("n%d", i), Content{Text: text}, ""); err != nil {
					b.Fatal(err)
				}
				if i%2000 == 1999 || i == n-1 {
					commit(b, d)
					d = s.Begin(View{})
				}
			}
			if err := s.MergeWords(ctx); err != nil { // as a hub does from time to time
				b.Fatal(err)
			}
			text := "" // of the next save, made before it is timed
			for _, c := range []struct {
				name string
				run  func() error
			}{
				{"save", func() error {
					d := s.Begin(View{})
					if _, err := d.Save(ctx, "ws", fmt.Sprintf("n%d", rnd.IntN(n)), Content{Text: text}, Any); err != nil {
						return err
					}
					return d.Commit(ctx)
				}},
				{"read", func() error {
					_, err := s.Begin(View{}).Note(ctx, "ws", fmt.Sprintf("n%d", rnd.IntN(n)))
					return err
				}},
				{"search", func() error {
					_, err := s.Begin(View{}).Search(ctx, "ws", queries[rnd.IntN(len(queries))], "", 20)
					return err
				}},
				{"links", func() error {
					_, err := s.Begin(View{}).Links(ctx, "ws", fmt.Sprintf("n%d", rnd.IntN(n)), "", 50)
					return err
				}},
				{"list", func() error {
					n := 0
					err := s.Begin(View{}).Notes(ctx, "ws", Selection{}, 50, func(Record) bool { n++; return n < 50 })
					return err
				}},
			} {
				b.Run(c.name, func(b *testing.B) {
					var took []time.Duration
					for b.Loop() {
						if c.name == "save" {
							text = benchText(rnd, rnd.IntN(n))
						}
						began := time.Now()
						if err := c.run(); err != nil {
							b.Fatal(err)
						}
						took = append(took, time.Since(began))
					}
					slices.Sort(took)
					b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
					b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				})
			}
		})
	}
}
