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
// told how many, and the next hub asks again. What was asked before allows nothing, and
// what is allowed then is written once.
func TestNextHubAsksAgain(t *testing.T) {
	for _, how := range []struct {
		commands []string
		verb     status.Verb
	}{{[]string{"restart"}, status.RestartHub}, {[]string{"stop", "start"}, status.StopHub}} {
		home := newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\nask = [\"write\"]\n")
		agents := []*agent{connectAgent(t, home), connectAgent(t, home)}
		for i, a := range agents {
			a.nextAnswer(t)
			a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			a.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create_page","arguments":{"title":"p` + []string{"1", "2"}[i] + `"}}}`)
		}
		a := apptest.New(t)
		a.Paths = apptest.Paths(home)
		panel := thismachine.HubClient{App: a}.API()
		before := awaitApprovals(t, panel, 2)
		plan, err := panel.Preview(t.Context(), status.Action{Verb: how.verb})
		if err != nil || !strings.Contains(strings.Join(plan.Risks, "\n"), "waiting for your answer: 2") {
			t.Errorf("%s: plan %+v, %v", how.commands, plan, err)
		}
		for i, command := range how.commands {
			hub := exec.CommandContext(t.Context(), "lectern", "hub", command) // this binary, under that name
			hub.Env = append(os.Environ(), "LECTERN_HOME="+home)
			out, err := hub.CombinedOutput()
			if err != nil || strings.Contains(string(out), "2 calls waited for an answer") != (i == 0) {
				t.Errorf("%s: %v %s", command, err, out)
			}
		}
		again := awaitApprovals(t, panel, 2)
		if err := panel.Do(t.Context(), allowAction(before[0].ID)); err == nil || countPages(home) != 0 {
			t.Errorf("%s: an answer to the old question counts: %v, %d pages", how.commands, err, countPages(home))
		}
		for _, approval := range again {
			if err := panel.Do(t.Context(), allowAction(approval.ID)); err != nil {
				t.Error(err)
			}
		}
		for _, a := range agents {
			if v := a.nextAnswer(t); !strings.Contains(string(v.Result), `"pageId"`) {
				t.Errorf("%s: the agent is told %s %s", how.commands, v.Result, v.Error)
			}
			a.disconnect(t)
		}
		if n := countPages(home); n != 2 {
			t.Errorf("%s: %d pages were written", how.commands, n)
		}
		stopTestHub(t, home)
	}
}

func allowAction(id string) status.Action {
	return status.Action{Verb: status.Allow, Target: id, Answer: &status.Answer{Shown: true}}
}
