package hub_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// asNobody makes this process one that modes hold for, until the test ends.
func asNobody(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	if err := syscall.Seteuid(65534); err != nil {
		t.Skipf("modes do not hold for root, and running as another user is not allowed: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Seteuid(0); err != nil {
			t.Error(err)
		}
	})
}

// Where the journal's folder or file may not be written, writes stop and say
// which; reads go on, and so do writes as soon as it may.
func TestJournalInAReadOnlyFolder(t *testing.T) {
	asNobody(t)
	for name, c := range map[string]struct {
		begun        bool // there is a journal already
		folder, file os.FileMode
	}{
		"no journal yet":        {false, 0o500, 0o600},
		"folder is read-only":   {true, 0o500, 0o600},
		"database is read-only": {true, 0o700, 0o400},
		"all is read-only":      {true, 0o500, 0o400},
		"all is shut":           {true, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "journal")
			files := []string{"journal.db", "journal.key"}
			if c.begun {
				writeOnce(t, top)
				for _, file := range files {
					if err := os.Chmod(filepath.Join(dir, file), c.file); err != nil {
						t.Fatal(err)
					}
				}
			} else if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, c.folder); err != nil {
				t.Fatal(err)
			}
			mend := func() {
				_ = os.Chmod(dir, 0o700)
				for _, file := range files {
					_ = os.Chmod(filepath.Join(dir, file), 0o600) // which may not be there
				}
			}
			t.Cleanup(mend)
			h := startCrashHub(t, top)
			before := filesOf(t, top)
			_, err := h.PersonAPI().Call(t.Context(), "box", "put", json.RawMessage(`{"text":"new"}`))
			if e := tools.AsError(err); e == nil || e.Code != tools.Unavailable || !strings.Contains(e.Message, "nothing was changed") || !strings.Contains(e.Message, dir) {
				t.Errorf("error %v", err)
			}
			if got := filesOf(t, top); got != before {
				t.Errorf("files %q, want %q", got, before)
			}
			if _, err := h.PersonAPI().Call(t.Context(), "box", "look", nil); err != nil {
				t.Errorf("reading: %v", err)
			}
			if p, ok := h.board.Problem("journal.stopped journal"); !ok || !strings.Contains(p.Title, dir) {
				t.Errorf("problem %+v, %v", p, ok)
			}
			mend()
			if _, err := h.PersonAPI().Call(t.Context(), "box", "put", json.RawMessage(`{"text":"new"}`)); err != nil {
				t.Errorf("after it was mended: %v", err)
			}
			if p, ok := h.board.Problem("journal.stopped journal"); ok {
				t.Errorf("still there: %+v", p)
			}
			if err := h.Changes().Undo(t.Context(), status.Filter{Source: "box"}); err != nil || filesOf(t, top) != "- -" {
				t.Errorf("undo: %v, files %q", err, filesOf(t, top))
			}
		})
	}
}

// writeOnce is a hub that came before.
func writeOnce(t *testing.T, top string) {
	t.Helper()
	if err := os.Mkdir(filepath.Join(top, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	h, err := openCrashHub(t.Context(), top, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.PersonAPI().Call(t.Context(), "box", "put", json.RawMessage(`{"text":"old"}`)); err != nil {
		t.Fatal(err)
	}
	if err := h.close(); err != nil {
		t.Fatal(err)
	}
}
