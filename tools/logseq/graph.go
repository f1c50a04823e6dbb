package logseq

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/tools"
)

// A Graph is the graph of a source, whether Logseq is connected or not. Its
// methods may be called from any goroutine; writes run one at a time.
type Graph struct {
	conf      Config
	name      string
	peer      tools.Peer
	now       func() time.Time
	log       *slog.Logger
	changed   func(uri string)
	privacy   tools.Privacy
	writeLock chan struct{} // holds a value while a write runs
	stop      func()
	// For the ids of new blocks; usedIDs is guarded by writeLock.
	idSalt  [16]byte
	usedIDs map[UUID]bool
}

// Open opens a source immediately: Logseq may start later and quit in between,
// and ping and get_capabilities work without it.
func Open(_ context.Context, c Config, env tools.Env) (*Graph, error) {
	if c.GraphFolder != "" && !filepath.IsAbs(c.GraphFolder) {
		return nil, fmt.Errorf("graph_folder: %s is not an absolute path", c.GraphFolder)
	}
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

// Check is nil even if Logseq is not connected, because the source still
// answers. The connection has its own state on the panel.
func (g *Graph) Check(ctx context.Context) error { return ctx.Err() }

// disconnectedPeer is the Peer of a source whose hub has no bridge.
type disconnectedPeer struct{}

func (disconnectedPeer) Call(context.Context, string, any, any, bool) error {
	return notConnectedError("")
}
func (disconnectedPeer) Hello() json.RawMessage                      { return nil }
func (disconnectedPeer) Listen(func(string, json.RawMessage)) func() { return func() {} }

// hello returns nil if no Logseq is connected.
func (g *Graph) hello() *hello {
	raw := g.peer.Hello()
	if len(raw) == 0 {
		return nil
	}
	a, err := parseHello(raw)
	if err != nil {
		g.log.Warn("cannot parse the plugin's hello", "error", err)
	}
	return a
}

// requireCapability checks that a Logseq with the capability is connected.
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

// hasCapability reports whether a capability is available.
func (g *Graph) hasCapability(key string) bool { return g.requireCapability(key) == nil }

// location is where the user is, whose days those of Logseq are.
func (g *Graph) location() *time.Location { return g.now().Location() }
