//go:build unix

package vault

import "syscall"

// nonblock makes opening a pipe return at once.
const nonblock = syscall.O_NONBLOCK

// streamMark separates a file from its streams, where files have streams.
const streamMark = "\x00"
