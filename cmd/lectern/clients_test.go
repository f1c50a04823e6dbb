package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// An agent is an MCP client that started `lectern serve`.
type agent struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	answers chan answer
}

type answer struct {
	ID     int             `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// newHome is one user's LECTERN_HOME with a vault of one page, and no HTTP.
func newHome(t *testing.T) (home string) {
	t.Helper()
	return newHomeWith(t, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\n")
}

// newHomeWith makes a LECTERN_HOME with a configuration and, in notes, a vault of
// one page. No hub outlives the test in it.
func newHomeWith(t *testing.T, conf string) (home string) {
	t.Helper()
	// t.TempDir may be too long for a socket's path, which is hashed then; this
	// is the usual case.
	home, err := os.MkdirTemp("", "lectern")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		killHub(daemonPaths(home))
		_ = os.RemoveAll(home)
	})
	if err := os.MkdirAll(filepath.Join(home, "notes"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"notes/a.md": "words\n", "config.toml": conf} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return home
}

func connectAgent(t *testing.T, home string) *agent {
	t.Helper()
	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	return connect(t, lectern, home)
}

// connect starts `lectern serve` of a binary.
func connect(t *testing.T, lectern, home string) *agent {
	t.Helper()
	return connectAs(t, lectern, home, "test")
}

// connectAs is connect for a client that calls itself so.
func connectAs(t *testing.T, lectern, home, name string) *agent {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), lectern, "serve")
	cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
	return startAgent(t, cmd, name)
}

// startAgent starts what a client's entry says.
func startAgent(t *testing.T, cmd *exec.Cmd, name string) *agent {
	t.Helper()
	a := &agent{cmd: cmd, answers: make(chan answer, 2000)}
	a.cmd.Stderr = t.Output()
	in, err := a.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.in = in
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go a.read(out)
	called, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	a.send(`{"jsonrpc":"2.0","id":1000000,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":` + string(called) + `,"version":"1"}}}`)
	return a
}

func (a *agent) read(out io.Reader) {
	defer close(a.answers)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		var v answer
		if json.Unmarshal(lines.Bytes(), &v) == nil && v.ID != 0 {
			a.answers <- v
		}
	}
}

func (a *agent) send(line string) { _, _ = io.WriteString(a.in, line+"\n") }

func (a *agent) nextAnswer(t *testing.T) answer {
	t.Helper()
	v := runtest.Receive(t, "an answer", a.answers)
	if v.ID == 0 {
		t.Fatal("the client was left alone")
	}
	return v
}

func (a *agent) disconnect(t *testing.T) {
	t.Helper()
	if err := a.in.Close(); err != nil {
		t.Error(err)
	}
	for range a.answers {
	}
	if err := a.cmd.Wait(); err != nil {
		t.Errorf("lectern serve: %v", err)
	}
}

func askHub(t *testing.T, home string) daemon.Health {
	t.Helper()
	v, err := daemon.GetHealth(t.Context(), daemonPaths(home))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// awaitSessions waits until the hub has this many sessions. A client that only
// checks whether the hub answers is also one for a moment.
func awaitSessions(t *testing.T, home string, want int) {
	t.Helper()
	runtest.Eventually(t, fmt.Sprintf("the hub has %d sessions", want), func() bool { return askHub(t, home).Sessions == want })
}

func stopTestHub(t *testing.T, home string) {
	t.Helper()
	pid := askHub(t, home).PID
	ctx, cancel := context.WithTimeout(t.Context(), runtest.Timeout)
	defer cancel()
	if _, err := daemon.StopHubAndWait(ctx, daemonPaths(home), daemon.StopRequest{}); err != nil {
		t.Error(err)
	}
	runtest.Eventually(t, fmt.Sprintf("hub %d is gone", pid), func() bool { return !alive(pid) })
}

// Eight clients that start at the same instant, with no hub, share one.
func TestEightClientsShareOneHub(t *testing.T) {
	home := newHome(t)
	agents := make([]*agent, 8)
	var started sync.WaitGroup
	for i := range agents {
		started.Go(func() { agents[i] = connectAgent(t, home) })
	}
	started.Wait()
	for _, a := range agents {
		if v := a.nextAnswer(t); v.Error != nil {
			t.Errorf("initialize: %s", v.Error)
		}
	}
	awaitSessions(t, home, len(agents))
	for _, a := range agents {
		a.disconnect(t)
	}
	stopTestHub(t, home)
}

// A hub that is killed in the middle of a thousand reads costs no client and
// no answer.
func TestKilledHubLosesNothing(t *testing.T) {
	home := newHome(t)
	a := connectAgent(t, home)
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	a.send(`{"jsonrpc":"2.0","id":999999,"method":"tools/list"}`)
	a.nextAnswer(t)

	const reads = 1000
	first := askHub(t, home).PID
	answered := map[int]bool{}
	go func() {
		for id := 1; id <= reads; id++ {
			a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"read_page","arguments":{"path":"a.md"}}}`, id))
		}
	}()
	for range reads {
		v := a.nextAnswer(t)
		if v.Error != nil || !strings.Contains(string(v.Result), "words") || answered[v.ID] {
			t.Fatalf("call %d: %s %s, answered before: %v", v.ID, v.Error, v.Result, answered[v.ID])
		}
		answered[v.ID] = true
		if len(answered) == reads/3 {
			if p, err := os.FindProcess(first); err != nil || p.Kill() != nil {
				t.Fatalf("kill hub %d: %v", first, err)
			}
		}
	}
	if second := askHub(t, home).PID; second == first {
		t.Error("the hub was not killed")
	}
	a.disconnect(t)
	stopTestHub(t, home)
	log, err := os.ReadFile(filepath.Join(home, "state", "lectern.log"))
	if err != nil {
		t.Fatal(err)
	}
	if died := regexp.MustCompile(fmt.Sprintf(`"msg":"the hub before this one crashed: it ended without shutting down","component":"supervisor","pid":%d\b`, first)); !died.Match(log) {
		t.Errorf("the log does not say that a hub died:\n%s", log)
	}
}
