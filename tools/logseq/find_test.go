package logseq_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// namesOf are the pages and texts of blocks in an answer of find, in order.
func namesOf(m map[string]any) []string {
	var all []string
	for _, key := range []string{"pages", "blocks"} {
		list, _ := m[key].([]any)
		for _, one := range list {
			entry := one.(map[string]any)
			if key == "pages" {
				all = append(all, entry["page_name"].(string))
			} else {
				all = append(all, entry["content"].(string))
			}
		}
	}
	return all
}

func fixtureForFind(kind string) *fakePeer {
	f := fixtureGraph(kind)
	garden := f.pages[0]
	garden.Properties["owner"] = []any{"Ada", "Grace"}
	garden.blocks[0].Properties = map[string]any{"area": 4.0, "done": true, "planted": "Mar 3rd, 2026", "seen": 1767312000000.0, "sown": "2026-04-01"}
	garden.blocks[0].Tags = []string{"Home"}
	f.pages[1].Name = "Garden/Compost"
	return f
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		in   string
		want []string
	}{
		{`{"tag":"home"}`, []string{"Garden", "Beds"}},
		{`{"tag":"#Home","kind":"blocks"}`, []string{"Beds"}},
		{`{"tag":"Home","kind":"pages"}`, []string{"Garden"}},
		{`{"task":["todo"]}`, []string{"Buy string"}},
		{`{"task":[]}`, []string{"Buy string"}},
		{`{"task":["DONE"]}`, nil},
		{`{"text":"beside plant"}`, []string{"Plant tomatoes beside [[Kitchen]]"}},
		{`{"namespace":"garden","kind":"pages"}`, []string{"Garden", "Garden/Compost"}},
		{`{"namespace":"Garden/Compost"}`, []string{"Garden/Compost", "Turn it"}},
		{`{"from":"2026-03-01","to":"2026-03-02"}`, []string{"Mar 1st, 2026", "Snow"}},
		{`{"to":"2026-02-28"}`, nil},
		{`{"properties":{"area":4}}`, []string{"Beds"}},
		{`{"properties":{"area":">4"}}`, []string{"Garden"}},
		{`{"properties":{"area":"<=10"}}`, []string{"Garden", "Beds"}},
		{`{"properties":{"area":"!=4"}}`, []string{"Garden"}},
		{`{"properties":{"area":"*","done":true}}`, []string{"Beds"}},
		{`{"properties":{"owner":"ada"}}`, []string{"Garden"}},
		{`{"properties":{"owner":"!=Ada"}}`, nil},
		{`{"properties":{"owner":"~rac"}}`, []string{"Garden"}},
		{`{"properties":{"planted":">2026-03-02"}}`, []string{"Beds"}},
		{`{"properties":{"planted":"<2026-03-03"}}`, nil},
		{`{"properties":{"seen":"2026-01-02"}}`, []string{"Beds"}},
		{`{"properties":{"sown":">=2026-04-01"}}`, []string{"Beds"}},
		{`{"properties":{"owner":">5"}}`, nil},
	} {
		m := openTestSource(t, fixtureForFind("file")).must("find", c.in)
		if diff := cmp.Diff(c.want, namesOf(m)); diff != "" {
			t.Errorf("find %s: %s", c.in, diff)
		}
		if int(m["total"].(float64)) != len(c.want) || (len(c.want) == 0) != strings.Contains(fmt.Sprint(m["note"]), "Nothing") {
			t.Errorf("find %s: %v", c.in, m)
		}
	}
}

// A list is read in parts, whether the Peer or we choose what is in it.
func TestFindPages(t *testing.T) {
	for _, in := range []string{`"text":"row"`, `"properties":{"n":">=0"}`} {
		f := fixtureGraph("db")
		f.pages[0].blocks = nil
		for n := range 25 {
			f.pages[0].blocks = append(f.pages[0].blocks, &fakeBlock{UUID: id(500 + n), Content: fmt.Sprintf("row %d", n), Properties: map[string]any{"n": float64(n)}})
		}
		d := openTestSource(t, f)
		var all []string
		for offset := 0; offset < 25; offset += 10 {
			m := d.must("find", fmt.Sprintf(`{%s,"limit":10,"offset":%d}`, in, offset))
			all = append(all, namesOf(m)...)
			if more := offset < 20; m["total"] != 25.0 || more != strings.Contains(fmt.Sprint(m["note"]), fmt.Sprintf("offset %d.", offset+10)) {
				t.Errorf("{%s} from %d: total %v, note %v", in, offset, m["total"], m["note"])
			}
		}
		if slices.Sort(all); len(slices.Compact(all)) != 25 {
			t.Errorf("{%s}: %d of 25", in, len(all))
		}
	}
}

func TestFindRefuses(t *testing.T) {
	d := openTestSource(t, fixtureGraph("db"))
	for in, want := range map[string]string{
		`{}`:                             "at least one condition",
		`{"properties":{"area":">"}}`:    "no value after >",
		`{"properties":{"area":[1]}}`:    "must be text, a number or a boolean",
		`{"from":"yesterday"}`:           "must be a day",
		`{"tag":"Home","kind":"people"}`: "kind",
	} {
		if _, err := d.call("find", in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("find %s: %v, want %q", in, err, want)
		}
	}
}

// What is hidden is not compared: a value, a tag and a page that an agent does
// not see decide nothing.
func TestFindHidesWhatIsHidden(t *testing.T) {
	f := fixtureForFind("db")
	f.pages[0].Properties["boss"] = "[[" + id(102) + "]]"
	f.pages[1].Name = "Secret"
	f.pages[0].blocks[0].Tags = []string{"Secret"}
	d := openTestSource(t, f, func(e *tools.Env) { e.Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Secret"}}} })
	for _, in := range []string{
		`{"properties":{"boss":"*"}}`, `{"properties":{"boss":"Secret"}}`, `{"tag":"Secret"}`, `{"tag":"` + id(102) + `"}`, `{"namespace":"Secret"}`, `{"text":"turn it"}`,
	} {
		if m := d.must("find", in); len(namesOf(m)) > 0 || m["total"] != 0.0 {
			t.Errorf("find %s shows %v", in, m)
		}
	}
	if got := namesOf(d.must("find", `{"properties":{"owner":"Ada"}}`)); len(got) != 1 {
		t.Errorf("what is visible: %v", got)
	}
}
