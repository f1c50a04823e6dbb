package daemon

import (
	"context"
	"time"
)

// follow delivers what hubs tell, one hub after the other, until ctx ends. ask
// asks the hub that runs for what comes after a number, and seq is that of a
// value.
func follow[T any](ctx context.Context, p Paths, ask func(ctx context.Context, after uint64) (<-chan T, error), after uint64, seq func(T) uint64) <-chan T {
	ch := make(chan T)
	go func() {
		defer close(ch)
		for ctx.Err() == nil {
			after = followOne(ctx, p, ask, after, seq, ch)
		}
	}()
	return ch
}

// followOne delivers what one hub tells, or waits for one to look for. It
// returns the number to ask for next.
func followOne[T any](ctx context.Context, p Paths, ask func(context.Context, uint64) (<-chan T, error), after uint64, seq func(T) uint64, out chan<- T) uint64 {
	hub, err := Ask(ctx, p)
	var told <-chan T
	if err == nil {
		told, err = ask(ctx, after)
	}
	if err != nil {
		timer := time.NewTimer(lookEvery)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		return after
	}
	for v := range told {
		select {
		case out <- v:
			after = seq(v)
		case <-ctx.Done():
			return after
		}
	}
	if now, err := Ask(ctx, p); err != nil || now.Instance != hub.Instance {
		return 0 // another hub counts anew
	}
	return after
}
