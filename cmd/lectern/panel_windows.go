package main

import "context"

// contextUntilHangUp is ctx: closing a console ends its processes.
func contextUntilHangUp(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// canSuspendProcess is false: Windows has no job control.
func canSuspendProcess() bool { return false }
