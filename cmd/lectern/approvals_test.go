package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// Fifty calls of ten clients wait, each in processes of their own. The panel is
// closed and opened again, some are answered, and the hub is killed. Every call
// gets an answer, what was allowed is written and nothing else, and the next hub
// knows nothing that could be allowed.
func TestApprovalsOutliveNothing(t *testing.T) {
	const clients, each = 10, 5
	home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
	agents := make([]*agent, clients)
	for i := range agents {
		agents[i] = connectAgent(t, home)
		agents[i].nextAnswer(t)
		agents[i].send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	a := apptest.New(t)
	a.Paths = apptest.Paths(home)
	panel := thismachine.HubClient{App: a}.API()
	for i, a := range agents {
		for n := range each {
			a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"create_page","arguments":{"title":"p%d-%d"}}}`, n+1, i, n))
		}
	}
	var list []status.Approval
	for range 2 { // each opens a panel, sees all and closes it
		list = awaitApprovals(t, panel, clients*each)
	}
	first := askHub(t, home).PID
	allowed := map[string]bool{}
	for i, a := range list[:10] {
		answer := status.Action{Verb: status.Refuse, Target: a.ID, Answer: &status.Answer{Reason: "no"}}
		if i%2 == 0 {
			answer, allowed[a.Targets[0]] = status.Action{Verb: status.Allow, Target: a.ID, Answer: &status.Answer{Shown: true}}, true
		}
		if err := panel.Do(t.Context(), answer); err != nil {
			t.Fatal(err)
		}
	}
	awaitApprovals(t, panel, clients*each-10)
	// A yes sets the call going; it does not wait for it.
	runtest.Eventually(t, "what was allowed is written", func() bool { return countPages(home) >= len(allowed) })
	p, err := os.FindProcess(first)
	if err != nil || p.Kill() != nil {
		t.Fatalf("kill hub: %v", err)
	}
	said := map[string]int{}
	for _, a := range agents {
		for range each {
			v := a.nextAnswer(t)
			switch text := string(v.Result) + string(v.Error); {
			case strings.Contains(text, `"pageId"`):
				said["done"]++
			case strings.Contains(text, "The user says: no"):
				said["refused"]++
			case strings.Contains(text, "HUB_RESTARTED"):
				said["lost"]++
			default:
				t.Errorf("told %s", text)
			}
		}
	}
	if said["done"] > 5 || said["refused"] > 5 || said["done"]+said["refused"]+said["lost"] != clients*each || countPages(home) != 5 {
		t.Errorf("told %v, %d pages", said, countPages(home))
	}
	agents[0].send(`{"jsonrpc":"2.0","id":99,"method":"tools/list"}`)
	agents[0].nextAnswer(t)
	if askHub(t, home).PID == first {
		t.Error("the hub was not killed")
	}
	awaitApprovals(t, panel, 0)
	if err := panel.Do(t.Context(), status.Action{Verb: status.Allow, Target: list[20].ID}); err == nil {
		t.Error("an approval outlived its hub")
	}
	for _, a := range agents {
		a.disconnect(t)
	}
	stopTestHub(t, home)
}

// awaitApprovals opens a panel until it shows n calls that wait.
func awaitApprovals(t *testing.T, panel status.Client, n int) []status.Approval {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	shots, err := panel.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for s := range shots {
		if last = len(s.Approvals); last == n && s.Hub.State == status.Ready {
			return s.Approvals
		}
	}
	t.Fatalf("the panel shows %d calls, want %d", last, n)
	return nil
}

// countPages counts the pages that agents made.
func countPages(home string) int {
	files, _ := filepath.Glob(filepath.Join(home, "notes", "p*.md"))
	return len(slices.Compact(files))
}
