//go:build unix

package folder

import "syscall"

// nonblock makes opening a pipe return at once.
const nonblock = syscall.O_NONBLOCK

// streamSeparator separates a file from its streams, where files have streams.
const streamSeparator = "\x00"

// hasShortNames is about systems that give names a second, short form.
const hasShortNames = false
