package configedit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/status"
)

// Concurrent edits are all in the file afterwards.
func TestConcurrentEdits(t *testing.T) {
	e := Editor{App: apptest.New(t)}
	done := make(chan error)
	const n = 8
	for i := range n {
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("notes%d", i))
		if err := os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := e.Apply(t.Context(), status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: dir}})
			done <- err
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	c, err := e.Config()
	if err != nil || len(c.Sources) != n {
		t.Errorf("%d sources, want %d: %v", len(c.Sources), n, err)
	}
}
