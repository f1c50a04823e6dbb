package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
)

// refuseAll answers every request with the reason why none can be served.
func refuseAll(ctx context.Context, out *outbox, why string) frameHandler {
	return func(raw []byte, err error) (func(), error) {
		if errors.Is(err, frame.ErrTooLong) {
			return nil, nil
		}
		m, bad := parseMessage(raw)
		switch {
		case err != nil:
			return nil, err
		case bad != nil:
			return nil, out.respond(ctx, bad.frame())
		case m.method != "" && m.id != nil:
			return nil, out.respond(ctx, errorFrame(m.id, mcp.INVALID_PARAMS, why))
		}
		return nil, nil
	}
}

// skippedID is the id of a request that was too long; nil: it is not known.
func skippedID(err error) json.RawMessage {
	if skipped, ok := errors.AsType[*frame.TooLongError](err); ok {
		return skipped.ID
	}
	return nil
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
//
// What a frame asks for runs on the goroutine that has read it, and another one
// reads on: the request is then not handed over, only the reading is, which
// nobody waits for. Few goroutines are kept for that, because a new one spends
// as long on growing its stack as a small call takes.
type frameReader struct {
	frames *frame.Reader
	handle frameHandler
	turn   chan struct{} // passes the reading on to a goroutine that is kept
	kept   chan struct{} // holds one for each of them
	done   chan struct{} // closed after the last frame

	mu      sync.Mutex // held while a frame is passed on
	stopped bool
	err     error
}

// A frameHandler gets the frames of a stream, one at a time, or the error that
// came instead: after [frame.ErrTooLong] more frames may follow. While work runs,
// if it is not nil, reading goes on. The first error ends reading.
type frameHandler func(frame []byte, err error) (work func(), _ error)

// keptReaders is how many goroutines of a stream wait for their turn to read.
const keptReaders = 2

// readFrames reads r in goroutines of its own, because a read cannot be
// interrupted. Those that do not read end with ctx.
func readFrames(ctx context.Context, r io.Reader, most int, handle frameHandler) *frameReader {
	in := &frameReader{
		frames: frame.NewReader(r, most), handle: handle,
		turn: make(chan struct{}), kept: make(chan struct{}, keptReaders), done: make(chan struct{}),
	}
	go in.read(ctx)
	return in
}

func (in *frameReader) read(ctx context.Context) {
	for {
		b, err := in.frames.Next()
		work, more := in.pass(b, err)
		if !more {
			close(in.done)
			return
		}
		if work == nil {
			continue
		}
		select {
		case in.turn <- struct{}{}:
		default:
			go in.read(ctx)
		}
		work()
		select {
		case in.kept <- struct{}{}:
		default:
			return
		}
		select {
		case <-in.turn:
			<-in.kept
		case <-in.done:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (in *frameReader) pass(b []byte, err error) (work func(), more bool) {
	if errors.Is(err, io.EOF) {
		return nil, false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.stopped {
		return nil, false
	}
	work, in.err = in.handle(b, err)
	return work, in.err == nil && (err == nil || errors.Is(err, frame.ErrTooLong))
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
			if _, isSocket := w.(syscall.Conn); isSocket { // its tryWriter writes nothing after a deadline has passed
				defer func() { _ = conn.SetWriteDeadline(time.Time{}) }()
			}
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

// tryFrameWriter writes to a socket. It is nil for anything else.
func tryFrameWriter(w io.Writer) tryWriter {
	conn, isSocket := w.(interface {
		net.Conn
		syscall.Conn
	})
	if !isSocket {
		return nil
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil
	}
	return func(frame []byte) ([]byte, bool) {
		line := append(frame, '\n')
		n := writeNow(raw, line)
		return frame[min(n, len(frame)):], n == len(line)
	}
}
