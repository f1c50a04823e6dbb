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
	// Message is the message when there is nothing to do.
	Message string
	// NextSteps is what the person should do next; empty: nothing.
	NextSteps []string

	machine Machine
	steps   []func(context.Context) error
}

func (m Machine) proposal(title string) *Proposal {
	return &Proposal{Plan: status.Plan{Title: title, Steps: []status.Step{}, Risks: []string{}}, machine: m}
}

// Add adds a step after all others.
func (p *Proposal) Add(s status.Step, do func(context.Context) error) {
	p.Plan.Steps = append(p.Plan.Steps, s)
	p.steps = append(p.steps, do)
}

// Prepend adds a step before all others.
func (p *Proposal) Prepend(s status.Step, do func(context.Context) error) {
	p.Plan.Steps = slices.Insert(p.Plan.Steps, 0, s)
	p.steps = slices.Insert(p.steps, 0, do)
}

// add is Add for a step that takes no time and has nothing to show.
func (p *Proposal) add(what string, do func() error) {
	p.Add(status.Step{Description: what}, func(context.Context) error { return do() })
}

// addCommand is Add for a program to run.
func (p *Proposal) addCommand(argv []string, do func(context.Context) error) {
	p.Add(status.Step{Description: "run " + shellLine(argv, p.machine.OS)}, do)
}

// applyChange proposes to make a change of a file.
func (p *Proposal) applyChange(c fileChange) {
	p.Add(status.Step{Description: c.describe(), Diff: c.diff()}, func(context.Context) error { return p.machine.apply(c) })
}

// revertChange proposes to make a change that removes what its receipt records.
func (p *Proposal) revertChange(c fileChange, diff string) {
	p.Add(status.Step{Description: c.describe(), Diff: diff}, func(context.Context) error { return p.machine.revert(c) })
}

func (p *Proposal) risk(format string, args ...any) {
	p.Plan.Risks = append(p.Plan.Risks, fmt.Sprintf(format, args...))
}

// join adds all that another proposal would do.
func (p *Proposal) join(o *Proposal) {
	p.Plan.Steps = append(p.Plan.Steps, o.Plan.Steps...)
	p.steps = append(p.steps, o.steps...)
	p.Plan.Risks = appendNew(p.Plan.Risks, o.Plan.Risks)
	p.NextSteps = appendNew(p.NextSteps, o.NextSteps)
}

func (p *Proposal) joinOrWarn(o *Proposal, err error) {
	if err != nil {
		p.risk("%v", err)
		return
	}
	p.join(o)
}

func appendNew(list, more []string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Changes reports whether there is anything to do.
func (p *Proposal) Changes() bool { return len(p.steps) > 0 }

// Apply carries out the steps and stops at the first error. What was done
// before it stays, has a receipt, and counts as done when the same is proposed
// again. One process at a time applies a proposal.
func (p *Proposal) Apply(ctx context.Context) (err error) {
	if !p.Changes() {
		return nil
	}
	unlock, err := config.Lock(p.machine.receipts().file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for i, do := range p.steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := do(ctx); err != nil {
			return fmt.Errorf("%s: %w", p.Plan.Steps[i].Description, err)
		}
	}
	return nil
}

// RotateToken proposes to put a new token of HTTP clients at path, by write.
func (m Machine) RotateToken(path string, write func() error) *Proposal {
	p := m.proposal("Replace the token of clients that connect over HTTP")
	p.add("write a new token to "+path, write)
	p.risk("every client that connects over HTTP is refused until %s holds the new token in its environment; agents that use `lectern "+
		"serve` need no token", TokenVariable)
	return p
}
