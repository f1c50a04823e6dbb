package hub

import (
	"context"
	"time"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// refusedTargetsTimeout is how long a refusal may take longer to name what the call was about.
const refusedTargetsTimeout = time.Second

// findUngrantedTool is the tool with this name that a source has and the caller is not granted,
// with that source and the refusal; nil: there is none, and the error says so.
func (v *toolset) findUngrantedTool(name string, args *arguments) (*tool, *source, error) {
	several := len(groupBySystem(v.sources)) > 1
	chosen, _ := args.parsedObject()["source"].(string)
	var refused *tool
	var from *source
	var refusal error
	for _, s := range v.sources {
		if s.kind == nil {
			continue
		}
		m := s.kind.Manifest()
		for _, info := range m.Tools {
			if publishedName(m.Name, info.Name, several) != name || info.Unlisted {
				continue
			}
			if err := v.checkGrant(s, info.Effect); err != nil && (from == nil || s.conf.Name == chosen) {
				refused, from, refusal = s.tool(info.Name), s, err
			}
		}
	}
	if from != nil {
		return refused, from, refusal
	}
	for _, t := range v.withheld {
		if t.name == name {
			return nil, nil, v.checkGrant(t.choice.sources[0], t.info.Effect)
		}
	}
	return nil, nil, tools.Errorf(tools.NotFound, "no tool named %s", safetext.Shorten(name, mcp.MaxNameBytes)).
		WithHint("tools/list has those that there are; in a shell: lectern tools")
}

// refuseUngrantedTool ends a call of a tool that is not among those that the caller may call. If
// a source has the tool, the record names both and the targets.
func refuseUngrantedTool(ctx context.Context, h *Hub, c *call) error {
	c.arguments = parseArguments(c.Args)
	t, src, err := c.toolset.findUngrantedTool(c.Tool, &c.arguments)
	if src != nil {
		c.tool, c.source = t, src
		nameTargetsOfFailure(ctx, h, c, err)
	}
	return err
}

// mayNameTargets reports whether the source may be asked what a call is about, of which nothing
// is known. A caller who may not read the source is spared that: how long it takes could tell
// them what exists there. Nothing of the answer reaches the caller.
func (c *call) mayNameTargets() bool {
	unknown := !c.record.resolved.Load() && len(c.record.targets.names()) == 0
	return unknown && c.tool.info.HasTargets && c.toolset.grantsEffectInSource(c.source, tools.Reads)
}

// nameTargetsOfFailure has the record of a call that failed before it was known what it touches
// say what it was about. A call over a limit is spared that, to save work, and one whose time is
// over, since its client waits.
func nameTargetsOfFailure(ctx context.Context, h *Hub, c *call, err error) {
	if err == nil || isFormRequiredError(err) || !c.mayNameTargets() {
		return
	}
	if code := tools.AsError(err).Code; code == tools.Limited || code == tools.Timeout {
		return
	}
	in := runOptions{session: c.session, timeout: refusedTargetsTimeout, outer: c.outer != nil}
	// A source that does not answer names nothing.
	_, _ = runOnSource(ctx, h.runner, in, c.source, func(ctx context.Context, open *sourceRef) ([]string, error) {
		return h.resolveTargets(ctx, c, open), nil
	})
}

// nameTargetsWhileRunning has a call that goes on say what it is about, for people who look. It
// takes no slot of the session, and what the answer of the call tells counts for more.
func nameTargetsWhileRunning(ctx context.Context, h *Hub, c *call) {
	if !c.mayNameTargets() {
		return
	}
	in := runOptions{session: c.session, timeout: refusedTargetsTimeout, outer: true}
	_, _ = runOnSource(ctx, h.runner, in, c.source, func(ctx context.Context, open *sourceRef) ([]string, error) {
		names, _ := open.Targets(ctx, c.tool.info.Name, c.raw)
		c.record.targets.addFromArguments(names)
		return names, nil
	})
}
