//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

// editedKills kills hubs between a person's yes to a part of a change and its end.
type editedKills struct {
	home   string
	agent  *agent
	panel  status.Client
	random *rand.Rand
	calls  int
}

func (k *editedKills) page() string { return filepath.Join(k.home, "notes", "Page.md") }

func (k *editedKills) read(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(k.page())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// send sends a call, and returns its ID.
func (k *editedKills) send(tool, arguments string) int {
	k.calls++
	k.agent.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, k.calls, tool, arguments))
	return k.calls
}

// awaitAnswer waits for the answer of a call.
func (k *editedKills) awaitAnswer(t *testing.T, id int) (text string) {
	t.Helper()
	for {
		if v := k.agent.nextAnswer(t); v.ID == id {
			return string(v.Result) + string(v.Error)
		}
	}
}

// kill kills the hub after a moment of at most so many steps.
func (k *editedKills) kill(t *testing.T, steps int) {
	t.Helper()
	pid := awaitHub(t, k.home)
	for range k.random.IntN(steps) {
		_, _ = os.Lstat(k.home)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// A hub that is killed when a person has allowed one hunk of a change, or a text of
// their own, from the panel's socket or from the shell, leaves the old page or the
// person's, never the agent's and never half. The journal says which, an undo brings
// the old one back, and the agent gets an answer. `make soak PART=kills` kills 150
// times.
func TestKilledInEditedWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	home := newHomeWith(t, strings.Replace(killConfig, `effects = ["read", "write", "delete"]`, `ask = ["write"]`, 1))
	paths := apptest.New(t)
	paths.Paths = apptest.Paths(home)
	k := &editedKills{home: home, agent: connectAgent(t, home), panel: thismachine.HubClient{App: paths}.API(), random: rand.New(rand.NewPCG(5, 6))}
	k.agent.nextAnswer(t)
	k.agent.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	page := func(first, last string) string { // with a mark and ends of lines that an edit keeps
		return "\ufeff" + first + strings.Repeat("\r\nbetween", 40) + "\r\n" + last + strings.Repeat("\r\nlong", 20_000) + "\r\n"
	}
	editor := filepath.Join(home, "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\ncp '"+filepath.Join(home, "persons.md")+"' \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	ends := map[string]int{}
	for round := range (kills(t) + 1) / 2 {
		old, agents := page("old", "old"), page(fmt.Sprintf("new %d", round), fmt.Sprintf("new %d", round))
		persons := page(fmt.Sprintf("new %d", round), "old")
		if round%3 == 2 {
			persons = page("by a person", fmt.Sprintf("of round %d", round))
		}
		for name, text := range map[string]string{k.page(): old, filepath.Join(home, "persons.md"): persons} {
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		content, err := json.Marshal(agents)
		if err != nil {
			t.Fatal(err)
		}
		id := k.send("write_page", `{"path":"Page.md","content":`+string(content)+`}`)
		k.allow(t, awaitApprovals(t, k.panel, 1)[0], round)
		told := k.awaitAnswer(t, id)
		k.awaitAnswer(t, k.send("list_pages", `{}`)) // the next hub serves, so it has settled what it found
		ends[k.check(t, old, persons, told)]++
		if t.Failed() {
			t.Fatalf("kill %d", round+1)
		}
	}
	t.Logf("kills: %v", ends)
	k.agent.disconnect(t)
	stopTestHub(t, home)
}

// allow allows a part of a call, or a text of the person's, and kills the hub
// meanwhile.
func (k *editedKills) allow(t *testing.T, waiting status.Approval, round int) {
	t.Helper()
	if waiting.Plan == "" {
		t.Fatalf("%s cannot be edited", waiting.ID)
	}
	if round%3 == 0 { // as the panel does
		answered := make(chan error, 1)
		go func() {
			answered <- k.panel.Do(t.Context(), status.Action{
				Verb: status.Allow, Target: waiting.ID,
				Answer: &status.Answer{Shown: true, Edit: &status.TextEdit{Plan: waiting.Plan, Hunks: []int{1}}},
			})
		}()
		k.kill(t, 15_000)
		<-answered // an error if the hub was killed before it answered
		return
	}
	runLectern(t, k.home, "approve", "show", waiting.ID, "--all")
	how := [][]string{1: {"--hunks", "1"}, 2: {"--edit"}}[round%3]
	approve := lecternCommand(t, k.home, append([]string{"approve", waiting.ID}, how...)...)
	approve.Env = append(approve.Env, "VISUAL=", "EDITOR="+filepath.Join(k.home, "editor"))
	var said bytes.Buffer
	approve.Stdout, approve.Stderr = &said, &said
	if err := approve.Start(); err != nil {
		t.Fatal(err)
	}
	for was := k.read(t); round/3%2 == 1 && k.read(t) == was && approve.ProcessState == nil; { // every second time until it is written
		if syscall.Kill(approve.Process.Pid, 0) != nil {
			break
		}
	}
	k.kill(t, 100_000)
	_ = approve.Wait() // its hub is dead
	if strings.Contains(said.String(), callStillRunsNotice) {
		t.Errorf("after the hub was killed: %s", &said)
	}
}

// check checks that the page is the old or the person's, that the journal and the
// answer say so, and that an undo brings the old one back.
func (k *editedKills) check(t *testing.T, old, persons, told string) (end string) {
	t.Helper()
	awaitHub(t, k.home)
	var found status.Changes
	if err := json.Unmarshal(runLectern(t, k.home, "changes", "--json", "--limit", "1000"), &found); err != nil {
		t.Fatal(err)
	}
	standing := slices.DeleteFunc(found.Changes, func(c status.Change) bool { return c.Outcome != status.Written || c.Undoes != "" })
	switch text := k.read(t); {
	case text == old && len(standing) == 0:
		if strings.Contains(told, "changed_by_person") {
			t.Errorf("the agent was told of a write that did not happen: %.300s", told)
		}
		return "old"
	case text == persons && len(standing) == 1:
		if c := standing[0]; !c.Edited || c.Target != "Page.md" {
			t.Errorf("the journal says %+v", c)
		}
		if !strings.Contains(told, "changed_by_person") && !strings.Contains(told, "HUB_RESTARTED") {
			t.Errorf("the agent was told %.300s", told)
		}
		runLectern(t, k.home, "undo", "--yes", standing[0].ID)
		if now := k.read(t); now != old {
			t.Errorf("after the undo %d bytes of %d: %.60q", len(now), len(old), now)
		}
		return "the person's, undone"
	default:
		t.Errorf("the page begins %.60q and has %d bytes; the journal has %d changes that stand: %+v", text, len(text), len(standing), standing)
	}
	return ""
}
