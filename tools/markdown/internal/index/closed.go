package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

// A check for damage reads all of an index: seconds for a large one, at each start.
// It is left out for a file that was closed and has not changed since. A mark beside
// the file says which state of it was closed.

const closedSuffix = "-closed"

// markClosed marks a file that has just been closed. Writes to the index do not wait
// for the disk, so the file does before it is marked.
func markClosed(file string) error {
	state, err := stateOf(file)
	if err != nil || state == "" {
		return err
	}
	f, err := os.OpenFile(file, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	return atomicfile.WriteFile(file+closedSuffix, []byte(state), 0o600)
}

// wasClosed reports whether a file is as it was when it was closed, and removes its
// mark: from now on it may change.
func wasClosed(file string) bool {
	mark, err := os.ReadFile(file + closedSuffix)
	if err != nil {
		return false
	}
	state, err := stateOf(file)
	return err == nil && state == string(mark) && os.Remove(file+closedSuffix) == nil
}

// stateOf tells states of a file from each other; it is empty if there is no file,
// or if a part of what was written is still beside it.
func stateOf(file string) (string, error) {
	if wal, err := os.Stat(file + "-wal"); err == nil && wal.Size() > 0 {
		return "", nil
	}
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes, modified %d", info.Size(), info.ModTime().UnixNano()), nil
}
