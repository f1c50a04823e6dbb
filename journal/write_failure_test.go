package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/lectern-mcp/lectern/internal/sqliteconn"
	"github.com/lectern-mcp/lectern/tools"
)

// What is said of a full disk is one sentence: the files on the way to the fault are
// in the log.
func TestWriteFailureIsOneSentence(t *testing.T) {
	const full = "the journal of changes cannot be written, so nothing was changed: no space left on device"
	for _, err := range []error{
		fmt.Errorf("store state: write /home/me/journal/blobs/ab: %w", &fs.PathError{Op: "write", Path: "/home/me/journal/blobs/.lectern-1.tmp", Err: syscall.ENOSPC}),
		fmt.Errorf("insert change: %w", fillDatabase(t)),
	} {
		e := tools.AsError(unavailableError(err))
		if e.Message != full || e.Code != tools.Unavailable || !errors.Is(e, err) {
			t.Errorf("%v is told as %q, because of %v", err, e.Message, e.Cause)
		}
	}
	if e := tools.AsError(unavailableError(errors.New("the journal is closed"))); !strings.HasSuffix(e.Message, ": the journal is closed") {
		t.Errorf("another fault is told as %q", e.Message)
	}
}

// fillDatabase returns SQLite's error for a row that has no room.
func fillDatabase(t *testing.T) error {
	t.Helper()
	db, err := sqliteconn.Open(filepath.Join(t.TempDir(), "full.db"), "immediate", "max_page_count(3)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE large (content BLOB)"); err != nil {
		t.Fatal(err)
	}
	if _, err = db.ExecContext(t.Context(), "INSERT INTO large VALUES (zeroblob(100000))"); err == nil {
		t.Fatal("there is room in a full database")
	}
	return err
}
