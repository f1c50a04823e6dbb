//go:build !linux

package watch

import "errors"

// openEvents: macOS would need one open file for each file that is watched, and
// Windows would keep folders from being renamed.
func openEvents(Options, *nameSet) (events, error) {
	return nil, errors.ErrUnsupported
}

func limitError(err error) error { return err }
