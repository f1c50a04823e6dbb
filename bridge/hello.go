package bridge

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Description is what the hello of a Peer means: who it is. The bridge does
// not read hellos itself; [Config].Describe does. All of it is a claim.
type Description struct {
	// Kind is the sort of Peer. Names are looked up within one kind.
	Kind string
	// Key identifies what the Peer has open, within its kind: there is one
	// connection each, and a newer one replaces the former.
	Key string
	// Names are what [Bridge.Peer] may call it; the first is shown to people.
	// None: it can be reached only as the only Peer of its kind.
	Names []string
	// Capabilities are those that are used, told back to the Peer.
	Capabilities []string
}

// A peerInfo is a Description together with the hello it was made from.
type peerInfo struct {
	Description
	hello json.RawMessage // without authMembers
}

// authMembers are the members of a hello that nobody but the bridge sees.
var authMembers = []string{"nonce", "proof", "token"}

// Limits of a hello.
const (
	maxHelloBytes     = 256 << 10
	maxPeerNames      = 8
	maxPeerNameLength = 4 << 10
)

// parseHello reads the params of a hello or an announce.
func (b *Bridge) parseHello(params json.RawMessage) (*peerInfo, error) {
	var members map[string]json.RawMessage
	if len(params) > maxHelloBytes {
		return nil, fmt.Errorf("params has more than %d bytes", maxHelloBytes)
	}
	if err := json.Unmarshal(params, &members); err != nil || members == nil {
		return nil, errors.New("params is not an object")
	}
	for name := range members {
		if slices.ContainsFunc(authMembers, func(secret string) bool { return strings.EqualFold(name, secret) }) {
			delete(members, name)
		}
	}
	hello, _ := json.Marshal(members) // it was decoded from JSON
	d, err := b.conf.Describe(hello)
	if err != nil {
		return nil, err
	}
	if len(d.Names) > maxPeerNames || slices.ContainsFunc(append(slices.Clone(d.Names), d.Key), tooLong) {
		return nil, errors.New("a name is longer than 4 KB, or there are more than 8")
	}
	return &peerInfo{d, hello}, nil
}

func tooLong(name string) bool { return len(name) > maxPeerNameLength }

// A connKey tells connections apart.
type connKey struct{ kind, key string }

func (k connKey) compare(other connKey) int {
	return cmp.Or(strings.Compare(k.kind, other.kind), strings.Compare(k.key, other.key))
}

func (a *peerInfo) key() connKey { return connKey{a.Kind, a.Key} }

// matches reports whether a caller that wants a Peer of this kind and name
// means this one.
func (a *peerInfo) matches(kind, name string) bool {
	return kind == a.Kind && (name == "" || slices.Contains(a.Names, name))
}

// title is how the Peer is called in messages.
func (a *peerInfo) title() string {
	return cmp.Or(append(slices.Clone(a.Names), "one without a name")...)
}
