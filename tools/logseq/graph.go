package logseq

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// A Graph is the graph of a source: connected now, or not. Its methods may be
// called from any goroutine; those that write follow one another.
type Graph struct {
	conf      Config
	name      string
	peer      tools.Peer
	now       func() time.Time
	log       *slog.Logger
	changed   func(uri string)
	privacy   tools.Privacy
	writeLock chan struct{} // holds one while somebody writes
	stop      func()
	// Of new blocks, for christen; who has the turn may use used.
	idSalt  [16]byte
	usedIDs map[UUID]bool
}

// Open answers a source at once: Logseq may start later and leave in between,
// and ping and get_capabilities work without it.
func Open(_ context.Context, c Config, env tools.Env) (*Graph, error) {
	g := &Graph{
		conf: c, name: env.Name, peer: env.Peer, now: env.Now, log: env.Log, changed: env.ResourceChanged, privacy: env.Privacy,
		writeLock: make(chan struct{}, 1), stop: func() {}, usedIDs: map[UUID]bool{},
	}
	_, _ = rand.Read(g.idSalt[:]) // never fails
	if g.peer == nil {
		g.peer = disconnectedPeer{}
	}
	g.stop = g.peer.Listen(g.onNotification)
	return g, nil
}

// Close stops listening to Logseq.
func (g *Graph) Close() error {
	g.stop()
	return nil
}

// Check is nil also while Logseq is away: then, too, the source answers. The
// connection has a state of its own on the panel.
func (g *Graph) Check(ctx context.Context) error { return ctx.Err() }

// disconnectedPeer is the Peer of a source whose hub has no bridge.
type disconnectedPeer struct{}

func (disconnectedPeer) Call(context.Context, string, any, any, bool) error {
	return notConnectedError("")
}
func (disconnectedPeer) About() json.RawMessage                      { return nil }
func (disconnectedPeer) Listen(func(string, json.RawMessage)) func() { return func() {} }

// hello is what the plugin says of itself and its Logseq when it connects.
type hello struct {
	Logseq       string   `json:"logseq_version"`
	Plugin       string   `json:"plugin_version"`
	SDK          string   `json:"sdk_version"`
	Skill        string   `json:"skill_version"`
	Session      string   `json:"session"` // a new one whenever the plugin starts
	Capabilities []string `json:"api_capabilities"`
	Methods      []string `json:"methods"`
	Graph        struct {
		Name string `json:"name"`
		Kind string `json:"kind"` // db or file
	} `json:"graph"`
}

// hello is nil while nobody is connected.
func (g *Graph) hello() *hello {
	raw := g.peer.About()
	if len(raw) == 0 {
		return nil
	}
	a := &hello{}
	if err := json.Unmarshal(raw, a); err != nil {
		g.log.Warn("what the plugin says of itself cannot be read", "error", err)
	}
	return a
}

// requireCapability checks that somebody is connected who has the capability.
func (g *Graph) requireCapability(key string) error {
	a := g.hello()
	switch {
	case a == nil:
		return notConnectedError(g.conf.Graph)
	case !slices.Contains(a.Capabilities, key):
		return capabilityMissingError(key, a)
	}
	return nil
}

// hasCapability says whether a capability is there, for what can do without.
func (g *Graph) hasCapability(key string) bool { return g.requireCapability(key) == nil }
