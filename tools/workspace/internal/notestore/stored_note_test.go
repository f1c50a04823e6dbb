package notestore

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is stored of a note reads back as it was saved: by itself, with its links and in a list.
func FuzzStoredNote(f *testing.F) {
	f.Add("# A\n\n#tag [[b]] [[Bee]]\n\n## Due\n2026-11-28\n\n## Tasks\n- [ ] one\n- two\n", "Task", "a/b.md", `{"x":1e300,"y":[-0.5,null]}`)
	f.Add("---\nclass: Task\nn: 1.5\nyes: true\nlist: [a, b]\nnone:\n---\n# \"<ü>\"\n\\ \u2028 \x01 \t", "", "", "")
	f.Add("", "\u00e9 </script>", "x\\y.md", "7")
	s := open(f, filepath.Join(f.TempDir(), "notes.db"))
	count := 0
	f.Fuzz(func(t *testing.T, text, class, path, canvas string) {
		c := Content{Text: text, Attributes: Attributes{Class: class, Path: path}}
		if canvas != "" {
			if !json.Valid([]byte(canvas)) {
				t.Skip("the API takes JSON only")
			}
			c.Canvas = json.RawMessage(canvas)
		}
		for _, part := range []string{text, class, path, canvas} {
			if !isStorable(part) {
				t.Skip("the API refuses it")
			}
		}
		count++
		workspace := fmt.Sprintf("ws-%d", count)
		d := s.Begin(View{})
		saved, err := d.Save(t.Context(), workspace, "n", c, "")
		if err != nil {
			t.Fatal(err)
		}
		want := saved.meaning(t)
		commit(t, d)
		n, err := s.Begin(View{}).Note(t.Context(), workspace, "n")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, n.meaning(t)); diff != "" {
			t.Error("the note:", diff)
		}
		if n, _, err = s.Begin(View{}).NoteAndLinks(t.Context(), workspace, "n", 50); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, n.meaning(t)); diff != "" {
			t.Error("with its links:", diff)
		}
		var listed []Record
		if err := s.Begin(View{}).Notes(t.Context(), workspace, Selection{}, 50, func(r Record) bool {
			listed = append(listed, r)
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want["record"], (&Note{Record: listed[0]}).meaning(t)["record"]); diff != "" || len(listed) != 1 {
			t.Errorf("one of %d in a list: %s", len(listed), diff)
		}
	})
}

// meaning is what an answer tells of a note: spaces and escapes in the JSON of a canvas say nothing.
func (n *Note) meaning(t *testing.T) map[string]any {
	t.Helper()
	told, err := json.Marshal(map[string]any{"record": n.Record, "content": n.Content, "checksum": n.Checksum, "signature": n.Signature})
	if err != nil {
		t.Fatal(err)
	}
	var meaning map[string]any
	if err := json.Unmarshal(told, &meaning); err != nil {
		t.Fatal(err)
	}
	return meaning
}
