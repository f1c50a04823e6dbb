package tools

import (
	"context"
	"encoding/json"
	"io/fs"

	"github.com/lectern-mcp/lectern/status"
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

// A PeerSpec is what a System knows of its Peers. Nothing else in the product
// knows what their hello or their error codes mean.
type PeerSpec[C any] struct {
	// Skill is the semantic version of this System's tools, which plugins are
	// written for: a new tool, optional argument or field of an answer raises the
	// minor number, what changes a name, a required argument or the meaning of an
	// answer the major one.
	Skill string
	// Name is the Peer that a source wants, by one of its [PeerInfo].Names;
	// empty: the only one that is connected.
	Name func(config C) string
	// Describe reads a Peer's hello. mine is false if the Peer is of another
	// System; an error refuses the connection, in words for its log.
	Describe func(hello json.RawMessage) (info PeerInfo, mine bool, err error)
	// Code is what an error code of a Peer means.
	Code func(peerCode string) Code
	// Origins are pages that may connect without asking a person.
	Origins []string
	// Opened lists folders that the other application has opened, as absolute
	// paths of this operating system, for people who look for sources. home is
	// the person's folder. Nil: it opens no folders, or keeps no list.
	Opened func(home fs.FS) []string
	// Setup is what a person does next who has added a source, a step each, until
	// the other application is connected.
	Setup []string
}

// PeerInfo is a Peer as people see it. All of it is a claim.
type PeerInfo struct {
	// Key identifies what the Peer has open: there is one connection each, and a
	// newer one replaces the former.
	Key   string
	Names []string // what a source may call it; the first is shown
	// SourceKeys are the configuration keys of a source that opens this, as a
	// person types them; nil: the Peer has nothing open.
	SourceKeys map[string]string
	// Facts are shown in this order: versions, addresses.
	Facts        []status.Fact
	Capabilities []status.Capability // all that there may be, in the order shown
}

// An ErasedPeer is a [PeerSpec] without its type parameter.
type ErasedPeer struct {
	Skill    string
	Name     func(config json.RawMessage) (string, error) // its errors are those of [Kind].Open
	Describe func(hello json.RawMessage) (info PeerInfo, mine bool, err error)
	Code     func(peerCode string) Code
	Origins  []string
	Setup    []string
	Opened   func(home fs.FS) []string
}

// SkillVersion is the skill version that hub, plugin and SKILL.md tell each other:
// that of the System with Peers. Tools of other Systems have no part in it.
func SkillVersion(systems []Kind) string {
	for _, k := range systems {
		if peer := k.Peer(); peer != nil {
			return peer.Skill
		}
	}
	return ""
}

// ErrOutcomeUnknown is the cause of an error after which it is not known
// whether the Peer carried out the request.
type ErrOutcomeUnknown struct{}

// Error implements error.
func (ErrOutcomeUnknown) Error() string { return "the connection was lost before the answer" }
