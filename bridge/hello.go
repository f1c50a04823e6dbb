package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Hello is what a Peer says about itself when it connects, and again in an
// announce. All of it is a claim.
type Hello struct {
	App          string   `json:"logseq_version"`
	Plugin       string   `json:"plugin_version"`
	SDK          string   `json:"sdk_version"`
	Skill        string   `json:"skill_version"`
	Capabilities []string `json:"api_capabilities"`
	Methods      []string `json:"methods"`
	Session      string   `json:"session"` // identifies one running plugin
	Graph        Graph    `json:"graph"`
}

// A Graph is the knowledge base that a Peer has open.
type Graph struct {
	Name string `json:"name"`
	URL  string `json:"url"`
	Kind string `json:"kind"` // "db", "file", or empty: none is open
}

// A peerInfo is a Hello together with its raw members.
type peerInfo struct {
	Hello
	raw json.RawMessage
}

// authMembers are the members of a hello that Peer.About leaves out.
var authMembers = []string{"nonce", "proof", "token"}

// Limits of a Hello.
const (
	maxHelloBytes = 256 << 10
	maxListLength = 1000
)

// parseHello reads the params of a hello or an announce.
func (b *Bridge) parseHello(params json.RawMessage) (*peerInfo, error) {
	var members map[string]json.RawMessage
	a := &peerInfo{}
	if err := json.Unmarshal(params, &members); err != nil || members == nil {
		return nil, errors.New("params is not an object")
	}
	if err := json.Unmarshal(params, &a.Hello); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return nil, fmt.Errorf("%s has the wrong type", wrong.Field)
		}
		return nil, errors.New("params cannot be read")
	}
	if err := a.validate(len(params)); err != nil {
		return nil, err
	}
	for name := range members {
		if slices.ContainsFunc(authMembers, func(secret string) bool { return strings.EqualFold(name, secret) }) {
			delete(members, name)
		}
	}
	a.raw, _ = json.Marshal(members) // it was decoded from JSON
	a.Capabilities = slices.Compact(slices.Sorted(slices.Values(a.Capabilities)))
	return a, nil
}

func (a *peerInfo) validate(size int) error {
	if size > maxHelloBytes {
		return fmt.Errorf("params has more than %d bytes", maxHelloBytes)
	}
	for _, text := range []string{a.App, a.Plugin, a.SDK, a.Skill, a.Session} {
		if len(text) > maxNameBytes {
			return fmt.Errorf("a version or session has more than %d bytes", maxNameBytes)
		}
	}
	if len(a.Capabilities) > maxListLength || len(a.Methods) > maxListLength {
		return fmt.Errorf("api_capabilities or methods has more than %d entries", maxListLength)
	}
	if len(a.Graph.Name) > 4<<10 || len(a.Graph.URL) > 4<<10 {
		return errors.New("graph has a name or url of more than 4 KB")
	}
	if !slices.Contains([]string{"", "db", "file"}, a.Graph.Kind) {
		return errors.New("graph.kind is neither db nor file")
	}
	return nil
}

// key identifies the graph, of which there is one connection. Plugins without
// an open graph are told apart by their session.
func (a *peerInfo) key() string {
	switch {
	case a.Graph.URL != "":
		return a.Graph.URL
	case a.Graph.Name != "":
		return a.Graph.Name
	}
	return "session " + a.Session
}

// matchesGraph reports whether a source that names its graph like this means
// this one.
func (a *peerInfo) matchesGraph(name string) bool {
	return name == "" || name == a.Graph.URL || name == a.Graph.Name
}

func compareKeys(x, y *conn) int { return strings.Compare(x.key(), y.key()) }
