package hubproc

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// A rule holds when the panel's or the command's save returns, and soon after a
// person has saved the file by hand.
func TestSavedRuleHolds(t *testing.T) {
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	text := "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = '" + notes + "'\n"
	h, c := openHub(t, text)
	go h.watchConfig(t.Context())
	apptest.AwaitSnapshot(t, c, "notes", hasReadySources("notes"))
	denied := func() bool {
		_, err := h.hub.PersonAPI().Call(t.Context(), "notes", "read_page", json.RawMessage(`{"path":"a.md"}`))
		return err != nil
	}
	if denied() {
		t.Fatal("a read is denied before any rule says so")
	}
	apptest.WriteConfig(t, h.App, text+"\n[[rule]]\ndo = \"deny\"\neffects = [\"read\"]\n")
	runtest.Eventually(t, "a rule that was saved holds", denied)
	apptest.WriteConfig(t, h.App, text)
	runtest.Eventually(t, "a rule that was removed no longer holds", func() bool { return !denied() })
	for _, grant := range []*status.Grant{{Source: "notes", Effects: []string{}}, {Source: "notes", Effects: []string{"read"}}} {
		if err := c.Do(t.Context(), status.Action{Verb: status.SetGrant, Grant: grant}); err != nil {
			t.Fatal(err)
		}
		if denied() != (len(grant.Effects) == 0) {
			t.Errorf("after the grant of %v was saved, a read is denied: %v", grant.Effects, denied())
		}
	}
}

// Half a file is not applied: an edit is finished when the file has looked the
// same twice.
func TestEditWatch(t *testing.T) {
	w, applied := fileEditWatch{}, fileStamp{size: 9}
	for i, tt := range []struct {
		size int64
		want bool
	}{{9, false}, {9, false}, {0, false}, {5, false}, {12, false}, {12, true}, {12, false}, {9, false}, {12, false}, {12, false}, {9, false}, {9, true}} {
		got := w.isFinished(fileStamp{size: tt.size}, applied)
		if got != tt.want {
			t.Errorf("look %d at %d bytes: %v", i, tt.size, got)
		}
		if got {
			applied = fileStamp{size: tt.size}
		}
	}
}
