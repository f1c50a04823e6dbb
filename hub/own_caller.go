package hub

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// An ownCaller is the [tools.ClientCaller] of a source. Its calls take the way of
// every call; only who makes them is another.
type ownCaller struct{ source *source }

// CallAs implements [tools.ClientCaller].
func (o ownCaller) CallAs(ctx context.Context, client, toolName string, args json.RawMessage) (tools.Result, error) {
	h, src := o.source.hub, o.source
	word, name, ok := strings.Cut(client, ":")
	if !ok || word == "" || name == "" || word+":" == keyPrefix {
		return tools.Result{}, tools.Errorf(tools.Internal, "%q is no client of a source: want WORD:NAME", client)
	}
	t := src.tool(toolName)
	if t == nil {
		return tools.Result{}, tools.Errorf(tools.Internal, "no tool named %s", toolName)
	}
	c := &call{
		Call: mcp.Call{Tool: toolName, Args: args}, caller: o.caller(word + ":" + src.conf.Name + "/" + name),
		began: h.now(), seed: newSeed(), tool: t, source: src, arguments: parseArguments(args),
	}
	c.session.CountCall(toolName, c.began)
	res, err := h.performOn(ctx, c)
	return finishCall(h, c, res, err)
}

// caller is a client of the source's own. It proves its name by being called here,
// which no program outside can, and has only what was granted to that name: what
// every agent may do is for agents whom a person watches.
func (o ownCaller) caller(name string) caller {
	h, src := o.source.hub, o.source
	who := policy.Client{Name: name, Proven: true}
	p := h.policy.Load()
	v := newToolset(h.sources.inScope(""), func(s *source) access {
		if !p.HasGrant(who, s.conf.Name) {
			return access{role: s.leastRole()}
		}
		return s.accessOf(p, who)
	}, false)
	return caller{
		session: h.sessions.sharedSession(sharedSession{src.conf.Name, who, status.Own}),
		client:  who, toolset: v, via: tools.ViaSource,
	}
}
