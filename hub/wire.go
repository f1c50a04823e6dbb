package hub

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// refuseAll answers every request with the reason why none can be served.
func refuseAll(ctx context.Context, frames <-chan incoming, out *outbox, why string) {
	for in := range frames {
		m, bad := parseMessage(in.frame)
		switch {
		case in.err != nil && !errors.Is(in.err, frame.ErrTooLong):
			return
		case bad != nil:
			_ = out.answer(ctx, bad.frame())
		case m.method != "" && m.id != nil:
			_ = out.answer(ctx, errorFrame(m.id, mcp.INVALID_PARAMS, why, nil))
		}
	}
}

// finish waits until what was queued is written, but not for ever, and frees
// the goroutine that reads r.
func finish(ctx context.Context, r io.Reader, out *outbox, grace time.Duration) error {
	wait := time.NewTimer(grace)
	defer wait.Stop()
	select {
	case <-out.close():
	case <-wait.C:
	}
	err := out.failed()
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, net.ErrClosed) || isBrokenPipe(err) {
		err = nil // the client left: that is how sessions end
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
		_ = c.Close() // the stream has ended; there is nobody to tell
	}
}

type incoming struct {
	frame []byte
	err   error
}

// readFrames reads r in a goroutine of its own, because a read cannot be
// interrupted. The channel is closed at the end of r or after an error that
// ends reading.
func readFrames(ctx context.Context, r io.Reader, most int) <-chan incoming {
	frames := make(chan incoming)
	go func() {
		defer close(frames)
		for fr := frame.NewReader(r, most); ; {
			b, err := fr.Next()
			if errors.Is(err, io.EOF) {
				return
			}
			select {
			case frames <- incoming{b, err}:
			case <-ctx.Done():
				return
			}
			if err != nil && !errors.Is(err, frame.ErrTooLong) {
				return
			}
		}
	}()
	return frames
}

// frameWriter writes frames, each with a newline. On a connection it gives a
// client that does not read no longer than the deadline.
func frameWriter(w io.Writer, deadline time.Duration) func([][]byte) error {
	buffered := bufio.NewWriterSize(w, 32<<10)
	conn, _ := w.(interface{ SetWriteDeadline(time.Time) error })
	return func(batch [][]byte) error {
		if conn != nil {
			// A pipe that has no deadlines says so; it then has none.
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
