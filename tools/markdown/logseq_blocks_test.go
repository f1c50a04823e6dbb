package markdown

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

func graphWith(pages map[string]string) map[string]string {
	files := map[string]string{"logseq/config.edn": `{:preferred-workflow :now :file/name-format :triple-lowbar}`}
	maps.Copy(files, pages)
	return files
}

// In Logseq's files words are states of tasks, blocks are headings, and a bullet is a block
// wherever it stands.
func TestBlocksOfLogseq(t *testing.T) {
	page := "- # tool\n- ## Usage\n\t- TODO buy seeds\n\t- DONE dig\n\t- LATER [#A] read [[b]]\n\t- [ ] box\n\t- CANCELLED no\n\t- TODOs are none\n\t- ```\n\t  - TODO in code\n\t  ```\n" +
		"- other\n\t- ### TODO deep\n\t\t- [[b]]\n\t- last\n"
	b := open(t, graphWith(map[string]string{
		"pages/tool.md": page, "pages/a.md": "## h\n\t- [[b]] #one\n\t\t- TODO first\n", "pages/c.md": "\t- [[b]]\n", "pages/d.md": "[[x]]\n\t- [[b]]\n", "pages/b.md": "",
		"pages/e.md": "- x\n  - y\n      - [[b]]\n",
	}), nil)
	find := func(args string) string {
		var found []string
		for _, m := range call[SearchPagesOut](b, "search_pages", args).Matches {
			found = append(found, fmt.Sprintf("%s:%d:%s", strings.TrimPrefix(m.Path, "pages/"), m.MatchLine, m.MatchContext))
		}
		return strings.Join(found, "|")
	}
	equal(t, "tasks", "a.md:3:TODO first|tool.md:3:TODO buy seeds|tool.md:5:LATER [#A] read [[b]]|tool.md:6:[ ] box|tool.md:13:TODO deep", find(`{"kind":"task","tasks":"open"}`))
	equal(t, "done", "tool.md:4:DONE dig|tool.md:7:CANCELLED no", find(`{"kind":"task","tasks":"done"}`))
	equal(t, "headings", "a.md:1:## h|tool.md:1:# tool|tool.md:2:## Usage|tool.md:13:### TODO deep", find(`{"kind":"heading"}`))
	equal(t, "linking", 5, call[SearchPagesOut](b, "search_pages", `{"links_to":"b"}`).Total)
	equal(t, "section", "- ## Usage\n\t- TODO buy seeds\n\t- DONE dig\n\t- LATER [#A] read [[b]]\n\t- [ ] box\n\t- CANCELLED no\n\t- TODOs are none\n\t- ```\n\t  - TODO in code\n\t  ```\n",
		call[ReadPageOut](b, "read_page", `{"path":"tool","part":"Usage"}`).Content)
	edit := func(args, want string) {
		t.Helper()
		call[EditPageOut](b, "edit_page", args)
		if got := call[ReadPageOut](b, "read_page", `{"path":"tool"}`).Content; !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", args, want, got)
		}
	}
	edit(`{"path":"pages/tool.md","action":"check","task":"buy seeds"}`, "\t- DONE buy seeds\n")
	edit(`{"path":"pages/tool.md","action":"uncheck","task":"dig"}`, "\t- LATER dig\n")
	edit(`{"path":"pages/tool.md","action":"check","task":"deep"}`, "\t- ### DONE deep\n")
	edit(`{"path":"pages/tool.md","action":"append","heading":"Usage","content":"\t- new"}`, "  ```\n\t- new\n- other")
	call[RenameHeadingOut](b, "rename_heading", `{"path":"pages/tool.md","heading":"Usage","to":"Use"}`)
	edit(`{"path":"pages/tool.md","action":"delete","heading":"Use"}`, "- # tool\n- other\n\t- ###")
	call[MovePageOut](b, "move_page", `{"sourcePath":"pages/b.md","destinationPath":"pages/bb.md"}`)
	for _, file := range []string{"a", "c", "d", "e", "tool"} {
		if text := call[ReadPageOut](b, "read_page", `{"path":"`+file+`"}`).Content; strings.Contains(text, "[[b]]") || !strings.Contains(text, "[[bb]]") {
			t.Errorf("%s:\n%s", file, text)
		}
	}
}
