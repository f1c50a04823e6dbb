package daemon

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// An agentConn is one attached stream. Its reading end can be closed at the end of a
// frame, so that a hub that shuts down finishes the requests it has read; the
// shim repeats the others to the next hub.
type agentConn struct {
	net.Conn

	mu         sync.Mutex
	handshaken bool // the hello is done
	ending     bool
	midFrame   bool // the last byte read was not the end of a frame
}

// endHandshake removes the deadline of the hello.
func (l *agentConn) endHandshake() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.handshaken = true
	_ = l.SetDeadline(time.Time{})
}

// SyscallConn passes on that of the connection: writing is not limited.
func (l *agentConn) SyscallConn() (syscall.RawConn, error) {
	if c, ok := l.Conn.(syscall.Conn); ok {
		return c.SyscallConn()
	}
	return nil, errors.ErrUnsupported
}

func (l *agentConn) Read(p []byte) (int, error) {
	for {
		if l.readingEnded() {
			return 0, io.EOF
		}
		n, err := l.Conn.Read(p)
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && l.readingEnded() {
			continue
		}
		if n > 0 {
			n = l.trimToFrame(p[:n])
		}
		return n, err
	}
}

// stopReading makes Read return io.EOF after the frame that it is in, and gives the
// rest of that frame until deadline.
func (l *agentConn) stopReading(deadline time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ending = true
	if !l.handshaken {
		return // it connected late and is still to be refused
	}
	if l.midFrame {
		_ = l.SetReadDeadline(deadline)
		return
	}
	_ = l.SetReadDeadline(time.Unix(1, 0)) // wakes a Read that waits
}

func (l *agentConn) readingEnded() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ending && !l.midFrame
}

// trimToFrame records whether the stream is inside a frame, and once it is ending
// keeps only the rest of that frame.
func (l *agentConn) trimToFrame(p []byte) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	if l.ending {
		if i := bytes.IndexByte(p, '\n'); i >= 0 {
			n = i + 1
		}
	}
	l.midFrame = p[n-1] != '\n'
	return n
}
