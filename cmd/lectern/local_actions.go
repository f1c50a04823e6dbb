package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/status"
)

// router carries out what concerns this machine, and passes the rest to the hub.
// The doctor needs no hub, and the settings are those of the file.
func (l *local) router(hub status.Client) status.Router {
	install := status.ActionHandler{Preview: l.previewProposal, Do: l.carryThrough}
	update := status.ActionHandler{Preview: l.planUpdate, Do: l.renew}
	queries := status.QueryHandlers{}
	status.HandleStream(queries, status.ChecksQuery, doctor{world: l.world}.Check)
	status.HandleQuery(queries, status.SettingsQuery, func(context.Context, struct{}) ([]status.Setting, error) { return l.keys() })
	return status.Router{Client: hub, Queries: queries, Actions: status.ActionHandlers{
		status.Install: install, status.Uninstall: install, status.RotateToken: install,
		status.CheckUpdate: update, status.InstallUpdate: update, status.RollBack: update,
	}}
}

// previewProposal shows what carryThrough then writes: a file that has changed
// meanwhile is an error there.
func (l *local) previewProposal(ctx context.Context, a status.Action) (status.Plan, error) {
	p, err := l.propose(ctx, a)
	if err != nil {
		return status.Plan{}, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.proposed[aboutOf(a)] = p
	return planOfProposal(p), nil
}

// aboutOf is what tells one proposal from another.
func aboutOf(a status.Action) status.Action { return status.Action{Verb: a.Verb, Target: a.Target} }

// planOfProposal is the plan, with what a person does next among what they want
// to know. Without steps its title says why there is nothing to do.
func planOfProposal(p *installer.Proposal) status.Plan {
	plan := p.Plan
	if !p.Changes() {
		plan.Title = p.Said + "; nothing to do"
		return plan
	}
	plan.Risks = append([]string{}, plan.Risks...)
	for _, next := range p.After {
		plan.Risks = append(plan.Risks, "afterwards: "+next)
	}
	return plan
}

func (l *local) propose(ctx context.Context, a status.Action) (*installer.Proposal, error) {
	switch {
	case a.Verb != status.RotateToken:
		return l.put(ctx, a)
	case a.Target == "plugin":
		return l.rotatePluginToken("")
	case a.Target == "clients":
		return l.rotateClientToken(ctx), nil
	default:
		return nil, fmt.Errorf("rotate token: there is none for %q", a.Target)
	}
}

// rotateClientToken proposes to replace the token of HTTP clients, which a hub
// reads when it starts.
func (l *local) rotateClientToken(ctx context.Context) *installer.Proposal {
	file := l.tokenFile()
	p := l.machine().RotateToken(file, func() error {
		_, err := loopnet.RotateToken(file)
		return err
	})
	if s, err := firstOf(ctx, l.Client); err == nil && runs(s) {
		p.Plan.Risks = append(p.Plan.Risks, shutOut(s))
		p.Then(status.Step{What: "restart the hub, which reads the token when it starts"}, func(ctx context.Context) error {
			return l.Client.Do(ctx, status.Action{Verb: status.RestartHub})
		})
	}
	return p
}

// shutOut names the agents that lose their way in with the token of all clients.
func shutOut(s status.Snapshot) string {
	var names []string
	for _, c := range s.Sessions {
		if c.Transport == status.HTTP && !c.Proven {
			names = append(names, c.Client)
		}
	}
	if len(names) == 0 {
		return "no agent is connected with it now"
	}
	slices.Sort(names)
	return "connected with it now, and refused from then on: " + strings.Join(slices.Compact(names), ", ")
}

// carryThrough applies what was previewed, or what would be now.
func (l *local) carryThrough(ctx context.Context, a status.Action) error {
	l.mu.Lock()
	p := l.proposed[aboutOf(a)]
	delete(l.proposed, aboutOf(a))
	l.mu.Unlock()
	if p == nil {
		var err error
		if p, err = l.propose(ctx, a); err != nil {
			return err
		}
	}
	err := p.Apply(ctx)
	if err == nil {
		l.mu.Lock()
		l.next[a.Target] = strings.Join(p.After, "; ")
		l.mu.Unlock()
	}
	l.look(ctx)
	return err
}

// firstOf is what a Client shows now.
func firstOf(ctx context.Context, c status.Client) (status.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	shots, err := c.Watch(ctx)
	if err != nil {
		return status.Snapshot{}, err
	}
	s, ok := <-shots
	if !ok {
		return s, fmt.Errorf("ask hub: it did not answer within %s", answerWithin)
	}
	return s, nil
}
