package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/safetext"
)

// agreement is how a person says that a plan may be carried out.
type agreement struct{ yes, dry bool }

// errNoAnswer is for plans that nobody is there to agree to.
var errNoAnswer = errors.New("there is no terminal to ask on; give --yes to go ahead, or --dry-run to look")

// planned makes a command of c that shows what propose proposes, asks, and does
// it.
func (w *world) planned(c *cobra.Command, propose func(ctx context.Context, args []string) (*installer.Proposal, error)) *cobra.Command {
	var agreed agreement
	agreed.flags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		p, err := propose(c.Context(), args)
		if err != nil {
			return err
		}
		return w.carry(c.Context(), p, agreed)
	}
	return c
}

// carry shows what is proposed, asks, and does it.
func (w *world) carry(ctx context.Context, p *installer.Proposal, agreed agreement) error {
	if !p.Changes() {
		w.sayPlan(p)
		if p.Said != "" {
			w.say("%s; nothing to do\n", line(p.Said))
		}
		return nil
	}
	w.sayPlan(p)
	if agreed.dry {
		return nil
	}
	if !agreed.yes {
		ok, err := w.ask("Do this?")
		if err != nil {
			return err
		}
		if !ok {
			return &exitError{exitDenied, errors.New("nothing was changed")}
		}
	}
	if err := p.Apply(ctx); err != nil {
		return err
	}
	w.say("done\n")
	for _, next := range p.After {
		w.say("next: %s\n", line(next))
	}
	return nil
}

func (w *world) sayPlan(p *installer.Proposal) {
	if p.Changes() {
		w.say("%s\n", line(p.Plan.Title))
	}
	for _, step := range p.Plan.Steps {
		w.say("%s\n%s", line(step.What), text(step.Diff))
	}
	for _, risk := range p.Plan.Risks {
		w.say("note: %s\n", line(risk))
	}
}

// ask puts a question that is answered yes or no; what is neither is no.
func (w *world) ask(question string) (bool, error) {
	if !isTerminal(w.in) || !isTerminal(w.out) {
		return false, &exitError{exitUsage, errNoAnswer}
	}
	w.say("%s [y/N] ", question)
	answer, err := readLine(w.in)
	if err != nil {
		return false, fmt.Errorf("read answer: %w", err)
	}
	answer = strings.ToLower(strings.TrimSpace(answer))
	return answer == "y" || answer == "yes", nil
}

// flags are those of every command that carries out a plan.
func (a *agreement) flags(c *cobra.Command) {
	c.Flags().BoolVar(&a.yes, "yes", false, "do it without asking")
	c.Flags().BoolVar(&a.dry, "dry-run", false, "show what would be done and do not do it, whatever else is said")
}

// readLine reads up to the end of a line and not a byte further, as what
// follows may be for somebody else.
func readLine(in io.Reader) (string, error) {
	var line []byte
	b := make([]byte, 1)
	for len(line) < 1<<10 {
		n, err := in.Read(b)
		if n > 0 && b[0] == '\n' {
			return string(line), nil
		}
		line = append(line, b[:n]...)
		if errors.Is(err, io.EOF) {
			return string(line), nil
		}
		if err != nil {
			return "", err
		}
	}
	return string(line), nil
}

// line and text make what others wrote fit for a terminal.
func line(s string) string { return string(safetext.Line(s)) }
func text(s string) string { return string(safetext.Of(s)) }
