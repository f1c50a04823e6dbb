package atomicfile

import (
	"io/fs"
	"os"
)

// syncFolder does nothing: Windows cannot sync a folder, and NTFS journals the
// rename itself.
func syncFolder(*os.Root, string) error { return nil }

// keepOwner does nothing: a new file inherits the folder's access list, as the
// old one did.
func keepOwner(*os.File, fs.FileInfo) {}
