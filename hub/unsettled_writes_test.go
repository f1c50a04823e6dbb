package hub_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/org"
	"github.com/lectern-mcp/lectern/tools/workspace"
)

// An agent that is told that its text is written finds it there, also if another call had
// written the same a moment before, fails and is taken back. If the other one is kept, it
// is told so, too.
func TestSameWriteAsACallThatIsTakenBack(t *testing.T) {
	const done = "# P\ndone\n"
	write := func(path string) string { return fmt.Sprintf(`{"path":%q,"content":%q}`, path, done) }
	u := newUnsettledHub(t)
	for name, c := range map[string]struct {
		source, file, before, after string // before is empty: there is none
		tool, args                  string // of both
		script                      bool   // the second is one, too
		more                        string // the second writes something else, too
	}{
		"page":         {"md", "P.md", "# P\npending\n", done, "markdown_write_page", write("P.md"), false, ""},
		"new page":     {"md", "New.md", "", done, "markdown_write_page", write("New.md"), false, ""},
		"task":         {"md", "T.md", "- [ ] one\n- [ ] two\n", "- [x] one\n- [ ] two\n", "markdown_edit_page", `{"path":"T.md","action":"check","task":"one"}`, false, ""},
		"script":       {"md", "P.md", "# P\npending\n", done, "markdown_write_page", write("P.md"), true, ""},
		"org tags":     {"org", "t.org", "* one\n", "", "org-set-tags", `{"resourceUri":"org://t.org/headline/one","tags":["x"]}`, false, ""},
		"org property": {"org", "t.org", "* one\n", "* one\n:PROPERTIES:\n:Effort:   3h\n:END:\n", "org-set-properties", `{"resourceUri":"org://t.org/headline/one","properties":{"Effort":"3h"}}`, false, ""},
		"org, in part": {
			"org", "t.org", "* one\n", "", "org-bulk-update", `{"edits":[{"resourceUri":"org://t.org/headline/one","addTags":["x"]}]}`, false,
			`{"edits":[{"resourceUri":"org://t.org/headline/one","addTags":["x"]},{"resourceUri":"org://other.org/headline/two","properties":{"N":"%d"}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			u.set("org", "other.org", "* two\n")
			accepted := 0
			for round := range rounds(t) {
				u.set(c.source, c.file, c.before)
				keep := round%4 == 3
				first := u.agents[0].startCall("workspace_run_script", u.script(c.source, c.tool, c.args, keep))
				for u.get(c.source, c.file) == c.before && len(first) == 0 {
					runtime.Gosched()
				}
				var second callOutcome
				switch {
				case c.script:
					second = u.agents[1].call("workspace_run_script", u.script(c.source, c.tool, c.args, true))
				case c.more != "":
					second = u.agents[1].call(c.tool, fmt.Sprintf(c.more, round))
				default:
					second = u.agents[1].call(c.tool, c.args)
				}
				if got := <-first; (got.code == "ok") != keep {
					t.Fatalf("round %d: the first is told %s %s", round, got.code, got.text)
				}
				now := u.get(c.source, c.file)
				if second.code == "ok" {
					accepted++
				}
				if want := c.after; second.code == "ok" && (now == c.before || want != "" && now != want) {
					t.Fatalf("round %d: the second is told that it is written, and there is %q", round, now)
				}
				if second.code != "ok" && (!strings.Contains(second.text, "taken back") || keep && !c.script && c.more == "") {
					t.Fatalf("round %d: the second is told %s %s", round, second.code, second.text)
				}
			}
			if accepted == 0 && c.more == "" && !c.script { // a script may meet the other each time
				t.Error("nothing was ever written")
			}
		})
	}
}

// A script that only reads is answered, also when what another one wrote meanwhile is taken back.
func TestReadingBesideACallThatIsTakenBack(t *testing.T) {
	u := newUnsettledHub(t)
	for round := range rounds(t) {
		u.set("md", "Seen.md", "")
		code := fmt.Sprintf(`kb.sources.call("ws", "write_note", {note_id: "n", markdown: "# N%d"}); kb.sources.call("md", "write_page", {path: "Seen.md", content: "x"});`+
			` for (let i = 0; i < 8; i++) kb.sources.call("md", "read_page", {path: "Seen.md"}); throw new Error("it fails")`, round)
		first := u.agents[0].startCall("workspace_run_script", u.runs("ws2", code))
		for u.get("md", "Seen.md") == "" && len(first) == 0 {
			runtime.Gosched()
		}
		second := u.agents[1].call("workspace_run_script", u.runs("ws", `kb.notes.list().length`))
		if got := <-first; !strings.Contains(got.text, "it fails") || u.get("md", "Seen.md") != "" {
			t.Fatalf("round %d: the first is not taken back: %s %s", round, got.code, got.text)
		}
		checkOutcome(t, second, "ok", "")
	}
}

// unsettledHub has a workspace ws, and another, from which a script writes to the others, md and org.
type unsettledHub struct {
	*testing.T
	hub    *testHub
	agents [2]*agent
	dirs   map[string]string
}

func newUnsettledHub(t *testing.T) *unsettledHub {
	t.Helper()
	u := &unsettledHub{T: t, dirs: map[string]string{"md": t.TempDir(), "org": t.TempDir()}}
	j := journal.New(journal.Options{Dir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() {
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	})
	conf := hub.Config{
		Systems: []tools.Kind{workspace.System(), markdown.System(), org.System()}, Journal: j,
		Policy: policy.New([]policy.Grant{{Effects: tools.Effects()}}, nil),
		Limits: hub.Limits{Computing: 2, CallsPerMinute: 1 << 30},
	}
	for name, options := range map[string]any{
		"md": markdown.Config{Path: tools.Folder(u.dirs["md"])}, "org": org.Config{Path: tools.Folder(u.dirs["org"]), Emacs: "off"},
		"ws": map[string]string{"folder": t.TempDir()}, "ws2": map[string]string{"folder": t.TempDir()},
	} {
		config, err := json.Marshal(options)
		if err != nil {
			t.Fatal(err)
		}
		kind := map[string]string{"md": "markdown", "org": "org", "ws": "workspace", "ws2": "workspace"}[name]
		conf.Sources = append(conf.Sources, hub.Source{Name: name, Kind: kind, Options: config, AllTools: true})
	}
	u.hub = startWith(t, conf)
	for i := range u.agents {
		u.agents[i] = newAgent(t, u.hub, policy.Client{Name: fmt.Sprint("agent", i), Proven: true})
	}
	return u
}

// script writes by a tool of a source, and then other pages, and fails then unless it is to keep that.
func (u *unsettledHub) script(source, tool, args string, keep bool) string {
	code := fmt.Sprintf("kb.sources.call(%q, %q, %s);", source, strings.TrimPrefix(tool, "markdown_"), args)
	if !keep {
		code += `for (let i = 0; i < 8; i++) kb.sources.call("md", "write_page", {path: "Other" + i + ".md", content: "# " + Math.random()}); throw new Error("it fails")`
	}
	return u.runs("ws", code)
}

// runs are the arguments of a script in a workspace.
func (u *unsettledHub) runs(workspace, code string) string {
	u.Helper()
	in, err := json.Marshal(map[string]string{"source": workspace, "workspace_id": workspace, "code": code})
	if err != nil {
		u.Fatal(err)
	}
	return string(in)
}

func (u *unsettledHub) set(source, file, text string) {
	u.Helper()
	name := filepath.Join(u.dirs[source], file)
	err := os.RemoveAll(name)
	if err == nil && text != "" {
		err = os.WriteFile(name, []byte(text), 0o600)
	}
	if err != nil {
		u.Fatal(err)
	}
}

// get is what a file holds; empty: there is none.
func (u *unsettledHub) get(source, file string) string {
	u.Helper()
	text, err := os.ReadFile(filepath.Join(u.dirs[source], file))
	if err != nil && !os.IsNotExist(err) {
		u.Fatal(err)
	}
	return string(text)
}
