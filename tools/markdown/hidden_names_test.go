package markdown

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// openHiding opens files with rules, through the declared tools.
func openHiding(t *testing.T, files map[string]string, exclude ...string) *testNotebook {
	t.Helper()
	b := open(t, files, nil)
	raw, err := json.Marshal(Config{Path: tools.Folder(b.dir)})
	if err != nil {
		t.Fatal(err)
	}
	o, err := testSystem().Open(t.Context(), raw, tools.Env{
		Name: "notes", Privacy: privacy(t, exclude, nil), Cache: t.TempDir(),
		Now: func() time.Time { return time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	b.OpenedSource = o
	return b
}

// An empty folder beside hidden pages once broke every tool, and an agent could
// make one.
func TestEmptyFolderBesideHiddenPages(t *testing.T) {
	runtest.InOrder(t)
	for rule, file := range map[string]string{"#secret": "A/x.md", "A/*.md": "A/x.md", "property:private": "A/x.md", "A/x.md": "A/x.md"} {
		text := map[string]string{"#secret": "#secret", "property:private": "---\nprivate: true\n---\n"}[rule]
		use := func(b *testNotebook) {
			for tool, args := range map[string]string{
				"list_pages": `{"path":"","depth":9}`, "get_tree": `{}`, "search_pages": `{"query":"plain"}`, "get_page_links": `{"path":"open.md"}`,
				"create_page": `{"title":"New","dry_run":true}`, "write_page": `{"path":"B/New.md","content":"x"}`, "move_page": `{"sourcePath":"open.md","destinationPath":"B/open.md","dry_run":true}`,
			} {
				if answer, ok := b.try(tool, args); !ok || strings.Contains(answer, `"A`) {
					t.Errorf("%s: %s %s: %s", rule, tool, args, answer)
				}
			}
		}
		empty := openHiding(t, map[string]string{file: text, "A/B/": "", "open.md": "plain"}, rule)
		use(empty)
		made := openHiding(t, map[string]string{file: text, "A/B/y.txt": "", "open.md": "plain"}, rule)
		if err := os.Remove(filepath.Join(made.dir, "A", "B", "y.txt")); err != nil {
			t.Fatal(err)
		}
		use(made)
		deleted := openHiding(t, map[string]string{"A/x.md": text, "A/B/C/y.md": "", "open.md": "plain"}, map[string]string{"A/*.md": "A/x.md"}[rule]+strings.TrimPrefix(rule, "A/*.md"))
		deleted.try("delete_page", `{"path":"A/B/C/y.md"}`)
		use(deleted)
	}
}

// No dry run tells whether a hidden name exists: half of the names exist, and both
// halves get the same answers. WORLDS asks all probes for 200 names under every rule;
// else that is done for those that once told, under one rule by path and one by tag.
func TestDryRunsAreNoOracle(t *testing.T) {
	runtest.InOrder(t)
	probes := map[string]string{
		"move_page":                 `{"sourcePath":"a.md","destinationPath":"DIR%s.md","dry_run":true}`,
		"move_page below":           `{"sourcePath":"a.md","destinationPath":"DIR%s.md/x.md","dry_run":true}`,
		"move_page into":            `{"sourcePath":"a.md","destinationPath":"DIR%s","dry_run":true}`,
		"write_page":                `{"path":"DIR%s.md","content":"x","dry_run":true}`,
		"write_page below":          `{"path":"DIR%s.md/x.md","content":"x","dry_run":true}`,
		"write_page in":             `{"path":"DIR%s/x.md","content":"x","dry_run":true}`,
		"write_page index":          `{"path":"DIR%s/_index.md","content":"x","dry_run":true}`,
		"create_page":               `{"title":"%s","parentPath":"PARENT","dry_run":true}`,
		"create_page in":            `{"title":"x","parentPath":"DIR%s","dry_run":true}`,
		"delete_page":               `{"path":"DIR%s.md","dry_run":true}`,
		"add_attachment":            `{"pagePath":"DIR%s.md","fileName":"x.txt","data":"eA==","dry_run":true}`,
		"add_attachment of a page":  `{"pagePath":"a.md","filePath":"DIR%s.md","dry_run":true}`,
		"add_attachment of an own":  `{"pagePath":"a.md","fileName":"%s.png","data":"eA==","dry_run":true}`,
		"read_page":                 `{"path":"DIR%s.md"}`,
		"get_page_links":            `{"path":"DIR%s"}`,
		"list_pages":                `{"path":"DIR%s"}`,
		"write_page in other case":  `{"path":"UPPER%s.MD","content":"x","dry_run":true}`,
		"write_page in no folder":   `{"path":"DIR%s.md/../x.md","content":"x","dry_run":true}`,
		"write_page, checked":       `{"path":"DIR%s.md","content":"x","if_match":"abc","dry_run":true}`,
		"move_page to a folder":     `{"sourcePath":"a.md","destinationPath":"DIR%s/","dry_run":true}`,
		"move_page, page of folder": `{"sourcePath":"a.md","destinationPath":"DIR%s/_index.md","dry_run":true}`,
	}
	telling := []string{
		"move_page", "move_page below", "move_page into", "write_page", "write_page below", "write_page in", "create_page", "create_page in",
		"add_attachment of a page", "write_page in other case",
	}
	for _, c := range []struct {
		rule, dir, text string
		names           int
	}{
		{"Private/**", "Private/", "", 20},
		{"Private", "Private/", "", 200},
		{"Private/*", "Private/", "", 20},
		{"**/n*", "Work/", "", 20},
		{"namespace:Private", "Private/", "", 20},
		{"EXACT", "Work/", "", 20},
		{"#secret", "Work/", "#secret", 200},
		{"#secret", "", "#secret", 20},
		{"property:private", "Own/", "---\nprivate: 1\n---\n", 20},
	} {
		asked := probes
		switch soak := os.Getenv("WORLDS") != ""; {
		case soak:
			c.names = 200
		case runtest.UnderRace:
			c.names = 20
		case c.names == 200:
			asked = map[string]string{}
			for _, what := range telling {
				asked[what] = probes[what]
			}
		}
		t.Run(c.rule+" in "+c.dir, func(t *testing.T) {
			t.Parallel()
			files, rules := map[string]string{"a.md": "", "Work/_index.md": ""}, []string{c.rule}
			if c.rule == "EXACT" {
				rules = nil
			}
			for i := range c.names {
				if i%2 == 0 {
					files[fmt.Sprintf("%sn%03d.md", c.dir, i)] = c.text
				}
				if c.rule == "EXACT" {
					rules = append(rules, fmt.Sprintf("%sn%03d.md", c.dir, i))
				}
			}
			b := openHiding(t, files, rules...)
			for what, args := range asked {
				tool, _, _ := strings.Cut(what, " ")
				tool = strings.TrimSuffix(tool, ",")
				args = strings.NewReplacer("DIR", c.dir, "UPPER", strings.ToUpper(c.dir), "PARENT", strings.TrimSuffix(c.dir, "/")).Replace(args)
				answers := [2]map[string]int{{}, {}}
				for i := range c.names {
					name := fmt.Sprintf("n%03d", i)
					answer, _ := b.try(tool, fmt.Sprintf(args, name))
					answer = strings.ReplaceAll(strings.ReplaceAll(answer, name, "N"), strings.ToUpper(name), "N")
					answers[i%2][maskID(answer)]++
				}
				equal(t, what+": answers for names that do not exist, and that do", answers[1], answers[0])
			}
		})
	}
}

// maskID removes what depends on a name or is random.
func maskID(answer string) string {
	_, after, found := strings.Cut(answer, `"pageId":"`)
	if !found {
		return answer
	}
	id, _, _ := strings.Cut(after, `"`)
	return strings.ReplaceAll(answer, id, "ID")
}

// A rule on a path covers what it names and everything below it, in any spelling.
func TestRuleCoversWhatIsBelow(t *testing.T) {
	runtest.InOrder(t)
	files := map[string]string{"Private/x.md": "plain", "Private/Deep/y.md": "plain", "Private/p.png": "", "Private.md": "plain", "Privateer.md": "plain"}
	for _, rule := range []string{"Private", "Private/", "/Private/**", "./Private", "private/**", "path:Private", "namespace:Private"} {
		b := openHiding(t, files, rule)
		got := call[SearchPagesOut](b, "search_pages", `{"query":"plain"}`)
		if len(got.Matches) != 1 || got.Matches[0].Path != "Privateer.md" {
			t.Errorf("%s: %+v", rule, got.Matches)
		}
		for _, there := range []bool{true, false} {
			for _, path := range []string{"Private.md", "private.md", "Private/x.md", "Private/x.md/y.md", "Private.md/x.md", "Private/new/y.md"} {
				b.refused("write_page", fmt.Sprintf(`{"path":%q,"content":"x"}`, path), "DENIED")
				b.refused("move_page", fmt.Sprintf(`{"sourcePath":"Privateer.md","destinationPath":%q}`, path), "DENIED")
			}
			for name := range files {
				if there && name != "Privateer.md" {
					if err := os.Remove(filepath.Join(b.dir, name)); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// Logseq's backups of a hidden page cannot be attached to a visible one, and no page
// that cannot be read is shown.
func TestNoOtherWayToHiddenText(t *testing.T) {
	b := openHiding(t, map[string]string{"a.md": "", "logseq/bak/pages/Diary/1.md": "secret text", "Logseq/BAK/pages/Diary/1.md": "secret text", "Diary.md": "secret text", "broken.md": "---\na: [\n---\n"}, "Diary", "property:private")
	for _, file := range []string{"logseq/bak/pages/Diary/1.md", "Logseq/BAK/pages/Diary/1.md", "Diary.md", "broken.md"} {
		b.refused("add_attachment", fmt.Sprintf(`{"pagePath":"a.md","filePath":%q}`, file), "NOT_FOUND")
		b.refused("add_attachment", fmt.Sprintf(`{"pagePath":"a.md","filePath":%q}`, filepath.Join(b.dir, file)), "NOT_FOUND")
	}
}

// Several calls are worked out in a draft: they see each other's writes, report
// them, and leave the folder as it is.
func TestDraftOfNotebook(t *testing.T) {
	b := open(t, fixture(), nil)
	before := b.files()
	drafted, err := b.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d := &testNotebook{OpenedSource: drafted, t: t, dir: b.dir}
	var k changeRecorder
	d.as(tools.CallContext{Writes: &k}, "write_page", `{"path":"New/Page.md","content":"drafted [[Alpha]]"}`)
	d.as(tools.CallContext{Writes: &k}, "move_page", `{"sourcePath":"New/Page.md","destinationPath":"Archive/Moved.md"}`)
	d.as(tools.CallContext{Writes: &k}, "write_page", `{"path":"Archive/Moved.md","content":"again [[Alpha]]"}`)
	d.as(tools.CallContext{Writes: &k}, "delete_page", `{"path":"Archive/Old.md"}`)
	d.as(tools.CallContext{Writes: &k}, "add_attachment", `{"pagePath":"Welcome.md","fileName":"x.txt","data":"eA=="}`)
	if got := call[ReadPageOut](d, "read_page", `{"path":"Archive/Moved.md"}`); got.Content != "again [[Alpha]]" {
		t.Errorf("read back %q", got.Content)
	}
	if got := call[SearchPagesOut](d, "search_pages", `{"query":"again"}`); len(got.Matches) != 1 || got.Matches[0].Path != "Archive/Moved.md" {
		t.Errorf("found %+v", got.Matches)
	}
	d.refused("read_page", `{"path":"Archive/Old.md"}`, "NOT_FOUND")
	d.refused("read_page", `{"path":"New/Page.md"}`, "NOT_FOUND")
	d.refused("write_page", `{"path":"archive/moved.md","content":"twin"}`, "CONFLICT")
	equal(t, "reported", []string{
		"New/ false>true", "New/Page.md false>true",
		"Archive/Moved.md false>true", "New/Page.md true>false",
		"Archive/Moved.md true>true",
		"Archive/Old.md true>false",
		"Welcome/ false>true", "Welcome/assets/ false>true", "Welcome/assets/x.txt false>true",
	}, k.targets())
	for _, c := range k.changes { // each Before is what the calls before it left
		if c.Target == "Archive/Moved.md" && c.Before.Exists && string(c.Before.Data) != "drafted [[Alpha]]" {
			t.Errorf("%s was %q", c.Target, c.Before.Data)
		}
	}
	equal(t, "files on disk", before, b.files())
	var undo changeRecorder
	last := k.changes[len(k.changes)-3:]
	if err := drafted.Restorer().Restore(t.Context(), tools.CallContext{Writes: &undo}, back(last)); err != nil {
		t.Error(err)
	}
	if got, err := drafted.Restorer().State(t.Context(), "Welcome/assets/x.txt"); err != nil || got.Exists {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := drafted.Restorer().State(t.Context(), "Welcome.md"); err != nil || string(got.Data) != before["Welcome.md"] {
		t.Errorf("%+v, %v", got, err)
	}
	second, err := b.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	other := &testNotebook{OpenedSource: second, t: t, dir: b.dir}
	other.refused("read_page", `{"path":"Archive/Moved.md"}`, "NOT_FOUND")
	if err := drafted.Close(); err != nil {
		t.Error(err)
	}
	call[ReadPageOut](b, "read_page", `{"path":"Archive/Old.md"}`)
	equal(t, "files on disk", before, b.files())
}

// A draft hides what the notebook hides, and may not hide what it writes.
func TestDraftKeepsHidden(t *testing.T) {
	b := openHiding(t, map[string]string{"a.md": "x", "Diary.md": "#secret", "Alone/b.md": "x"}, "#secret", "Private")
	drafted, err := b.Draft(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	d := &testNotebook{OpenedSource: drafted, t: t, dir: b.dir}
	d.refused("read_page", `{"path":"Diary.md"}`, "NOT_FOUND")
	d.refused("write_page", `{"path":"Private/x.md","content":"x"}`, "DENIED")
	d.refused("write_page", `{"path":"a.md","content":"#secret"}`, "DENIED")
	call[WritePageOut](d, "write_page", `{"path":"Diary.md","content":"mine"}`)
	if got := call[ReadPageOut](d, "read_page", `{"path":"Diary.md"}`); got.Content != "mine" {
		t.Errorf("read back %q", got.Content)
	}
	call[DeletePageOut](d, "delete_page", `{"path":"Alone/b.md"}`)
	d.refused("list_pages", `{"path":"Alone"}`, "NOT_FOUND")
	b.refused("write_page", `{"path":"Diary.md","content":"mine"}`, "DENIED")
}
