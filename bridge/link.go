package bridge

import "errors"

// A link carries frames over some transport. Only one goroutine may call read;
// the other methods are safe for concurrent use.
type link interface {
	// read returns the next frame, or an error when the link ends.
	read() ([]byte, error)
	// write sends a frame, or fails if the Peer does not receive it in time.
	write(frame []byte) error
	// close tells the Peer the reason and ends the link within ten seconds. Only
	// the first call counts.
	close(code int, reason string)
	// setReadLimit sets how many bytes a received frame may have.
	setReadLimit(limit int)
	transport() string
}

// The transports.
const (
	transportWebSocket = "websocket"
	transportPoll      = "poll"
)

// Close codes. Those from 4000 are ours; both transports use them.
const (
	codeGoingAway    = 4000
	codeReplaced     = 4001
	codeProtocol     = 4002
	codeUnauthorized = 4003
	codeNoPong       = 4004
	codeTooBig       = 1009 // RFC 6455
	codeTryLater     = 1013 // RFC 6455's registry
	codeAbnormal     = 1006 // never sent: the connection was cut
)

// Errors of read.
var (
	errFrameTooLarge = errors.New("the frame is larger than allowed")
	errFrameTimeout  = errors.New("the frame was not complete in time")
	errFrameBinary   = errors.New("the frame is binary, not text")
	errLinkClosed    = errors.New("the link is closed")
)

// An endReason says why a connection ended.
type endReason struct {
	code      int
	reason    string
	lastFrame []byte // sent before closing; may be nil
}

// maxReasonBytes is how much of a reason fits into a close frame.
const maxReasonBytes = 123
