package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// An authorization is what authorizeCall returns: the exact arguments that may run, and
// what they may write.
type authorization struct {
	args     json.RawMessage     // the very bytes that were judged
	check    writeCheck          // refuses a write; nil: none
	approved bool                // by a person, for this call
	grant    *approval.Grant     // which check uses; nil: nobody was asked about the changes
	permit   *permitWriteChecker // which check looks at; nil: none let the call through
	edited   *tools.Change       // what a person writes in place of the call; nil: the call writes
}

// A writeCheck refuses what a call is about to write. The restorer of its source says what
// is there now; nil: nobody can.
type writeCheck func(ctx context.Context, restorer tools.Restorer, changes []tools.Change) error

// personEdit is what a person had written in place of the call.
func (a authorization) personEdit() status.PersonEdit {
	if a.edited == nil {
		return status.PersonEdit{}
	}
	return a.grant.Edit
}

// wasOutdated reports whether a call failed with err only because what it would
// change is not what the person has approved, so that they can be asked again.
func (a authorization) wasOutdated(err error) bool {
	if err == nil || tools.AsError(err).Code != tools.Conflict { // at a deadline the tool may still use both
		return false
	}
	return a.grant != nil && a.grant.Outdated() || a.permit != nil && a.permit.over
}

// authorizeCall is the one place where the policy allows, asks or denies, and where a
// call waits for a person. Without a policy, what is granted is allowed. What let the call
// through before, if anything did, was outdated.
func (h *Hub) authorizeCall(ctx context.Context, c *call, before authorization) (authorization, error) {
	if err := h.limiter.checkPauseBeforeApproval(c); err != nil {
		addTargetsByDryRun(ctx, h, c)
		return authorization{}, c.decided.group.fail(err)
	}
	if c.decided.group != nil {
		return c.decided.group.authorizeNestedCall(c)
	}
	if c.Form != nil {
		p := h.policy.Load()
		form, err := h.approvals.AcceptForm(*c.Form, c.approvalRequest(p, c.policyRequest(p)))
		if err != nil {
			return authorization{}, err
		}
		defer form.Discard()
		c.decided.form = form
	}
	authorize := func() (authorization, error) { return h.authorizeUnderPolicy(ctx, c, before) }
	if c.tool.info.Calls || len(c.decided.others) > 0 {
		c.decided.group = newCompositeCall(h, c)
		authorize = func() (authorization, error) { return h.authorizeCompositeCall(ctx, c) }
	}
	if allowsWithoutAsking(h, c) {
		if c.isDryRun(c.tool.info) {
			return authorization{args: c.raw}, h.foreseeRefusal(ctx, c, h.policy.Load())
		}
		return authorization{args: c.raw}, nil
	}
	for {
		auth, err := authorize()
		if !errors.Is(err, approval.ErrDecideAgain) {
			return auth, err
		}
	}
}

// allowsWithoutAsking reports whether whatever is granted is allowed without asking.
func allowsWithoutAsking(h *Hub, c *call) bool {
	effect := c.decided.effect
	if c.decided.group != nil {
		effect = tools.Writes // of the calls that it makes
	}
	return h.policy.Load().AllowsAllGranted() && h.limiter.tripReason(c.client, effect) == ""
}

// authorizeUnderPolicy is authorizeCall under one policy, which may be replaced meanwhile.
func (h *Hub) authorizeUnderPolicy(ctx context.Context, c *call, before authorization) (authorization, error) {
	p := h.policy.Load()
	q := c.policyRequest(p)
	if c.tool.info.HasTargets && p.DependsOnPath(q) {
		var err error
		in := c.runOptions(h.runner)
		if q.Targets, err = runOnSource(ctx, h.runner, in, c.source, func(ctx context.Context, open *sourceRef) ([]string, error) {
			return h.resolveTargets(ctx, c, open), nil
		}); err != nil {
			return authorization{}, err
		}
	}
	d := p.Decide(q)
	tripped := h.limiter.tripReason(c.client, c.decided.effect)
	switch {
	case d.Verdict == policy.Deny:
		return authorization{}, errForbidden(d)
	case c.isDryRun(c.tool.info):
		return authorization{args: c.raw, check: refuseWrites}, h.foreseeRefusal(ctx, c, p)
	case d.Verdict == policy.Allow && tripped == "" && !p.DependsOnPath(q):
		return authorization{args: c.raw}, nil
	}
	r := c.approvalRequest(p, q)
	var err error
	if r.Changes, r.ChangesKnown, err = h.dryRun(ctx, c, r.Args); err != nil {
		return authorization{}, err
	}
	if r.ChangesKnown {
		q.Targets = targetNames(r.Changes)
		c.record.targets.add(r.Changes)
		d = p.Decide(q)
	}
	switch {
	case d.Verdict == policy.Deny:
		return authorization{}, errForbidden(d)
	case r.ChangesKnown && len(r.Changes) == 0:
		return authorization{args: r.Args, check: refuseWrites}, nil
	case tripped == "" && (d.Verdict == policy.Allow || c.session.hasAllowance(c.allowanceKey(p))):
		return authorization{args: r.Args, check: targetChecker(p, q)}, nil
	case tripped == "":
		if permit := c.findAndUsePermit(h.approvals.PermitsInForce(), p, q); permit != nil {
			use := &permitWriteChecker{permit: permit, next: targetChecker(p, q)}
			return authorization{args: r.Args, check: use.check, permit: use}, nil
		}
	}
	r.Call, r.AskReason, r.TextTarget = q, cmp.Or(tripped, d.Reason), c.isTextChange(r.Changes)
	if before.grant != nil {
		r.AskReason = "it changed after you had allowed it, so look again; " + r.AskReason
	}
	if tripped == "" {
		r.Setting = d.Setting
	}
	return h.authorizeByPerson(ctx, c, p, r)
}

// authorizeByPerson waits for a person and returns what they approve.
func (h *Hub) authorizeByPerson(ctx context.Context, c *call, p *policy.Policy, r approval.Request) (authorization, error) {
	grant, err := h.waitForApproval(ctx, c, p, r)
	if err != nil {
		return authorization{}, err
	}
	if grant.Scope == status.ForSession {
		c.session.addAllowance(c.allowanceKey(p))
	}
	use := func(ctx context.Context, restorer tools.Restorer, changes []tools.Change) error {
		made := listChangesAlreadyMade(ctx, restorer, grant.Changes(), changes)
		return grant.Use(append(slices.Clone(changes), made...), h.approvalPolicyDigest(c, p, changes))
	}
	if r.ChangesKnown {
		return authorization{args: r.Args, check: use, approved: true, grant: grant, edited: grant.Edited}, nil
	}
	if err := use(ctx, nil, nil); err != nil {
		return authorization{}, err
	}
	return authorization{args: r.Args, check: targetChecker(p, r.Call), approved: true}, nil
}

// listChangesAlreadyMade are those of the approved changes that the call makes no more
// because another one made them meanwhile, such as a folder for both.
func listChangesAlreadyMade(ctx context.Context, restorer tools.Restorer, approved, now []tools.Change) (made []tools.Change) {
	if restorer == nil {
		return nil
	}
	for _, a := range approved {
		if a.AfterUnknown || slices.ContainsFunc(now, func(n tools.Change) bool { return n.Target == a.Target }) {
			continue
		}
		if held, err := restorer.State(ctx, a.Target); err == nil && equalStates(held, a.After) {
			made = append(made, a)
		}
	}
	return made
}

// waitForApproval shows r to people and returns what one of them approves.
func (h *Hub) waitForApproval(ctx context.Context, c *call, p *policy.Policy, r approval.Request) (*approval.Grant, error) {
	client := approval.WaitingClient{Progress: tools.CallContext{Notify: c.Notify}.Progress, Form: c.decided.form}
	if p.MayElicit(policy.Client{Name: c.client.Name, Proven: c.client.Proven || h.unattended}, c.source.conf.Name) {
		client.Prompt, client.Forms = c.Prompt, c.Forms
	}
	c.decided.turn.giveBack()
	h.refusals.settle(c, nil)
	asked, shown := h.now(), c.outermost().record.running
	if shown != nil {
		shown.waiting.Store(true)
		defer shown.waiting.Store(false)
	}
	present, end := c.session.ContextUntilLeft(ctx)
	defer end()
	grant, err := h.approvals.WaitForDecision(present, r, client)
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		err = tools.Errorf(tools.Unavailable, "the client closed its connection while the user was asked; nothing was changed")
	}
	c.record.waited += h.now().Sub(asked)
	if grant != nil {
		c.record.approval = grant.ID
	}
	if isFormRequiredError(err) {
		h.limiter.uncountWrite(c)
	}
	return grant, err
}

// approvalPolicyDigest is the digest of the policy under which an approval is used. A
// newer policy that allows the call without asking does not void an approval:
// the answer "always" becomes such a rule while its own call goes on.
func (h *Hub) approvalPolicyDigest(c *call, asked *policy.Policy, changes []tools.Change) string {
	p := h.policy.Load()
	q := c.policyRequest(p)
	q.Targets = targetNames(changes)
	if p.Digest() != asked.Digest() && p.Decide(q).Verdict == policy.Allow {
		return asked.Digest()
	}
	return p.Digest()
}

// policyRequest is a call as p judges it while what it would change is not
// known.
func (c *call) policyRequest(p *policy.Policy) policy.Request {
	q := policy.Request{
		Client: c.client, Source: c.source.conf.Name, SourceEffects: c.source.effects, MaxEffects: c.source.maxEffects(),
		Tool: c.tool.info.Name, Effect: cmp.Or(c.decided.effect, c.tool.info.Effect), ToolDigest: c.tool.digest,
		Person: c.via == tools.ViaPerson, Route: c.via == tools.ViaRoute,
	}
	if p.DependsOnPath(q) {
		named, all := policy.ArgumentTexts(c.parsedObject())
		q.Texts, q.TextsIncomplete = named, !all
	}
	return q
}

func (c *call) approvalRequest(p *policy.Policy, q policy.Request) approval.Request {
	return approval.Request{
		Session: c.session.ID, SharedSession: c.session.Shared, Call: q, Policy: p.Digest(),
		Args: c.canonical(c.tool.info.In), Reason: c.Reason,
	}
}

// targetChecker judges the targets that a call is about to change.
func targetChecker(p *policy.Policy, q policy.Request) writeCheck {
	return func(_ context.Context, _ tools.Restorer, changes []tools.Change) error {
		q := q
		q.Targets = targetNames(changes)
		if d := p.Decide(q); d.Verdict == policy.Deny {
			return errForbidden(d)
		}
		return nil
	}
}

func refuseWrites(context.Context, tools.Restorer, []tools.Change) error {
	return tools.Errorf(tools.Conflict, "a call that was to change nothing tried to write; nothing was changed").
		WithHint("Read again, then call again.")
}

func errForbidden(d policy.Decision) error {
	return tools.Errorf(tools.Denied, "the user's policy forbids this").
		WithHint("Ask the user; `lectern policy explain` tells them which rule it is.").
		WithData(map[string]any{"granted": d.Granted})
}

// allowanceKey names what is allowed for a session: one tool of one source, as long
// as its declaration and the policy are the same.
func (c *call) allowanceKey(p *policy.Policy) string {
	return c.source.conf.Name + "/" + c.tool.info.Name + "/" + c.tool.digest + "/" + p.Digest()
}

func (s *session) hasAllowance(allowance string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.allowed[allowance]
}

func (s *session) addAllowance(allowance string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.allowed == nil {
		s.allowed = map[string]bool{}
	}
	s.allowed[allowance] = true
}

func targetNames(changes []tools.Change) []string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Target
	}
	return names
}

func isFormRequiredError(err error) bool {
	_, is := errors.AsType[*approval.FormRequiredError](err)
	return is
}
