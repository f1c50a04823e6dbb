package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// What is said of a full disk is one sentence: the files on the way to the fault are
// in the log.
func TestWriteFailureIsOneSentence(t *testing.T) {
	const full = "the journal of changes cannot be written, so nothing was changed: no space left on device"
	for _, err := range []error{
		fmt.Errorf("store state: write /home/me/journal/blobs/ab: %w", &fs.PathError{Op: "write", Path: "/home/me/journal/blobs/.lectern-1.tmp", Err: syscall.ENOSPC}),
		errors.New("insert change: database or disk is full (13)"),
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
