package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

// A stage is a step of an update as a person is shown it.
type stage struct {
	step  update.Step
	title string
}

// stages are those of what a verb does, in their order.
func stages(v status.Verb) []stage {
	list := []stage{
		{update.Signature, "The list of files is signed"},
		{update.Version, "and is of the version asked for"},
		{update.Download, "Download"},
		{update.Checksum, "The archive is as the list says"},
		{update.Extract, "It holds the binary and nothing strange"},
		{update.Platform, "The binary is signed for this system"},
		{update.Run, "It runs here"},
		{update.Swap, "Install"},
		{update.Restart, "Restart the hub"},
	}
	switch v {
	case status.CheckUpdate:
		return list[:2]
	case status.RollBack:
		return list[6:]
	default:
		return list
	}
}

// A course is an update as it goes.
type course struct {
	*local
	action  status.Action
	stages  []stage
	commits func() // called when what follows must not be broken off
}

// renew checks, updates or goes back, and shows each step as it is done.
func (l *local) renew(ctx context.Context, a status.Action) (err error) {
	if !l.busy.TryLock() {
		return errors.New("update lectern: one is under way here already; wait for it to end")
	}
	defer l.busy.Unlock()
	conf, err := l.settings()
	if err != nil {
		return fmt.Errorf("update lectern: %w", err)
	}
	ctx, done := l.breakable(ctx)
	defer done()
	c := &course{local: l, action: a, stages: stages(a.Verb), commits: done}
	conf.Progress = c.progress
	u, err := update.New(conf)
	if err != nil {
		return err
	}
	c.begin()
	var res update.Result
	switch a.Verb {
	case status.CheckUpdate:
		var state update.State
		if state, err = u.Check(ctx); err == nil && state.Managed != "" {
			_ = l.ready(ctx, u) // kept for the picture; a check is no update
		}
	case status.RollBack:
		res, err = u.Rollback(ctx, false)
	default:
		res, err = u.Apply(ctx, update.Wish{Version: a.Target})
	}
	c.end(res, err)
	l.look(context.WithoutCancel(ctx))
	l.tell(u)
	if e, ok := errors.AsType[*update.StepError](err); ok {
		err = fmt.Errorf("%w; to install by hand: %s", err, e.Manual)
	}
	return err
}

// breakable is a context that ends with ctx and when the panel is closed, until
// done is called: a swap that has begun is brought to its end.
func (l *local) breakable(ctx context.Context) (_ context.Context, done func()) {
	free, cancel := context.WithCancel(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, cancel)
	l.mu.Lock()
	l.giveUp = cancel
	l.mu.Unlock()
	return free, func() {
		unhook()
		l.mu.Lock()
		l.giveUp = nil
		l.mu.Unlock()
	}
}

// finish ends an update that can be broken off, and waits for one that cannot.
func (l *local) finish() {
	l.mu.Lock()
	if l.giveUp != nil {
		l.giveUp()
	}
	l.mu.Unlock()
	if !l.busy.TryLock() {
		l.note("an update is under way and is brought to its end; this takes seconds\n")
		l.busy.Lock()
	}
	l.busy.Unlock()
}

// begin shows all steps, none of them done.
func (c *course) begin() {
	steps := []status.Check{}
	for _, s := range c.stages {
		steps = append(steps, status.Check{Name: "update." + string(s.step), Title: s.title, Result: status.CheckPending})
	}
	steps[0].Result = status.CheckRunning
	c.change(func(a *addition) {
		a.update.Steps, a.update.Done, a.update.Total, a.update.Rate = steps, 0, 0, 0
	})
}

// at is where a step stands; -1: it is none of this course.
func (c *course) at(s update.Step) int {
	return slices.IndexFunc(c.stages, func(x stage) bool { return x.step == s })
}

// progress shows a step that is done, and bytes as they arrive.
func (c *course) progress(p update.Progress) {
	if p.Step == update.Run {
		c.commits()
	}
	i := c.at(p.Step)
	if i < 0 {
		return
	}
	under := p.Step == update.Download && (p.Done != p.Total || p.Rate != 0)
	c.change(func(a *addition) {
		if p.Step == update.Download {
			a.update.Done, a.update.Total, a.update.Rate = p.Done, max(p.Total, p.Done), int64(p.Rate)
		}
		a.update.Steps = slices.Clone(a.update.Steps)
		if under {
			a.update.Steps[i].Result = status.CheckRunning
			return
		}
		a.update.Steps[i].Result, a.update.Steps[i].Detail = status.CheckOK, p.Note
		if i+1 < len(a.update.Steps) {
			a.update.Steps[i+1].Result = status.CheckRunning
		}
	})
}

// end shows how it went: which step did not hold, and what was not come to.
func (c *course) end(res update.Result, err error) {
	c.change(func(a *addition) {
		steps := slices.Clone(a.update.Steps)
		at := slices.IndexFunc(steps, func(s status.Check) bool { return s.Result == status.CheckRunning })
		e, ok := errors.AsType[*update.StepError](err)
		if ok && c.at(e.Step) >= 0 {
			at = c.at(e.Step)
		}
		rest := "not come to"
		if err == nil && c.action.Verb == status.InstallUpdate && !res.Changed {
			rest = "not needed: " + res.To + " is installed already"
		}
		for i := range steps {
			switch {
			case i < at:
				steps[i].Result = status.CheckOK // the download, whose content is judged by the next
			case at >= 0:
				steps[i].Result, steps[i].Detail = status.CheckSkipped, rest
			}
		}
		if err != nil {
			at = max(at, 0)
			steps[at].Result, steps[at].Detail = status.CheckFail, err.Error()
			steps[at].Fix, steps[at].Action = "Try again, or install by hand.", &c.action
			if ok {
				steps[at].Detail, steps[at].Fix = e.Cause.Error(), "Try again, or install by hand: "+e.Manual
				a.update.URL = e.Manual
			}
		}
		a.update.Steps = steps
	})
}
