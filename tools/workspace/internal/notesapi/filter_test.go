package notesapi

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

func TestFilters(t *testing.T) {
	note := notestore.Record{
		ID: "n1", Title: "Weekly Sync", Class: "Meeting", Tags: []string{"work", "sync"}, Links: []string{"n2"},
		Properties: map[string]any{"Date": "2025-11-29", "Points": 5.0, "Attendees": []any{"Alice", "Bob"}, "Whole": int64(3), "Text": "b"},
	}
	for _, c := range []struct {
		filter string
		want   bool
	}{
		{`{}`, true},
		{`{"class":"Meeting","tag":"work"}`, true},
		{`{"class":"meeting"}`, false},
		{`{"tags":["work","sync"]}`, true},
		{`{"tags":["sync","work"]}`, false},
		{`{"properties.Attendees":"Bob"}`, true},
		{`{"properties.Attendees":"Bo"}`, false},
		{`{"properties.Points":5}`, true},
		{`{"properties.Points":"5"}`, false},
		{`{"properties.Whole":3}`, true},
		{`{"properties.Points":{"$gt":4,"$lt":6}}`, true},
		{`{"properties.Points":{"$gte":5.5}}`, false},
		{`{"properties.Points":{"$gt":"4"}}`, false},
		{`{"properties.Whole":{"$lte":3}}`, true},
		{`{"properties.Date":{"$gte":"2025-11-29"}}`, true},
		{`{"properties.Date":{"$gt":"2025-11-29T00:00:00Z"}}`, false},
		{`{"properties.Date":{"$lt":"2025-11-29T00:00:01Z"}}`, true},
		{`{"properties.Text":{"$gt":"a"}}`, true},
		{`{"properties.Attendees":{"$gt":"Alicia"}}`, true},
		{`{"properties.None":{"$gt":0}}`, false},
		{`{"properties.None":null}`, true},
		{`{"properties.None":{"$ne":1}}`, true},
		{`{"properties.Points":{"$ne":5}}`, false},
		{`{"properties.Text":{"$in":["a","b"]}}`, true},
		{`{"properties.Attendees":{"$in":["X","Alice"]}}`, true},
		{`{"properties.Text":{"$in":[]}}`, false},
		{`{"properties.Points":{"$not":{"$gt":4}}}`, false},
		{`{"$not":{"class":"Task"}}`, true},
		{`{"$or":[{"class":"Task"},{"title":"Weekly Sync"}]}`, true},
		{`{"$and":[{"class":"Meeting"},{"title":"Other"}]}`, false},
		{`{"$or":[{"class":"Task"},{"$and":[{"id":"n1"},{"$not":{"links":"n3"}}]}]}`, true},
	} {
		f, err := parseFilter(json.RawMessage(c.filter))
		if err != nil {
			t.Errorf("%s: %v", c.filter, err)
		} else if got := f.fits(newFields(note)); got != c.want {
			t.Errorf("%s: %v", c.filter, got)
		}
	}
	for filter, problem := range map[string]string{
		`[]`: "must be an object", `{"a":1}`: "there is no field", `{"properties.":1}`: "there is no field", `{"$or":[]}`: "list of filters",
		`{"$nor":[{}]}`: "there is no field", `{"id":{"$in":1}}`: "must be a list", `{"id":{"$gt":[]}}`: "number or text", `{"id":{"$x":1}}`: "no operator",
		strings.Repeat(`{"$not":`, 30) + "{}" + strings.Repeat("}", 30): "at most 20 deep",
	} {
		if _, err := parseFilter(json.RawMessage(filter)); err == nil || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", filter, err)
		}
	}
}

// What the database is asked for holds everything that a filter selects.
func TestFiltersAreNotNarrowedTooFar(t *testing.T) {
	values := []string{`a`, `b"c`, `<d&e>`, "ä\u2028", `\`, ``, `7`, "line\nline"}
	eachDatabase(t, func(t *testing.T, a *API) {
		rnd := rand.New(rand.NewPCG(1, 2))
		pick := func() string { return values[rnd.IntN(len(values))] }
		o := a.Begin(Caller{})
		all := map[string]notestore.Record{}
		for i := range 60 {
			text := fmt.Sprintf("---\nclass: %q\nFront: %q\ntags: [%q]\n---\n# %s\n\n## Status\n%s\n\n## B \"q\"\n- %s\n", pick(), pick(), pick(), pick(), pick(), pick())
			n, err := o.Draft().Save(t.Context(), "ws", fmt.Sprintf("n%d", i), notestore.Content{Text: text}, "")
			if err != nil {
				t.Fatal(err)
			}
			all[n.ID] = n.Record
		}
		if err := o.Commit(t.Context()); err != nil {
			t.Fatal(err)
		}
		fields := []string{"class", "tag", "title", "id", "properties.Status", "properties.Front", `properties.B "q"`, "links"}
		atom := func() any {
			value := map[string]any{fields[rnd.IntN(len(fields))]: pick()}
			switch rnd.IntN(4) {
			case 0:
				return map[string]any{"$not": value}
			case 1:
				return map[string]any{"$or": []any{value, map[string]any{fields[rnd.IntN(len(fields))]: map[string]any{"$eq": pick()}}}}
			}
			return value
		}
		found := 0
		for range 300 {
			filter, err := json.Marshal(map[string]any{"$and": []any{atom(), atom()}})
			if err != nil {
				t.Fatal(err)
			}
			f, err := parseFilter(filter)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for id, r := range all {
				if f.fits(newFields(r)) {
					want = append(want, id)
				}
			}
			r := request(t, a, "POST", "/workspaces/ws/query", fmt.Sprintf(`{"filter":%s}`, filter))
			var list []struct{ ID string }
			if err := json.Unmarshal(r.Body, &list); err != nil {
				t.Fatal(err, string(r.Body))
			}
			var got []string
			for _, n := range list {
				got = append(got, n.ID)
			}
			slices.Sort(got)
			slices.Sort(want)
			if found += len(got); !slices.Equal(got, want) {
				t.Errorf("%s: got %v, want %v", filter, got, want)
			}
		}
		if found == 0 {
			t.Error("no filter found anything")
		}
	})
}

func TestSorting(t *testing.T) {
	eachDatabase(t, func(t *testing.T, a *API) {
		for id, text := range map[string]string{"a": "## P\n3", "b": "## P\n1", "c": "## P\n3", "d": "", "e": "## P\nx"} {
			if r := request(t, a, "POST", "/workspaces/ws/classes", `{"name":"C","fields":{"P":{"type":"number"}}}`); r.Status >= 500 {
				t.Fatal(string(r.Body))
			}
			class := `,"class":"C"`
			if id == "e" {
				class = ""
			}
			if r := request(t, a, "POST", "/workspaces/ws/notes", fmt.Sprintf(`{"id":%q,"markdown":%q%s}`, id, text, class)); r.Status != 201 {
				t.Fatal(string(r.Body))
			}
		}
		for order, want := range map[string]string{`"properties.P"`: "b a c e d", `"-properties.P"`: "a c b e d", `["properties.P","-id"]`: "b c a e d", `"-id"`: "e d c b a"} {
			var got []string
			for cursor := ""; ; {
				r := request(t, a, "POST", "/workspaces/ws/query", fmt.Sprintf(`{"filter":{},"sort":%s,"limit":2,"cursor":%q}`, order, cursor))
				var list []struct {
					ID       string
					Revision string `json:"revision_id"`
				}
				if err := json.Unmarshal(r.Body, &list); err != nil {
					t.Fatal(err, string(r.Body))
				}
				for _, n := range list {
					got, cursor = append(got, n.ID), n.Revision
				}
				if len(list) < 2 {
					break
				}
			}
			if strings.Join(got, " ") != want {
				t.Errorf("by %s: %v, want %s", order, got, want)
			}
		}
	})
}

func FuzzFilter(f *testing.F) {
	for _, s := range []string{`{}`, `{"class":"A"}`, `{"$or":[{"properties.A":{"$gt":1}}]}`, `{"id":{"$not":{"$in":["a"]}}}`} {
		f.Add(s)
	}
	n := newFields(notestore.Record{ID: "a", Properties: map[string]any{"A": []any{1.0, "x", map[string]any{"y": 1.0}}, "B": map[string]any{}}})
	f.Fuzz(func(_ *testing.T, filter string) {
		if parsed, err := parseFilter(json.RawMessage(filter)); err == nil {
			parsed.fits(n)
		}
	})
}
