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

// The property id of a block is its address, also of one that is code; an edit keeps the
// properties, and the blocks below unless it brings others.
func TestGraphBlocksByID(t *testing.T) {
	page := "title:: p\n\n- one\n  id:: a1\n  more\n\t- child\n\t- ```js\n\t  - id:: no\n\t  ```\n\t  id:: c3\n- TODO two\n  SCHEDULED: <2026-12-01 Tue>\n  id:: b2\n  DEADLINE: <2026-12-05 Sat 10:00 .+1w>\n- last"
	for _, c := range []struct{ edit, want string }{
		{`"action":"append","block":"a1","content":"- new\n  - deep"`, "\t  id:: c3\n\t- new\n\t  - deep\n- TODO two"},
		{`"action":"append","block":"((a1))","content":"text"`, "- one\n  id:: a1\n  more\n  text\n\t- child"},
		{`"action":"prepend","block":"^A1","content":"- new"`, "  more\n\t- new\n\t- child"},
		{`"action":"prepend","block":"a1","content":"first"`, "- first\n  id:: a1\n  one\n  more\n\t- child"},
		{`"action":"replace","block":"a1","content":"- uno\n  dos"`, "- uno\n  id:: a1\n  dos\n\t- child\n\t- ```js"},
		{`"action":"replace","block":"a1","content":"uno"`, "- uno\n  id:: a1\n\t- child"},
		{`"action":"replace","block":"a1","content":"- uno\n  - other"`, "- uno\n  id:: a1\n\t- other\n- TODO two"},
		{`"action":"replace","block":"c3","content":"- plain"`, "\t- child\n\t- plain\n\t  id:: c3\n- TODO two"},
		{`"action":"insert_after","block":"a1","content":"next"`, "\t  id:: c3\n- next\n- TODO two"},
		{`"action":"insert_before","block":"c3","content":"\t- x"`, "\t- child\n\t- x\n\t- ```js"},
		{`"action":"delete","block":"a1"`, "title:: p\n\n- TODO two"},
		{`"action":"check","block":"b2"`, "- DONE two\n  SCHED"},
		{`"action":"replace","block":"b2","content":"TODO three"`, "- TODO three\n  SCHEDULED: <2026-12-01 Tue>\n  id:: b2\n  DEADLINE: <2026-12-05 Sat 10:00 .+1w>\n- last"},
		{`"action":"insert_after","block":"b2","content":"- x"`, ".+1w>\n- x\n- last"},
	} {
		b := open(t, graphWith(map[string]string{"pages/p.md": page}), nil)
		call[EditPageOut](b, "edit_page", `{"path":"pages/p.md",`+c.edit+`}`)
		got := b.get("pages/p.md")
		if !strings.Contains(got, c.want) || strings.HasSuffix(got, "\n") {
			t.Errorf("%s: no %q in\n%s", c.edit, c.want, got)
		}
	}
	b := open(t, graphWith(map[string]string{"pages/p.md": page, "pages/o.org": "* x\n"}), nil)
	equal(t, "part", "\t- ```js\n\t  - id:: no\n\t  ```\n\t  id:: c3\n", call[ReadPageOut](b, "read_page", `{"path":"p","part":"((c3))"}`).Content)
	for _, query := range []string{"due:2026-12-05", "scheduled<2026-12-02 recurrence:.+1w"} {
		equal(t, query, 1, call[SearchPagesOut](b, "search_pages", `{"kind":"task","query":"`+query+`"}`).Total)
	}
	for args, code := range map[string]string{
		`"action":"check","block":"a1"`: "NOT_FOUND", `"action":"replace","block":"no","content":"x"`: "NOT_FOUND",
		`"action":"replace","block":"a1","content":"- x\n- y"`: "INVALID",
	} {
		b.refused("edit_page", `{"path":"pages/p.md",`+args+`}`, code)
	}
	if note := call[ListPagesOut](b, "list_pages", `{}`).Note; !strings.Contains(note, "pages/o.org") {
		t.Errorf("no page in Org in %q", note)
	}
}
