package bridge

import "errors"

// A link carries frames, by whatever transport. All methods but read may be
// called from any goroutine; read from one at a time.
type link interface {
	// read returns the next frame. It ends when the link does.
	read() ([]byte, error)
	// write sends a frame, or fails when the Peer does not take it in time.
	write(frame []byte) error
	// close tells the Peer why and ends the link, within ten seconds. Only
	// the first close counts.
	close(code int, reason string)
	// setReadLimit sets how many bytes a frame that is read may have.
	setReadLimit(limit int)
	transport() string
}

// The transports.
const (
	transportWebSocket = "websocket"
	transportPoll      = "poll"
)

// How a link ends. The numbers from 4000 are ours; both transports use them.
const (
	codeGoingAway    = 4000
	codeReplaced     = 4001
	codeProtocol     = 4002
	codeUnauthorized = 4003
	codeNoPong       = 4004
	codeTooBig       = 1009 // RFC 6455
	codeTryLater     = 1013 // RFC 6455's registry
	codeAbnormal     = 1006 // never sent: the line was cut
)

// What read can find wrong.
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
	lastFrame []byte // a last frame, may be nil
}

// maxReasonBytes is what a close frame holds of a reason.
const maxReasonBytes = 123

func truncate(reason string, limit int) string {
	if len(reason) <= limit {
		return reason
	}
	for limit > 0 && reason[limit]&0xC0 == 0x80 {
		limit--
	}
	return reason[:limit]
}
