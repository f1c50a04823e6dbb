package hubproc

import (
	"context"
	"fmt"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/hub/approval"
	"github.com/lectern-mcp/lectern/status"
)

// previewAnswer is what a waiting call would change.
func (a actions) previewAnswer(_ context.Context, act status.Action) (status.Plan, error) {
	shown, plan, _, ok := a.hub.Approvals().Get(act.Target)
	if !ok {
		return status.Plan{}, errNoApproval(act.Target)
	}
	if act.Verb == status.Refuse {
		title := fmt.Sprintf("Deny %s by %s in source %s", shown.Tool, status.ClientLabel(shown.Client, shown.Proven), shown.Source)
		return status.Plan{Title: title, Steps: []status.Step{}, Risks: []string{}}, nil
	}
	switch {
	case act.Answer != nil && act.Answer.Edit != nil:
		return a.hub.Approvals().PlanEdit(act.Target, *act.Answer.Edit)
	case act.Answer == nil || act.Answer.Scope != status.Always:
		return plan, nil
	}
	p, err := a.proposeAlwaysRule(act.Target)
	if err != nil {
		return status.Plan{}, err
	}
	return status.Plan{
		Title: fmt.Sprintf("Always let %s call %s in source %s, without asking again", status.ClientLabel(shown.Client, shown.Proven), shown.Tool,
			shown.Source),
		Steps: append(p.Plan.Steps, plan.Steps...), Risks: append(p.Plan.Risks, plan.Risks...), Cut: plan.Cut,
	}, nil
}

// requireShownBeforeAllow refuses a yes to what no person was shown.
func (a actions) requireShownBeforeAllow(act status.Action, answer status.Answer) error {
	waiting, _, _, ok := a.hub.Approvals().Get(act.Target)
	if act.Verb == status.Allow && ok && !waiting.Shown && !answer.Shown {
		return fmt.Errorf("allow call: what %s would change was not shown to anybody; run `lectern approve show %s --all` first", act.Target,
			act.Target)
	}
	return nil
}

func (a actions) proposeAlwaysRule(id string) (configedit.Proposal, error) {
	shown, _, rule, ok := a.hub.Approvals().Get(id)
	if !ok {
		return configedit.Proposal{}, errNoApproval(id)
	}
	if err := approval.CheckAllowedScope(shown, status.Always); err != nil {
		return configedit.Proposal{}, err
	}
	return a.editor().ProposeApprovalRule(toConfigRule(rule))
}

func errNoApproval(id string) error {
	return fmt.Errorf("no call waits for approval with ID %q; `lectern approve` lists them", id)
}
