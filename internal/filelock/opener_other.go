//go:build !linux

package filelock

// Openers would need another program here.
func Openers(...string) []Process { return nil }

// Getenv finds nothing out here.
func (p Process) Getenv(string) string { return "" }
