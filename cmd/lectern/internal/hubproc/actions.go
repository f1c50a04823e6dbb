package hubproc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/status"
)

// actions carries out what people ask of a running hub. Starting, stopping and
// restarting it is done by the daemon's client on the other side of the socket.
type actions struct{ *hubProcess }

// handlers are the actions of the hub process.
func (a actions) handlers() status.ActionHandlers {
	changes, limiter := a.hub.Changes(), a.hub.Limiter()
	handlers := status.ActionHandlers{
		status.Allow:     {Preview: a.previewAnswer, Do: a.answerApproval},
		status.Refuse:    {Preview: a.previewAnswer, Do: a.answerApproval},
		status.MarkShown: {Do: func(_ context.Context, act status.Action) error { return a.hub.Approvals().MarkShown(act.Target) }},
		status.EndPermit: {Do: func(_ context.Context, act status.Action) error { return a.hub.Approvals().EndPermit(act.Target) }},
		status.UndoChanges: {
			Preview: func(ctx context.Context, act status.Action) (status.Plan, error) {
				return changes.PlanUndo(ctx, filterFromAction(act))
			},
			Do: func(ctx context.Context, act status.Action) error { return changes.Undo(ctx, filterFromAction(act)) },
		},
		status.Disconnect: {
			Preview: a.previewCloseSession,
			Do:      func(_ context.Context, act status.Action) error { return a.hub.MCP().Disconnect(act.Target) },
		},
		status.CancelCall: {Do: func(_ context.Context, act status.Action) error { return a.hub.Calls().CancelCall(act.Target) }},
		status.PauseWrites: {Do: func(_ context.Context, act status.Action) error {
			a.hub.Approvals().EndPermitsOf(act.Target)
			return limiter.PauseWrites(act.Target)
		}},
		status.ResumeWrites:        {Do: func(_ context.Context, act status.Action) error { return limiter.ResumeWrites(act.Target) }},
		status.ResetCircuitBreaker: {Do: func(_ context.Context, act status.Action) error { return limiter.ResetCircuitBreaker(act.Target) }},
		status.Acknowledge:         {Do: func(_ context.Context, act status.Action) error { return a.acknowledgeProblem(act.Target) }},
		status.ReopenSource:        {Do: func(ctx context.Context, act status.Action) error { return a.hub.ReopenSource(ctx, act.Target) }},
		status.Reload:              {Do: func(ctx context.Context, _ status.Action) error { return a.reload(ctx) }},
		status.PinHub:              {Do: a.pinOrUnpinHub},
		status.UnpinHub:            {Do: a.pinOrUnpinHub},
	}
	for _, verb := range configedit.Verbs() {
		handlers[verb] = status.ActionHandler{Preview: a.previewEdit, Do: a.editConfig}
	}
	for verb, handler := range handlers {
		handler.Do = a.withEventRecord(handler.Do)
		handlers[verb] = handler
	}
	return handlers
}

// withEventRecord is do with a record of what the person has done, for those who ask
// later what happened. What failed is not recorded.
func (a actions) withEventRecord(do func(context.Context, status.Action) error) func(context.Context, status.Action) error {
	return func(ctx context.Context, act status.Action) error {
		event, worth := a.personEvent(act)
		if err := do(ctx, act); err != nil || !worth {
			return err
		}
		a.hub.Calls().RecordEvent(event)
		return nil
	}
}

// answerApproval passes a person's answer to the waiting call. An answer for
// all later calls is given to this one before its rule is written, so that the
// rule applies only to later calls.
func (a actions) answerApproval(ctx context.Context, act status.Action) error {
	answer := cmp.Or(act.Answer, &status.Answer{})
	if err := a.requireShownBeforeAllow(act, *answer); err != nil {
		return err
	}
	if act.Verb != status.Allow || answer.Scope != status.Always {
		return a.hub.Approvals().Answer(act.Target, act.Verb == status.Allow, *answer)
	}
	_, _, rule, ok := a.hub.Approvals().Get(act.Target)
	if !ok {
		return errNoApproval(act.Target)
	}
	if _, err := a.proposeAlwaysRule(act.Target); err != nil {
		return err // nothing is allowed whose rule cannot be written
	}
	if err := a.hub.Approvals().Answer(act.Target, true, *answer); err != nil {
		return err
	}
	if err := a.editor().AddApprovalRule(ctx, toConfigRule(rule)); err != nil {
		return fmt.Errorf("the call was allowed once, but its rule could not be written: %w", err)
	}
	return a.reload(ctx)
}

// previewCloseSession says what it means that an agent is disconnected.
func (a actions) previewCloseSession(_ context.Context, act status.Action) (status.Plan, error) {
	for _, s := range a.hub.MCP().Sessions() {
		if s.ID != act.Target {
			continue
		}
		back := "it stays away until the program that it runs in is started again"
		if s.Transport == status.HTTP {
			back = "over HTTP programs of this name are refused until the hub is restarted (`lectern hub restart`)"
		}
		return status.Plan{
			Title: fmt.Sprintf("Disconnect %s, session %s", status.ClientLabel(s.ClientName(), s.Proven != ""), s.ID),
			Steps: []status.Step{},
			Risks: []string{"its calls under way are cancelled, and those that wait for you are withdrawn", back},
		}, nil
	}
	return status.Plan{}, fmt.Errorf("no agent is connected as %q; `lectern hub disconnect` lists them", act.Target)
}

func (a actions) previewEdit(ctx context.Context, act status.Action) (status.Plan, error) {
	if err := a.editor().CheckAbsolutePaths(act); err != nil {
		return status.Plan{}, err
	}
	p, err := a.editor().Propose(act)
	if err != nil {
		return status.Plan{}, err
	}
	if act.Verb == status.AddSource && len(p.Plan.Steps) == 0 {
		return status.Plan{}, errors.New(p.Plan.Title) // there is nothing to agree to
	}
	if _, sessions := a.hub.ActivityCounts(); sessions > 0 && act.Verb == status.RemoveSource {
		p.Plan.Risks = append(p.Plan.Risks, fmt.Sprintf("%d agents are connected", sessions))
	}
	return p.Plan, ctx.Err()
}

func (a actions) editConfig(ctx context.Context, act status.Action) error {
	if err := a.editor().CheckAbsolutePaths(act); err != nil {
		return err
	}
	if configedit.NeedsClosedSource(act) {
		return a.editConfigWithSourceClosed(ctx, act)
	}
	if _, err := a.editor().ApplyAction(ctx, act); err != nil {
		return err
	}
	return a.reload(ctx)
}

// editConfigWithSourceClosed makes an edit under which a source's own folders move or go.
// It closes the source first, so that nothing is written there meanwhile.
func (a actions) editConfigWithSourceClosed(ctx context.Context, act status.Action) (err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	conf, err := a.App.Config()
	if err != nil {
		return err
	}
	p, err := a.editor().Propose(act)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.reloadLocked(context.WithoutCancel(ctx))) }()
	left := slices.DeleteFunc(a.sources(conf), func(s app.Source) bool { return s.Name == act.Target })
	if err := a.hub.ReloadAndAwaitClosed(ctx, toHubSources(left)); err != nil {
		return err
	}
	if act.Verb == status.RemoveSource {
		_, err := a.editor().ApplyAction(ctx, act)
		return err
	}
	return a.renameSource(ctx, act, p.Source.Kind, p.Source.Name)
}

// renameSource carries what is kept for a source to its new name, and back if the
// configuration cannot be saved.
func (a actions) renameSource(ctx context.Context, act status.Action, kind, name string) error {
	undo, err := newSourceFolders(a.App).rename(kind, act.Target, name)
	if err != nil {
		return fmt.Errorf("rename source: %w", err)
	}
	if err := a.journal.RenameSource(ctx, act.Target, name); err != nil {
		return errors.Join(err, undo())
	}
	if _, err := a.editor().ApplyAction(ctx, act); err != nil {
		return errors.Join(err, undo(), a.journal.RenameSource(context.WithoutCancel(ctx), name, act.Target))
	}
	return nil
}

func (a actions) pinOrUnpinHub(_ context.Context, act status.Action) error {
	pin := act.Verb == status.PinHub
	a.pinned.Store(pin)
	a.state.Update(func(s *status.Snapshot) { s.Hub.Pinned = pin })
	return nil
}

func (a actions) editor() configedit.Editor { return configedit.Editor{App: a.App} }

// filterFromAction is the filter of an action, which may have none.
func filterFromAction(a status.Action) status.Filter {
	if a.Filter == nil {
		return status.Filter{}
	}
	return *a.Filter
}
