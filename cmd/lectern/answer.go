package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/status"
)

// previewAnswer is what a call that waits would change.
func (a asked) previewAnswer(_ context.Context, act status.Action) (status.Plan, error) {
	shown, plan, _, ok := a.hub.Approval(act.Target)
	if !ok {
		return status.Plan{}, noApproval(act)
	}
	if act.Verb == status.Refuse {
		return status.Plan{Title: fmt.Sprintf("Refuse %s of %s in source %s", shown.Tool, shown.Client, shown.Source), Steps: []status.Step{}, Risks: []string{}}, nil
	}
	if act.Answer == nil || act.Answer.Scope != status.Always {
		return plan, nil
	}
	edit, err := a.editAlways(act.Target)
	if err != nil {
		return status.Plan{}, err
	}
	plan.Steps = append(plan.Steps, status.Step{What: "edit " + edit.Path, Diff: edit.Diff()})
	return plan, nil
}

// answer passes a person's answer to the call that waits for it. An answer for
// good counts for that call before it is written down, so that the rule
// answers later calls alone.
func (a asked) answer(ctx context.Context, act status.Action) error {
	said := cmp.Or(act.Answer, &status.Answer{})
	always := act.Verb == status.Allow && said.Scope == status.Always
	if !always {
		return a.hub.Answer(act.Target, act.Verb == status.Allow, *said)
	}
	_, _, rule, ok := a.hub.Approval(act.Target)
	if !ok {
		return noApproval(act)
	}
	if _, err := a.editAlways(act.Target); err != nil {
		return err // nothing is allowed that cannot be written down
	}
	if err := a.hub.Answer(act.Target, true, *said); err != nil {
		return err
	}
	if err := a.write(ctx, func(c config.Config) (config.Edit, error) { return c.AddRule(ruleOf(rule)) }); err != nil {
		return fmt.Errorf("the call was allowed once; its rule was not written: %w", err)
	}
	return a.reload(ctx)
}

func (a asked) editAlways(id string) (config.Edit, error) {
	_, _, rule, ok := a.hub.Approval(id)
	if !ok {
		return config.Edit{}, errors.New("no call waits as " + id)
	}
	c, err := a.config()
	if err != nil {
		return config.Edit{}, err
	}
	return c.AddRule(ruleOf(rule))
}

// write makes an edit of the configuration, anew when an editor saves it in
// between.
func (w *world) write(ctx context.Context, plan func(config.Config) (config.Edit, error)) (err error) {
	unlock, err := config.Lock(w.places.File())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	for {
		c, err := w.config()
		if err != nil {
			return err
		}
		edit, err := plan(c)
		if err != nil {
			return err
		}
		err = edit.Save()
		raced := errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists)
		if !raced || ctx.Err() != nil {
			return err
		}
	}
}

func noApproval(act status.Action) error {
	return fmt.Errorf("no call waits as %q; `lectern approve` lists those that do", act.Target)
}
