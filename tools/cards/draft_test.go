package cards_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/cards/internal/cardstore"
)

// A draft holds what was written on it, files too, and its folder goes with it.
func TestDraft(t *testing.T) {
	folder := t.TempDir()
	w := openWiki(t, folder, time.Now)
	drafts := func() (n int) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), "draft-") {
				n++
			}
		}
		return n
	}
	opened, err := w.source.Draft(t.Context())
	if err != nil || drafts() != 1 {
		t.Fatalf("%d folders, %v", drafts(), err)
	}
	draft := toolbox{OpenedSource: opened}
	draft.must(t, "upload_attachment", map[string]any{"name": "Sketch", "type": "File", "filename": "a.txt", "file_data": base64.StdEncoding.EncodeToString([]byte("hello"))})
	draft.must(t, "update_card", map[string]any{"name": "Home", "content": "<p>On a draft.</p>"})
	if text := draft.content(t, "Home"); !strings.Contains(text, "On a draft") {
		t.Errorf("the draft reads %q", text)
	}
	admin := cardstore.Caller{Account: "mcp-admin", Role: cardstore.Admin}
	if c, err := w.store.Get(t.Context(), admin, "Home"); err != nil || c.Content != "" {
		t.Errorf("the wiki has %q, %v", c.Content, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "files")); err == nil {
		t.Error("a file of the draft is among those of the wiki")
	}
	if err := draft.Close(); err != nil || drafts() != 0 {
		t.Errorf("%d folders are left, %v", drafts(), err)
	}
	if _, err := remoteBox(t, true, "admin", tools.Privacy{}).Draft(t.Context()); err == nil || tools.AsError(err).Code != tools.Denied {
		t.Errorf("a draft of a wiki on another server: %v", err)
	}
	if _, err := openWiki(t, postgres.Database(t), time.Now).source.Draft(t.Context()); err == nil || tools.AsError(err).Code != tools.Denied {
		t.Errorf("a draft of a wiki on PostgreSQL: %v", err)
	}
}
