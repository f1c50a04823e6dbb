package tools

import (
	"context"
	"encoding/json"
)

// A Peer is the far end of a bridge, as much of it as a Source needs: another
// application that answers requests. It may come and go; the Source stays.
type Peer interface {
	// Call asks the Peer and decodes its answer into out, which may be nil. in
	// is marshalled to an object. An error is an [Error]: Unavailable when no
	// Peer is connected, Timeout when ctx ended first, and otherwise what the
	// Peer said, with its own code word in As and its data in Data.
	//
	// A call with again set may be sent a second time when the connection was
	// lost before its answer; set it for reads alone. Without it, a lost
	// connection is an Unavailable error with [ErrOutcomeUnknown] as its cause.
	Call(ctx context.Context, method string, in, out any, again bool) error
	// About is what the Peer said of itself when it connected, as the bridge
	// received it; nil when none is connected.
	About() json.RawMessage
	// Listen has f called with each notification of the Peer, one at a time
	// and in order, until stop. Connecting and leaving are notifications too:
	// "peer.connected" and "peer.gone", without params.
	Listen(f func(method string, params json.RawMessage)) (stop func())
}

// ErrOutcomeUnknown is the cause of an error after which nobody knows whether the Peer
// has carried the request out.
type ErrOutcomeUnknown struct{}

// Error implements error.
func (ErrOutcomeUnknown) Error() string { return "the connection was lost before the answer" }
