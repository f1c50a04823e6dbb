//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// Processes that are told to end do so in good order and at once: clients kill
// what is still there after two seconds.
func TestSignalsEndCleanly(t *testing.T) {
	lectern, err := exec.LookPath("lectern") // this binary, under that name
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve"}, {"serve", "--standalone"}, {"hub"}, {"supervise"}} {
		for _, sent := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			t.Run(strings.Join(args, " ")+" "+sent.String(), func(t *testing.T) {
				if sent == syscall.SIGHUP && signal.Ignored(sent) {
					t.Skip("what started the tests, such as nohup, has it ignored")
				}
				home := newHome(t)
				var said bytes.Buffer
				cmd := exec.CommandContext(t.Context(), lectern, args...)
				cmd.Env, cmd.Stderr = append(os.Environ(), "LECTERN_HOME="+home), &said
				in, err := cmd.StdinPipe()
				if err != nil {
					t.Fatal(err)
				}
				defer in.Close()
				out, err := cmd.StdoutPipe()
				if err != nil {
					t.Fatal(err)
				}
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				if args[0] == "serve" {
					if _, err := in.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n")); err != nil {
						t.Fatal(err)
					}
					if _, err := out.Read(make([]byte, 1<<10)); err != nil {
						t.Fatal(err)
					}
				} else {
					waitForHub(t, home)
				}
				if err := cmd.Process.Signal(sent); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Wait(); err != nil {
					t.Errorf("%v\n%s", err, said.Bytes())
				}
			})
		}
	}
}

// A person who runs it by hand learns what it is and what to run instead.
func TestServeOnATerminal(t *testing.T) {
	x := openScreen(t, 110, 10, environIn(newHome(t)), "lectern", "serve")
	x.waitFor("speaks MCP with a program", "run: lectern client install CLIENT", "run: lectern\n")
	x.signal(syscall.SIGTERM)
	if got := x.waitExit(); got != 0 {
		t.Errorf("left with %d", got)
	}
}

// waitForHub waits until the hub of a home answers.
func waitForHub(t *testing.T, home string) {
	t.Helper()
	runtest.Eventually(t, "the hub answers", func() bool { _, err := daemon.GetHealth(t.Context(), daemonPaths(home)); return err == nil })
}
