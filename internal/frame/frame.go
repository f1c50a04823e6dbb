// Package frame reads newline-delimited frames, the framing of MCP over stdio
// and over our sockets (MCP specification, "Transports", stdio).
//
// It bounds what one frame may cost: a longer one is skipped to its end and
// reported, and reading continues with the next. It looks inside a frame only for
// the id of a request that it skipped, so that this can be answered. The hub's transports and supervisor/shim import it.
package frame

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// Max is the usual limit of one frame in bytes, without its newline.
const Max = 16 << 20

// Notifications by which a hub tells the relay in front of a client what the relay has to
// know. Clients never see them.
const (
	// MethodDisconnected: a person disconnected the client.
	MethodDisconnected = "notifications/lectern/disconnected"
	// MethodReadOnlyTools: its params name in "tools" all tools that only read.
	MethodReadOnlyTools = "notifications/lectern/read_only_tools"
	// MethodAllAnswered is the last frame of a hub that shuts down: a request that has no
	// answer now has changed nothing, nor will, and may be sent to the next hub.
	MethodAllAnswered = "notifications/lectern/all_answered"
)

// MaxResendBytes is the longest request that a relay keeps to send it again.
const MaxResendBytes = 1 << 20

// handOverSize is the size in bytes from which a frame is handed over, not copied.
const handOverSize = 64 << 10

// ErrTooLong means that a frame was longer than the reader's limit and was
// skipped. The reader stays usable. The error is a [TooLongError].
var ErrTooLong = errors.New("frame too long")

// A Reader reads frames from a stream.
type Reader struct {
	r   *bufio.Reader
	max int
	buf []byte
}

// NewReader returns a Reader of frames of at most limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10), max: limit}
}

// Next returns the next frame that is not blank, without its line ending and
// without a byte order mark. The caller owns the bytes. The last frame may
// lack its newline. At the end of the stream Next returns io.EOF.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.line()
		if err != nil {
			return nil, err
		}
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff")))
		if len(line) == 0 {
			continue
		}
		if cap(r.buf) > handOverSize {
			r.buf = nil // a large frame is handed over rather than held twice
			return line, nil
		}
		return bytes.Clone(line), nil
	}
}

// line reads up to a newline into r.buf, which the next call overwrites.
func (r *Reader) line() ([]byte, error) {
	r.buf = r.buf[:0]
	for {
		part, err := r.r.ReadSlice('\n')
		if len(r.buf)+len(part) > r.max+1 {
			return nil, r.skip(part, err)
		}
		r.buf = append(r.buf, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(r.buf) > 0:
			return r.buf, nil
		default:
			return r.buf, err
		}
	}
}

// skip reads to the end of an overlong frame, of which part is the last that was
// read, and err what ended it.
func (r *Reader) skip(part []byte, err error) error {
	begin := bytes.Clone(append(r.buf, part[:min(len(part), endsSize)]...)[:min(len(r.buf)+len(part), endsSize)])
	end := lastBytes(nil, part)
	r.buf = nil // free the memory of a long frame
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.r.ReadSlice('\n')
		end = lastBytes(end, part)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return &TooLongError{ID: requestID(begin, end)}
}

// endsSize is how many bytes of the beginning and of the end of an overlong frame are
// looked at.
const endsSize = 4 << 10

// lastBytes are the last bytes of what ends in end, followed by part.
func lastBytes(end, part []byte) []byte {
	end = append(end, part[max(0, len(part)-endsSize):]...)
	return append([]byte(nil), end[max(0, len(end)-endsSize):]...)
}
