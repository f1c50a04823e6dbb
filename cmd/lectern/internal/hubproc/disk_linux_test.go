package hubproc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// mountSmallDisk mounts a file system of 1 MiB, where that is allowed.
func mountSmallDisk(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a disk of one's own can be filled, and mounting one is not allowed: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// fillDisk leaves no byte on the disk that file is on.
func fillDisk(t *testing.T, file string) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for chunk := 4096; chunk > 0; {
		if _, err := f.Write(make([]byte, chunk)); errors.Is(err, syscall.ENOSPC) {
			chunk /= 2
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

// On a full disk reads still work, writes and edits are refused completely, and
// a problem says that the log is not written. Free space repairs all of it.
func TestFullDisk(t *testing.T) {
	a := apptest.New(t)
	disk := mountSmallDisk(t)
	a.Paths.Config, a.Paths.Data, a.Paths.State = disk, filepath.Join(disk, "data"), filepath.Join(disk, "state")
	began, ahead := time.Now(), new(atomic.Int64)
	a.Now = func() time.Time { return began.Add(time.Duration(ahead.Load())) }
	const conf = "[hub]\nhttp = false\n"
	apptest.WriteConfig(t, a, conf)
	h, c := openHubOf(t, a)
	apptest.AwaitSnapshot(t, c, "the sample", hasReadySources("welcome"))
	filler := filepath.Join(disk, "filler")
	fillDisk(t, filler)

	for i := range 400 { // more than the page that the file's end has room in
		h.log.Info("something happens", "component", "test", "number", i, "at_length", strings.Repeat(".", 100))
	}
	runtest.Eventually(t, "the log is known not to be written", func() bool { return h.refreshLogProblem(false) })
	s := apptest.AwaitSnapshot(t, c, "that the log is not written", apptest.HasProblemFunc(problems.LogStopped))
	if s.Hub.State != status.Degraded || !strings.Contains(s.Problems[0].Title, "no space left") {
		t.Errorf("the hub is %s with %+v", s.Hub.State, s.Problems)
	}
	if _, err := h.hub.PersonAPI().Call(t.Context(), "welcome", "list_pages", nil); err != nil {
		t.Errorf("read: %v", err)
	}
	_, err := h.hub.PersonAPI().Call(t.Context(), "welcome", "create_page", []byte(`{"title":"New","content":"`+strings.Repeat("x", 9000)+`"}`))
	full := regexp.MustCompile("no space left|disk is full") // as the system says it, or SQLite
	if e := tools.AsError(err); e == nil || e.Code != tools.Unavailable || !strings.Contains(e.Message, "nothing was changed") || !full.MatchString(e.Message) {
		t.Errorf("write: %v", err) // what cannot be remembered is not written
	}
	apptest.AwaitSnapshot(t, c, "that agents cannot write", func(s status.Snapshot) bool {
		return slices.ContainsFunc(s.Problems, func(p status.Problem) bool {
			return p.Code == "journal.stopped" && strings.HasSuffix(p.Title, "so nothing was changed: no space left on device")
		})
	})
	notes := filepath.Join(t.TempDir(), "notes")
	if err := os.MkdirAll(filepath.Join(notes, ".obsidian"), 0o700); err != nil {
		t.Fatal(err)
	}
	add := status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: notes}}
	if err := c.Do(t.Context(), add); err == nil || !strings.Contains(err.Error(), "Free some disk space and try again") {
		t.Errorf("add source: %v", err)
	}
	if text, err := os.ReadFile(a.Paths.File()); err != nil || string(text) != conf {
		t.Errorf("the configuration became %q, %v", text, err)
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if _, err := h.hub.PersonAPI().Call(t.Context(), "welcome", "create_page", []byte(`{"title":"New","content":"x"}`)); err != nil {
		t.Errorf("write when there is room: %v", err)
	}
	ahead.Store(int64(2 * time.Minute))
	h.log.Info("there is room", "component", "test")
	runtest.Eventually(t, "the log is written again", func() bool { return !h.refreshLogProblem(true) })
	apptest.AwaitSnapshot(t, c, "that the log is written again", func(s status.Snapshot) bool { return !apptest.HasProblemFunc(problems.LogStopped)(s) })
	if err := c.Do(t.Context(), add); err != nil {
		t.Errorf("add source: %v", err)
	}
	if text, err := os.ReadFile(a.Paths.Log()); err != nil || !bytes.Contains(text, []byte("there is room")) {
		t.Errorf("the log lacks the last line: %v", err)
	}
}
