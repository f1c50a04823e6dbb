package tools

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

type boundCheck struct {
	CheckInfo
	look func(context.Context, Doctor) status.Check
}

type boundCommand struct {
	info     CommandInfo
	run      func(ctx context.Context, call CommandCall, out io.Writer) error
	complete func(ctx context.Context, argument, prefix string) []string
}

// bindCommands gives o the Checks and Commands of the System.
func (k *erasedSystem[S, C]) bindCommands(o *OpenedSource, src S) {
	for _, c := range k.system.Checks {
		look := func(ctx context.Context, d Doctor) status.Check { return c.Look(src, ctx, d) }
		o.checks = append(o.checks, boundCheck{c.info(), look})
	}
	for _, c := range k.system.Commands {
		bound := boundCommand{info: c.CommandInfo}
		bound.run = func(ctx context.Context, call CommandCall, out io.Writer) error { return c.Run(src, ctx, call, out) }
		if c.Complete != nil {
			bound.complete = func(ctx context.Context, argument, prefix string) []string {
				return c.Complete(src, ctx, argument, prefix)
			}
		}
		o.commands[c.Name] = bound
	}
}

// checkTimeout is the deadline of a Check that declares none.
const checkTimeout = 20 * time.Second

func (c Check[S]) info() CheckInfo {
	return CheckInfo{c.Name, c.Title, cmp.Or(c.Timeout, checkTimeout)}
}

// Look carries out a Check of the System within its Timeout; NotFound if there
// is none by that name.
func (o *OpenedSource) Look(ctx context.Context, name string, d Doctor) (status.Check, error) {
	if err := o.checkOpen(); err != nil {
		return status.Check{}, err
	}
	i := slices.IndexFunc(o.checks, func(c boundCheck) bool { return c.Name == name })
	if i < 0 {
		return status.Check{}, Errorf(NotFound, "no check named %.80q", name)
	}
	within, cancel := context.WithTimeout(ctx, o.checks[i].Timeout)
	defer cancel()
	found := o.checks[i].look(within, d)
	found.Name, found.Title = name, o.checks[i].Title
	return found, nil
}

// Command carries out a command of the System; NotFound if it has none by that
// name, Invalid if an argument is missing or unknown.
func (o *OpenedSource) Command(ctx context.Context, name string, call CommandCall, out io.Writer) error {
	if err := o.checkOpen(); err != nil {
		return err
	}
	c, ok := o.commands[name]
	if !ok {
		return Errorf(NotFound, "no command named %.80q", name)
	}
	known := []string{}
	for _, a := range c.info.Args {
		known = append(known, a.Name)
		if a.Required && call.Args[a.Name] == "" {
			return Errorf(Invalid, "missing argument %s", a.Name)
		}
	}
	for given := range call.Args {
		if !slices.Contains(known, given) {
			return unknownArgument(given, given, known)
		}
	}
	return c.run(ctx, call, out)
}

// CompleteCommand proposes at most 100 values for an argument of a command.
func (o *OpenedSource) CompleteCommand(ctx context.Context, name, argument, prefix string) []string {
	c := o.commands[name]
	if c.complete == nil || o.checkOpen() != nil {
		return nil
	}
	values := c.complete(ctx, argument, prefix)
	return values[:min(len(values), 100)]
}
