package bridge

import "encoding/json"

// A Code says how a call failed. The list is closed.
type Code string

// The closed list of codes.
const (
	Unavailable   Code = "unavailable" // no Peer, or it went away
	Timeout       Code = "timeout"     // the context ended first
	Limited       Code = "limited"     // too many calls at once
	TooLarge      Code = "too_large"   // the question or the answer is larger than a frame
	PeerError     Code = "answered"    // the Peer itself said no: see Word
	InvalidAnswer Code = "broken"      // the Peer said what makes no sense
)

// An Error is why a call failed.
type Error struct {
	Code     Code
	Msg      string          // one sentence without a final full stop
	PeerCode string          // the Peer's own code, when it Answered; else empty
	Data     json.RawMessage // what the Peer sent with it; nil: nothing
	// OutcomeUnknown means that the request left us and that nobody knows whether the
	// Peer carried it out. It is never set for calls that may be sent again:
	// these change nothing.
	OutcomeUnknown bool
	Err            error // the cause, for the log; may be nil
}

// Error implements error: the message alone.
func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// connectionLostError is the end of a call whose connection ended.
type connectionLostError struct {
	reason   endReason
	sent     bool // it had left us
	onlyCall bool // no other call was in flight
}

func (l *connectionLostError) Error() string { return "the connection ended: " + l.reason.reason }
