//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

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
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
			t.Run(strings.Join(args, " ")+" "+signal.String(), func(t *testing.T) {
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
				start := time.Now()
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				if err := cmd.Wait(); err != nil {
					t.Errorf("%v\n%s", err, said.Bytes())
				}
				if took := time.Since(start); args[0] == "serve" && took > time.Second {
					t.Errorf("it took %v", took)
				}
			})
		}
	}
}

// waitForHub waits until the hub of a home answers.
func waitForHub(t *testing.T, home string) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := daemon.GetHealth(t.Context(), daemonPaths(home)); err == nil {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("no hub")
		}
	}
}
