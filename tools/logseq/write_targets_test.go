package logseq_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// What tools that write are about is known from their arguments, and named like the change that
// they would make.
func TestTargetsOfWrites(t *testing.T) {
	block, other := "block "+id(2), "block "+id(3)
	for _, c := range []struct {
		tool, args string
		want       []string
	}{
		{"create_page", `{"title":"Shed"}`, []string{"page Shed"}},
		{"update_page", `{"page_name":"Garden","content_append":"x"}`, []string{"page Garden"}},
		{"replace_page_content", `{"page_name":"Garden","content":"x"}`, []string{"page Garden"}},
		{"rename_page", `{"page_name":"Garden","new_name":"Park"}`, []string{"page Garden", "page Park"}},
		{"delete_page", `{"page_name":"Garden","force":true}`, []string{"page Garden"}},
		{"create_tag", `{"name":"Plant"}`, []string{"page Plant"}},
		{"create_property", `{"name":"height"}`, []string{"page height"}},
		{"create_block", `{"page_name":"Garden","content":"x"}`, []string{"page Garden"}},
		{"create_block", `{"sibling_block_uuid":"` + id(2) + `","content":"x"}`, []string{block}},
		{"insert_blocks", `{"parent_block_uuid":"` + id(2) + `","markdown":"- x"}`, []string{block}},
		{"update_block", `{"block_uuid":"` + id(2) + `","content":"x"}`, []string{block}},
		{"set_task", `{"block_uuid":"` + id(2) + `","status":"DONE"}`, []string{block}},
		{"move_block", `{"block_uuid":"` + id(2) + `","target_parent_uuid":"` + id(3) + `"}`, []string{"tree of " + block, other}},
		{"move_block", `{"block_uuid":"` + id(2) + `","target_page_name":"Shed"}`, []string{"tree of " + block, "page Shed"}},
		{"delete_block", `{"block_uuid":"` + id(2) + `"}`, []string{block}},
		{"delete_block", `{"block_uuid":"` + id(2) + `","recursive":true}`, []string{"tree of " + block}},
		{"set_tags", `{"page_name":"Garden","add":["x"]}`, []string{"page Garden"}},
		{"set_tags", `{"block_uuid":"` + id(2) + `","add":["x"]}`, []string{block}},
		{"append_to_journal", `{"date":"2026-11-21","content":"x"}`, []string{"journal 2026-11-21"}},
		{"append_to_journal", `{"date":"soon","content":"x"}`, nil},
		{
			"batch", `{"items":[{"tool":"update_block","arguments":{"block_uuid":"` + id(2) + `"}},{"tool":"none","arguments":{}},
			{"tool":"create_page","arguments":{"title":"Shed"}},{"tool":"set_task","arguments":7}]}`, []string{block, "page Shed"},
		},
	} {
		d := openTestSource(t, fixtureGraph("file"))
		got, known := d.open.Targets(t.Context(), c.tool, json.RawMessage(c.args))
		if diff := cmp.Diff(c.want, got); diff != "" || !known {
			t.Errorf("%s %s, known: %t\n%s", c.tool, c.args, known, diff)
		}
	}
	untold := map[string]bool{"answer_request": true} // what a request is about only the list of requests tells
	for _, info := range testSystem().Manifest().Tools {
		if info.Effect != tools.Reads && !info.HasTargets && !untold[info.Name] && !strings.HasPrefix(info.Name, "undo") {
			t.Errorf("%s does not tell what it is about", info.Name)
		}
	}
}
