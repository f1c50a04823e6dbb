package logseq_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

func TestReplacePageContent(t *testing.T) {
	for _, kind := range []string{"file", "db"} {
		f := fixtureGraph(kind)
		d := openTestSource(t, f)
		if m := d.must("replace_page_content", `{"page_name":"Garden","content":"- x","dry_run":true}`); m["deleted"] != 4.0 || m["success"] != false {
			t.Errorf("dry run: %v", m)
		}
		m := d.must("replace_page_content", `{"page_name":"Garden","content":"- Layers\n  - Straw\n- Leaves"}`)
		if m["verified"] != true || m["deleted"] != 4.0 || len(m["blocks"].([]any)) != 2 {
			t.Errorf("%s: %v", kind, m)
		}
		text := d.must("get_page_content", `{"page_name":"Garden"}`)["text"]
		if diff := cmp.Diff("# Garden\narea:: 10\n\n- Layers\n  - Straw\n- Leaves\n", text); diff != "" {
			t.Error(diff)
		}
		d.must("replace_page_content", `{"page_name":"Kitchen","content":"one"}`) // an empty page
	}
}

// What is new is written first: where the old blocks stay, nothing is lost, and
// the answer says what was done.
func TestReplacePageContentFails(t *testing.T) {
	f := fixtureGraph("db")
	f.fault = func(method string) fault {
		if method == "blocks.delete" {
			return refuse
		}
		return fine
	}
	d := openTestSource(t, f)
	_, err := d.call("replace_page_content", `{"page_name":"Compost","content":"new"}`)
	if err == nil || !strings.Contains(string(encode(err.Data)), "new content written") {
		t.Errorf("a deletion that is refused: %v", err)
	}
	f.fault = nil
	if text := fmt.Sprint(d.must("get_page_content", `{"page_name":"Compost"}`)["text"]); !strings.Contains(text, "Turn it") || !strings.Contains(text, "new") {
		t.Errorf("the page holds %q", text)
	}
}

func TestSetTags(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	m := d.must("set_tags", `{"page_name":"Garden","add":["#Plot"],"remove":["Home"]}`)
	if m["verified"] != true || fmt.Sprint(m["tags"]) != "[Plot]" {
		t.Errorf("of a page: %v", m)
	}
	if m := d.must("set_tags", `{"block_uuid":"`+id(5)+`","add":["Home"]}`); m["verified"] != true || m["page_name"] != "Compost" {
		t.Errorf("of a block: %v", m)
	}
	for in, want := range map[string]string{
		`{"add":["x"]}`:          "give page_name or block_uuid",
		`{"page_name":"Garden"}`: "give add or remove",
		`{"page_name":"Garden","block_uuid":"` + id(5) + `","add":["x"]}`: "give page_name or block_uuid",
		`{"page_name":"None","add":["x"]}`:                                "no page",
	} {
		if _, err := d.call("set_tags", in); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("set_tags %s: %v, want %q", in, err, want)
		}
	}
	if _, err := openTestSource(t, fixtureGraph("file")).call("set_tags", `{"page_name":"Garden","add":["x"]}`); err == nil || errorCode(err) != "CAPABILITY_MISSING" {
		t.Errorf("on a file graph: %v", err)
	}
}

func TestCreateTagsAndProperties(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	m := d.must("create_tag", `{"name":"Plant"}`)
	if m["verified"] != true || m["existed"] != nil || m["uuid"] == nil {
		t.Errorf("a new tag: %v", m)
	}
	if m := d.must("create_tag", `{"name":"Plant","extends":["Thing"]}`); m["verified"] != true || m["existed"] != true {
		t.Errorf("a tag that exists: %v", m)
	}
	if m := d.must("create_property", `{"name":"Sown on","type":"date"}`); m["verified"] != true || m["uuid"] == nil {
		t.Errorf("a new property: %v", m)
	}
	for tool, in := range map[string]string{"create_property": `{"name":"sown on"}`, "create_tag": `{"name":"Garden"}`} {
		if _, err := d.call(tool, in); err == nil || errorCode(err) != "CONFLICT" {
			t.Errorf("%s of a name that is taken: %v", tool, err)
		}
	}
	if _, err := d.call("create_tag", `{"name":"a/b"}`); err == nil || errorCode(err) != "INVALID_INPUT" {
		t.Errorf("a tag with a slash: %v", err)
	}
}

// A tag that would hide what it is put on, or that is hidden, is refused.
func TestTagsThatHide(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f, func(e *tools.Env) { e.Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Tag: "Secret"}}} })
	for tool, in := range map[string]string{"set_tags": `{"page_name":"Compost","add":["Secret"]}`, "create_tag": `{"name":"New","extends":["Secret"]}`} {
		if _, err := d.call(tool, in); err == nil {
			t.Errorf("%s %s passes", tool, in)
		}
	}
}
