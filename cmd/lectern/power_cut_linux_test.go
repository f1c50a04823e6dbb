package main

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

// cutsPerDisk is how often the power of one disk fails: then the journal of the next is short again.
const cutsPerDisk = 25

// Whenever the power fails, what was answered is there afterwards, and of what was not answered
// all or nothing: notes, cards, pages, Org files, and the changes in the journal. `make soak
// PART=power` cuts the power 1,000 times (CUTS).
//
// What writes has its home on an ext4 file system, in a loop device, on a disk that loses what
// nobody told it to flush.
func TestPowerCuts(t *testing.T) {
	const inside = "POWER_CUTS_INSIDE"
	cuts, err := strconv.Atoi(os.Getenv("CUTS"))
	if err != nil {
		t.Skip("make soak PART=power")
	}
	if os.Geteuid() != 0 {
		t.Skip("no power can be cut here: only root may mount a file system")
	}
	for _, program := range []string{"mkfs.ext4", "mount", "umount"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("no power can be cut here: %v", err)
		}
	}
	if os.Getenv(inside) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPowerCuts$", "-test.v", "-test.timeout=0")
		cmd.Env = append(os.Environ(), inside+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS} // what it mounts goes when it ends
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = io.MultiWriter(t.Output(), &said), t.Output()
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(said.String(), "--- SKIP") {
			t.Skip("it says why above")
		}
		return
	}
	var all powerCut
	for first := 0; first < cuts && !t.Failed(); first += cutsPerDisk {
		lost, kept := cutPower(t, uint64(first), min(cutsPerDisk, cuts-first))
		all.lost, all.kept = all.lost+lost, all.kept+kept
		t.Logf("%d cuts, %d blocks were not flushed, %d of them came to the disk", min(first+cutsPerDisk, cuts), all.lost, all.kept)
	}
}

// cutPower writes to a new disk and cuts its power some times.
func cutPower(t *testing.T, seed uint64, cuts int) (lost, kept int) {
	t.Helper()
	w := &powerWriter{random: rand.New(rand.NewPCG(seed, 2)), revisions: map[string]string{}}
	disk := newFragileDisk(t, seed, func() any {
		w.mu.Lock()
		defer w.mu.Unlock()
		return [2]powerState{w.answered, w.sent}
	})
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", "-F", "-E", "nodiscard", "-J", "size=4", disk.file).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %v: %s", err, out)
	}
	home, unmount := mountDisk(t, disk.file)
	fillDurableHome(t, home)
	syscall.Sync()
	w.answered = powerState{"page a.md": "# A\n"}
	w.sent = w.answered
	w.agent = startAgent(t, serveAlone(t, home), "test")
	w.agent.nextAnswer(t)
	w.agent.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for n := range cuts {
		disk.cutAfter(1 + w.random.IntN(60))
		cut, found := powerCut{}, false
		for !found {
			w.step(t)
			select {
			case cut = <-disk.cuts:
				found = true
			default:
			}
		}
		lost, kept = lost+cut.lost, kept+cut.kept
		promised := cut.promised.([2]powerState)
		if differ := compareAfterCut(t, cut, promised[0], promised[1]); len(differ) > 0 {
			t.Errorf("seed %d, cut %d, %d of %d blocks kept:\n%s", seed, n+1, cut.kept, cut.lost, strings.Join(differ, "\n"))
			break
		}
	}
	w.agent.disconnect(t)
	unmount()
	return lost, kept
}

// mountDisk mounts what is in a file.
func mountDisk(t *testing.T, file string) (dir string, unmount func()) {
	t.Helper()
	dir = t.TempDir()
	// A long time between what ext4 writes by itself: what was not flushed is mostly lost.
	if out, err := exec.CommandContext(t.Context(), "mount", "-t", "ext4", "-o", "loop,commit=300", file, dir).CombinedOutput(); err != nil {
		t.Skipf("no power can be cut here: mount: %v: %s", err, out)
	}
	return dir, func() {
		if out, err := exec.CommandContext(t.Context(), "umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	}
}

// compareAfterCut starts on what is left of a disk and lists what is neither as it was answered
// nor as it was to be after the write that was under way.
func compareAfterCut(t *testing.T, cut powerCut, answered, sent powerState) (differ []string) {
	t.Helper()
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, cut.image, 0o600); err != nil {
		t.Fatal(err)
	}
	home, unmount := mountDisk(t, image)
	found := readPowerState(t, home, answered, sent)
	unmount()
	if err := os.Remove(image); err != nil {
		t.Error(err)
	}
	before, after := found.differences(answered), found.differences(sent)
	if len(before) > 0 && len(after) > 0 {
		return append(append([]string{"what was answered:"}, before...), append([]string{"with the write that was under way:"}, after...)...)
	}
	return nil
}

// A powerState is what there is: texts of pages, notes, cards and headlines by kind and name, and
// how many calls of a source are in the journal as written.
type powerState map[string]string

func (s powerState) with(key, text string) powerState {
	next := maps.Clone(s)
	if next[key] = text; text == "" {
		delete(next, key)
	}
	return next
}

func (s powerState) differences(want powerState) (list []string) {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if s[key] != want[key] {
			list = append(list, fmt.Sprintf("%s is %q, not %q", key, s[key], want[key]))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if _, is := want[key]; !is {
			list = append(list, fmt.Sprintf("%s is %q, and should not be", key, s[key]))
		}
	}
	return list
}

// A powerWriter writes one thing after the other, and knows what was answered.
type powerWriter struct {
	agent     *agent
	random    *rand.Rand
	calls     int
	revisions map[string]string // of notes

	mu             sync.Mutex
	answered, sent powerState // never changed, but exchanged
}

// step makes one write of any kind.
func (w *powerWriter) step(t *testing.T) {
	t.Helper()
	n := strconv.Itoa(w.calls + 1)
	now := w.answered
	switch w.random.IntN(8) {
	case 0, 1:
		id := fmt.Sprintf("n%d", w.random.IntN(8))
		text := fmt.Sprintf("# Note %s\n\n%s\n", n, strings.Repeat("words ", w.random.IntN(600)))
		args := fmt.Sprintf(`{"workspace_id":"ws","note_id":%q,"markdown":%q,"parent_revision_id":%q}`, id, text, w.revisions[id])
		var written struct {
			Revision string `json:"revision_id"`
		}
		w.write(t, "ws", "workspace_write_note", args, now.with("note "+id, text), &written)
		w.revisions[id] = written.Revision
	case 2, 3:
		name := fmt.Sprintf("Card %d", w.random.IntN(8))
		text, tool := "<p>"+n+strings.Repeat(" words", w.random.IntN(600))+"</p>", "cards_update_card"
		if now["card "+name] == "" {
			tool = "cards_create_card"
		}
		w.write(t, "wiki", tool, fmt.Sprintf(`{"name":%q,"content":%q}`, name, text), now.with("card "+name, text), nil)
	case 4:
		title := "Task " + n
		w.write(t, "org", "org-add-todo", fmt.Sprintf(`{"title":%q,"parentUri":"org://a.org"}`, title), now.with("headline "+title, title), nil)
	case 5:
		name := fmt.Sprintf("f%d/p%s.md", w.random.IntN(6), n)
		text := "# Page " + n + "\n" + strings.Repeat("words ", w.random.IntN(600))
		w.write(t, "notes", "markdown_write_page", fmt.Sprintf(`{"path":%q,"content":%q}`, name, text), now.with("page "+name, text), nil)
	case 6:
		name, text := w.anyPage(), "# Again "+n+"\n"
		w.write(t, "notes", "markdown_write_page", fmt.Sprintf(`{"path":%q,"content":%q}`, name, text), now.with("page "+name, text), nil)
	case 7:
		from := w.anyPage()
		if text := now["page "+from]; w.random.IntN(3) > 0 || len(now) < 30 {
			to := fmt.Sprintf("g%d/h%d/m%s.md", w.random.IntN(3), w.random.IntN(3), n)
			w.write(t, "notes", "markdown_move_page", fmt.Sprintf(`{"sourcePath":%q,"destinationPath":%q}`, from, to),
				now.with("page "+from, "").with("page "+to, text), nil)
			return
		}
		w.write(t, "notes", "markdown_delete_page", fmt.Sprintf(`{"path":%q}`, from), now.with("page "+from, ""), nil)
	}
}

// anyPage is one of the pages that there are, of which there is always one.
func (w *powerWriter) anyPage() string {
	var pages []string
	for key := range w.answered {
		if name, is := strings.CutPrefix(key, "page "); is {
			pages = append(pages, name)
		}
	}
	slices.Sort(pages)
	return pages[w.random.IntN(len(pages))]
}

// write makes a call that leads to after, and decodes what it answers.
func (w *powerWriter) write(t *testing.T, source, tool, args string, after powerState, answer any) {
	t.Helper()
	calls := "calls to " + source
	n, _ := strconv.Atoi(after[calls]) // none: ""
	after = after.with(calls, strconv.Itoa(n+1))
	w.mu.Lock()
	w.sent = after
	w.mu.Unlock()
	w.calls++
	r := w.agent.callTool(t, w.calls, tool, args)
	if r.IsError {
		t.Fatalf("%s %.200s: %s", tool, args, r.Content)
	}
	if answer != nil {
		if err := json.Unmarshal(r.StructuredContent, answer); err != nil {
			t.Fatal(err)
		}
	}
	w.mu.Lock()
	w.answered = after
	w.mu.Unlock()
}

// readPowerState reads what there is after a start, of all that may be there.
func readPowerState(t *testing.T, home string, may ...powerState) powerState {
	t.Helper()
	found := powerState{}
	a := startAgent(t, serveAlone(t, home), "test")
	a.nextAnswer(t)
	a.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	asked := 0
	ask := func(key, tool, args string) {
		asked++
		r := a.callTool(t, asked, tool, args)
		var read struct{ Markdown, Content string }
		if err := json.Unmarshal(r.StructuredContent, &read); err == nil && !r.IsError && read.Markdown+read.Content != "" {
			found[key] = read.Markdown + read.Content
		}
	}
	ask("", "markdown_list_pages", "{}") // so that it serves, and has completed what was interrupted
	keys := map[string]bool{}
	for _, state := range may {
		for key := range state {
			keys[key] = true
		}
	}
	for key := range keys {
		kind, name, _ := strings.Cut(key, " ")
		switch kind {
		case "note":
			ask(key, "workspace_read_note", fmt.Sprintf(`{"workspace_id":"ws","note_id":%q}`, name))
		case "card":
			ask(key, "cards_get_card", fmt.Sprintf(`{"name":%q}`, name))
		}
	}
	asked++
	_ = a.callTool(t, asked, "org-get-todos", "{}") // the source is open, too
	a.disconnect(t)
	found.readFiles(t, home)
	found.readJournal(t, home)
	return found
}

func (s powerState) readFiles(t *testing.T, home string) {
	t.Helper()
	org, err := os.ReadFile(filepath.Join(home, "org/a.org"))
	if err != nil {
		t.Error(err)
	}
	for line := range strings.Lines(string(org)) {
		if title, is := strings.CutPrefix(strings.TrimSpace(line), "* Task "); is {
			s["headline Task "+title] = "Task " + title
		}
	}
	notes := filepath.Join(home, "notes")
	if err := filepath.WalkDir(notes, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(file, ".md") {
			return err
		}
		text, err := os.ReadFile(file)
		s["page "+strings.TrimPrefix(file, notes+"/")] = string(text)
		return err
	}); err != nil {
		t.Error(err)
	}
}

func (s powerState) readJournal(t *testing.T, home string) {
	t.Helper()
	j := journal.New(journal.Options{Dir: filepath.Join(home, "state/journal"), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	list, err := j.Changes(t.Context(), status.Filter{Limit: 1 << 20})
	if err != nil {
		t.Error(err)
	}
	calls := map[string]bool{}
	for _, c := range list.Changes {
		if key := "calls to " + c.Source; c.Outcome == status.Written && !calls[c.Call] {
			calls[c.Call] = true
			n, _ := strconv.Atoi(s[key])
			s[key] = strconv.Itoa(n + 1)
		}
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
}
