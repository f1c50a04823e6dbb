package main

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An isolatedRun runs the tests in an environment of their own: what is installed on this machine, how
// its user has set it up and where in the world it stands decide nothing.
type isolatedRun struct{ *testing.M }

// testPrograms are all that tests and scripts find on PATH, besides the commands that this binary
// plays: no MCP client is among them, and nothing that copies, opens or announces.
const testPrograms = "awk bash cat chmod clear cp curl cut date dd dirname echo env false find git go grep head id kill ln ls mkdir mkfifo mkfs.ext4 mount mv " +
	"node ps rm rmdir sed setpriv setsid sh sleep sort stat strace stty tail tee test tmux touch tr true tty umount uname wc"

// testVariables are what a person may tell the tests, and what Windows cannot do without.
const testVariables = "BENCH_PAGES CALLS CI CUTS GOCOVERDIR GORACE IDLE_SECONDS KILLS LECTERN_BIN LECTERN_CLIENTS LECTERN_CONFORMANCE LECTERN_PEERS " +
	"LECTERN_TURN POWER_CUTS_INSIDE TMPDIR UPDATE SYSTEMROOT TEMP TMP USERPROFILE WINDIR"

// Run runs the tests. Of PATH the first folder remains, in which testscript has put the commands.
func (r isolatedRun) Run() int {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") { // else a hub that a test's process starts runs all tests, and these start hubs
		log.Fatalf("a test has started its own binary with %q: as a command it is named lectern", os.Args[1:])
	}
	home, err := os.MkdirTemp("", "lectern-tests")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		log.Fatal(err)
	}
	for name := range strings.FieldsSeq(testPrograms) {
		if path, err := exec.LookPath(name); err == nil {
			_ = os.Symlink(path, filepath.Join(bin, filepath.Base(path))) // without one the test says what it misses
		}
	}
	commands := filepath.SplitList(os.Getenv("PATH"))[0]
	variables := map[string]string{
		"HOME": home, "LC_ALL": "C.UTF-8", "TZ": "UTC",
		"PATH": strings.Join([]string{commands, bin, os.Getenv("LECTERN_CLIENTS")}, string(filepath.ListSeparator)),
	}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS"} { // the caches are in the home folder of who builds
		if value, err := exec.Command("go", "env", name).Output(); err == nil {
			variables[name] = strings.TrimSpace(string(value))
		}
	}
	for name := range strings.FieldsSeq(testVariables) {
		if value, ok := os.LookupEnv(name); ok {
			variables[name] = value
		}
	}
	os.Clearenv()
	for name, value := range variables {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
	}
	return r.M.Run()
}
