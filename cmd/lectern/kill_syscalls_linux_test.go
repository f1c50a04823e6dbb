package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
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
	for !answered && lines.Scan() {
		answered = strings.Contains(lines.Text(), `"id":2,`) && !strings.Contains(lines.Text(), `"isError":true`)
	}
	_ = in.Close()
	for lines.Scan() { // until it has ended
	}
	return answered, cmd.Wait() == nil
}

// A process that is killed at any system call of a move leaves all of it or, after
// the next start, nothing. `make soak PART=kills` runs it.
func TestKilledAtEverySystemCallOfAMove(t *testing.T) {
	if os.Getenv("KILLS") == "" {
		t.Skip("`make soak PART=kills` runs it")
	}
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip(err)
	}
	const move = `{"sourcePath":"two/deep/p3.md","destinationPath":"new/place/p3.md"}`
	whole := newLinkedVault(t)
	was, _ := folderState(t, whole)
	if answered, ended := standaloneCall(t, whole, "move_page", move); !answered || !ended {
		t.Fatal("the move failed")
	}
	done, _ := folderState(t, whole)
	total, halves, undone := 0, 0, 0
	for _, call := range []string{"linkat", "unlinkat", "renameat", "renameat2", "mkdirat", "fchmod", "fchmodat", "fsync", "fdatasync", "pwrite64"} {
		for n := 1; ; n++ {
			home := newLinkedVault(t)
			answered, ended := standaloneCall(t, home, "move_page", move,
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
					t.Errorf("%s %d loses a move that was answered", call, n)
				}
			} else if differ := differences(now, done); len(differ) > 0 {
				t.Errorf("%s %d leaves\n%s", call, n, strings.Join(differ, "\n"))
			}
			if total++; n > 500 {
				t.Fatalf("%s: the move never ends", call)
			}
		}
	}
	t.Logf("killed at %d system calls, %d times in the middle of the move: %d moves done, %d not", total, halves, total-undone, undone)
}
