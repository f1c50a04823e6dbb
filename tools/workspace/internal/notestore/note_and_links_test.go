package notestore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A note that is read with its links has those that are listed of it, however they came about.
func TestNoteAndLinks(t *testing.T) {
	runtest.InOrder(t)
	eachDatabase(t, func(t *testing.T, s *Store) {
		ctx, rnd := t.Context(), rand.New(rand.NewPCG(3, 4))
		pick := func(names ...string) string { return names[rnd.IntN(len(names))] }
		noteIDs := []string{"a", "b", "C", "bee", "tea", "many", "gone"}
		anyName := func() string {
			return pick(append(noteIDs, "A", "c", "Bee", "x/Bee", "Tea.md", "Green Tea", "pot/Tea", "no such note", "workspace://ws/notes/a")...)
		}
		for range 40 {
			d := s.Begin(View{})
			for range 1 + rnd.IntN(3) {
				var text strings.Builder
				fmt.Fprintf(&text, "# %s\n%s\n", anyName(), pick("", "", "#secret"))
				for range rnd.IntN(4) {
					fmt.Fprintf(&text, "[[%s]] [x](%s.md)\n", anyName(), pick("bee", "pot/Tea", "x%20y"))
				}
				id := pick(noteIDs...)
				if id == "many" {
					for i := range fewLinks {
						fmt.Fprintf(&text, "[[n%d]]", i)
					}
				}
				content := Content{Text: text.String(), Attributes: Attributes{Path: pick("", "", "Bee.md", "pot/Tea.md", "a.md")}}
				parent := Any
				if h, err := d.head(ctx, noteKey{"ws", id}); err != nil {
					t.Fatal(err)
				} else if h == nil || h.revision.Deleted {
					parent = ""
				}
				if _, err := d.Save(ctx, "ws", id, content, parent); err != nil {
					t.Fatal(err)
				}
			}
			if n, err := d.Note(ctx, "ws", "gone"); err != nil {
				t.Fatal(err)
			} else if n != nil && rnd.IntN(2) == 0 {
				if err := d.Delete(ctx, "ws", "gone", Any); err != nil {
					t.Fatal(err)
				}
			}
			_, _ = d.Connect(ctx, "ws", pick(noteIDs...), pick(noteIDs...), "about") // unless one is missing
			compareNoteAndLinks(t, d, append(noteIDs, "missing", "no id"))
			commit(t, d)
			for _, hides := range []func(string, Record) bool{nil, func(_ string, r Record) bool { return slices.Contains(r.Tags, "secret") }} {
				compareNoteAndLinks(t, s.Begin(View{Hides: hides}), append(noteIDs, "missing", "no id"))
			}
		}
	})
}

func compareNoteAndLinks(t *testing.T, d *Draft, ids []string) {
	t.Helper()
	for _, id := range ids {
		for _, limit := range []int{1, 5, 1000} {
			n, links, err := d.NoteAndLinks(t.Context(), "ws", id, limit)
			wantNote, wantLinks, wantErr := readSeparately(t.Context(), d, "ws", id, limit)
			if err != nil || wantErr != nil {
				t.Fatal(err, wantErr)
			}
			want(t, "the note "+id, fmt.Sprintf("%+v", n), fmt.Sprintf("%+v", wantNote))
			want(t, "the links of "+id, links, wantLinks)
			if t.Failed() {
				t.FailNow()
			}
		}
	}
}
