package approval

import (
	"bytes"
	"slices"

	"github.com/lectern-mcp/lectern/tools"
)

// RemoveMadeSteps takes out of every pending plan of a source the steps that another call has made
// meanwhile, such as a folder that both need. A person is no longer shown them, and a yes no
// longer covers them. A plan keeps at least one step, and one that a client shows in a form, or
// that covers other calls, stays as it is.
func RemoveMadeSteps(q *Queue, source string, made []tools.Change) {
	if len(made) == 0 {
		return
	}
	isMade := func(c tools.Change) bool {
		return slices.ContainsFunc(made, func(m tools.Change) bool { return leavesSameState(m, c) })
	}
	dropped := false
	for _, p := range pendingWithStep(q, source, isMade) {
		r := p.request
		r.Changes = slices.DeleteFunc(slices.Clone(r.Changes), isMade)
		dropped = replacePendingPlan(q, p, r) || dropped
	}
	if dropped {
		q.conf.Changed()
	}
}

// leavesSameState reports whether the change made leaves what c would leave.
func leavesSameState(made, c tools.Change) bool {
	return made.Target == c.Target && !made.AfterUnknown && !c.AfterUnknown && made.After.Exists == c.After.Exists &&
		made.After.Mode == c.After.Mode && bytes.Equal(made.After.Data, c.After.Data)
}

// pendingWithStep are the pending approvals in a source whose plan has such a step and others.
func pendingWithStep(q *Queue, source string, isMade func(tools.Change) bool) (found []pendingApproval) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.pending {
		r := p.request
		if r.Call.Source != source || !r.ChangesKnown || p.inForm || len(r.Sources)+len(r.Reads) > 0 {
			continue
		}
		if slices.ContainsFunc(r.Changes, isMade) && slices.ContainsFunc(r.Changes, func(c tools.Change) bool { return !isMade(c) }) {
			found = append(found, *p)
		}
	}
	return found
}

// replacePendingPlan has the approval that was p ask about r; false: it was decided, or its plan
// replaced, meanwhile.
func replacePendingPlan(q *Queue, was pendingApproval, r Request) bool {
	full := r.describeChanges()
	view := r.view(was.view.ID, was.view.Since, was.view.Until.Sub(was.view.Since), full)
	plan := r.plan(full)
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.pending[was.view.ID]
	if p == nil || len(p.request.Changes) != len(was.request.Changes) {
		return false
	}
	p.request, p.full, p.plan, p.text = r, full, plan, full.edit
	v := &p.view // who waits reads its other fields without the lock
	v.Targets, v.More, v.Added, v.Removed, v.Bytes = view.Targets, view.More, view.Added, view.Removed, view.Bytes
	v.Move = view.Move
	v.Within, v.Plan, v.Hunks = view.Within, view.Plan, view.Hunks
	return true
}
