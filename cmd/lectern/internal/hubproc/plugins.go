package hubproc

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lectern-mcp/lectern/bridge"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// pluginBridge are the hub's connections to plugins in other applications.
type pluginBridge struct {
	*bridge.Bridge

	process *hubProcess
	origins atomic.Pointer[[]string] // that the configuration allows
	sources atomic.Pointer[[]hub.Source]

	mu             sync.Mutex
	noToken        bool     // its problem is raised
	unknownOrigins []string // of the problem that is raised; empty: none is
	lacking        bool     // its problem is raised
	refusal        string   // of the problem that is raised; empty: none is
}

// newPluginBridge prepares the bridge. Nobody can connect before the port is open.
func (h *hubProcess) newPluginBridge(conf config.Config) *pluginBridge {
	p := &pluginBridge{process: h}
	p.configure(conf)
	p.Bridge = bridge.New(bridge.Config{
		Token: p.loadOrCreateToken, PlainToken: conf.Bridge.PlainToken,
		Describe: hub.NewPeerDescriber(h.Systems()), KnownOrigins: hub.PeerWebOrigins(h.Systems()),
		Version: h.Version, Skill: tools.SkillVersion(h.Systems()), Command: h.Exe,
		Approve: func(origin string) bool { return slices.Contains(*p.origins.Load(), origin) },
		Log:     h.log, Now: h.Now, Changed: p.refreshConnectedPlugins,
	})
	return p
}

// configure takes the allowed origins and the sources from a configuration.
func (p *pluginBridge) configure(conf config.Config) {
	p.origins.Store(new(slices.Clone(conf.Bridge.Origins)))
	p.sources.Store(new(toHubSources(p.process.sources(conf))))
	if p.Bridge != nil {
		p.refreshConnectedPlugins()
	}
}

// loadOrCreateToken reads the plugins' token for each plugin that connects, so that a
// rotated token counts at once. Without a token no plugin can connect.
func (p *pluginBridge) loadOrCreateToken() loopnet.Token {
	token, err := loopnet.LoadOrCreateToken(p.process.Paths.PluginToken())
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.noToken = true
		p.process.log.Error("open plugin token", "component", "bridge", "err", err)
		p.process.raiseProblem(problems.PluginTokenRefused.New(problems.HubComponent, status.Args{"why": err.Error()}))
		return loopnet.Token{}
	case p.noToken:
		p.noToken = false
		p.process.clearProblem(problems.PluginTokenRefused)
	}
	return token
}

// addRoutes serves plugins on mux and returns the routes for the guard.
func (p *pluginBridge) addRoutes(mux *http.ServeMux) []loopnet.Route {
	_ = p.loadOrCreateToken() // creates the file, or reports why it cannot, before a plugin connects
	routes := p.Routes()
	for _, r := range routes {
		mux.Handle(r.Path, p.Handler())
	}
	return routes
}

// refreshConnectedPlugins shows which plugins are connected, which were refused, and which no
// source opens.
func (p *pluginBridge) refreshConnectedPlugins() {
	p.process.hub.RequestSnapshotUpdate()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.showRefusedOriginsLocked()
	p.showRefusedPluginLocked()
	p.showPluginWithoutSourceLocked()
}

// refreshRefusedPlugin ends the problem of a plugin that no longer tries.
func (p *pluginBridge) refreshRefusedPlugin() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.showRefusedPluginLocked()
}

// showRefusedPluginLocked shows why the plugin was refused that tried last.
func (p *pluginBridge) showRefusedPluginLocked() {
	why := ""
	if all := p.Refusals(); len(all) > 0 {
		why = all[len(all)-1].Reason
	}
	if why == p.refusal {
		return
	}
	p.refusal = why
	if why == "" {
		p.process.clearProblem(problems.PluginRefused)
		return
	}
	p.process.raiseProblem(problems.PluginRefused.New(problems.HubComponent, status.Args{"why": why}))
}

// showPluginWithoutSourceLocked names one plugin that no source opens, with the source to
// add. A hub of one source is not for others.
func (p *pluginBridge) showPluginWithoutSourceLocked() {
	lacking := hub.PeersWithoutSource(p.Bridge, p.process.Systems(), *p.sources.Load())
	if len(lacking) == 0 || p.process.Only != "" {
		if p.lacking {
			p.process.clearProblem(problems.PluginWithoutSource)
		}
		p.lacking = false
		return
	}
	first := lacking[0]
	taken := func(name string) bool {
		return slices.ContainsFunc(*p.sources.Load(), func(s hub.Source) bool { return s.Name == name })
	}
	command := []string{first.Kind}
	for _, key := range slices.Sorted(maps.Keys(first.Keys)) {
		command = append(command, fmt.Sprintf("%s=%q", key, first.Keys[key]))
	}
	problem := problems.PluginWithoutSource.New(problems.HubComponent, status.Args{
		"application": first.Application, "name": first.Name, "command": strings.Join(command, " "),
	})
	problem.Action = &status.Action{Verb: status.AddSource, Source: &status.NewSource{
		Name: config.NameFor(first.Name, first.Kind, taken), Kind: first.Kind, Keys: first.Keys,
	}}
	p.lacking = true
	p.process.raiseProblem(problem)
}

// showRefusedOriginsLocked shows the origins that were refused. One problem
// names all refused origins; its action allows the one that tried last, because
// that is the plugin somebody has just started.
func (p *pluginBridge) showRefusedOriginsLocked() {
	refused := p.Origins()
	names := make([]string, len(refused))
	for i, o := range refused {
		names[i] = o.Origin
	}
	if slices.Equal(names, p.unknownOrigins) {
		return
	}
	p.unknownOrigins = names
	if len(names) == 0 {
		p.process.clearProblem(problems.PluginOriginUnknown)
		return
	}
	latest := names[len(names)-1]
	slices.Sort(names[:len(names)-1])
	problem := problems.PluginOriginUnknown.New(problems.HubComponent, status.Args{"origins": strings.Join(names, ", "), "latest": latest})
	problem.Action = &status.Action{Verb: status.AllowOrigin, Target: latest}
	p.process.raiseProblem(problem)
}
