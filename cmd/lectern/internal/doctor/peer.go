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
		{name: m.Name + ".connected", title: "A " + m.Title + " is connected", look: c.checkConnected},
		{name: m.Name + ".origin", title: "The plugin's origin is known", look: c.checkOriginKnown},
		{name: m.Name + ".transport", title: "How the plugin connects", look: c.newEachPeerCheck(c.checkTransport)},
	}
}

// A peerCheck looks at the Peers of one System.
type peerCheck struct{ system, application string }

// peers are the connected ones; if there are none, skipped says why.
func (c peerCheck) peers(r *checkRun) (list []status.Peer, skipped status.Check) {
	snap, err := r.snapshot()
	if err != nil {
		return nil, skipResult(noHubMessage)
	}
	for _, p := range snap.Peers {
		if p.System == c.system {
			list = append(list, p)
		}
	}
	return list, skipResult("no %s is connected", c.application)
}

// newEachPeerCheck looks at every connected Peer.
func (c peerCheck) newEachPeerCheck(look func(*checkRun, status.Peer) status.Check) func(context.Context, *checkRun) status.Check {
	return func(_ context.Context, r *checkRun) status.Check {
		peers, skipped := c.peers(r)
		if len(peers) == 0 {
			return skipped
		}
		return checkEachForWorst(peers, func(p status.Peer) (string, status.Check) { return p.Name, look(r, p) })
	}
}

func (c peerCheck) checkConnected(_ context.Context, r *checkRun) status.Check {
	peers, none := c.peers(r)
	if _, err := r.snapshot(); err != nil {
		return none
	}
	for _, refused := range []status.ProblemType{problems.PluginTokenRefused, problems.PluginRefused} {
		if p, found := r.findHubProblem(refused); found {
			return fromProblem(p)
		}
	}
	if len(peers) == 0 {
		return warnResult(none.Detail,
			"Start "+c.application+", or restart it if the plugin was installed since; its toolbar shows the plugin's status.")
	}
	var names []string
	for _, p := range peers {
		names = append(names, p.Name)
	}
	return okResult("%s", strings.Join(names, ", "))
}

func (c peerCheck) checkOriginKnown(ctx context.Context, r *checkRun) status.Check {
	if p, found := r.findHubProblem(problems.PluginOriginUnknown); found {
		return fromProblem(p)
	}
	return c.newEachPeerCheck(func(_ *checkRun, p status.Peer) status.Check {
		return okResult("%s", cmp.Or(p.Origin, "not a page: "+c.application+"'s own process connects"))
	})(ctx, r)
}

func (c peerCheck) checkTransport(_ *checkRun, p status.Peer) status.Check {
	ping := "no ping answered yet"
	if p.Latency > 0 {
		ping = fmt.Sprintf("a ping takes %.1f ms", float64(p.Latency.Microseconds())/1000)
	}
	if p.Transport == "poll" {
		return warnResult("long polling through "+c.application+"'s own process, because WebSockets to this machine are blocked or turned off; "+
			ping,
			"Everything works, but a little slower. If the plugin's settings say poll, auto would try a WebSocket first.")
	}
	return okResult("WebSocket; %s", ping)
}
