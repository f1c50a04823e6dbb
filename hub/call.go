package hub

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A caller is an agent, or a person who sees what an agent sees.
type caller struct {
	session *session
	client  policy.Client
	toolset *toolset
	via     tools.Via
	account string    // the person behind the client, as a token says; empty: the user
	expires time.Time // of a token that the source accepted; zero: not known

	generation uint64          // of toolset, as [sourceCatalog].generation
	renew      func() *toolset // as it is now; nil: it stays as it is
}

// withCurrentGrants is the caller with what is granted now: a call that makes others may take long.
func (by caller) withCurrentGrants(h *Hub) caller {
	if now := h.sources.generation.Load(); by.renew != nil && by.generation != now {
		by.generation, by.toolset = now, by.renew()
	}
	return by
}

// A call is what an agent asks for. That stays as it is once the tool and the source are
// found; what is decided about it and what is recorded of it are values of their own.
type call struct {
	mcp.Call
	caller
	began  time.Time
	tool   *tool   // nil: not found
	source *source // nil: not chosen
	arguments
	seed  uint64 // of [tools.CallContext]
	outer *call  // which makes this call; nil: a client does

	decided decision
	record  callRecord
	made    atomic.Int64 // calls that this one and those within it made
}

// A decision is what is settled about a call before its tool runs for good.
type decision struct {
	effect tools.Effect   // empty: not known yet
	others []*source      // of an undo: those that it changes besides its source
	gate   *writeGate     // whether it writes; nil: it cannot
	turn   *computeTurn   // nil: it needs none
	form   *approval.Form // what [mcp.Call].Form is about; nil: none
	group  *compositeCall // that it leads or belongs to; nil: none
}

// A callRecord is what people are told of a call, while it runs and when it has ended.
type callRecord struct {
	id           atomic.Int64      // in the audit; 0: not needed yet
	running      *runningCall      // nil: another call makes it
	waited       time.Duration     // for a person
	approval     string            // that let it through; empty: nobody was asked
	permit       string            // the Permit that let it through; empty: none did
	allowed      bool              // it was let through
	tried        bool              // it failed on drafts, before it was let through
	edit         status.PersonEdit // that a person writes something else in its place, and what
	targets      targetList        // what it touches
	resolved     atomic.Bool       // targets has what the tool told before the call
	announced    []tools.Change    // that it has been let to make
	unforeseen   []tools.Change    // those of them of which nobody knew what they leave: most calls have none
	written      writtenTargets    // what it has written, or may have
	writesNested atomic.Bool       // it has made calls that write, or run what may
	differs      atomic.Bool       // a write whose result was not known before made a difference, or may have
	undecided    *refusalBudget    // that it takes a part of; nil: it cannot be refused, or not any more
	recorder     *journal.Recorder // of what the call changes; nil: it reads
}

// Call implements [mcp.Hub].
func (a agentAPI) Call(ctx context.Context, c mcp.Call) (tools.Result, error) {
	by := a.caller(c.RequestOrigin)
	if c.Rejected != nil {
		rejected, why := &call{Call: c, caller: by, began: a.hub.now()}, error(c.Rejected)
		if refusal := refuseUngrantedTool(ctx, a.hub, rejected); rejected.source != nil {
			why = refusal
		}
		a.hub.calls.record(rejected, tools.Result{}, why)
		return tools.Result{}, c.Rejected
	}
	return a.hub.call(ctx, by, c)
}

func (a agentAPI) caller(by mcp.RequestOrigin) caller {
	c := caller{
		session: a.hub.sessions.findOrMakeSession(by.Session), client: by.Client, via: tools.Via(by.Session.Transport),
		generation: a.hub.sources.generation.Load(),
		renew: func() *toolset {
			cache, _ := a.hub.sources.toolsetCacheFor(by.Session.Scope)
			return cache.forClient(by.Client)
		},
	}
	c.toolset = c.renew()
	return c
}

// call passes every call of every agent to a source. Its error is a
// [tools.Error], in the words of no System, or an [approval.FormRequest], which
// the client is answered with.
func (h *Hub) call(ctx context.Context, by caller, r mcp.Call) (tools.Result, error) {
	c := &call{Call: r, caller: by, began: h.now(), seed: newSeed()}
	res, err := h.dispatchCall(ctx, c)
	return finishCall(h, c, res, err)
}

// finishCall records what has become of a call, and says it as the client may see it.
func finishCall(h *Hub, c *call, res tools.Result, err error) (tools.Result, error) {
	if err != nil {
		res, err = tools.Result{}, h.publicError(c.session, c.Tool, c.source, err)
	}
	h.calls.record(c, res, err)
	if c.record.approval != "" {
		h.approvals.RecordCallEnd(c.record.approval, err, c.record.recorder.IDs())
	}
	return res, err
}

// dispatchCall is a plain sequence, because the order is the security policy and must
// be readable on one screen.
func (h *Hub) dispatchCall(ctx context.Context, c *call) (res tools.Result, err error) {
	if c.tool = c.toolset.tools[c.Tool]; c.tool == nil {
		return res, refuseUngrantedTool(ctx, h, c)
	}
	if c.source, c.arguments, err = c.tool.choice.extractSource(parseArguments(c.Args)); err != nil {
		return res, err
	}
	return h.authorizeAndRunCall(ctx, c)
}

// authorizeAndRunCall is what every call passes once its tool and its source are known,
// those that other calls make too.
func (h *Hub) authorizeAndRunCall(ctx context.Context, c *call) (res tools.Result, err error) {
	c.arguments = c.meaning(c.tool.info)
	if c.tool.info.Effect != tools.Reads {
		c.decided.gate = new(writeGate)
	}
	ctx, end := c.addToRunning(ctx, h)
	defer func() { err = c.withWriteOutcome(end(err)) }()
	defer func() { nameTargetsOfFailure(ctx, h, c, err) }()
	if err = c.toolset.checkToolAccess(c.source, c.tool.info); err != nil {
		return res, err
	}
	if err = h.limiter.countCall(c); err != nil {
		return res, err
	}
	if err = h.refusals.admit(ctx, c); err != nil {
		return res, err
	}
	if c.decided.effect, err = h.resolveEffect(ctx, c); err != nil {
		return res, err
	}
	for _, src := range slices.Concat(c.decided.others, []*source{c.source}) {
		if err = c.toolset.checkGrant(src, c.decided.effect); err != nil {
			return res, err
		}
	}
	c.noteNestedWrite()
	c.decided.turn = newComputeTurn(h, c)
	defer c.decided.turn.giveBack()
	if err = h.prepareToCompute(ctx, c); err != nil {
		return res, err
	}
	var auth authorization
	var watch unsettledWatch
	for again := true; again; {
		if auth, err = h.authorizeCall(ctx, c, auth); err != nil { // may wait for a person
			return res, err
		}
		c.record.allowed, c.record.edit = true, auth.personEdit()
		c.record.recorder = h.changes.newRecorder(c)
		in := c.runOptions(h.runner)
		in.turn = c.decided.turn
		watch = h.unsettled.watch(c, h.runner.timeoutOf(c.tool.info))
		res, err = runOnSource(ctx, h.runner, in, c.source, func(ctx context.Context, open *sourceRef) (tools.Result, error) {
			return h.runAuthorizedCall(ctx, c, open, auth)
		})
		if again = c.Form == nil && auth.wasOutdated(err); again {
			h.approvals.RecordAskedAgain(c.record.approval)
		}
	}
	if err == nil {
		err = watch.wait(ctx)
	}
	if err == nil && !c.record.edit.Edited {
		res, err = h.redactResult(c, res, auth.approved)
	}
	if err == nil {
		res, err = fitAnswer(c, res, h.limits)
	}
	return res, err
}

// noteNestedWrite tells the calls that this one is made by that they may write.
func (c *call) noteNestedWrite() {
	if c.decided.effect == tools.Reads {
		return
	}
	for outer := c.outer; outer != nil; outer = outer.outer {
		outer.record.writesNested.Store(true)
	}
}

// addToRunning lists the call until end, which is told how it ended and returns how the
// client is told that.
func (c *call) addToRunning(ctx context.Context, h *Hub) (_ context.Context, end func(error) error) {
	ctx, remove := h.calls.addToRunning(ctx, c, func(ctx context.Context) { nameTargetsWhileRunning(ctx, h, c) })
	return ctx, func(err error) error {
		h.refusals.settle(c, err)
		return remove(err)
	}
}

// checkToolAccess reports whether the caller may call a tool in a source, by grant and
// role.
func (v *toolset) checkToolAccess(src *source, info tools.ToolInfo) error {
	if err := v.checkGrant(src, info.Effect); err != nil {
		return err
	}
	if role := v.access(src).role; !info.AllowsRole(role) {
		return tools.Errorf(tools.Denied, "this client is %s in source %s, and the tool is for %s", role, src.conf.Name,
			strings.Join(info.Roles, ", ")).
			WithHint("Ask the user; `lectern grant` assigns roles.")
	}
	return nil
}

// checkGrant reports whether the person who configured the source grants the effect.
func (v *toolset) checkGrant(src *source, e tools.Effect) error {
	if v.grantsEffectInSource(src, e) {
		return nil
	}
	if src.grantsEffect(e) {
		return tools.Errorf(tools.Denied, "this client may not %s in source %s", e, src.conf.Name).
			WithHint("Ask the user; `lectern grants` shows them what they granted.")
	}
	if src.conf.ReadOnly {
		return tools.Errorf(tools.Denied, "source %s is read-only for agents", src.conf.Name).
			WithHint("Ask the user; they decide it in Lectern's configuration.")
	}
	return tools.Errorf(tools.Denied, "agents may not %s in source %s", e, src.conf.Name).
		WithHint("Ask the user; they decide it in Lectern's configuration.")
}

// resolveEffect is what the tool declares, except for an undo: that has the
// effect of what it does. It is an error if the agent has nothing to undo.
func (h *Hub) resolveEffect(ctx context.Context, c *call) (tools.Effect, error) {
	declared := c.tool.info.Effect
	if c.tool.ownChanges == nil || declared == tools.Reads {
		return declared, nil
	}
	in, ok := c.undoArguments()
	if !ok {
		return declared, nil
	}
	return runOnSource(ctx, h.runner, c.runOptions(h.runner), c.source, func(ctx context.Context, open *sourceRef) (tools.Effect, error) {
		others, deletes, err := h.changes.newOwnChanges(c, open).findUndoImpact(ctx, in)
		c.decided.others = others
		if deletes {
			return tools.Deletes, err
		}
		return declared, err
	})
}

// runAuthorizedCall runs the tool of a call on the opened source. What it writes is in the
// journal before it is written, and what became of that when the tool has returned,
// even if the call has been answered by then.
func (h *Hub) runAuthorizedCall(ctx context.Context, c *call, open *sourceRef, auth authorization) (tools.Result, error) {
	invoked, cancel := ctx, func() {}
	if c.decided.group.isLedBy(c) {
		invoked, cancel = withoutTakeBack(ctx, c.decided.gate)
	}
	defer cancel()
	res, err := catchPanic(func() (tools.Result, error) {
		unresolved := c.tool.info.HasTargets && !c.record.resolved.Load()
		if unresolved && !c.tool.info.TargetsInAnswer {
			h.resolveTargets(ctx, c, open)
		}
		res, err := writeOrInvoke(invoked, h, c, open, auth)
		switch {
		case !unresolved || !c.tool.info.TargetsInAnswer:
		case err != nil:
			h.resolveTargets(ctx, c, open)
		default:
			c.record.targets.addNames(res.Targets)
		}
		return res, err
	})
	c.decided.group.endRecorder(c, err)
	if err == nil {
		approval.RemoveMadeSteps(h.approvals, c.source.conf.Name, c.record.announced)
	}
	if c.decided.group.isLedBy(c) {
		err = c.decided.group.finish(ctx, err)
	}
	return res, err
}

// resolveTargets asks the source what the call touches; nil: that is not known.
// What it is told is for the policy and the person: nothing of it reaches the
// client.
func (h *Hub) resolveTargets(ctx context.Context, c *call, open *sourceRef) []string {
	names, _ := open.Targets(ctx, c.tool.info.Name, c.raw)
	c.record.resolved.Store(true)
	c.record.targets.addFromArguments(names)
	return names
}

// writeOrInvoke runs the tool, unless a person has written something else in its place.
func writeOrInvoke(ctx context.Context, h *Hub, c *call, open *sourceRef, auth authorization) (tools.Result, error) {
	if auth.edited != nil {
		return writeEdited(ctx, h, c, open, auth)
	}
	return h.invoke(ctx, c, open, newCallContext(h, c, open.Restorer(), auth), auth.args)
}

// invoke runs a System's tool, or the hub's own for a source.
func (h *Hub) invoke(ctx context.Context, c *call, open *sourceRef, to tools.CallContext, args json.RawMessage) (tools.Result, error) {
	if c.tool.ownChanges != nil {
		return c.tool.ownChanges.Call(ctx, h.changes.newOwnChanges(c, open), to, args)
	}
	return open.CallWithArguments(ctx, to, c.tool.info.Name, c.toToolArguments(args))
}

// publicError is err as an agent may see it; the log gets the rest.
func (h *Hub) publicError(s *session, tool string, src *source, err error) error {
	if isFormRequiredError(err) {
		return err
	}
	e := tools.AsError(err)
	if e.Code == tools.Internal {
		h.log.Error("call failed", "component", "hub", "session", s.ID, "tool", tool, "source", sourceNameOrEmpty(src),
			"err", err, "cause", e.Cause, "stack", panicStack(err))
	}
	return e
}

// newCallContext is what a running tool gets. Progress and log go straight to
// the client.
func newCallContext(h *Hub, c *call, restorer tools.Restorer, auth authorization) tools.CallContext {
	return tools.CallContext{
		Identity: c.callerIdentity(),
		Notify:   c.Notify,
		Writes:   writeObserver{h, c, restorer, auth},
		Sources:  crossSourceCaller{hub: h, outer: c},
		Began:    c.outermost().began,
		Seed:     c.seed,
	}
}

// callerIdentity is who calls, as the source sees them.
func (c *call) callerIdentity() tools.Identity {
	return tools.Identity{
		Client: c.client.Name, Proven: c.client.Proven, Role: c.toolset.access(c.source).role,
		Account: c.account, Session: c.session.ID, Via: c.via, ExpiresAt: c.expires,
	}
}

// A writeObserver stands before every write of a tool. A write passes these in
// order, and the first refusal stops it, so that what is refused is neither
// counted nor recorded:
//
//	tool ── BeforeWrite ──▶ pause ──▶ unsettled writes ──▶ authorization ──▶ circuit breaker ──▶ journal ──▶ deadline
//	     ── AfterWrite, OutcomeUnknown ─────────────────────────────────▶ journal
type writeObserver struct {
	hub      *Hub
	call     *call
	restorer tools.Restorer // of the source; nil: nobody can say what is there
	auth     authorization
}

// BeforeWrite implements [tools.WriteObserver].
func (c writeObserver) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	return c.call.decided.group.fail(deadlineError(ctx, c.authorizeAndRecordChanges(ctx, changes)))
}

func (c writeObserver) authorizeAndRecordChanges(ctx context.Context, changes []tools.Change) error {
	c.call.record.targets.add(changes)
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := c.hub.limiter.checkPause(c.call); err != nil {
		return err
	}
	if err := c.hub.unsettled.begin(c.call, changes); err != nil {
		return err
	}
	if c.auth.check != nil {
		if err := c.auth.check(ctx, c.restorer, changes); err != nil {
			return err
		}
	}
	if !c.auth.approved {
		if err := c.hub.limiter.countWrites(c.call.client, changes); err != nil {
			return err
		}
	}
	c.call.record.announced = append(c.call.record.announced, changes...)
	for _, change := range changes {
		if change.AfterUnknown {
			c.call.record.unforeseen = append(c.call.record.unforeseen, change)
		}
	}
	if c.call.record.recorder != nil {
		err := c.call.record.recorder.BeforeWrite(ctx, changes...)
		c.hub.changes.updateJournalProblem(err)
		if err != nil {
			return err
		}
	}
	return c.call.beginToWrite(ctx)
}

// AfterWrite implements [tools.WriteObserver].
func (c writeObserver) AfterWrite(target string, after tools.State) {
	c.call.noteWritten(target)
	c.call.noteDifference(target, after)
	if c.call.record.recorder != nil {
		c.call.record.recorder.AfterWrite(target, after)
	}
}

// OutcomeUnknown implements [tools.WriteObserver].
func (c writeObserver) OutcomeUnknown(target string) {
	c.call.noteWritten(target)
	c.call.record.differs.Store(true)
	if c.call.record.recorder != nil {
		c.call.record.recorder.OutcomeUnknown(target)
	}
}
