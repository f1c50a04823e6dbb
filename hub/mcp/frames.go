package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// refuseAll answers every request with the reason why none can be served.
func refuseAll(ctx context.Context, out *outbox, why string) func([]byte, error) error {
	return func(raw []byte, err error) error {
		if errors.Is(err, frame.ErrTooLong) {
			return nil
		}
		m, bad := parseMessage(raw)
		switch {
		case err != nil:
			return err
		case bad != nil:
			return out.respond(ctx, bad.frame())
		case m.method != "" && m.id != nil:
			return out.respond(ctx, errorFrame(m.id, mcp.INVALID_PARAMS, why))
		}
		return nil
	}
}

// finish waits until what was queued is written, for no longer than the grace,
// and frees the goroutine that reads r.
func finish(ctx context.Context, r io.Reader, out *outbox, grace time.Duration) error {
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case <-out.close():
	case <-wait.C:
	}
	err := out.failed()
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) || isBrokenPipe(err) {
		err = nil // the client left, which is how sessions end
	}
	if ctx.Err() != nil {
		unblock(r)
	}
	return err
}

func isBrokenPipe(err error) bool { return err != nil && strings.Contains(err.Error(), "broken pipe") }

// unblock makes a blocked read of r return, where r can.
func unblock(r io.Reader) {
	if d, ok := r.(interface{ SetReadDeadline(time.Time) error }); ok && d.SetReadDeadline(time.Unix(1, 0)) == nil {
		return
	}
	if c, ok := r.(io.Closer); ok {
		_ = c.Close() // the stream has ended; no caller could use the error
	}
}

// A frameReader passes the frames of a stream on as they come.
type frameReader struct {
	done chan struct{} // closed after the last frame

	mu      sync.Mutex // held while a frame is passed on
	stopped bool
	err     error
}

// readFrames reads r in a goroutine of its own, because a read cannot be
// interrupted, and there calls handle with each frame, or with the error that
// came instead: after [frame.ErrTooLong] more frames may follow. The first error
// that handle returns ends reading.
func readFrames(r io.Reader, most int, handle func(frame []byte, err error) error) *frameReader {
	in := &frameReader{done: make(chan struct{})}
	go func() {
		defer close(in.done)
		for fr := frame.NewReader(r, most); ; {
			b, err := fr.Next()
			if errors.Is(err, io.EOF) || !in.pass(b, err, handle) || err != nil && !errors.Is(err, frame.ErrTooLong) {
				return
			}
		}
	}()
	return in
}

func (in *frameReader) pass(b []byte, err error, handle func([]byte, error) error) (more bool) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return false
	}
	in.err = handle(b, err)
	return in.err == nil
}

// wait returns at the end of reading, or when ctx ends, with the error of the
// handler. The handler is not called after that; a read may still go on.
func (in *frameReader) wait(ctx context.Context) error {
	select {
	case <-in.done:
	case <-ctx.Done():
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.stopped = true
	return in.err
}

// frameWriter writes frames, each with a newline. On a connection it gives a
// client that does not read no longer than the deadline.
func frameWriter(w io.Writer, deadline time.Duration) func([][]byte) error {
	buffered := bufio.NewWriterSize(w, 32<<10)
	conn, _ := w.(interface{ SetWriteDeadline(time.Time) error })
	return func(batch [][]byte) error {
		if conn != nil {
			// An error means that the connection has no deadlines, as some pipes.
			_ = conn.SetWriteDeadline(time.Now().Add(deadline))
		}
		for _, f := range batch {
			_, err := buffered.Write(f)
			if err == nil {
				err = buffered.WriteByte('\n')
			}
			if err != nil {
				return fmt.Errorf("write message: %w", err)
			}
		}
		if err := buffered.Flush(); err != nil {
			return fmt.Errorf("write message: %w", err)
		}
		return nil
	}
}
