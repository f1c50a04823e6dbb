//go:build !windows

package main

import "golang.org/x/sys/unix"

// freeBytes is how much this user may still write where dir is.
func freeBytes(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return s.Bavail * uint64(s.Bsize), nil
}
