package logseq_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Both forms of a page, as a person and a program read them.
func TestPageForms(t *testing.T) {
	d := openTestSource(t, fixtureGraph("file"))
	text := d.must("get_page_content", `{"page_name":"garden"}`)["text"]
	want := "# Garden\narea:: 10\n\n- Beds\n  - Plant tomatoes beside [[Kitchen]]\n  - Weed\n- TODO Buy string\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	plain := d.must("get_page_content", `{"page_name":"Garden","include_properties":false,"include_blocks":false}`)["text"]
	if plain != "# Garden\n\n" {
		t.Errorf("without blocks and properties: %q", plain)
	}
	m := d.must("get_page_content", `{"page_name":"Garden","format":"json","block_depth":1}`)
	first := m["blocks"].([]any)[0].(map[string]any)
	if first["uuid"] != id(2) || first["page_name"] != "Garden" || first["has_children"] != true || first["children"] != nil || m["text"] != nil {
		t.Errorf("one level as JSON: %v", m)
	}
}

// A page that is too long is cut, says so, and can be read on.
func TestLongPage(t *testing.T) {
	f := fixtureGraph("db")
	p := f.pages[0]
	p.blocks = nil
	for n := range 300 {
		b := &fakeBlock{UUID: id(1000 + n), Content: strings.Repeat("x", 1000), Children: []*fakeBlock{{UUID: id(5000 + n), Content: "below"}}}
		p.blocks = append(p.blocks, b)
	}
	p.blocks = append(p.blocks, &fakeBlock{UUID: id(9999), Content: strings.Repeat("é", 200_000)})
	d := openTestSource(t, f)
	seen, offset := 0, "0"
	for seen < 301 {
		m := d.must("get_page_content", `{"page_name":"Garden","format":"json","offset":`+offset+`}`)
		if size := len(encode(m)); size > 200_000 {
			t.Fatalf("an answer of %d bytes", size)
		}
		blocks := m["blocks"].([]any)
		if len(blocks) == 0 {
			t.Fatal("no progress")
		}
		seen += len(blocks)
		note, _ := m["note"].(string)
		if _, after, ok := strings.Cut(note, "offset "); ok {
			offset, _, _ = strings.Cut(after, ".")
		} else if seen < 301 {
			t.Fatalf("cut after %d blocks without saying how to go on: %q", seen, note)
		}
	}
}

func TestCreatePage(t *testing.T) {
	f := fixtureGraph("file")
	d := openTestSource(t, f)
	m := d.must("create_page", `{"title":"Shed","content":"# Tools\n- Spade\n  kind:: iron\n  second line\n\t- Handle\n- Rake\n\nA paragraph\n~~~\n- code\n~~~","properties":{"key":"k"}}`)
	if m["verified"] != true || m["success"] != true || len(m["blocks"].([]any)) != 1 {
		t.Errorf("create_page answers %v", m)
	}
	text := d.must("get_page_content", `{"page_name":"Shed"}`)["text"]
	want := "# Shed\nkey:: k\n\n- # Tools\n  - Spade\n    second line\n    kind:: iron\n    - Handle\n  - Rake\n  - A paragraph\n    ~~~\n    - code\n    ~~~\n"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Error(diff)
	}
	if _, err := d.call("create_page", `{"title":"SHED"}`); err == nil || errorCode(err) != "CONFLICT" || !strings.Contains(string(encode(err.Data)), "uuid") {
		t.Errorf("creating it again: %v", err)
	}
	f.lacks["blocks.insert"] = true
	m = d.must("create_page", `{"title":"Flat","content":"- a\n  - b"}`)
	if m["warnings"] == nil {
		t.Errorf("without blocks.insert: %v", m)
	}
}

func TestDeletePage(t *testing.T) {
	for kind, recycled := range map[string]any{"db": true, "file": nil} {
		d := openTestSource(t, fixtureGraph(kind))
		if _, err := d.call("delete_page", `{"page_name":"Kitchen"}`); err == nil || errorCode(err) != "CONFLICT" || !strings.Contains(err.Hint, "force") {
			t.Errorf("deleting a page with links: %v", err)
		}
		m := d.must("delete_page", `{"page_name":"Kitchen","force":true}`)
		if m["verified"] != true || m["recycled"] != recycled || m["backlinks"] != 1.0 {
			t.Errorf("on a %s graph: %v", kind, m)
		}
		if _, err := d.call("delete_page", `{"page_name":"Kitchen","force":true}`); err == nil || kind == "file" && errorCode(err) != "NOT_FOUND" || kind == "db" && errorCode(err) != "CONFLICT" {
			t.Errorf("deleting it again on a %s graph: %v", kind, err)
		}
	}
}

func TestDeleteBlockAsksForRecursive(t *testing.T) {
	d := openTestSource(t, fixtureGraph("db"))
	if _, err := d.call("delete_block", `{"block_uuid":"`+id(2)+`"}`); err == nil || errorCode(err) != "INVALID_INPUT" || !strings.Contains(err.Hint, "recursive") {
		t.Errorf("without recursive: %v", err)
	}
	if m := d.must("delete_block", `{"block_uuid":"`+id(2)+`","recursive":true}`); m["deleted"] != 3.0 || m["verified"] != true {
		t.Errorf("with recursive: %v", m)
	}
}

// Every place, and the read-back of it.
func TestPlaces(t *testing.T) {
	for args, want := range map[string]string{
		`"page_name":"Garden","position":"first"`:                   "NEW,Beds(Plant tomatoes beside [[Kitchen]],Weed),Buy string",
		`"page_name":"Garden"`:                                      "Beds(Plant tomatoes beside [[Kitchen]],Weed),Buy string,NEW",
		`"parent_block_uuid":"` + id(2) + `","position":"first"`:    "Beds(NEW,Plant tomatoes beside [[Kitchen]],Weed),Buy string",
		`"parent_block_uuid":"` + id(2) + `","position":"last"`:     "Beds(Plant tomatoes beside [[Kitchen]],Weed,NEW),Buy string",
		`"sibling_block_uuid":"` + id(4) + `","position":"before"`:  "Beds(Plant tomatoes beside [[Kitchen]],NEW,Weed),Buy string",
		`"sibling_block_uuid":"` + id(2) + `","page_name":"Garden"`: "Beds(Plant tomatoes beside [[Kitchen]],Weed),NEW,Buy string",
		`"sibling_block_uuid":"` + id(4) + `","position":"after"`:   "Beds(Plant tomatoes beside [[Kitchen]],Weed,NEW),Buy string",
	} {
		f := fixtureGraph("db")
		d := openTestSource(t, f)
		if m := d.must("create_block", `{"content":"NEW",`+args+`}`); m["verified"] != true || m["page_name"] != "Garden" {
			t.Errorf("create_block %s: %v", args, m)
		}
		if got := clauseChecker(f.pages[0].blocks); got != want {
			t.Errorf("create_block %s makes %s, want %s", args, got, want)
		}
		// The same by moving a block of another page.
		f = fixtureGraph("db")
		d = openTestSource(t, f)
		f.pages[1].blocks[0].Content = "NEW"
		args = strings.NewReplacer("page_name", "target_page_name", "parent_block_uuid", "target_parent_uuid").Replace(args)
		if m := d.must("move_block", `{"block_uuid":"`+id(5)+`",`+args+`}`); m["verified"] != true || m["page_name"] != "Garden" {
			t.Errorf("move_block %s: %v", args, m)
		}
		if got := clauseChecker(f.pages[0].blocks); got != want {
			t.Errorf("move_block %s makes %s, want %s", args, got, want)
		}
	}
}

func clauseChecker(blocks []*fakeBlock) string {
	var all []string
	for _, b := range blocks {
		s := b.Content
		if len(b.Children) > 0 {
			s += "(" + clauseChecker(b.Children) + ")"
		}
		all = append(all, s)
	}
	return strings.Join(all, ",")
}

func TestPlacesThatMakeNoSense(t *testing.T) {
	d := openTestSource(t, fixtureGraph("db"))
	for args, want := range map[string]string{
		``: "give parent_block_uuid",
		`,"page_name":"Garden","parent_block_uuid":"` + id(2) + `"`:                 "not both",
		`,"page_name":"Garden","position":"before"`:                                 "needs sibling_block_uuid",
		`,"sibling_block_uuid":"` + id(2) + `","position":"first"`:                  "cannot be used with",
		`,"sibling_block_uuid":"` + id(2) + `","page_name":"Compost"`:               "its page differs",
		`,"sibling_block_uuid":"` + id(2) + `","parent_block_uuid":"` + id(4) + `"`: "its parent differs",
		`,"parent_block_uuid":"6540a1b2-0000-4000-8000-00000000000x"`:               "must be a uuid",
		`,"parent_block_uuid":"` + id(77) + `"`:                                     "no block",
		`,"page_name":"Nowhere"`:                                                    "no page",
		`,"page_name":"a\nb"`:                                                       "page_name",
		`,"page_name":"Garden","properties":{"x":{"y":1}}`:                          "properties",
	} {
		if _, err := d.call("create_block", `{"content":"x"`+args+`}`); err == nil || !strings.Contains(err.Message, want) {
			t.Errorf("create_block %s: want %q, got %v", args, want, err)
		}
	}
	if _, err := d.call("move_block", `{"block_uuid":"`+id(2)+`","target_parent_uuid":"`+id(4)+`"}`); err == nil || !strings.Contains(err.Message, "itself") {
		t.Errorf("moving a block below itself: %v", err)
	}
}

func TestUpdateBlock(t *testing.T) {
	f := fixtureGraph("file")
	d := openTestSource(t, f)
	m := d.must("update_block", `{"block_uuid":"`+id(1)+`","content":"more","replace_content":false,"properties":{"Bed_No":2}}`)
	b := f.pages[0].blocks[0].Children[0]
	if m["verified"] != true || b.Content != "Plant tomatoes beside [[Kitchen]]\nmore" || b.Properties["Bed_No"] != 2.0 {
		t.Errorf("answers %v, block %+v", m, b)
	}
	if m := d.must("update_block", `{"block_uuid":"`+id(1)+`","properties":{"Bed_No":null}}`); m["verified"] != true || len(b.Properties) != 0 {
		t.Errorf("taking a property off answers %v, leaves %v", m, b.Properties)
	}
}

func TestInsertTree(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	m := d.must("insert_blocks", `{"parent_block_uuid":"`+id(5)+`","blocks":[{"content":"a","children":[{"content":"b","properties":{"n":1}}]},{"content":"c"}]}`)
	if m["inserted"] != 3.0 || m["verified"] != true || len(m["blocks"].([]any)) != 2 || clauseChecker(f.pages[1].blocks) != "Turn it(a(b),c)" {
		t.Errorf("answers %v, makes %s", m, clauseChecker(f.pages[1].blocks))
	}
	for args, want := range map[string]string{
		`{"page_name":"Garden"}`: "blocks or markdown",
		`{"page_name":"Garden","blocks":[{"content":"a","children":[{"contnet":"b"}]}]}`: "contnet",
		`{"page_name":"Garden","markdown":"` + strings.Repeat(`- x\n`, 1001) + `"}`:      "at most 1000",
		`{"page_name":"Garden","markdown":" \n"}`:                                        "no block",
	} {
		if _, err := d.call("insert_blocks", args); err == nil || errorCode(err) != "INVALID_INPUT" || !strings.Contains(err.Message, want) {
			t.Errorf("insert_blocks %.90s: want %q, got %v", args, want, err)
		}
	}
}

// A journal that is not there yet is made, once.
func TestAppendToJournal(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	for range 2 {
		if m := d.must("append_to_journal", `{"date":"2026-03-02","content":"Thaw"}`); m["page_name"] != "a new day" || m["verified"] != true {
			t.Errorf("answers %v", m)
		}
	}
	if len(f.pages) != 5 || clauseChecker(f.pages[4].blocks) != "Thaw,Thaw" {
		t.Errorf("%d pages, the last with %s", len(f.pages), clauseChecker(f.pages[len(f.pages)-1].blocks))
	}
	if text := d.must("get_journal", `{}`)["text"]; text != "# Mar 1st, 2026\n\n- Snow\n" {
		t.Errorf("today's journal is %q", text)
	}
	if _, err := d.call("get_journal", `{"date":"1st of May"}`); err == nil || errorCode(err) != "INVALID_INPUT" {
		t.Errorf("a date that is none: %v", err)
	}
}

func TestSetTask(t *testing.T) {
	d := openTestSource(t, fixtureGraph("db"))
	m := d.must("set_task", `{"block_uuid":"`+id(3)+`","status":"Done","deadline":"2026-04-01"}`)
	if m["verified"] != true || m["block"].(map[string]any)["marker"] != "Done" {
		t.Errorf("answers %v", m)
	}
	if m := d.must("set_task", `{"block_uuid":"`+id(3)+`","deadline":"none"}`); m["verified"] != true || m["block"].(map[string]any)["deadline"] != nil {
		t.Errorf("taking the day off answers %v", m)
	}
}

// Lists say what they left out and how to get it.
func TestLists(t *testing.T) {
	d := openTestSource(t, fixtureGraph("db"))
	m := d.must("list_pages", `{"limit":2}`)
	if m["total"] != 3.0 || len(m["pages"].([]any)) != 2 || m["note"] != "1 more: call again with offset 2." {
		t.Errorf("list_pages answers %v", m)
	}
	if m := d.must("list_pages", `{"include_journals":true,"offset":3}`); m["pages"].([]any)[0].(map[string]any)["journal_day"] != "2026-03-01" || m["note"] != nil {
		t.Errorf("list_pages with journals answers %v", m)
	}
	m = d.must("search", `{"query":"TOMATOES","include_files":true}`)
	if b := m["blocks"].([]any)[0].(map[string]any); b["uuid"] != id(1) || b["page_name"] != "Garden" || m["files"] == nil {
		t.Errorf("search answers %v", m)
	}
	m = d.must("get_backlinks", `{"page_name":"Kitchen"}`)
	if m["total"] != 1.0 {
		t.Errorf("get_backlinks answers %v", m)
	}
	m = d.must("datascript_query", `{"query":"[:find ?n :where [?p :block/name ?n]]","limit":1}`)
	if m["total"] != 2.0 || !strings.HasPrefix(m["note"].(string), "1 more rows") {
		t.Errorf("datascript_query answers %v", m)
	}
}
