//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

const killPanelConfig = killConfig + "ask = [\"write\", \"delete\"]\n"

// A killStep is how far a person and an agent have got when the hub is killed.
type killStep struct {
	name   string
	config string
	// reach gets there; what it leaves waiting ends within the next moment.
	reach func(t *testing.T, s *killScene)
	says  []string // the panel says one of these
	after func(t *testing.T, s *killScene)
}

// A killScene is a panel, an agent and their home.
type killScene struct {
	home string
	x    *screen
	a    *agent
	was  map[string]string // the folder before
	sent int               // calls that the agent waits for
}

func (s *killScene) call(tool, args string) {
	s.sent++
	s.a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, s.sent, tool, args))
}

// showApproval has the panel show what a call would change.
func (s *killScene) showApproval(tool, args, shown string) {
	s.call(tool, args)
	s.x.waitFor("! 1 pending")
	s.x.pressWhile("!", func() { s.x.waitFor("1 of 1", shown) })
}

func (s *killScene) kill(t *testing.T) {
	t.Helper()
	pid := awaitHub(t, s.home)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	runtest.Eventually(t, "another hub runs", func() bool {
		v, err := daemon.GetHealth(t.Context(), daemonPaths(s.home))
		return err == nil && v.PID != pid
	})
}

// waitForChange waits until the names in the notes are not these, which a write or an undo
// that is under way changes.
func (s *killScene) waitForChange(t *testing.T, names string) {
	t.Helper()
	runtest.Eventually(t, "it was begun", func() bool { return namesIn(s.home) != names })
}

const hubCrashedText = "The hub crashed and was restarted."

func killSteps() []killStep {
	unchanged := func(t *testing.T, s *killScene) {
		t.Helper()
		if now, _ := folderState(t, s.home); len(differences(s.was, now)) > 0 {
			t.Errorf("something was written:\n%s", strings.Join(differences(s.was, now), "\n"))
		}
	}
	const page = `{"title":"Fresh","content":"# Fresh"}`
	return []killStep{
		{
			name: "a question is shown", config: killPanelConfig,
			reach: func(_ *testing.T, s *killScene) { s.showApproval("create_page", page, "+# Fresh") },
			says:  []string{"was lost when the hub ended: nothing was written"},
			after: unchanged,
		},
		{
			name: "yes was sent", config: killPanelConfig,
			reach: func(_ *testing.T, s *killScene) {
				s.showApproval("create_page", page, "+# Fresh")
				s.x.pressUntilGone("y", "! 1 pending")
			},
			says: []string{"cannot tell whether create_page of", "written: Fresh.md", hubCrashedText},
			after: func(t *testing.T, s *killScene) {
				now, _ := folderState(t, s.home)
				got := strings.Join(differences(s.was, now), "\n")
				if got != "" && !strings.HasPrefix(got, "+ Fresh.md ") {
					t.Errorf("not all or nothing of it was written:\n%s", got)
				}
				if strings.Contains(s.x.text(), "written: Fresh.md") && got == "" {
					t.Errorf("said to be written, and is not:\n%s", s.x.text())
				}
			},
		},
		{
			name: "a write is under way", config: killPanelConfig,
			reach: func(t *testing.T, s *killScene) {
				s.showApproval("move_page", `{"sourcePath":"p0.md","destinationPath":"d/e/p0.md"}`, "p0.md")
				s.x.readAll()
				names := namesIn(s.home)
				s.x.pressUntilGone("y", "y allow")
				s.waitForChange(t, names)
			},
			says: []string{"cannot tell whether move_page of", "written: ", hubCrashedText},
			after: func(t *testing.T, s *killScene) {
				now, _ := folderState(t, s.home)
				checkLinks(t, now)
			},
		},
		{
			name: "an undo is under way", config: killConfig,
			reach: func(t *testing.T, s *killScene) {
				for i := range 6 {
					s.call("move_page", fmt.Sprintf(`{"sourcePath":"p%d.md","destinationPath":"d%d/p%d.md"}`, i*4, i, i*4))
					s.a.nextAnswer(t)
				}
				s.sent = 0
				s.x.typeKeys("4")
				s.x.waitFor("─ Changes", "d5/p20.md")
				s.x.typeKeys("U")
				s.x.waitFor("y yes")
				names := namesIn(s.home)
				s.x.pressUntilGone("y", "y yes")
				s.waitForChange(t, names)
			},
			says: []string{hubCrashedText, "cannot undo", "done: undo"},
			after: func(t *testing.T, s *killScene) {
				s.a.send(`{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"list_pages","arguments":{}}}`) // after the recovery
				s.a.nextAnswer(t)
				now, _ := folderState(t, s.home)
				checkLinks(t, now)
				for i := range 6 { // a call is undone as a whole
					_, before := now[fmt.Sprintf("p%d.md", i*4)]
					if _, moved := now[fmt.Sprintf("d%d/p%d.md", i, i*4)]; before == moved {
						t.Errorf("p%d.md is there %v, moved %v", i*4, before, moved)
					}
				}
			},
		},
		{name: "panes 1 to 3", config: killConfig, reach: killInPanes("1", "2"), says: []string{hubCrashedText}, after: unchanged},
		{name: "panes 4 to 6", config: killConfig, reach: killInPanes("4", "5"), says: []string{hubCrashedText}, after: unchanged},
		{name: "panes 7 to 9", config: killConfig, reach: killInPanes("7", "8"), says: []string{hubCrashedText}, after: unchanged},
	}
}

// killInPanes kills the hub while each of the panes is open, and opens the next one.
func killInPanes(numbers ...string) func(*testing.T, *killScene) {
	return func(t *testing.T, s *killScene) {
		t.Helper()
		for _, number := range numbers {
			s.x.typeKeys(number)
			s.x.waitFor(" " + number + " ")
			s.kill(t)
			s.x.waitFor(hubCrashedText)
		}
		last := numbers[len(numbers)-1]
		s.x.typeKeys(string(last[0] + 1))
		s.x.waitGone(hubCrashedText)
	}
}

// Wherever a hub is killed while a person looks, the panel says so and what is known of the
// call, nothing is written by halves, the agent is answered, and panel and agent go on with the next hub
// by themselves.
func TestPanelOfAKilledHub(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	for i, step := range killSteps() {
		if runtest.UnderRace && i%3 != 0 { // each starts five processes, which takes seconds then
			continue
		}
		t.Run(step.name, func(t *testing.T) {
			home := newLinkedVault(t)
			if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte(step.config), 0o600); err != nil {
				t.Fatal(err)
			}
			s := &killScene{home: home}
			s.was, _ = folderState(t, home)
			s.x = openScreen(t, 120, 40, environIn(home), "lectern")
			s.x.waitFor("● ready", "● notes")
			s.a = connectAgent(t, home)
			s.a.nextAnswer(t)
			s.a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			step.reach(t, s)
			s.kill(t)
			s.x.waitUntil(fmt.Sprintf("say one of %q", step.says), func() bool {
				for _, text := range step.says {
					if strings.Contains(strings.Join(strings.Fields(s.x.emulate.String()), " "), text) {
						return true
					}
				}
				return false
			})
			for range s.sent { // done, or lost with the hub: never nothing
				s.a.nextAnswer(t)
			}
			step.after(t, s)
			checkOutcomes(t, home)
			s.x.typeKeys("1")
			s.x.waitFor("● ready", "● notes", "─ Agents 1 ─")
			s.a.send(`{"jsonrpc":"2.0","id":901,"method":"tools/call","params":{"name":"list_pages","arguments":{}}}`)
			if v := s.a.nextAnswer(t); !strings.Contains(string(v.Result), "p4.md") {
				t.Errorf("the agent is told %s%s", v.Result, v.Error)
			}
			s.a.disconnect(t)
			s.x.typeKeys("q")
			if got := s.x.waitExit(); got != 0 {
				t.Errorf("left with %d", got)
			}
			s.x.checkRestored()
			stopTestHub(t, home)
		})
	}
}
