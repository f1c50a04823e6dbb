package hub

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// openPeer is the Peer of a source; nil if its System has none.
func openPeer(b *bridge.Bridge, kind tools.Kind, conf Source) (tools.Peer, error) {
	spec := kind.Peer()
	if spec == nil {
		return nil, nil //nolint:nilnil // the System has no Peer
	}
	name, err := spec.Name(conf.Options)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return noPeer{}, nil
	}
	return peer{b.Peer(name)}, nil
}

// A peer is a bridge's Peer with the errors of tools.
type peer struct{ *bridge.Peer }

// Call implements [tools.Peer].
func (p peer) Call(ctx context.Context, method string, in, out any, idempotent bool) error {
	err := p.Peer.Call(ctx, method, in, out, idempotent)
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*bridge.Error](err)
	if !ok {
		return err
	}
	return peerError(e, idempotent)
}

// peerError is e as an error of tools. The outcome of a call that is not
// idempotent is unknown when the bridge says so, or when the Peer itself ran out
// of time.
func peerError(e *bridge.Error, idempotent bool) *tools.Error {
	out := &tools.Error{Code: codes[e.Code], SpecCode: e.PeerCode, Message: e.Msg, Cause: e}
	if e.Code == bridge.PeerError {
		out.Code = peerCode(e.PeerCode)
	}
	if e.Data != nil {
		out.Data = e.Data
	}
	if e.OutcomeUnknown || !idempotent && e.Code == bridge.PeerError && out.Code == tools.Timeout {
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

// peerCode is the meaning of an error code that a Peer sent.
func peerCode(word string) tools.Code {
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

// noPeer is the Peer of a hub without a bridge.
type noPeer struct{}

func (noPeer) Call(context.Context, string, any, any, bool) error {
	return tools.Errorf(tools.Unavailable, "no peer can connect: HTTP is off")
}
func (noPeer) Hello() json.RawMessage { return nil }
func (noPeer) Listen(func(string, json.RawMessage)) (stop func()) {
	return func() {}
}

// PeersChanged updates the Peers in the snapshot soon. It never blocks: it is
// the bridge's Config.Changed.
func (h *Hub) PeersChanged() { h.snapshot.touch() }

// listPeers is the bridge's connections for the snapshot.
func listPeers(b *bridge.Bridge) []status.Peer {
	list := []status.Peer{}
	if b == nil {
		return list
	}
	for _, c := range b.Connections() {
		list = append(list, status.Peer{
			Component: status.Component{Name: c.Name, State: status.Ready, Since: c.Since},
			Graph:     c.URL, Kind: c.Kind, App: c.App, Plugin: c.Plugin, SDK: c.SDK, Skill: c.Skill,
			Transport: c.Transport, Origin: c.Origin, Latency: c.Latency, Capabilities: c.Capabilities,
			Calls: c.Calls, Failures: c.Failures, Dropped: c.Unmatched, LastError: c.LastError,
		})
	}
	return list
}
