package main

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/doc"
)

// Plugins are the hub's line to the plugins in other applications.
type plugins struct {
	*bridge.Bridge
	host    *host
	origins atomic.Pointer[[]string] // that the configuration lets in

	mu        sync.Mutex
	noToken   bool     // the Problem is raised
	strangers []string // the origins of the Problem that is raised; none: none is
}

func (w *world) pluginTokenFile() string { return filepath.Join(w.places.State, "plugin.token") }

// newPlugins makes the line. Nobody can connect before the port is open.
func (h *host) newPlugins(conf config.Config) *plugins {
	p := &plugins{host: h}
	p.trust(conf)
	p.Bridge = bridge.New(bridge.Config{
		Token: p.token, PlainToken: conf.Logseq.PlainToken,
		Version: lecternVersion, Skill: doc.SkillVersion,
		Approve: func(origin string) bool { return slices.Contains(*p.origins.Load(), origin) },
		Log:     h.log, Now: h.now, Changed: p.changed,
	})
	return p
}

// trust takes over the origins of a configuration that was read again.
func (p *plugins) trust(conf config.Config) {
	p.origins.Store(new(slices.Clone(conf.Logseq.Origins)))
	if p.Bridge != nil {
		p.changed()
	}
}

// token reads the plugins' token anew for each that connects, so that a rotated
// one counts at once. Without one nobody can connect.
func (p *plugins) token() loopnet.Token {
	token, err := loopnet.LoadOrCreateToken(p.host.pluginTokenFile())
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.noToken = true
		p.host.log.Error("open plugin token", "part", "bridge", "err", err)
		p.host.raise(pluginToken.New(hubPart, status.Args{"why": err.Error()}))
		return loopnet.Token{}
	case p.noToken:
		p.noToken = false
		p.host.clear(pluginToken)
	}
	return token
}

// mount serves plugins on mux and returns what the guard must let through.
func (p *plugins) mount(mux *http.ServeMux) []loopnet.Route {
	_ = p.token() // makes the file, or says why not, before a plugin asks
	routes := p.Routes()
	for _, r := range routes {
		mux.Handle(r.Path, p.Handler())
	}
	return routes
}

// changed shows who is connected and who would like to be. One Problem names
// all origins that wait; what is done about it lets in the one that asked last,
// as that is the plugin somebody has just started.
func (p *plugins) changed() {
	p.host.hub.PeersChanged()
	waiting := p.Origins()
	names := make([]string, len(waiting))
	for i, o := range waiting {
		names[i] = o.Origin
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(names, p.strangers) {
		return
	}
	p.strangers = names
	if len(names) == 0 {
		p.host.clear(pluginOrigin)
		return
	}
	latest := names[len(names)-1]
	slices.Sort(names[:len(names)-1])
	problem := pluginOrigin.New(hubPart, status.Args{"origins": strings.Join(names, ", "), "latest": latest})
	problem.Action = &status.Action{Verb: status.AllowOrigin, Target: latest}
	p.host.raise(problem)
}
