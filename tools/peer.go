package tools

import (
	"context"
	"encoding/json"
)

// A Peer is another application that answers requests, at the far end of a
// bridge. It may connect and disconnect while the Source stays open.
type Peer interface {
	// Call sends a request and decodes the answer into out, which may be nil.
	// in is marshalled to an object. Errors are of type [Error]: Unavailable
	// when no Peer is connected, Timeout when ctx ended first, and otherwise
	// the Peer's own error, with its code in SpecCode and its data in Data.
	//
	// If retry is set the request may be sent a second time when the connection
	// was lost before the answer; set it only for reads. Without it, a lost
	// connection is an Unavailable error caused by [ErrOutcomeUnknown].
	Call(ctx context.Context, method string, in, out any, retry bool) error
	// Hello is the Peer's description of itself from the handshake; nil when
	// none is connected.
	Hello() json.RawMessage
	// Listen calls f with each notification of the Peer, one at a time and in
	// order, until stop is called. Connecting and disconnecting are
	// notifications too: "peer.connected" and "peer.gone", without params.
	Listen(f func(method string, params json.RawMessage)) (stop func())
}

// ErrOutcomeUnknown is the cause of an error after which it is not known
// whether the Peer carried out the request.
type ErrOutcomeUnknown struct{}

// Error implements error.
func (ErrOutcomeUnknown) Error() string { return "the connection was lost before the answer" }
