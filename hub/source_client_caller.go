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

// An sourceClientCaller is the [tools.ClientCaller] of a source. Its calls take the way of
// every call; only who makes them is another.
type sourceClientCaller struct{ source *source }

// CallAs implements [tools.ClientCaller].
func (o sourceClientCaller) CallAs(ctx context.Context, client, toolName string, args json.RawMessage) (tools.Result, error) {
	h, src := o.source.hub, o.source
	name, err := o.qualifyClientName(client)
	if err != nil {
		return tools.Result{}, err
	}
	t := src.tool(toolName)
	if t == nil {
		return tools.Result{}, tools.Errorf(tools.Internal, "no tool named %s", toolName)
	}
	c := &call{
		Call: mcp.Call{Tool: toolName, Args: args}, caller: o.callerForSourceClient(name),
		began: h.now(), seed: newSeed(), tool: t, source: src, arguments: parseArguments(args),
	}
	c.session.CountCall(toolName, c.began)
	res, err := h.authorizeAndRunCall(ctx, c)
	return finishCall(h, c, res, err)
}

// WriteAs implements [tools.ClientCaller]. Like a command of a person it passes no
// policy, and it is recorded as one.
func (o sourceClientCaller) WriteAs(ctx context.Context, client, action string,
	write func(context.Context, tools.CallContext) error,
) error {
	h, src := o.source.hub, o.source
	name, err := o.qualifyClientName(client)
	if err != nil {
		return err
	}
	c := &call{caller: o.callerForSourceClient(name), source: src, began: h.now(), seed: newSeed(), decided: decision{effect: tools.Admin}}
	c.tool = &tool{info: tools.ToolInfo{Name: action, Effect: tools.Admin, Timeout: commandTimeout}}
	c.Tool, c.decided.gate, c.record.allowed = action, new(writeGate), true
	c.record.recorder = h.changes.newRecorder(c)
	res, err := runOnSource(ctx, h.runner, c.runOptions(h.runner), src, func(ctx context.Context, open *sourceRef) (tools.Result, error) {
		_, err := catchPanic(func() (struct{}, error) {
			return struct{}{}, write(ctx, newCallContext(h, c, nil, authorization{approved: true}))
		})
		c.decided.group.endRecorder(c, err)
		return tools.Result{}, err
	})
	_, err = finishCall(h, c, res, c.withWriteOutcome(err))
	return err
}

// qualifyClientName is WORD:SOURCE/NAME for a source's own WORD:NAME, so that no source can
// take the name of another's client.
func (o sourceClientCaller) qualifyClientName(client string) (string, error) {
	word, name, ok := strings.Cut(client, ":")
	if !ok || word == "" || name == "" || word+":" == keyClientPrefix {
		return "", tools.Errorf(tools.Internal, "%q is not a client of a source: want WORD:NAME", client)
	}
	return word + ":" + o.source.conf.Name + "/" + name, nil
}

// callerForSourceClient is a client of the source's own. It proves its name by being called here,
// which no program outside can, and has only what was granted to that name: what
// every agent may do is for agents whom a person watches.
func (o sourceClientCaller) callerForSourceClient(name string) caller {
	h, src := o.source.hub, o.source
	who := policy.Client{Name: name, Proven: true}
	c := caller{
		session: h.sessions.sharedSession(sharedSessionKey{src.conf.Name, who, status.Own}),
		client:  who, via: tools.ViaSource, generation: h.sources.generation.Load(),
		renew: func() *toolset {
			p := h.policy.Load()
			return newToolset(h.sources.sourcesInScope(""), func(s *source) access {
				if !p.HasGrant(who, s.conf.Name) {
					return access{role: s.defaultRole()}
				}
				return s.accessOf(p, who)
			}, false)
		},
	}
	c.toolset = c.renew()
	return c
}
