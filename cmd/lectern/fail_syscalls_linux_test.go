package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// When the system refuses any one step of a write or a move, because the disk is full
// or cannot be written, the call fails and, after the next start at the latest, nothing
// has changed, or it is done. `make soak PART=kills` refuses each of all steps, and
// otherwise some of a write are.
func TestRefusedSystemCalls(t *testing.T) {
	if _, err := exec.LookPath("strace"); err != nil || testing.Short() {
		t.Skip("it starts many processes under strace: ", err)
	}
	if runtest.UnderRace {
		t.Skip("what a refused step leaves is on the disk, which the race detector does not watch")
	}
	calls, writes := []string{"renameat2"}, map[string][2]string{
		"page": {"write_page", `{"path":"two/deep/p3.md","content":"# Written\n\nAll of it is new.\n"}`},
	}
	if os.Getenv("KILLS") != "" {
		calls = []string{"linkat", "unlinkat", "renameat", "renameat2", "mkdirat", "fchmod", "fchmodat", "fsync"}
		writes["moved page"] = [2]string{"move_page", `{"sourcePath":"two/deep/p3.md","destinationPath":"new/place/p3.md"}`}
		writes["moved folder"] = [2]string{"move_page", `{"sourcePath":"two","destinationPath":"one/three"}`}
	}
	for name, write := range writes {
		t.Run(name, func(t *testing.T) {
			whole := newLinkedVault(t)
			was, _ := folderState(t, whole)
			if answered, ended := standaloneCall(t, whole, write[0], write[1]); !answered || !ended {
				t.Fatal("the write failed")
			}
			done, _ := folderState(t, whole)
			refused, failed, halves := 0, 0, 0
			for _, call := range calls {
				quiet := 0 // steps after the last that made a call fail
				for n := 1; quiet < 12; n++ {
					home := newLinkedVault(t)
					answered, ended := standaloneCall(t, home, write[0], write[1],
						"-e", "trace="+call, "-e", fmt.Sprintf("inject=%s:error=ENOSPC:when=%d", call, n))
					now, _ := folderState(t, home)
					refused++
					if !answered && ended && len(differences(now, was)) > 0 {
						// strace refuses the n-th step of every thread, and may have refused to put back
						// what was written as well: then the next start does that.
						if again, _ := standaloneCall(t, home, "list_pages", "{}"); !again {
							t.Fatalf("%s %d: the next start does not serve", call, n)
						}
						halves++
						now, _ = folderState(t, home)
					}
					switch {
					case !answered && !ended: // it did not come to the call
					case answered && len(differences(withoutEmptyFolders(now, done), done)) > 0:
						t.Errorf("%s %d: answered, and it leaves\n%s", call, n, strings.Join(differences(now, done), "\n"))
					case !answered && len(differences(now, was)) > 0 && len(differences(now, done)) > 0:
						t.Errorf("%s %d: failed, and it leaves\n%s", call, n, strings.Join(differences(now, was), "\n"))
					}
					quiet++
					if !answered {
						quiet, failed = 0, failed+1
					}
					if err := os.RemoveAll(home); err != nil {
						t.Error(err)
					}
				}
			}
			t.Logf("%d steps were refused, and %d calls failed, %d of them put back by the next start", refused, failed, halves)
			if failed == 0 {
				t.Error("no call failed")
			}
		})
	}
}

// withoutEmptyFolders is a state without the folders that want does not have and that
// hold no file: one that cannot be removed stays, and nothing is lost by that.
func withoutEmptyFolders(state, want map[string]string) map[string]string {
	left := maps.Clone(state)
	maps.DeleteFunc(left, func(name, content string) bool {
		_, wanted := want[name]
		return !wanted && strings.HasPrefix(content, "d") && !holdsFile(state, name)
	})
	return left
}

func holdsFile(state map[string]string, folder string) bool {
	for name, content := range state {
		if strings.HasPrefix(name, folder+"/") && !strings.HasPrefix(content, "d") {
			return true
		}
	}
	return false
}
