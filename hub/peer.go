package hub

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// peerFor is the Peer that a source of conf wants; nil when its System has
// none.
func (h *Hub) peerFor(kind tools.Kind, conf Source) (tools.Peer, error) {
	name, wanted, err := kind.PeerName(conf.Options)
	switch {
	case err != nil || !wanted:
		return nil, err
	case h.bridge == nil:
		return nobody{}, nil
	}
	return peer{h.bridge.Peer(name)}, nil
}

// A peer is a bridge's Peer in the words of the Systems.
type peer struct{ *bridge.Peer }

// Call implements [tools.Peer].
func (p peer) Call(ctx context.Context, method string, in, out any, again bool) error {
	err := p.Peer.Call(ctx, method, in, out, again)
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*bridge.Error](err)
	if !ok {
		return err
	}
	return translate(e, again)
}

// translate says e in the words of the Systems. again: the call changes
// nothing, so that nobody needs to be unsure of its outcome. A Peer that ran
// out of time itself does not know either.
func translate(e *bridge.Error, again bool) *tools.Error {
	out := &tools.Error{Code: codes[e.Code], SpecCode: e.PeerCode, Message: e.Msg, Cause: e}
	if e.Code == bridge.PeerError {
		out.Code = codeOf(e.PeerCode)
	}
	if e.Data != nil {
		out.Data = e.Data
	}
	if e.OutcomeUnknown || !again && e.Code == bridge.PeerError && out.Code == tools.Timeout {
		out.Cause = errors.Join(tools.ErrOutcomeUnknown{}, e)
	}
	return out
}

var codes = map[bridge.Code]tools.Code{
	bridge.Unavailable:   tools.Unavailable,
	bridge.Timeout:       tools.Timeout,
	bridge.Limited:       tools.Limited,
	bridge.TooLarge:      tools.Limited,
	bridge.InvalidAnswer: tools.Internal,
}

// codeOf is what a Peer's own word means to an agent.
func codeOf(word string) tools.Code {
	switch word {
	case "NOT_FOUND":
		return tools.NotFound
	case "INVALID_INPUT":
		return tools.Invalid
	case "CAPABILITY_MISSING":
		return tools.Unavailable
	case "TIMEOUT":
		return tools.Timeout
	}
	return tools.Internal
}

// nobody is the Peer of a hub without a bridge.
type nobody struct{}

func (nobody) Call(context.Context, string, any, any, bool) error {
	return tools.Errorf(tools.Unavailable, "no peer can connect: HTTP is off")
}
func (nobody) About() json.RawMessage { return nil }
func (nobody) Listen(func(string, json.RawMessage)) (stop func()) {
	return func() {}
}

// PeersChanged draws the Peers anew, soon. It never blocks: it is a
// bridge.Config's Changed.
func (h *Hub) PeersChanged() { h.picture.touch() }

// peers is what people see of the bridge's connections.
func (h *Hub) peers() []status.Peer {
	list := []status.Peer{}
	if h.bridge == nil {
		return list
	}
	for _, c := range h.bridge.Connections() {
		list = append(list, status.Peer{
			Component: status.Component{Name: c.Name, State: status.Ready, Since: c.Since},
			Graph:     c.URL, Kind: c.Kind, App: c.App, Plugin: c.Plugin, SDK: c.SDK, Skill: c.Skill,
			Transport: c.Transport, Origin: c.Origin, Latency: c.Latency, Capabilities: c.Capabilities,
			Calls: c.Calls, Failures: c.Failures, Dropped: c.Unmatched, LastError: c.LastError,
		})
	}
	return list
}
