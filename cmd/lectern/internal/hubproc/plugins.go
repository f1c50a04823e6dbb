package hubproc

import (
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
	"github.com/lectern-mcp/lectern/tools/doc"
)

// plugins are the hub's connections to plugins in other applications.
type plugins struct {
	*bridge.Bridge

	process *hubProcess
	origins atomic.Pointer[[]string] // that the configuration allows

	mu             sync.Mutex
	noToken        bool     // its problem is raised
	unknownOrigins []string // of the problem that is raised; empty: none is
}

// newPlugins prepares the bridge. Nobody can connect before the port is open.
func (h *hubProcess) newPlugins(conf config.Config) *plugins {
	p := &plugins{process: h}
	p.setOrigins(conf)
	p.Bridge = bridge.New(bridge.Config{
		Token: p.token, PlainToken: conf.Bridge.PlainToken,
		Describe: hub.DescribePeer(h.Systems()), KnownOrigins: hub.PeerOrigins(h.Systems()),
		Version: h.Version, Skill: doc.SkillVersion,
		Approve: func(origin string) bool { return slices.Contains(*p.origins.Load(), origin) },
		Log:     h.log, Now: h.Now, Changed: p.changed,
	})
	return p
}

// setOrigins takes the allowed origins from a configuration.
func (p *plugins) setOrigins(conf config.Config) {
	p.origins.Store(new(slices.Clone(conf.Bridge.Origins)))
	if p.Bridge != nil {
		p.changed()
	}
}

// token reads the plugins' token for each plugin that connects, so that a
// rotated token counts at once. Without a token no plugin can connect.
func (p *plugins) token() loopnet.Token {
	token, err := loopnet.LoadOrCreateToken(p.process.Paths.PluginToken())
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.noToken = true
		p.process.log.Error("open plugin token", "component", "bridge", "err", err)
		p.process.raise(problems.PluginToken.New(problems.Hub, status.Args{"why": err.Error()}))
		return loopnet.Token{}
	case p.noToken:
		p.noToken = false
		p.process.clear(problems.PluginToken)
	}
	return token
}

// addRoutes serves plugins on mux and returns the routes for the guard.
func (p *plugins) addRoutes(mux *http.ServeMux) []loopnet.Route {
	_ = p.token() // creates the file, or reports why it cannot, before a plugin connects
	routes := p.Routes()
	for _, r := range routes {
		mux.Handle(r.Path, p.Handler())
	}
	return routes
}

// changed shows which plugins are connected and which were refused. One problem
// names all refused origins; its action allows the one that tried last, because
// that is the plugin somebody has just started.
func (p *plugins) changed() {
	p.process.hub.PeersChanged()
	refused := p.Origins()
	names := make([]string, len(refused))
	for i, o := range refused {
		names[i] = o.Origin
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Equal(names, p.unknownOrigins) {
		return
	}
	p.unknownOrigins = names
	if len(names) == 0 {
		p.process.clear(problems.PluginOrigin)
		return
	}
	latest := names[len(names)-1]
	slices.Sort(names[:len(names)-1])
	problem := problems.PluginOrigin.New(problems.Hub, status.Args{"origins": strings.Join(names, ", "), "latest": latest})
	problem.Action = &status.Action{Verb: status.AllowOrigin, Target: latest}
	p.process.raise(problem)
}
