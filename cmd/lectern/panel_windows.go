package main

import "context"

// untilHangUp is ctx: a console that is closed ends its processes.
func untilHangUp(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithCancel(ctx)
}

// suspendable is false: there is no job control.
func suspendable() bool { return false }
