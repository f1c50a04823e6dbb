package rename

import "os"

// Flush does nothing: Windows cannot sync a folder, and NTFS journals names itself.
func Flush(*os.Root, string) error { return nil }
