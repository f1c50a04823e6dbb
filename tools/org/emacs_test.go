package org_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
	"github.com/lectern-mcp/lectern/tools/org/internal/emacs/emacstest"
)

// A livePerson works on a folder in Emacs while agents work on it through Lectern.
type livePerson struct {
	*emacstest.Emacs
	t      *testing.T
	dir    string
	config org.Config
	opened *tools.OpenedSource

	mu      sync.Mutex
	changes []tools.Change
	env     func(string) string // variables; nil: none
}

func (p *livePerson) open(change func(*org.Config)) {
	p.t.Helper()
	p.config = org.Config{Path: tools.Folder(p.dir), EmacsSocket: p.Socket}
	if change != nil {
		change(&p.config)
	}
	b, err := json.Marshal(p.config)
	if err != nil {
		p.t.Fatal(err)
	}
	env := tools.Env{Name: "org", Now: time.Now, Log: slog.New(slog.NewTextHandler(p.t.Output(), nil)), Getenv: p.env}
	if p.opened, err = testSystem().Open(p.t.Context(), b, env); err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = p.opened.Close() })
}

// BeforeWrite and AfterWrite implement [tools.WriteObserver].
func (p *livePerson) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.changes = append(p.changes, changes...)
	return nil
}

func (p *livePerson) AfterWrite(string, tools.State) {}
func (p *livePerson) OutcomeUnknown(string)          {}

func (p *livePerson) state(path, from, to string) error {
	args := fmt.Sprintf(`{"resourceUri":%q,"currentState":%q,"newState":%q}`, "org://"+path, from, to)
	_, err := p.opened.Call(p.t.Context(), tools.CallContext{Writes: p}, "org-update-todo-state", json.RawMessage(args))
	return err
}

func (p *livePerson) mustState(path, from, to string) {
	p.t.Helper()
	if err := p.state(path, from, to); err != nil {
		p.t.Fatal(err)
	}
}

func (p *livePerson) file(name string) string { return filepath.Join(p.dir, name) }

func (p *livePerson) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(p.file(name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *livePerson) wantDisk(name, want string) {
	p.t.Helper()
	got, err := os.ReadFile(p.file(name))
	if err != nil || string(got) != want {
		p.t.Errorf("%s on the disk is %q, %v, want %q", name, got, err, want)
	}
}

func (p *livePerson) wantBuffer(name, want string, modified bool) {
	p.t.Helper()
	got := p.In(p.file(name), `(format "%s|%s" (if (buffer-modified-p) "modified" "clean") (buffer-substring-no-properties (point-min) (point-max)))`)
	state := "clean"
	if modified {
		state = "modified"
	}
	if want = fmt.Sprintf("%q", state+"|"+want); got != want {
		p.t.Errorf("the buffer of %s is %s, want %s", name, got, want)
	}
}

// undo takes back the last Change.
func (p *livePerson) undo() error {
	p.mu.Lock()
	last := p.changes[len(p.changes)-1]
	p.mu.Unlock()
	return p.opened.Restorer().Restore(p.t.Context(), tools.CallContext{Writes: p}, []tools.Change{{Target: last.Target, Before: last.After, After: last.Before}})
}

func (p *livePerson) wantCode(err error, code tools.Code, words string) {
	p.t.Helper()
	if e := tools.AsError(err); err == nil || e.Code != code || !strings.Contains(e.Message+e.Hint, words) {
		p.t.Errorf("error %v, want %s with %q", err, code, words)
	}
}

// TestRunningEmacs is against one real Emacs, with a folder of its own for each part.
func TestRunningEmacs(t *testing.T) {
	e := emacstest.Start(t)
	for name, test := range map[string]func(*livePerson){
		"clean": cleanBuffer, "dirty": dirtyBuffer, "reverted": revertedBuffer, "policies": emacsPolicies, "variables": emacsVariables,
		"lockless": withoutLockFiles, "checks": doctorChecks, "writers": twoWriters, "environment": socketVariable,
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(e.Folder, name)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			test(&livePerson{Emacs: e.For(t), t: t, dir: dir})
		})
	}
}

// A clean buffer follows what is written to the disk, and back.
func cleanBuffer(p *livePerson) {
	p.write("a.org", "* TODO A\n* TODO B\n")
	p.open(nil)
	p.wantBuffer("a.org", "* TODO A\n* TODO B\n", false)
	p.mustState("a.org/headline/A", "TODO", "DONE")
	p.wantDisk("a.org", "* DONE A\n* TODO B\n")
	p.wantBuffer("a.org", "* DONE A\n* TODO B\n", false)
	if err := p.undo(); err != nil {
		p.t.Fatal(err)
	}
	p.wantBuffer("a.org", "* TODO A\n* TODO B\n", false)
	p.wantDisk("a.org", "* TODO A\n* TODO B\n")
	p.In(p.file("a.org"), "(progn (insert \"x\") (save-buffer))") // nothing asks
	p.wantDisk("a.org", "x* TODO A\n* TODO B\n")
}

// What is not saved is read and written in the buffer; the disk stays as it is.
func dirtyBuffer(p *livePerson) {
	p.write("a.org", "* TODO A\n")
	p.open(nil)
	p.In(p.file("a.org"), `(progn (goto-char (point-max)) (insert "* TODO New\n"))`)
	p.mustState("a.org/headline/New", "TODO", "DONE") // which only the buffer has
	p.wantBuffer("a.org", "* TODO A\n* DONE New\n", true)
	p.wantDisk("a.org", "* TODO A\n")
	if last := p.changes[len(p.changes)-1]; string(last.Before.Data) != "* TODO A\n* TODO New\n" || string(last.After.Data) != "* TODO A\n* DONE New\n" {
		p.t.Errorf("the change is %q to %q", last.Before.Data, last.After.Data)
	}
	if err := p.undo(); err != nil {
		p.t.Fatal(err)
	}
	p.wantBuffer("a.org", "* TODO A\n* TODO New\n", true)
	p.mustState("a.org/headline/New", "TODO", "DONE")
	p.In(p.file("a.org"), "(save-buffer)")
	p.wantDisk("a.org", "* TODO A\n* DONE New\n")
	if err := p.undo(); err != nil { // saved since: on the disk
		p.t.Fatal(err)
	}
	p.wantDisk("a.org", "* TODO A\n* TODO New\n")
	p.wantBuffer("a.org", "* TODO A\n* TODO New\n", false)
	p.In(p.file("a.org"), `(progn (insert "y") (setq buffer-read-only t))`)
	p.wantCode(p.state("a.org/headline/New", "TODO", "DONE"), tools.Conflict, "read-only")
	p.In(p.file("a.org"), `(progn (setq buffer-read-only nil) (set-buffer-modified-p nil) (kill-buffer))`)
}

// The socket of EMACS_SOCKET_NAME is that of Emacs. Answers say what is not saved, and
// no longer when it is.
func socketVariable(p *livePerson) {
	p.write("a.org", "* TODO A\n* TODO B\n")
	p.env = func(name string) string { return map[string]string{"EMACS_SOCKET_NAME": p.Socket}[name] }
	p.open(func(c *org.Config) { c.EmacsSocket = "" })
	p.wantUnsaved("org-read-headline", `{"resourceUri":"org://a.org/headline/A"}`, false)
	p.In(p.file("a.org"), `(progn (goto-char (point-max)) (insert "More.\n"))`)
	p.wantUnsaved("org-read-headline", `{"resourceUri":"org://a.org/headline/A"}`, true)
	p.wantUnsaved("org-update-todo-state", `{"resourceUri":"org://a.org/headline/A","currentState":"TODO","newState":"DONE"}`, true)
	p.wantBuffer("a.org", "* DONE A\n* TODO B\nMore.\n", true)
	p.In(p.file("a.org"), "(save-buffer)")
	p.wantUnsaved("org-update-todo-state", `{"resourceUri":"org://a.org/headline/B","currentState":"TODO","newState":"DONE"}`, false)
	p.wantUnsaved("org-read-file", `{"file":"a.org"}`, false)
	p.wantDisk("a.org", "* DONE A\n* DONE B\nMore.\n")
}

func (p *livePerson) wantUnsaved(tool, args string, want bool) {
	p.t.Helper()
	got, err := p.opened.Call(p.t.Context(), tools.CallContext{Writes: p}, tool, json.RawMessage(args))
	if err != nil {
		p.t.Fatal(err)
	}
	if strings.Contains(string(got.JSON), `"unsavedChanges":true`) != want {
		p.t.Errorf("%s %s: %s, want unsaved %v", tool, args, got.JSON, want)
	}
}

// A change in a buffer that was reverted or killed has never reached the disk, and
// says so.
func revertedBuffer(p *livePerson) {
	for name, end := range map[string]string{"a.org": "(revert-buffer t t t)", "b.org": "(progn (set-buffer-modified-p nil) (kill-buffer))"} {
		p.write(name, "* TODO A\n")
		p.open(nil)
		p.In(p.file(name), `(progn (goto-char (point-max)) (insert "* TODO New\n"))`)
		p.mustState(name+"/headline/A", "TODO", "DONE")
		p.In(p.file(name), end)
		p.wantCode(p.undo(), tools.NotFound, "never reached the disk")
		p.wantDisk(name, "* TODO A\n")
		p.wantBuffer(name, "* TODO A\n", false)
	}
}

func emacsPolicies(p *livePerson) {
	p.write("a.org", "* TODO A\n")
	p.open(func(c *org.Config) { c.Emacs = "off" })
	p.In(p.file("a.org"), `(insert "x\n")`)
	p.wantCode(p.state("a.org/headline/A", "TODO", "DONE"), tools.Conflict, "unsaved changes")
	p.wantDisk("a.org", "* TODO A\n")
	p.In(p.file("a.org"), `(save-buffer)`)
	p.mustState("a.org/headline/A", "TODO", "DONE")
	p.wantDisk("a.org", "x\n* DONE A\n")

	p.open(func(c *org.Config) { c.Emacs = "required" })
	p.In(p.file("a.org"), `(revert-buffer t t t)`)
	p.mustState("a.org/headline/A", "DONE", "TODO")
	p.wantBuffer("a.org", "x\n* TODO A\n", false)
	p.open(func(c *org.Config) { c.Emacs, c.EmacsSocket = "required", p.Socket+"-none" })
	p.wantCode(p.state("a.org/headline/A", "TODO", "DONE"), tools.Unavailable, "server-start")
	p.open(func(c *org.Config) { c.EmacsSocket = p.Socket + "-none" })
	p.mustState("a.org/headline/A", "TODO", "DONE")
	p.In(p.file("a.org"), `(progn (revert-buffer t t t) (insert "y\n"))`)
	p.wantCode(p.state("a.org/headline/A", "DONE", "TODO"), tools.Conflict, "C-x C-s")
	p.In(p.file("a.org"), `(progn (set-buffer-modified-p nil) (kill-buffer))`)
}

func emacsVariables(p *livePerson) {
	p.Run(`(setq org-todo-keywords '((sequence "OPEN" "|" "SHUT")) org-log-done 'time org-tags-column '(not understood))`)
	defer p.Run(`(progn (makunbound 'org-todo-keywords) (makunbound 'org-log-done) (makunbound 'org-tags-column))`)
	p.write("a.org", "* OPEN A\n* OPEN B\n")
	p.open(func(c *org.Config) { c.EmacsVars = true; c.Vars = map[string]string{"org-log-done": "nil"} })
	p.mustState("a.org/headline/A", "OPEN", "SHUT")
	p.wantDisk("a.org", "* SHUT A\n* OPEN B\n") // the configuration's own variable counts
	if c := p.look("emacsvars"); c.Result != status.CheckWarn || !strings.Contains(c.Detail, "org-tags-column") {
		p.t.Errorf("check %+v", c)
	}
}

// An Emacs that makes no lock files is asked about each file.
func withoutLockFiles(p *livePerson) {
	p.Run("(setq create-lockfiles nil)")
	defer p.Run("(setq create-lockfiles t)")
	p.write("a.org", "* TODO A\n")
	p.open(nil)
	p.In(p.file("a.org"), `(progn (goto-char (point-max)) (insert "* TODO New\n"))`)
	p.mustState("a.org/headline/New", "TODO", "DONE")
	p.wantBuffer("a.org", "* TODO A\n* DONE New\n", true)
	p.wantDisk("a.org", "* TODO A\n")
}

func (p *livePerson) look(name string) status.Check {
	p.t.Helper()
	c, err := p.opened.Look(p.t.Context(), name, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

func doctorChecks(p *livePerson) {
	p.write("a.org", "* TODO A\n:PROPERTIES:\n:ID:       one\n:END:\n[[id:one]] [[id:gone][x]]\n")
	want := func(name string, result status.CheckResult, words ...string) {
		p.t.Helper()
		c := p.look(name)
		for _, w := range append(words, "") {
			if c.Result != result || !strings.Contains(c.Detail+" "+c.Fix, w) {
				p.t.Errorf("%s: %+v, want %s with %q", name, c, result, w)
			}
		}
	}
	p.open(nil)
	want("emacs", status.CheckOK, "28.", p.Socket)
	want("emacsbuffers", status.CheckOK)
	want("emacsrevert", status.CheckOK)
	want("emacsvars", status.CheckSkipped, "emacs_vars")
	want("ids", status.CheckWarn, "gone", "a.org")
	p.In(p.file("a.org"), `(insert "x")`)
	want("emacsbuffers", status.CheckWarn, "a.org", "C-x C-s")
	p.In(p.file("a.org"), `(progn (set-buffer-modified-p nil) (kill-buffer))`)
	p.open(func(c *org.Config) { c.EmacsSocket = p.Socket + "-none" })
	want("emacs", status.CheckSkipped, p.Socket+"-none")
	want("emacsbuffers", status.CheckSkipped)
	p.open(func(c *org.Config) { c.EmacsSocket, c.Emacs = p.Socket+"-none", "required" })
	want("emacs", status.CheckFail, "server-start")
	p.open(func(c *org.Config) { c.Emacs = "off" })
	want("emacs", status.CheckSkipped, "off")
}

// twoWriters: two agents and a person who types, saves, reverts and closes the buffer
// work on one file at the same time. Each task has the state that its agent gave it last, each line of
// the person is there, nothing asks and nothing hangs.
func twoWriters(p *livePerson) {
	const tasks, lines = 8, 12
	var text strings.Builder
	for i := range tasks {
		fmt.Fprintf(&text, "* TODO T%d\n", i)
	}
	p.write("a.org", text.String())
	p.open(nil)
	p.In(p.file("a.org"), "nil")
	var agents sync.WaitGroup
	states, finished := make([]string, tasks), make(chan struct{})
	wrote := make([]int, 2)
	for agent := range 2 {
		agents.Go(func() {
			for n := 0; ; n++ {
				i := 2*(n%(tasks/2)) + agent
				from, to := "TODO", "DONE"
				if n/(tasks/2)%2 == 1 {
					from, to = to, from
				}
				for {
					err := p.state(fmt.Sprintf("a.org/headline/T%d", i), from, to)
					if err == nil {
						break
					}
					if e := tools.AsError(err); e.Code != tools.Conflict || strings.Contains(e.Message, "mismatch") {
						p.t.Errorf("T%d: %v", i, err)
						return
					}
				}
				states[i] = to
				wrote[agent]++
				select {
				case <-finished:
					return
				default:
				}
			}
		})
	}
	asked := 0
	for line := range lines {
		for {
			// Where Emacs would ask, because an agent has just written, the person leaves it
			// and types again.
			got := p.In(p.file("a.org"), fmt.Sprintf(`(progn (goto-char (point-max)) (condition-case nil (progn (insert "typed %d\n") "typed")
 (error (unless (buffer-modified-p) (revert-buffer t t t)) "asked")))`, line))
			if got == `"typed"` {
				break
			}
			asked++
		}
		switch line % 4 {
		case 1:
			p.In(p.file("a.org"), "(save-buffer)")
		case 2: // closed; the next line visits the file again
			p.In(p.file("a.org"), "(progn (save-buffer) (kill-buffer))")
		case 3:
			p.In(p.file("a.org"), "(progn (save-buffer) (revert-buffer t t t))")
		}
	}
	close(finished)
	agents.Wait()
	p.In(p.file("a.org"), "(progn (save-buffer) nil)")
	got, err := os.ReadFile(p.file("a.org"))
	if err != nil {
		p.t.Fatal(err)
	}
	for i, state := range states {
		if state != "" && strings.Count(string(got), fmt.Sprintf("* %s T%d\n", state, i)) != 1 {
			p.t.Errorf("T%d is not %s once", i, state)
		}
	}
	for i := range lines {
		if strings.Count(string(got), fmt.Sprintf("typed %d\n", i)) != 1 {
			p.t.Errorf("line %d of the person is lost", i)
		}
	}
	if wrote[0] == 0 || wrote[1] == 0 {
		p.t.Error("an agent wrote nothing")
	}
	p.t.Logf("agents wrote %v times, the person was asked %d times", wrote, asked)
	if p.t.Failed() {
		p.t.Logf("the file is\n%s", got)
	}
}
