package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// standaloneCall runs `lectern serve --standalone`, under strace with these options
// unless there are none, and calls one tool. It reports whether the call succeeded and
// whether the process ended by itself.
func standaloneCall(t *testing.T, home, tool, args string, options ...string) (answered, ended bool) {
	t.Helper()
	command := []string{"lectern", "serve", "--standalone"}
	if len(options) > 0 {
		command = append(append([]string{"strace", "-f", "-qq", "-o", os.DevNull}, options...), command...)
	}
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintf(in, "%s\n%s\n%s\n", // it may have been killed
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
			`"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, args))
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 8<<20)
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"id":2,`) {
			answered = strings.Contains(lines.Text(), `"result"`) && !strings.Contains(lines.Text(), `"isError":true`)
			break
		}
	}
	_ = in.Close()
	for lines.Scan() { // until it has ended
	}
	return answered, cmd.Wait() == nil
}

// A process that is killed at any system call of a write or a move leaves all of it
// or, after the next start, nothing. `make soak PART=kills` kills it at all of them,
// and otherwise it is killed at some of those of a write.
func TestKilledAtEverySystemCall(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil || testing.Short() {
		t.Skip("it starts many processes under strace: ", err)
	}
	if runtest.UnderRace {
		t.Skip("what a kill leaves is on the disk, which the race detector does not watch")
	}
	calls := []string{"renameat2", "unlinkat"}
	writes := map[string][2]string{
		"page": {"write_page", `{"path":"two/deep/p3.md","content":"# Written\n\nAll of it is new.\n"}`},
	}
	if os.Getenv("KILLS") != "" {
		calls = []string{"linkat", "unlinkat", "renameat", "renameat2", "mkdirat", "fchmod", "fchmodat", "fsync", "fdatasync", "ftruncate", "write", "pwrite64"}
		writes["new page"] = [2]string{"write_page", `{"path":"new/place/p.md","content":"# Written\n"}`}
		writes["end of a page"] = [2]string{"edit_page", `{"path":"two/deep/p3.md","action":"append","content":"More.\n"}`}
		writes["deleted page"] = [2]string{"delete_page", `{"path":"two/deep/p3.md"}`}
		writes["moved page"] = [2]string{"move_page", `{"sourcePath":"two/deep/p3.md","destinationPath":"new/place/p3.md"}`}
		writes["moved folder"] = [2]string{"move_page", `{"sourcePath":"two","destinationPath":"one/three"}`}
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) { killAtSystemCalls(t, write[0], write[1], calls) })
	}
}

func killAtSystemCalls(t *testing.T, tool, args string, calls []string) {
	t.Helper()
	whole := newLinkedVault(t)
	was, _ := folderState(t, whole)
	if answered, ended := standaloneCall(t, whole, tool, args); !answered || !ended {
		t.Fatal("the write failed")
	}
	done, _ := folderState(t, whole)
	total, halves, undone := 0, 0, 0
	for _, call := range calls {
		for n := 1; ; n++ {
			home := newLinkedVault(t)
			answered, ended := standaloneCall(t, home, tool, args,
				"-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n))
			if ended {
				break // there are no more
			}
			half, _ := folderState(t, home)
			if len(differences(half, was)) > 0 && len(differences(half, done)) > 0 {
				halves++
			}
			if again, _ := standaloneCall(t, home, "list_pages", "{}"); !again {
				t.Fatalf("%s %d: the next start does not serve", call, n)
			}
			now, _ := folderState(t, home)
			if len(differences(now, was)) == 0 {
				if undone++; answered {
					t.Errorf("%s %d loses a write that was answered", call, n)
				}
			} else if differ := differences(now, done); len(differ) > 0 {
				t.Errorf("%s %d leaves\n%s", call, n, strings.Join(differ, "\n"))
			}
			if err := os.RemoveAll(home); err != nil {
				t.Error(err)
			}
			if total++; n > 500 {
				t.Fatalf("%s: the write never ends", call)
			}
		}
	}
	t.Logf("killed at %d system calls, %d times in the middle of the write: %d done, %d not", total, halves, total-undone, undone)
	if total == 0 {
		t.Error("it was never killed")
	}
}
