package loopnet

import (
	"bufio"
	"net"
	"net/http"
	"time"
)

// progressBytes is how much of an answer the client must take within
// ServerLimits.Write.
const progressBytes = 64 << 10

// drainTime is how long net/http may wait for the rest of a body that the
// handler did not read.
const drainTime = time.Second

// withProgressDeadlines gives every piece of an answer a write deadline of its
// own, so that a stream may go on for ever while one that is not read ends.
// http.Server.WriteTimeout would bound the whole answer.
func withProgressDeadlines(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p := &progressWriter{ResponseWriter: w, conn: http.NewResponseController(w), limit: limit}
		next.ServeHTTP(p, r)
		p.extend() // for what net/http still has in its buffer
		if r.ContentLength != 0 {
			_ = p.conn.SetReadDeadline(time.Now().Add(drainTime))
		}
	})
}

// A progressWriter writes in pieces and gives each its own deadline.
type progressWriter struct {
	http.ResponseWriter
	conn     *http.ResponseController
	limit    time.Duration
	hijacked bool
}

// Unwrap is for [http.ResponseController].
func (w *progressWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *progressWriter) Write(p []byte) (n int, err error) {
	for {
		w.extend()
		wrote, err := w.ResponseWriter.Write(p[n:min(n+progressBytes, len(p))])
		if n += wrote; err != nil || n >= len(p) {
			return n, err
		}
	}
}

// FlushError is for [http.ResponseController], Flush for everything else.
func (w *progressWriter) FlushError() error {
	w.extend()
	return w.conn.Flush()
}

func (w *progressWriter) Flush() { _ = w.FlushError() }

// Hijack hands the connection over, without deadlines.
func (w *progressWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.hijacked = true
	return w.conn.Hijack()
}

func (w *progressWriter) extend() {
	if !w.hijacked {
		_ = w.conn.SetWriteDeadline(time.Now().Add(w.limit))
	}
}
