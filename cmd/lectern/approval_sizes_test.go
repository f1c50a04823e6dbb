//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// Whatever a call would change, the panel and the command line show it or refuse
// the yes: through a hub, its control socket, `lectern approve` and a panel on a
// terminal.
func TestApprovalOfEverySize(t *testing.T) {
	if runtest.UnderRace {
		t.Skip("a move of many targets takes longer than a call may")
	}
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
	notes := filepath.Join(home, "notes")
	moved := runtest.Size(1000, 300, 0) // the page and what links to it
	for i := range moved - 1 {
		if err := os.WriteFile(filepath.Join(notes, fmt.Sprintf("linked %d.md", i)), []byte("see [[Target]]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(notes, "Target.md"), []byte("# Target\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a := connectAgent(t, home)
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	paths := apptest.New(t)
	paths.Paths = apptest.Paths(home)
	client := thismachine.HubClient{App: paths}.API()
	panel := openScreen(t, 80, 24, environIn(home), "lectern")
	panel.waitFor("● ready", "● notes")
	lectern := func(args ...string) (int, string) {
		var out bytes.Buffer
		code := run(context.Background(), args, strings.NewReader(""), &out, &out, []string{"LECTERN_HOME=" + home})
		return code, out.String()
	}
	grouped := strings.NewReplacer("1803", "1,803", "460003", "460,003") // as the panel writes numbers
	lines := func(n int) string { return strings.Repeat("harmless\n", n) + "the last line\n" }
	for id, tt := range []struct {
		tool, args string
		targets    int
		whole      bool   // without --all
		middle     string // of what would change, in the text
		counts     string
	}{
		{"write_page", pageArguments("Small.md", "ten bytes\n"), 1, true, "+ten bytes", "+1 −0"},
		{"write_page", pageArguments("Medium.md", lines(900)+"in the middle\n"+lines(900)), 1, false, "+in the middle", "+1803 −0"},
		{"write_page", pageArguments("Long.md", lines(230_000)+"in the middle\n"+lines(230_000)), 1, false, "+in the middle", "+460003 −0"},
		{"write_page", pageArguments("Line.md", strings.Repeat("x", 2<<20)+"evil"+strings.Repeat("x", 2<<20)), 1, false, "xevilx", "+1 −0"},
		{"move_page", `{"sourcePath":"Target.md","destinationPath":"Moved.md","update_links":true}`, moved, false, fmt.Sprintf("linked %d.md", moved/2), fmt.Sprintf("+%d −%[1]d", moved-1)},
	} {
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id+1, tt.tool, tt.args)
		a.send(call)
		waiting := awaitApprovals(t, client, 1)[0]
		name := fmt.Sprintf("%s, %d bytes", tt.tool, waiting.Bytes)

		panel.pressWhile("!", func() { panel.waitFor("1 of 1", grouped.Replace(tt.counts)) })
		if code, text := lectern("approve", waiting.ID); code != 2 || !strings.Contains(text, "lectern approve show "+waiting.ID) {
			t.Errorf("%s: a yes to what was not shown: %d %s", name, code, text)
		}
		if err := client.Do(t.Context(), status.Action{Verb: status.Allow, Target: waiting.ID}); err == nil {
			t.Errorf("%s: the hub takes a yes to what was not shown", name)
		}
		_, short := lectern("approve", "show", waiting.ID)
		if !strings.Contains(short, tt.counts) || strings.Count(short, "\n  ") != tt.targets {
			t.Errorf("%s: the short view has not all %d targets, or not %s:\n%.2000s", name, tt.targets, tt.counts, short)
		}
		if shown := !strings.Contains(short, "not everything is shown"); shown != tt.whole || shown != awaitApprovals(t, client, 1)[0].Shown {
			t.Errorf("%s: shown completely: %v", name, shown)
		}
		if !tt.whole {
			if code, text := lectern("approve", waiting.ID); code != 2 {
				t.Errorf("%s: a yes to what was cut: %d %s", name, code, text)
			}
			panel.pressWhile("ky", func() { panel.waitFor("y again allows it") })
		}
		if _, all := lectern("approve", "show", waiting.ID, "--all"); !strings.Contains(all, tt.middle) || len(all) < waiting.Bytes {
			t.Errorf("%s: %d bytes are shown as all", name, len(all))
		}
		if code, text := lectern("approve", waiting.ID); code != 0 || !strings.Contains(text, "done; to undo it: lectern undo c") {
			t.Errorf("%s: allow: %d %s", name, code, text)
		}
		if v := a.nextAnswer(t); !strings.Contains(string(v.Result), `"isError":false`) && strings.Contains(string(v.Result), `"isError":true`) || len(v.Error) > 0 {
			t.Errorf("%s: told %.300s %s", name, v.Result, v.Error)
		}
		panel.waitFor("was allowed. Nothing is selected now.")
	}
	panel.typeKeys("q")
	panel.waitExit()
	a.disconnect(t)
	stopTestHub(t, home)
}

// pageArguments are the arguments of a tool that writes one page.
func pageArguments(path, content string) string {
	b, _ := json.Marshal(map[string]string{"path": path, "content": content})
	return string(b)
}
