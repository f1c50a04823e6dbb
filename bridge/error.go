package bridge

import "encoding/json"

// A Code says how a call failed.
type Code string

// All codes.
const (
	Unavailable   Code = "unavailable" // no Peer, or it disconnected
	Timeout       Code = "timeout"     // the context ended first
	Limited       Code = "limited"     // too many calls at once
	TooLarge      Code = "too_large"   // the request or the answer is larger than a frame
	PeerError     Code = "answered"    // the Peer answered an error: see PeerCode
	InvalidAnswer Code = "broken"      // the Peer sent an invalid answer
)

// An Error is why a call failed.
type Error struct {
	Code     Code
	Msg      string          // one sentence without a full stop
	PeerCode string          // the Peer's own code if Code is PeerError; else empty
	Data     json.RawMessage // what the Peer sent with its error; may be nil
	// OutcomeUnknown means that the request was sent and it is unknown whether the
	// Peer executed it. It is never set for calls that may be sent again, because
	// these change nothing.
	OutcomeUnknown bool
	Err            error // the cause, for the log; may be nil
}

// Error returns the message.
func (e *Error) Error() string { return e.Msg }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// A connectionLostError ends a call whose connection has ended.
type connectionLostError struct {
	reason   endReason
	sent     bool // the request had been sent
	onlyCall bool // no other call was in flight
}

func (l *connectionLostError) Error() string { return "the connection ended: " + l.reason.reason }
