//go:build unix

package rename

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Flush makes what happened to names in a folder survive a power failure. File
// systems that cannot sync a folder return EINVAL or ENOTSUP, which is ignored.
func Flush(root *os.Root, dir string) error {
	f, err := root.Open(dir)
	if err != nil {
		return fmt.Errorf("sync folder: %w", err)
	}
	defer f.Close() //nolint:errcheck // only synced
	err = f.Sync()
	if err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return fmt.Errorf("sync folder: %w", err)
	}
	return nil
}
