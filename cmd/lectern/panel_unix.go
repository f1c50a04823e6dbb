//go:build unix

package main

import (
	"context"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// contextUntilHangUp is ctx until the terminal hangs up too, unless the parent started
// this process to outlive that, as nohup does.
func contextUntilHangUp(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return context.WithCancel(ctx)
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// canSuspendProcess reports whether something can resume this process when it is
// stopped: a shell with job control puts it into a process group of its own.
// Without such a shell a process that stops itself would not stop, or stop for
// good.
func canSuspendProcess() bool {
	session, err := unix.Getsid(0)
	return err == nil && session != unix.Getpgrp()
}
