//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

const killConfig = "[hub]\nhttp = false\n\n[limits]\ncalls_per_minute = 0\nbreaker_deletes = 0\nbreaker_bytes = 0\n\n" +
	"[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = \"notes\"\neffects = [\"read\", \"write\", \"delete\"]\n"

// newLinkedVault is a home whose notes link to each other by relative links: pages
// with other line endings, modes and ends, attachments and folders of folders.
func newLinkedVault(t *testing.T) (home string) {
	t.Helper()
	home = newHomeWith(t, killConfig)
	notes := filepath.Join(home, "notes")
	if err := os.Remove(filepath.Join(notes, "a.md")); err != nil {
		t.Fatal(err)
	}
	var pages []string
	for i := range 24 {
		pages = append(pages, path.Join([]string{"", "one", "two", "two/deep"}[i%4], fmt.Sprintf("p%d.md", i)))
	}
	for i, name := range pages {
		if err := os.MkdirAll(filepath.Join(notes, path.Dir(name), "assets"), 0o750); err != nil {
			t.Fatal(err)
		}
		text := []string{"", "\ufeff"}[i/2%2] + "# Page\n"
		for j := 1; j <= 4; j++ {
			to, err := filepath.Rel(path.Dir(name), pages[(i+j*5)%len(pages)])
			if err != nil {
				t.Fatal(err)
			}
			text += fmt.Sprintf("- [link](%s)\n", to)
		}
		text += strings.Repeat("words ", i*40)
		if i%3 == 0 {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if err := os.WriteFile(filepath.Join(notes, name), []byte(text), []fs.FileMode{0o644, 0o600, 0o640}[i%3]); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(notes, "two/deep/assets/picture.png"), []byte{0, 1, 2}, 0o644); err != nil {
		t.Fatal(err)
	}
	return home
}

// folderState is every file and folder of notes, with mode and content, and the
// names of temporary files.
func folderState(t *testing.T, home string) (state map[string]string, temps []string) {
	t.Helper()
	state = map[string]string{}
	notes := filepath.Join(home, "notes")
	err := filepath.WalkDir(notes, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(notes, file)
		if err != nil {
			return err
		}
		if strings.HasPrefix(e.Name(), ".lectern-") {
			temps = append(temps, file)
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var data []byte
		if !e.IsDir() {
			data, err = os.ReadFile(file)
		}
		state[name] = fmt.Sprintf("%s %q", info.Mode(), data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return state, temps
}

// differences lists what two states do not have in common.
func differences(a, b map[string]string) (names []string) {
	for name := range a {
		if a[name] != b[name] {
			names = append(names, "- "+name+" "+a[name])
		}
	}
	for name := range b {
		if a[name] != b[name] {
			names = append(names, "+ "+name+" "+b[name])
		}
	}
	slices.Sort(names)
	return names
}

func linkTargets() *regexp.Regexp { return regexp.MustCompile(`\]\(([^)]*)\)`) }

// checkLinks checks that every page is there once and every link leads to one, which
// half of a move would break.
func checkLinks(t *testing.T, state map[string]string) {
	t.Helper()
	count := 0
	for name, content := range state {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		count++
		for _, link := range linkTargets().FindAllStringSubmatch(content, -1) {
			if to := path.Join(path.Dir(name), link[1]); state[to] == "" {
				t.Errorf("%s links to %s, which does not exist", name, to)
			}
		}
	}
	if count != 24 {
		t.Errorf("%d pages of 24", count)
	}
}

// sendMoves sends moves of some pages to other folders, or of a folder.
func sendMoves(a *agent, state map[string]string, random *rand.Rand, first int) (ids []int) {
	var pages []string
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if strings.HasSuffix(name, ".md") {
			pages = append(pages, name)
		}
	}
	for i, at := range random.Perm(len(pages))[:6] {
		from := pages[at]
		to := fmt.Sprintf("d%d/e%d/%s", random.IntN(5), random.IntN(3), path.Base(from))
		if random.IntN(3) == 0 {
			to = path.Base(from)
		}
		id := first + i
		a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"move_page",`+
			`"arguments":{"sourcePath":%q,"destinationPath":%q}}}`, id, from, to))
		ids = append(ids, id)
	}
	return ids
}

func kills(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("KILLS"))
	switch {
	case err == nil:
		return n
	case runtest.UnderRace: // each kill starts two processes, which takes seconds then
		return 3
	default:
		return 6
	}
}

// A hub that is killed in the middle of moves leaves no half move to the next one,
// and what was moved can be undone to the byte. `make soak PART=kills` kills 300
// times.
func TestKilledInMoves(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	home := newLinkedVault(t)
	was, _ := folderState(t, home)
	checkLinks(t, was)
	a := connectAgent(t, home)
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	random := rand.New(rand.NewPCG(1, 2))
	done, failed := 0, 0
	for round := range kills(t) {
		state, _ := folderState(t, home)
		ids := sendMoves(a, state, random, 1+round*10)
		next := func() {
			if v := a.nextAnswer(t); v.Error != nil || bytes.Contains(v.Result, []byte(`"isError":true`)) {
				failed++
			} else {
				done++
			}
		}
		answered := random.IntN(len(ids))
		for range answered {
			next()
		}
		killHubSoon(t, home, random)
		for range len(ids) - answered {
			next()
		}
		a.send(`{"jsonrpc":"2.0","id":999999,"method":"tools/call","params":{"name":"list_pages","arguments":{}}}`)
		a.nextAnswer(t) // the next hub serves, so it has settled what it found
		state, _ = folderState(t, home)
		if checkLinks(t, state); t.Failed() {
			t.Fatalf("after kill %d", round+1)
		}
	}
	t.Logf("%d kills, %d moves, %d refused or cut short", kills(t), done, failed)
	a.disconnect(t)
	awaitHub(t, home)
	checkOutcomes(t, home)
	runLectern(t, home, "undo", "--source", "notes", "--yes")
	now, temps := folderState(t, home)
	if differ := differences(was, now); len(differ) > 0 {
		t.Errorf("after the undo of everything:\n%s", strings.Join(differ, "\n"))
	}
	checkSweep(t, home, temps)
}

// awaitHub waits for a hub and returns its PID.
func awaitHub(t *testing.T, home string) (pid int) {
	t.Helper()
	runtest.Eventually(t, "a hub is running", func() bool {
		hub, err := daemon.GetHealth(t.Context(), daemonPaths(home))
		pid = hub.PID
		return err == nil
	})
	return pid
}

// namesIn are the names in notes, while somebody writes there.
func namesIn(home string) string {
	var names []string
	_ = filepath.WalkDir(filepath.Join(home, "notes"), func(file string, _ fs.DirEntry, _ error) error {
		names = append(names, file)
		return nil
	})
	return strings.Join(names, "\n")
}

// killHubSoon kills the hub after a moment, so that it is hit anywhere in what it
// does.
func killHubSoon(t *testing.T, home string, random *rand.Rand) {
	t.Helper()
	pid := awaitHub(t, home)
	for range random.IntN(10_000) {
		_, _ = os.Lstat(home)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// A hub that is killed in the middle of an undo, and of completing it, leaves it to
// the next one, which completes it to the byte.
func TestKilledInUndos(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts many processes")
	}
	home := newLinkedVault(t)
	was, _ := folderState(t, home)
	a := connectAgent(t, home)
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	random := rand.New(rand.NewPCG(3, 4))
	begun, resumed := 0, 0
	for round := range (kills(t) + 5) / 6 {
		for i := range 3 {
			state, _ := folderState(t, home)
			for range sendMoves(a, state, random, 1+round*100+i*10) {
				a.nextAnswer(t)
			}
		}
		moved, _ := folderState(t, home)
		names := namesIn(home)
		undo := lecternCommand(t, home, "undo", "--source", "notes", "--yes")
		if err := undo.Start(); err != nil {
			t.Fatal(err)
		}
		runtest.Eventually(t, "the undo has begun", func() bool { return namesIn(home) != names })
		for first := true; first || random.IntN(2) == 0; first = false {
			killHubSoon(t, home, random)
		}
		_ = undo.Wait() // its hub is dead
		awaitHub(t, home)
		a.send(`{"jsonrpc":"2.0","id":999999,"method":"tools/call","params":{"name":"list_pages","arguments":{}}}`)
		a.nextAnswer(t)
		state, _ := folderState(t, home)
		if begun++; len(differences(was, state)) == 0 {
			resumed++
		} else if len(differences(moved, state)) > 0 {
			t.Errorf("undo %d is neither done nor not:\n%s", round+1, strings.Join(differences(was, state), "\n"))
		}
		if checkLinks(t, state); t.Failed() {
			t.FailNow()
		}
		checkOutcomes(t, home)
	}
	t.Logf("%d undos, %d completed by the next hub", begun, resumed)
	a.disconnect(t)
	awaitHub(t, home)
	_ = lecternCommand(t, home, "undo", "--source", "notes", "--yes").Run() // there may be nothing left
	now, temps := folderState(t, home)
	if differ := differences(was, now); len(differ) > 0 {
		t.Errorf("after the undo of everything:\n%s", strings.Join(differ, "\n"))
	}
	checkSweep(t, home, temps)
}

// checkOutcomes checks that no Change is left unknown.
func checkOutcomes(t *testing.T, home string) {
	t.Helper()
	var found status.Changes
	if err := json.Unmarshal(runLectern(t, home, "changes", "--json", "--limit", "100000"), &found); err != nil {
		t.Fatal(err)
	}
	for _, c := range found.Changes {
		if c.Outcome == status.OutcomeUnknown {
			t.Errorf("%s %s is unknown", c.ID, c.Target)
		}
	}
}

// checkSweep lets temporary files grow old, and the next hub remove them.
func checkSweep(t *testing.T, home string, temps []string) {
	t.Helper()
	t.Logf("%d temporary files", len(temps))
	old := time.Now().Add(-time.Hour)
	for _, file := range temps {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	runLectern(t, home, "hub", "restart")
	runtest.Eventually(t, "no temporary file is left", func() bool { _, left := folderState(t, home); return len(left) == 0 })
}

func runLectern(t *testing.T, home string, args ...string) []byte {
	t.Helper()
	out, err := lecternCommand(t, home, args...).Output()
	if err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			out = append(out, exit.Stderr...)
		}
		t.Fatalf("lectern %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func lecternCommand(t *testing.T, home string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "lectern", args...)
	cmd.Env = append(os.Environ(), "LECTERN_HOME="+home)
	return cmd
}
