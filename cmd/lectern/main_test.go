package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// TestMain lets this binary play lectern: in the scripts, and as the hub that
// these start.
func TestMain(m *testing.M) {
	testscript.Main(isolatedRun{m}, map[string]func(){"lectern": main, "lectern-with-memo": runWithMemo, "logseq": runFakeLogseq, "lectern-crashing": runCrashingPanel})
}

// TestScripts is the specification of the command line. Every script has a
// LECTERN_HOME of its own, and no hub outlives it. Under the race detector, where each
// process takes a second, a quarter of them is played.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("scripts %q, %v", scripts, err)
	}
	var played []string
	for i, script := range scripts {
		if runtest.InSample(i, 1, 4) {
			played = append(played, script)
		}
	}
	testscript.Run(t, testscript.Params{
		Files: played,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "lectern")
			env.Setenv("LECTERN_HOME", home)
			env.Setenv("TERM", "dumb")
			env.Defer(func() { killHub(daemonPaths(home)) })
			env.Defer(func() { killHub(pathsOf(func(string) string { return "" }, filepath.Join(env.WorkDir, "home"))) })
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": execExits, "holdport": holdPort, "freeport": freePort, "hubpid": hubPID, "gone": awaitGone, "kill9": kill9, "await": await, "get": get,
			"unprivileged": unprivileged, "envfile": envFile, "envmatch": envMatch,
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "unprivileged":
				_, err := exec.LookPath("setpriv")
				return runtime.GOOS != "windows" && (os.Geteuid() != 0 || err == nil), nil
			case "under_race": // for scripts without a hub: each command is a process with one thing to do
				return runtest.UnderRace, nil
			default:
				return false, fmt.Errorf("unknown condition %q", name)
			}
		},
	})
}

func daemonPaths(home string) daemon.Paths {
	return daemon.Paths{State: filepath.Join(home, "state")}
}

// pathsOf is where an environment has its hub.
func pathsOf(getenv func(string) string, home string) daemon.Paths {
	p, err := config.PathsFor(getenv, runtime.GOOS, home)
	if err != nil {
		panic(err) // home is absolute
	}
	return daemon.Paths{State: p.State}
}

// killHub ends the hub that a failed script left behind.
func killHub(at daemon.Paths) {
	hub, err := daemon.GetHealth(context.Background(), at)
	if err != nil {
		return
	}
	if p, err := os.FindProcess(hub.PID); err == nil {
		_ = p.Kill()
	}
}

// execExits is `exits CODE COMMAND...`: it runs a command that must end with this
// exit status.
func execExits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		code = e.ExitCode()
	} else if err != nil {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit status %d, want %s\n%s%s", code, args[0], ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}

// unprivileged is `unprivileged CODE COMMAND...`: exits for a user to whom file
// permissions apply; root drops the capabilities that override them.
func unprivileged(ts *testscript.TestScript, neg bool, args []string) {
	if os.Geteuid() == 0 {
		args = append([]string{args[0], "setpriv", "--bounding-set=-dac_override,-dac_read_search"}, args[1:]...)
	}
	execExits(ts, neg, args)
}

// holdport NAME takes a port for the rest of the script.
func holdPort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv(args[0], portOf(l))
}

// freeport NAME finds a free port.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Setenv(args[0], portOf(l))
	ts.Check(l.Close())
}

// envfile NAME FILE sets a variable to what a file holds.
func envFile(ts *testscript.TestScript, _ bool, args []string) {
	ts.Setenv(args[0], strings.TrimSpace(ts.ReadFile(args[1])))
}

// envmatch NAME PATTERN sets a variable to the first group of a pattern in stdout.
func envMatch(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile("(?m)" + args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) < 2 {
		ts.Fatalf("no match for %q", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func portOf(l net.Listener) string { return strconv.Itoa(l.Addr().(*net.TCPAddr).Port) }

// hubpid NAME sets a variable to the PID of the running hub.
func hubPID(ts *testscript.TestScript, _ bool, args []string) {
	runtest.Eventually(ts, "a hub is found", func() bool {
		d, err := daemon.FindHub(pathsOf(ts.Getenv, ts.Getenv("HOME")))
		ts.Setenv(args[0], strconv.Itoa(d.PID))
		return err == nil
	})
}

// kill9 PID ends a process as a crash does.
func kill9(ts *testscript.TestScript, _ bool, args []string) {
	pid, err := strconv.Atoi(args[0])
	ts.Check(err)
	p, err := os.FindProcess(pid)
	ts.Check(err)
	ts.Check(p.Kill())
}

// awaitGone is `gone PID`: it waits until a process has exited.
func awaitGone(ts *testscript.TestScript, _ bool, args []string) {
	pid, err := strconv.Atoi(args[0])
	ts.Check(err)
	runtest.Eventually(ts, fmt.Sprintf("process %d is gone", pid), func() bool { return !alive(pid) })
}

// await PATTERN COMMAND... runs a command again and again until its stdout
// matches: something is on its way that nothing else announces.
func await(ts *testscript.TestScript, neg bool, args []string) {
	pattern, err := regexp.Compile("(?m)" + args[0])
	ts.Check(err)
	runtest.Eventually(ts, fmt.Sprintf("%q is seen", args[0]), func() bool {
		_ = ts.Exec(args[1], args[2:]...)
		return pattern.MatchString(ts.ReadFile("stdout")) != neg
	})
}

// get URL prints the status of an answer, and its text.
func get(ts *testscript.TestScript, _ bool, args []string) {
	req, err := http.NewRequest(http.MethodGet, args[0], nil)
	ts.Check(err)
	req.Header.Set("Accept", "text/event-stream")
	res, err := (&http.Client{Timeout: runtest.Timeout}).Do(req)
	ts.Check(err)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	ts.Check(err)
	_, err = fmt.Fprintf(ts.Stdout(), "%s\n%s", res.Status, text)
	ts.Check(err)
}
