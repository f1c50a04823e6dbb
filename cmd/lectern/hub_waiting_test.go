package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

// A hub that is restarted or stopped while calls wait for a person: the person is
// told how many, and each agent that nothing was written and to call again.
func TestStoppedHubEndsWaitingCalls(t *testing.T) {
	for _, how := range []struct {
		command string
		verb    status.Verb
	}{{"restart", status.RestartHub}, {"stop", status.StopHub}} {
		home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
		agents := []*agent{connectAgent(t, home), connectAgent(t, home)}
		for _, a := range agents {
			a.nextAnswer(t)
			a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_page","arguments":{"title":"p"}}}`)
		}
		a := apptest.New(t)
		a.Paths = apptest.Paths(home)
		panel := thismachine.HubClient{App: a}.API()
		awaitApprovals(t, panel, 2)
		plan, err := panel.Preview(t.Context(), status.Action{Verb: how.verb})
		if err != nil || !strings.Contains(strings.Join(plan.Risks, "\n"), "2 calls that wait for your answer") {
			t.Errorf("%s: plan %+v, %v", how.command, plan, err)
		}
		hub := exec.CommandContext(t.Context(), "lectern", "hub", how.command) // this binary, under that name
		hub.Env = append(os.Environ(), "LECTERN_HOME="+home)
		if out, err := hub.CombinedOutput(); err != nil || !strings.Contains(string(out), "2 calls waited for an answer") {
			t.Errorf("%s: %v %s", how.command, err, out)
		}
		for _, a := range agents {
			if v := a.nextAnswer(t); !strings.Contains(string(v.Result), "nothing was changed") || !strings.Contains(string(v.Result), "Call again") {
				t.Errorf("%s: the agent is told %s %s", how.command, v.Result, v.Error)
			}
			a.disconnect(t)
		}
		if countPages(home) != 0 {
			t.Errorf("%s: a page was written", how.command)
		}
		if how.verb == status.RestartHub {
			stopTestHub(t, home)
		}
	}
}
