package mcp

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"
)

// drain gives calls in flight the grace when the client closed its end in
// good order, and then, or otherwise, ends them. Those that a person is asked about end at
// once.
func (st *stream) drain(ctx context.Context, cancel context.CancelFunc, failed error) {
	if st.session.life.Err() == nil { // else a person disconnected it, and its calls are told so
		st.session.leave()
	}
	st.mu.Lock()
	for _, p := range st.pending {
		if p.listening {
			p.cancel()
		}
	}
	st.mu.Unlock()
	idle := make(chan struct{})
	go func() { st.work.Wait(); close(idle) }()
	if failed == nil {
		grace := time.NewTimer(st.Limits.Grace)
		defer grace.Stop()
		select {
		case <-idle:
		case <-grace.C:
		case <-ctx.Done():
		}
	}
	cancel()
	<-idle
}

// flushAndEndStream waits until what was queued is written, for no longer than the grace,
// and frees the goroutine that reads r.
func flushAndEndStream(ctx context.Context, r io.Reader, out *outbox, grace time.Duration) error {
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case <-out.close():
	case <-wait.C:
	}
	err := out.failure()
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) || isBrokenPipe(err) {
		err = nil // the client left, which is how sessions end
	}
	if ctx.Err() != nil {
		unblockRead(r)
	}
	return err
}

func isBrokenPipe(err error) bool { return err != nil && strings.Contains(err.Error(), "broken pipe") }

// unblockRead makes a blocked read of r return, where r can.
func unblockRead(r io.Reader) {
	if d, ok := r.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(time.Unix(1, 0)) == nil {
		return
	}
	if c, ok := r.(io.Closer); ok {
		_ = c.Close() // the stream has ended; no caller could use the error
	}
}
