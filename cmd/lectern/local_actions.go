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

// Preview implements status.Client. What it shows of this machine's files is
// what Do then writes: a file that has changed meanwhile is an error there.
func (l *local) Preview(ctx context.Context, a status.Action) (status.Plan, error) {
	switch a.Verb {
	case status.Install, status.Uninstall, status.RotateToken:
		p, err := l.propose(ctx, a)
		if err != nil {
			return status.Plan{}, err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.proposed[aboutOf(a)] = p
		return planOfProposal(p), nil
	case status.CheckUpdate, status.InstallUpdate, status.RollBack:
		return l.planUpdate(ctx, a)
	default:
		return l.API.Preview(ctx, a)
	}
}

// Do implements status.Client.
func (l *local) Do(ctx context.Context, a status.Action) error {
	switch a.Verb {
	case status.Install, status.Uninstall, status.RotateToken:
		return l.carryThrough(ctx, a)
	case status.CheckUpdate, status.InstallUpdate, status.RollBack:
		return l.renew(ctx, a)
	default:
		return l.API.Do(ctx, a)
	}
}

// Check implements status.Desk: the doctor needs no hub.
func (l *local) Check(ctx context.Context, prefix string) (<-chan status.Check, error) {
	return doctor{world: l.world}.Check(ctx, prefix)
}

// Settings implements status.Desk: they are the file's.
func (l *local) Settings(context.Context) ([]status.Setting, error) { return l.world.keys() }

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
	if s, err := firstOf(ctx, l.API); err == nil && runs(s) {
		p.Plan.Risks = append(p.Plan.Risks, shutOut(s))
		p.Add(status.Step{What: "restart the hub, which reads the token when it starts"}, func(ctx context.Context) error {
			return l.API.Do(ctx, status.Action{Verb: status.RestartHub})
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
