//go:build !linux

package sandbox

import "time"

// threadTime is the time of a clock: this system has none of a thread that is exact.
func threadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
