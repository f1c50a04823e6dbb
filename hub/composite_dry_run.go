package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A compositeDryRun runs a call that makes others on drafts of the sources, and collects
// what all of them would write. The calls pass grants, roles and the policy, and
// are neither audited nor limited nor recorded; only refusals because of what is hidden count.
type compositeDryRun struct {
	hub    *Hub
	policy *policy.Policy
	// permits are those that were in force when it began.
	permits approval.Permits
	lead    *call

	running sync.RWMutex // held for reading by the calls within, and for good when the lead has ended
	mu      sync.Mutex
	drafts  map[*source]*draftedSource
	steps   []compositeStep
	asks    string // why a person is asked; empty: nobody is
	bounds  string // of what the call may do, which the person has set; empty: none are known
	refusal error  // of the whole; nil: none
}

// A draftedSource is a draft, or the source itself if it has none, which is only
// read then.
type draftedSource struct {
	*tools.OpenedSource
	isDraft bool
	release func()
}

// authorizeCompositeCall is authorizeUnderPolicy for a call that makes others: it is rehearsed, and a person
// asked once about everything that it changes.
func (h *Hub) authorizeCompositeCall(ctx context.Context, c *call) (authorization, error) {
	p := h.policy.Load()
	q := c.policyRequest(p)
	d := p.Decide(q)
	if d.Verdict == policy.Deny {
		return authorization{}, errForbidden(d)
	}
	r := &compositeDryRun{hub: h, policy: p, permits: h.approvals.PermitsInForce(), lead: c, drafts: map[*source]*draftedSource{}}
	if !c.isDryRun(c.tool.info) {
		in := runOptions{
			session: c.session, timeout: h.runner.timeoutOf(c.tool.info), takeBack: takeBackTimeout, outer: c.outer != nil, turn: c.decided.turn,
		}
		if _, err := runOnSource(ctx, h.runner, in, c.source, r.runLead); err != nil {
			c.record.tried = !r.isRefused()
			return authorization{}, err
		}
	}
	if d.Verdict == policy.Ask && (len(r.steps) > 0 || c.decided.effect != tools.Writes && c.decided.effect != tools.Deletes) {
		r.requireApproval(d.Reason)
	}
	g := c.decided.group
	g.planned, g.steps, g.permits = true, r.steps, r.permits
	if r.asks == "" {
		return g.authorizeNestedCall(c)
	}
	request := c.approvalRequest(p, q)
	request.Call, request.AskReason, request.ChangesKnown, request.OnlyOnce = q, r.asks+r.bounds, true, true
	for _, s := range r.steps {
		if s.changes == nil {
			request.Reads = append(request.Reads, fmt.Sprintf("%s in source %s", s.tool, s.source))
		}
		for _, change := range s.changes {
			request.Changes, request.Sources = append(request.Changes, change), append(request.Sources, s.source)
		}
	}
	grant, err := h.waitForApproval(ctx, c, p, request)
	if err != nil {
		c.record.targets.add(request.Changes)
		return authorization{}, err
	}
	if err := grant.Use(request.Changes, h.policy.Load().Digest()); err != nil {
		return authorization{}, err
	}
	g.approved = true
	return g.authorizeNestedCall(c)
}

// runLead runs the lead.
func (r *compositeDryRun) runLead(ctx context.Context, open *sourceRef) (struct{}, error) {
	defer r.close()
	r.lead.made.Store(0)
	defer r.lead.made.Store(0)
	ctx, cancel := withoutTakeBack(ctx, nil)
	defer cancel()
	_, err := catchPanic(func() (tools.Result, error) {
		if r.lead.tool.ownChanges != nil {
			return r.hub.invoke(ctx, r.lead, open, r.callContext(r.lead, true), r.lead.raw)
		}
		draft, err := r.openDraft(ctx, r.lead.source)
		if err != nil {
			return tools.Result{}, err
		}
		if !toolReportsWrites(r.lead, draft) {
			return tools.Result{}, r.refuse(errUnforeseeable(r.lead))
		}
		if b, ok := tools.As[tools.CallBounder](draft.OpenedSource); ok {
			r.bounds = "; " + b.CallBounds()
		}
		return draft.Call(ctx, r.callContext(r.lead, draft.isDraft), r.lead.tool.info.Name, r.lead.raw)
	})
	r.running.Lock()
	if r.refusal != nil {
		err = r.refusal
	}
	return struct{}{}, err
}

// runNestedCall is authorizeAndRunCall on a draft, for a call that another one makes.
func (r *compositeDryRun) runNestedCall(ctx context.Context, c *call) (res tools.Result, err error) {
	if err = c.toolset.checkToolAccess(c.source, c.tool.info); err != nil {
		return res, err
	}
	if err = r.hub.refusals.admit(ctx, c); err != nil {
		return res, err
	}
	defer func() { r.hub.refusals.settle(c, err) }()
	c.decided.effect = c.tool.info.Effect
	if err = r.judgeCall(c); err != nil {
		return res, err
	}
	open, err := r.openDraft(ctx, c.source)
	if err != nil {
		return res, err
	}
	if !toolReportsWrites(c, open) {
		return res, r.refuse(errUnforeseeable(c))
	}
	ctx, cancel := context.WithTimeout(ctx, r.hub.runner.timeoutOf(c.tool.info))
	defer cancel()
	c.decided.turn = newComputeTurn(r.hub, c)
	if err = c.decided.turn.begin(ctx); err != nil {
		return res, err
	}
	defer c.decided.turn.giveBack()
	defer c.decided.turn.end()
	res, err = catchPanic(func() (tools.Result, error) {
		return open.CallWithArguments(ctx, r.callContext(c, open.isDraft), c.tool.info.Name, c.toToolArguments(c.raw))
	})
	if err == nil {
		res, err = r.hub.redactResult(c, res, false)
	}
	if err == nil {
		err = checkAnswerSize(res, c.tool.info, c.maxAnswer(r.hub.limits))
	}
	return res, err
}

// judgeCall decides about a call as far as it is known before it runs.
func (r *compositeDryRun) judgeCall(c *call) error {
	effect := c.decided.effect
	if effect != tools.Reads && effect != tools.Writes && effect != tools.Deletes && !c.tool.info.Calls {
		return r.refuse(errUnforeseeable(c))
	}
	d := r.policy.Decide(c.policyRequest(r.policy))
	switch {
	case d.Verdict == policy.Deny:
		return r.refuse(errForbidden(d))
	case needsApprovalUsingPermits(c, r.policy, d, r.permits):
		r.requireApproval(d.Reason)
		r.addStep(newCompositeStep(c, nil))
	}
	return nil
}

// needsApprovalUsingPermits reports whether a person is asked about a call that changes nothing
// by itself.
func needsApprovalUsingPermits(c *call, p *policy.Policy, d policy.Decision, permits approval.Permits) bool {
	return d.Verdict == policy.Ask && c.decided.effect != tools.Writes && c.decided.effect != tools.Deletes &&
		!c.session.hasAllowance(c.allowanceKey(p)) && c.findAndUsePermit(permits, p, c.policyRequest(p)) == nil
}

// toolReportsWrites reports whether a tool that writes by itself says so before it
// does, as those of every source that can undo do.
func toolReportsWrites(c *call, open *draftedSource) bool {
	return c.decided.effect != tools.Writes && c.decided.effect != tools.Deletes || open.Restorer() != nil
}

func errUnforeseeable(c *call) error {
	return tools.Errorf(tools.Denied, "what %s does in source %s cannot be known before it is done", c.tool.info.Name,
		c.source.conf.Name).
		WithHint("Call it directly, not from another tool.")
}

// judgeWrite decides about what a call would write.
func (r *compositeDryRun) judgeWrite(c *call, changes []tools.Change) error {
	q := c.policyRequest(r.policy)
	q.Targets = targetNames(changes)
	d := r.policy.Decide(q)
	tripped := r.hub.limiter.tripReason(c.client, tools.Writes)
	switch {
	case d.Verdict == policy.Deny:
		return r.refuse(errForbidden(d))
	case tripped != "":
		r.requireApproval(tripped)
	case d.Verdict == policy.Ask && !c.session.hasAllowance(c.allowanceKey(r.policy)):
		if permit := c.findAndUsePermit(r.permits, r.policy, q); permit == nil {
			r.requireApproval(d.Reason)
		} else {
			r.recordPermit(permit)
		}
	}
	r.addStep(newCompositeStep(c, changes))
	return nil
}

func (r *compositeDryRun) addStep(s compositeStep) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.steps = append(r.steps, s)
}

func (r *compositeDryRun) requireApproval(why string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.asks = cmp.Or(r.asks, why, "the policy asks")
}

// recordPermit notes the first Permit that let a write through.
func (r *compositeDryRun) recordPermit(p *approval.Permit) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lead.record.permit = cmp.Or(r.lead.record.permit, p.ID)
}

// isRefused reports whether the whole was refused; a tool that outlives its deadline
// may still be at work.
func (r *compositeDryRun) isRefused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.refusal != nil
}

// refuse ends the whole, even if a tool goes on after it.
func (r *compositeDryRun) refuse(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal == nil {
		r.refusal = err
	}
	return r.refusal
}

func (r *compositeDryRun) callContext(c *call, isDraft bool) tools.CallContext {
	return tools.CallContext{
		Identity: c.callerIdentity(), Writes: dryRunWriteObserver{r, c, isDraft}, Sources: crossSourceCaller{r.hub, c, r},
		Began: c.outermost().began, Seed: c.seed,
	}
}

// openDraft returns the draft of a source, and opens it the first time.
func (r *compositeDryRun) openDraft(ctx context.Context, src *source) (*draftedSource, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.drafts[src]; known != nil {
		return known, nil
	}
	open, release, err := src.acquire(ctx)
	if err != nil {
		return nil, err
	}
	opened := &draftedSource{OpenedSource: open.OpenedSource, release: release}
	if _, opened.isDraft = tools.As[tools.Drafter](open.OpenedSource); opened.isDraft {
		if opened.OpenedSource, err = open.Draft(ctx); err != nil {
			release()
			return nil, err
		}
	}
	r.drafts[src] = opened
	return opened, nil
}

// close forgets the drafts.
func (r *compositeDryRun) close() {
	var errs []error
	for _, open := range r.drafts {
		if open.isDraft {
			errs = append(errs, open.Close())
		}
		open.release()
	}
	if err := errors.Join(errs...); err != nil {
		r.hub.log.Warn("a draft could not be closed", "component", r.lead.source.conf.Name, "err", err)
	}
}

// dryRunWriteObserver stands before the writes of one call of a rehearsal.
type dryRunWriteObserver struct {
	rehearsal *compositeDryRun
	call      *call
	isDraft   bool // false: nothing may be written
}

// BeforeWrite implements [tools.WriteObserver].
func (w dryRunWriteObserver) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	if !w.isDraft {
		return w.rehearsal.refuse(tools.Errorf(tools.Denied, "several writes to source %s cannot be planned together",
			w.call.source.conf.Name).
			WithHint("Make one call at a time."))
	}
	return w.rehearsal.judgeWrite(w.call, changes)
}

// AfterWrite implements [tools.WriteObserver].
func (dryRunWriteObserver) AfterWrite(string, tools.State) {}

// OutcomeUnknown implements [tools.WriteObserver].
func (dryRunWriteObserver) OutcomeUnknown(string) {}
