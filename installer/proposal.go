package installer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

// A Proposal is something that could be done, with what a person wants to see
// before agreeing to it. Making one changes nothing.
type Proposal struct {
	Plan status.Plan
	// Said is what there is to say when nothing has to be done.
	Said string
	// After is what a person does next; empty: nothing.
	After []string

	machine Machine
	steps   []func(context.Context) error
}

func (m Machine) proposal(title string) *Proposal {
	return &Proposal{Plan: status.Plan{Title: title, Steps: []status.Step{}, Risks: []string{}}, machine: m}
}

func (p *Proposal) step(s status.Step, do func(context.Context) error) {
	p.Plan.Steps = append(p.Plan.Steps, s)
	p.steps = append(p.steps, do)
}

func (p *Proposal) risk(format string, args ...any) {
	p.Plan.Risks = append(p.Plan.Risks, fmt.Sprintf(format, args...))
}

// join takes over what another proposal would do.
func (p *Proposal) join(o *Proposal) {
	p.Plan.Steps = append(p.Plan.Steps, o.Plan.Steps...)
	p.steps = append(p.steps, o.steps...)
	for _, r := range o.Plan.Risks {
		if !slices.Contains(p.Plan.Risks, r) {
			p.Plan.Risks = append(p.Plan.Risks, r)
		}
	}
	for _, a := range o.After {
		if !slices.Contains(p.After, a) {
			p.After = append(p.After, a)
		}
	}
}

// Changes reports whether there is anything to do.
func (p *Proposal) Changes() bool { return len(p.steps) > 0 }

// Apply does it, step by step, and stops at the first error: what was done
// before stays, is on record, and is found done when the same is proposed
// again. One process at a time applies.
func (p *Proposal) Apply(ctx context.Context) (err error) {
	if !p.Changes() {
		return nil
	}
	unlock, err := config.Lock(p.machine.receiptsFile())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for i, do := range p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.Plan.Steps[i].What, err)
		}
	}
	return nil
}

// First puts a step before all others.
func (p *Proposal) First(s status.Step, do func(context.Context) error) {
	p.Plan.Steps = slices.Insert(p.Plan.Steps, 0, s)
	p.steps = slices.Insert(p.steps, 0, do)
}

// Then puts a step after all others.
func (p *Proposal) Then(s status.Step, do func(context.Context) error) { p.step(s, do) }

// RotateToken proposes to put a new token of HTTP clients at place, by write.
func (m Machine) RotateToken(place string, write func() error) *Proposal {
	p := m.proposal("Replace the token of clients that connect over HTTP")
	p.step(status.Step{What: "write a new token to " + place}, func(context.Context) error { return write() })
	p.risk("every client that connects over HTTP is refused until %s holds the new token where it starts; agents over `lectern serve` need none", TokenVariable)
	return p
}
