//go:build !linux

package sandbox

// zero makes memory zero.
func zero(pages []byte) error {
	clear(pages)
	return nil
}

// prefault does nothing: pages are found when they are written.
func prefault([]byte) {}

// preferLargePages does nothing.
func preferLargePages([]byte) {}
