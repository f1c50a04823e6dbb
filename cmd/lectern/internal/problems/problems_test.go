package problems

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"testing"
)

// A problem says what is wrong, not how the program found out.
func TestCause(t *testing.T) {
	full := fmt.Errorf("write audit: %w", &os.PathError{Op: "write", Path: "/state/audit.db.tmp", Err: syscall.ENOSPC})
	if got := Cause(errors.Join(full)); got != "no space left on device" {
		t.Errorf("%q", got)
	}
	if got := Cause(errors.New("the key does not fit")); got != "the key does not fit" {
		t.Errorf("%q", got)
	}
}
