package thismachine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// newRouter carries out what concerns this machine and passes the rest to the
// hub. The doctor needs no hub, and the settings are in a file.
func (m *Machine) newRouter() status.Router {
	install := status.ActionHandler{Preview: m.previewProposal, Do: m.applyProposal}
	update := status.ActionHandler{Preview: m.planUpdate, Do: m.runUpdate}
	queries := status.QueryHandlers{}
	status.HandleStream(queries, status.ChecksQuery, m.conf.Check)
	status.HandleQuery(queries, status.SettingsQuery, func(context.Context, struct{}) ([]status.Setting, error) { return m.conf.Settings() })
	status.HandleQuery(queries, status.CompletePathQuery, func(_ context.Context, p status.PathPrefix) (status.PathCompletion, error) {
		return CompletePath(m.conf.Home, p), nil
	})
	status.HandleQuery(queries, status.RecordedCallsQuery, m.recordedCalls)
	status.HandleQuery(queries, status.AgentsQuery, m.agents)
	status.HandleQuery(queries, status.LogPageQuery, m.logPage)
	return status.Router{Client: m.conf.Hub, Queries: queries, Actions: status.ActionHandlers{
		status.Install: install, status.Uninstall: install, status.RotateToken: install,
		status.CheckUpdate: update, status.InstallUpdate: update, status.RollBack: update,
	}}
}

// previewProposal shows what applyProposal then writes; a file that has changed
// meanwhile is an error there.
func (m *Machine) previewProposal(ctx context.Context, a status.Action) (status.Plan, error) {
	p, err := m.propose(ctx, a)
	if err != nil {
		return status.Plan{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.proposals[proposalKey(a)] = p
	return proposalPlan(p), nil
}

// proposalKey tells one proposal from another.
func proposalKey(a status.Action) status.Action {
	return status.Action{Verb: a.Verb, Target: a.Target, Sources: a.Sources}
}

// proposalPlan is the plan of a proposal with the next steps as risks, which is
// where people read. Without steps the title says why there is nothing to do.
func proposalPlan(p *installer.Proposal) status.Plan {
	plan := p.Plan
	if !p.Changes() {
		plan.Title = p.Message + "; nothing to do"
		return plan
	}
	plan.Risks = append([]string{}, plan.Risks...)
	for _, next := range p.NextSteps {
		plan.Risks = append(plan.Risks, "afterwards: "+next)
	}
	return plan
}

func (m *Machine) propose(ctx context.Context, a status.Action) (*installer.Proposal, error) {
	switch {
	case a.Verb != status.RotateToken:
		return m.proposeInstall(ctx, a)
	case a.Target == pluginTokenTarget:
		return m.planner.ProposePluginTokenRotation("")
	case a.Target == clientsTokenTarget:
		return m.proposeClientTokenRotation(ctx), nil
	default:
		return nil, fmt.Errorf("rotate token: unknown token %q", a.Target)
	}
}

// proposeClientTokenRotation proposes to replace the token of HTTP clients, which a hub
// reads when it starts.
func (m *Machine) proposeClientTokenRotation(ctx context.Context) *installer.Proposal {
	file := m.conf.Paths.SharedClientToken()
	p := m.planner.Machine().RotateToken(file, func() error {
		_, err := loopnet.RotateToken(file)
		return err
	})
	if s, err := firstSnapshot(ctx, m.Client); err == nil && HubRunning(s) {
		p.Plan.Risks = append(p.Plan.Risks, describeTokenAgents(s))
		p.Add(status.Step{Description: "restart the hub, which reads the token when it starts"}, func(ctx context.Context) error {
			return m.Client.Do(ctx, status.Action{Verb: status.RestartHub})
		})
	}
	return p
}

// describeTokenAgents names the agents that lose access with the shared token.
func describeTokenAgents(s status.Snapshot) string {
	var names []string
	for _, c := range s.Sessions {
		if c.Transport == status.HTTP && !c.Proven {
			names = append(names, c.Client)
		}
	}
	if len(names) == 0 {
		return "no agent is connected with this token now"
	}
	slices.Sort(names)
	return "connected with this token now, and refused from then on: " + strings.Join(slices.Compact(names), ", ")
}

// applyProposal makes the changes of the last preview, or of a new proposal if there was
// none.
func (m *Machine) applyProposal(ctx context.Context, a status.Action) error {
	m.mu.Lock()
	p := m.proposals[proposalKey(a)]
	delete(m.proposals, proposalKey(a))
	m.mu.Unlock()
	if p == nil {
		var err error
		if p, err = m.propose(ctx, a); err != nil {
			return err
		}
	}
	err := p.Apply(ctx)
	if err == nil {
		m.mu.Lock()
		m.next[a.Target] = strings.Join(p.NextSteps, "; ")
		m.mu.Unlock()
	}
	m.scan(ctx)
	return err
}
