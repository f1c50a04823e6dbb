package mcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
	"time"
)

// An outbox holds what an agent has not read yet: one queue for notifications
// and responses, emptied by one goroutine. What is queued first is read first,
// so a notification is never later than the response it belongs to. A response
// that finds the queue empty is written at once, as far as that needs no waiting.
//
// It is bounded in bytes. A full one drops further notifications, which are of
// no use to an agent that does not read, and makes responses wait for room.
type outbox struct {
	write func(batch [][]byte) error
	try   tryWriter // nil: there is none
	most  int       // bytes

	mu      sync.Mutex
	writing bool // the goroutine is
	queue   [][]byte
	bytes   int
	dropped uint64
	closing bool
	err     error         // why writing ended
	wake    chan struct{} // cap 1: there is something to do
	room    chan struct{} // closed and replaced when there is room again
	done    chan struct{} // closed when the writing goroutine has ended
}

var errOutboxClosed = errors.New("write response: the session has ended")

// A tryWriter writes what it can of a frame without waiting, and returns what is
// left of it. Errors are for the next writer to meet.
type tryWriter func(frame []byte) (rest []byte, whole bool)

// newOutbox makes an outbox and its goroutine. try may be nil.
func newOutbox(most int, write func([][]byte) error, try tryWriter) *outbox {
	o := &outbox{write: write, try: try, most: most, wake: make(chan struct{}, 1), room: make(chan struct{}), done: make(chan struct{})}
	go o.run()
	return o
}

// notify queues a notification. It never blocks.
func (o *outbox) notify(frame []byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil || o.closing {
		return
	}
	if o.bytes+len(frame) > o.most {
		o.dropped++
		return
	}
	o.push(frame)
}

// respond queues a response, after waiting for room.
func (o *outbox) respond(ctx context.Context, frame []byte) error {
	for {
		o.mu.Lock()
		room := o.room
		switch {
		case o.err != nil:
			defer o.mu.Unlock()
			return o.err
		case o.closing:
			o.mu.Unlock()
			return errOutboxClosed
		case o.bytes < o.most:
			whole := false
			if o.try != nil && !o.writing && len(o.queue) == 0 {
				frame, whole = o.try(frame)
			}
			if !whole {
				o.push(frame)
			}
			o.mu.Unlock()
			return nil
		}
		o.mu.Unlock()
		select {
		case <-room:
		case <-o.done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// push is called with mu held.
func (o *outbox) push(frame []byte) {
	o.queue = append(o.queue, frame)
	o.bytes += len(frame)
	o.signal()
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

func (o *outbox) run() {
	defer close(o.done)
	for {
		batch, closing := o.takeAll()
		if len(batch) == 0 {
			if closing {
				return
			}
			<-o.wake
			continue
		}
		if err := o.write(batch); err != nil {
			o.fail(err)
			return
		}
		o.wrote(batch)
	}
}

func (o *outbox) takeAll() (batch [][]byte, closing bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	batch, o.queue = o.queue, nil
	o.writing = len(batch) > 0
	return batch, o.closing
}

func (o *outbox) wrote(batch [][]byte) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.writing = false
	full := o.bytes >= o.most
	for _, frame := range batch {
		o.bytes -= len(frame)
	}
	if full && o.bytes < o.most {
		close(o.room)
		o.room = make(chan struct{})
	}
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err, o.queue = err, nil
}

// close takes no more. The channel is closed when everything queued is written.
func (o *outbox) close() (written <-chan struct{}) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closing = true
	o.signal()
	return o.done
}

// failure is why writing ended early, or nil.
func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// droppedCount is how many notifications were dropped.
func (o *outbox) droppedCount() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.dropped
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
		n := writeWithoutBlocking(raw, line)
		return frame[min(n, len(frame)):], n == len(line)
	}
}
