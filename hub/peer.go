package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// peerForSource is the Peer of a source; nil if its System has none.
func peerForSource(b *bridge.Bridge, kind tools.Kind, conf Source) (tools.Peer, error) {
	spec := kind.Peer()
	if spec == nil {
		return nil, nil //nolint:nilnil // the System has no Peer
	}
	name, err := spec.Name(conf.Options)
	switch {
	case err != nil:
		return nil, err
	case b == nil:
		return unavailablePeer{}, nil
	}
	return bridgePeer{b.Peer(kind.Manifest().Name, name), spec.Code}, nil
}

// NewPeerDescriber returns a [bridge.Config].Describe that asks these Systems, in
// their order, which of them knows a hello.
func NewPeerDescriber(systems []tools.Kind) func(hello json.RawMessage) (bridge.Description, error) {
	return func(hello json.RawMessage) (bridge.Description, error) {
		var known []string
		for _, kind := range systems {
			spec, m := kind.Peer(), kind.Manifest()
			if spec == nil {
				continue
			}
			info, mine, err := spec.Describe(hello)
			switch {
			case err != nil:
				return bridge.Description{}, err
			case mine:
				return newPeerDescription(m.Name, info), nil
			}
			known = append(known, m.Title)
		}
		return bridge.Description{}, fmt.Errorf(
			"no plugin of an application that this Lectern works with (%s)", cmp.Or(strings.Join(known, ", "), "none"))
	}
}

func newPeerDescription(kind string, info tools.PeerInfo) bridge.Description {
	d := bridge.Description{Kind: kind, Key: info.Key, Names: info.Names, Capabilities: []string{}}
	for _, c := range info.Capabilities {
		if c.Reason == "" {
			d.Capabilities = append(d.Capabilities, c.Key)
		}
	}
	return d
}

// PeerWebOrigins are the origins of pages that Systems know as their Peers'.
func PeerWebOrigins(systems []tools.Kind) (origins []string) {
	for _, kind := range systems {
		if spec := kind.Peer(); spec != nil {
			origins = append(origins, spec.Origins...)
		}
	}
	return origins
}

// A bridgePeer is a bridge's Peer with the errors of tools.
type bridgePeer struct {
	*bridge.Peer

	code func(peerCode string) tools.Code
}

// Call implements [tools.Peer].
func (p bridgePeer) Call(ctx context.Context, method string, in, out any, idempotent bool) error {
	err := p.Peer.Call(ctx, method, in, out, idempotent)
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*bridge.Error](err)
	if !ok {
		return err
	}
	return p.convertError(e, idempotent)
}

// convertError returns e as an error of tools. The outcome of a call that is not
// idempotent is unknown when the bridge says so, or when the Peer itself ran out
// of time.
func (p bridgePeer) convertError(e *bridge.Error, idempotent bool) *tools.Error {
	out := &tools.Error{Code: bridgeErrorCodes[e.Code], SpecCode: e.PeerCode, Message: e.Msg, Cause: e}
	if e.Code == bridge.PeerError {
		out.Code = p.code(e.PeerCode)
	}
	if e.Data != nil {
		out.Data = e.Data
	}
	if e.OutcomeUnknown || !idempotent && e.Code == bridge.PeerError && out.Code == tools.Timeout {
		out.Cause = errors.Join(tools.ErrOutcomeUnknown{}, e)
	}
	return out
}

var bridgeErrorCodes = map[bridge.Code]tools.Code{
	bridge.Unavailable:   tools.Unavailable,
	bridge.Timeout:       tools.Timeout,
	bridge.Limited:       tools.Limited,
	bridge.TooLarge:      tools.Limited,
	bridge.InvalidAnswer: tools.Internal,
}

// unavailablePeer is the Peer of a hub without a bridge.
type unavailablePeer struct{}

func (unavailablePeer) Call(context.Context, string, any, any, bool) error {
	return tools.Errorf(tools.Unavailable, "no peer can connect: HTTP is off")
}
func (unavailablePeer) Hello() json.RawMessage { return nil }
func (unavailablePeer) Listen(func(string, json.RawMessage)) (stop func()) {
	return func() {}
}

// RequestSnapshotUpdate updates the Peers in the snapshot soon. It never blocks: it is
// the bridge's Config.Changed.
func (h *Hub) RequestSnapshotUpdate() { h.snapshot.requestUpdate() }

// A PeerWithoutSource is a connected Peer that no source opens.
type PeerWithoutSource struct {
	Kind, Application string
	Name              string            // of what it has open
	Keys              map[string]string // of a source that opens it, as a person types them
}

// PeersWithoutSource are the Peers of these Systems that have something open which
// none of the sources opens, in the order of their kinds and keys. A source that
// names no Peer opens whichever is connected.
func PeersWithoutSource(b *bridge.Bridge, systems []tools.Kind, sources []Source) (list []PeerWithoutSource) {
	for _, c := range b.Connections() {
		i := slices.IndexFunc(systems, func(k tools.Kind) bool { return k.Manifest().Name == c.Kind })
		if i < 0 || len(c.Names) == 0 {
			continue
		}
		kind := systems[i]
		info, _, err := kind.Peer().Describe(c.Hello)
		if err != nil || info.SourceKeys == nil || slices.ContainsFunc(sources, func(s Source) bool {
			if s.Kind != c.Kind {
				return false
			}
			name, err := kind.Peer().Name(s.Options)
			return err == nil && (name == "" || slices.Contains(c.Names, name))
		}) {
			continue
		}
		list = append(list, PeerWithoutSource{c.Kind, kind.Manifest().Title, c.Names[0], info.SourceKeys})
	}
	return list
}

// isPeerConnected reports whether the Peer of a source is connected.
func (h *Hub) isPeerConnected(kind, name string) bool {
	return h.bridge != nil && h.bridge.Peer(kind, name).Hello() != nil
}

// listPeers is the bridge's connections for the snapshot, described by the
// Systems that they are of.
func listPeers(b *bridge.Bridge, kinds map[string]tools.Kind) []status.Peer {
	list := []status.Peer{}
	if b == nil {
		return list
	}
	for _, c := range b.Connections() {
		kind := kinds[c.Kind]
		if kind == nil {
			continue // the bridge asks other Systems than the hub has
		}
		info, _, _ := kind.Peer().Describe(c.Hello) // it has accepted the same hello
		p := status.Peer{
			Component: status.Component{State: status.Ready, Since: c.Since},
			System:    c.Kind, Application: kind.Manifest().Title, Facts: info.Facts,
			Capabilities: info.Capabilities, Transport: c.Transport, Origin: c.Origin, Latency: c.Latency,
			Calls: c.Calls, Failures: c.Failures, Dropped: c.Unmatched, LastError: c.LastError,
		}
		if len(c.Names) > 0 {
			p.Name = c.Names[0]
		}
		list = append(list, p)
	}
	return list
}
