//go:build unix

package folder

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe is neither listed nor read, and opening it does not block.
func TestPipe(t *testing.T) {
	v, dir := openWith(t, map[string]string{"a.md": "a"})
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600))
	if got := names(t, v); len(got) != 1 {
		t.Errorf("listed %v", got)
	}
	if _, err := v.Read("pipe.md"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v", err)
	}
	if _, err := v.CheckDestination("pipe.md", ""); !errors.Is(err, ErrNotRegular) {
		t.Errorf("got %v", err)
	}
}
