//go:build unix

package main

import (
	"context"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// untilHangUp is ctx until the terminal hangs up as well, unless whoever
// started this process wants it to outlive that.
func untilHangUp(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// suspendable reports whether somebody is there who can bring this process back
// from the background: a shell with job control puts it into a group of its
// own. Without one a process that stops itself is not stopped, or for ever.
func suspendable() bool {
	session, err := unix.Getsid(0)
	return err == nil && session != unix.Getpgrp()
}
