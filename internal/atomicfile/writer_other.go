//go:build !linux

package atomicfile

import "os"

// hasWriter is only known on Linux.
func hasWriter(*os.File) bool { return false }
