package hub

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// maxDepth is how deep calls that calls make may be nested. How many they are is for the tool
// to bound, as its user has set it.
const maxDepth = 4

// outermost is the call that a client makes, or the request of a handler.
func (c *call) outermost() *call {
	for c.outer != nil {
		c = c.outer
	}
	return c
}

// selfOrNestingCall is the nearest call that makes others: c itself, or one that it is within; nil:
// there is none.
func (c *call) selfOrNestingCall() *call {
	for ; c != nil; c = c.outer {
		if c.tool != nil && c.tool.info.Calls {
			return c
		}
	}
	return nil
}

// depth is how many calls c is within.
func (c *call) depth() (n int) {
	for ; c.outer != nil; c = c.outer {
		n++
	}
	return n
}

// isRouteRequest reports whether c stands for a request to a System's route, which may
// call only tools of its own source.
func (c *call) isRouteRequest() bool { return c.tool == nil }

// allowsNestedCall reports whether c may call a tool: only with [tools.Spec].Calls one
// that does more than read.
func (c *call) allowsNestedCall(info tools.ToolInfo) bool {
	for ; c != nil; c = c.outer {
		if !c.isRouteRequest() && !c.tool.info.Calls && info.Effect != tools.Reads {
			return false
		}
	}
	return true
}

// A crossSourceCaller is the [tools.SourceCaller] of one call: what it calls runs for
// the same caller, in the same slot, within the same deadline.
type crossSourceCaller struct {
	hub       *Hub
	outer     *call
	rehearsal *compositeDryRun // nil: the calls are made
}

// Call implements [tools.SourceCaller].
func (s crossSourceCaller) Call(ctx context.Context, name, toolName string, args tools.Arguments) (tools.Result, error) {
	running, err := s.delayCompositeCallEnd()
	if err != nil {
		return tools.Result{}, err
	}
	if running != nil {
		defer running.RUnlock()
	}
	c := &call{
		Call:   mcp.Call{Tool: toolName, Args: args.JSON, Reason: s.outer.Reason},
		caller: s.outer.withCurrentGrants(s.hub), began: s.hub.now(), outer: s.outer, decided: decision{group: s.outer.decided.group},
		arguments: arguments{raw: args.JSON, input: args.Input, unparsed: true},
	}
	res, err := s.perform(ctx, c, name)
	if err != nil {
		res, err = tools.Result{}, s.hub.publicError(c.session, toolName, c.source, err)
	}
	if s.rehearsal == nil {
		s.hub.calls.record(c, res, err)
	}
	return res, err
}

// delayCompositeCallEnd has the end of the group or the rehearsal wait until the lock is given
// back, nil: there is none; an error: it has ended.
func (s crossSourceCaller) delayCompositeCallEnd() (running *sync.RWMutex, err error) {
	switch {
	case s.rehearsal != nil:
		running = &s.rehearsal.running
	case s.outer.decided.group != nil:
		running = &s.outer.decided.group.running
	default:
		return nil, nil
	}
	if !running.TryRLock() {
		return nil, tools.Errorf(tools.Conflict, "the call that makes this one has ended")
	}
	return running, nil
}

func (s crossSourceCaller) perform(ctx context.Context, c *call, name string) (tools.Result, error) {
	outermost := s.outer.outermost()
	made := outermost.made.Add(1)
	c.seed = nestedCallSeed(outermost.seed, made)
	if c.depth() > maxDepth {
		return tools.Result{}, tools.Errorf(tools.Limited, "calls within calls are more than %d deep", maxDepth)
	}
	var err error
	if c.source, err = s.findReadableSource(c.toolset, name); err != nil {
		return tools.Result{}, err
	}
	if c.tool = c.source.tool(c.Tool); c.tool == nil {
		return tools.Result{}, tools.Errorf(tools.NotFound, "no tool named %s", safetext.Shorten(c.Tool, mcp.MaxNameBytes))
	}
	if !s.outer.allowsNestedCall(c.tool.info) {
		return tools.Result{}, tools.Errorf(tools.Denied, "this call may call only tools that read").WithHint("Call %s itself.", c.tool.name)
	}
	if s.rehearsal != nil {
		return s.rehearsal.runNestedCall(ctx, c)
	}
	return s.hub.authorizeAndRunCall(ctx, c)
}

// newSeed is the seed of a call that no other makes. It keeps no secret.
func newSeed() uint64 { return rand.Uint64() } //nolint:gosec // see above

// nestedCallSeed is the seed of the nth call that a call with this seed makes: one step
// of SplitMix64.
func nestedCallSeed(seed uint64, n int64) uint64 {
	z := seed + uint64(n)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// findReadableSource is a source that the caller may read. Others do not exist for it.
func (s crossSourceCaller) findReadableSource(v *toolset, name string) (*source, error) {
	if name == "" || name == s.outer.source.conf.Name {
		return s.outer.source, nil
	}
	readable := v.readableSources()
	i := slices.IndexFunc(readable, func(src *source) bool { return src.conf.Name == name })
	if i < 0 || s.outer.outermost().isRouteRequest() {
		return nil, tools.Errorf(tools.NotFound, "no source named %q", safetext.Shorten(name, mcp.MaxNameBytes))
	}
	return readable[i], nil
}

func (v *toolset) readableSources() []*source {
	return slices.DeleteFunc(slices.Clone(v.sources), func(src *source) bool {
		return src.kind == nil || !v.grantsEffectInSource(src, tools.Reads)
	})
}

// Sources implements [tools.SourceCaller].
func (s crossSourceCaller) Sources() []tools.SourceInfo {
	var list []tools.SourceInfo
	for _, src := range s.outer.withCurrentGrants(s.hub).toolset.readableSources() {
		list = append(list, tools.SourceInfo{Name: src.conf.Name, System: src.kind.Manifest()})
	}
	return list
}
