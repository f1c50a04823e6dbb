package doctor

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// peerChecks look at who is connected of a System's applications, and how.
func peerChecks(m *tools.Manifest) []check {
	c := peerCheck{system: m.Name, application: m.Title}
	return []check{
		{name: m.Name + ".connected", title: "A " + m.Title + " is connected", look: c.connected},
		{name: m.Name + ".origin", title: "The plugin's origin is known", look: c.origin},
		{name: m.Name + ".transport", title: "How the plugin connects", look: c.each(c.transport)},
	}
}

// A peerCheck looks at the Peers of one System.
type peerCheck struct{ system, application string }

// peers are the connected ones; if there are none, skipped says why.
func (c peerCheck) peers(r *run) (list []status.Peer, skipped status.Check) {
	snap, err := r.snapshot()
	if err != nil {
		return nil, skip(noHub)
	}
	for _, p := range snap.Peers {
		if p.System == c.system {
			list = append(list, p)
		}
	}
	return list, skip("no %s is connected", c.application)
}

// each looks at every connected Peer.
func (c peerCheck) each(look func(*run, status.Peer) status.Check) func(context.Context, *run) status.Check {
	return func(_ context.Context, r *run) status.Check {
		peers, skipped := c.peers(r)
		if len(peers) == 0 {
			return skipped
		}
		return worstOf(peers, func(p status.Peer) (string, status.Check) { return p.Name, look(r, p) })
	}
}

func (c peerCheck) connected(_ context.Context, r *run) status.Check {
	peers, none := c.peers(r)
	if _, err := r.snapshot(); err != nil {
		return none
	}
	if p, found := r.findHubProblem(problems.PluginToken); found {
		return fromProblem(p)
	}
	if len(peers) == 0 {
		return warn(none.Detail,
			"Start "+c.application+", or restart it if the plugin was installed since; its toolbar shows the plugin's status.")
	}
	var names []string
	for _, p := range peers {
		names = append(names, p.Name)
	}
	return ok("%s", strings.Join(names, ", "))
}

func (c peerCheck) origin(ctx context.Context, r *run) status.Check {
	if p, found := r.findHubProblem(problems.PluginOrigin); found {
		return fromProblem(p)
	}
	return c.each(func(_ *run, p status.Peer) status.Check {
		return ok("%s", cmp.Or(p.Origin, "not a page: "+c.application+"'s own process connects"))
	})(ctx, r)
}

func (c peerCheck) transport(_ *run, p status.Peer) status.Check {
	ping := "no ping answered yet"
	if p.Latency > 0 {
		ping = fmt.Sprintf("a ping takes %.1f ms", float64(p.Latency.Microseconds())/1000)
	}
	if p.Transport == "poll" {
		return warn("long polling through "+c.application+"'s own process, because WebSockets to this machine are blocked or turned off; "+
			ping,
			"Everything works, but a little slower. If the plugin's settings say poll, auto would try a WebSocket first.")
	}
	return ok("WebSocket; %s", ping)
}
