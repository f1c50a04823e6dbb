package loopnet

import (
	"bufio"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// paceBytes is how much of an answer has to be taken within Limits.Write.
const paceBytes = 64 << 10

// drainTime is how long a client may take to send the rest of a body that
// nobody wants.
const drainTime = time.Second

// pacing gives every request deadlines that move with its progress. Deadlines
// are the connection's, hence the system's clock.
type pacing struct {
	limits  Limits
	stalled *stalled
	log     *slog.Logger
	next    http.Handler
}

func (p *pacing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	paced := &pacedWriter{ResponseWriter: w, conn: http.NewResponseController(w), pace: p.limits.Write, stalled: p.stalled}
	paced.extend()
	hasBody := r.ContentLength != 0
	if hasBody {
		_ = paced.conn.SetReadDeadline(time.Now().Add(p.limits.Body)) // net/http lifts it at the body's end
	}
	p.next.ServeHTTP(paced, r)
	paced.extend() // for what net/http still has in its buffer
	if hasBody {
		// net/http drains what the handler left; that must end, too.
		_ = paced.conn.SetReadDeadline(time.Now().Add(min(p.limits.Body, drainTime)))
	}
	if paced.wasCut() {
		p.log.LogAttrs(r.Context(), slog.LevelInfo, "answer cut off: the client does not read it")
	}
}

// pacedWriter writes in pieces and gives each its own deadline.
type pacedWriter struct {
	http.ResponseWriter
	conn    *http.ResponseController
	pace    time.Duration
	stalled *stalled

	mu       sync.Mutex
	since    time.Time // the start of the piece that is being written
	cut      bool
	hijacked bool
	failed   bool
}

// Unwrap is for [http.ResponseController].
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *pacedWriter) Write(p []byte) (n int, err error) {
	w.stalled.enter(w)
	defer w.stalled.leave(w)
	for {
		piece := p[n:min(n+paceBytes, len(p))]
		w.extend()
		wrote, err := w.ResponseWriter.Write(piece)
		if n += wrote; err != nil || n >= len(p) {
			return n, w.note(err)
		}
	}
}

// FlushError is for [http.ResponseController], Flush for everybody else.
func (w *pacedWriter) FlushError() error {
	w.stalled.enter(w)
	defer w.stalled.leave(w)
	w.extend()
	return w.note(w.conn.Flush())
}

func (w *pacedWriter) Flush() { _ = w.FlushError() }

// Hijack hands the connection over, without deadlines.
func (w *pacedWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.mu.Lock()
	w.hijacked = true
	w.mu.Unlock()
	return w.conn.Hijack()
}

// extend gives the next piece its time, unless the client has used up ours.
func (w *pacedWriter) extend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.cut && !w.hijacked {
		w.since = time.Now()
		_ = w.conn.SetWriteDeadline(w.since.Add(w.pace))
	}
}

func (w *pacedWriter) note(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		w.mu.Lock()
		w.failed = true
		w.mu.Unlock()
	}
	return err
}

func (w *pacedWriter) wasCut() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.failed
}
