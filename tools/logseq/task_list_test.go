package logseq_test

import (
	"slices"
	"testing"
)

// Items with a box become tasks, as deep as they are; everything else keeps its brackets.
func TestTaskListsBecomeTasks(t *testing.T) {
	for _, kind := range []string{"file", "db"} {
		f := fixtureGraph(kind)
		markdown := `- [ ] buy milk\n  - [x] find the shop\n* [X] call Ada\n1. [ ] one\n- [ ]\n- [y] no box\n- [link](x) stays\n- a [ ] inside\n` +
			"```\\n- [ ] code\\n```"
		openTestSource(t, f).must("create_page", `{"title":"List","content":"`+markdown+`"}`)
		var got []string
		for _, s := range f.positions() {
			if s.page.Name == "List" {
				got = append(got, s.block().Content)
			}
		}
		want := []string{
			"TODO buy milk", "DONE find the shop", "DONE call Ada", "TODO one", "[ ]", "[y] no box", "[link](x) stays", "a [ ] inside\n```\n- [ ] code\n```",
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s graph: %q", kind, got)
		}
	}
}
