package loopnet

import (
	"fmt"
	"os"
)

// makePrivateDir creates dir with mode 0700, or checks that it has it.
func makePrivateDir(dir string) error {
	// MkdirAll accepts a symlink to a directory; the check does not.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create directory: %w", err)
	}
	return CheckPrivateDir(dir)
}
