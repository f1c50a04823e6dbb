package thismachine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lectern-mcp/lectern/installer/update"
	"github.com/lectern-mcp/lectern/status"
)

// An updateStep is a step of an update as the panel shows it.
type updateStep struct {
	step  update.Step
	title string
}

func stepsOfUpdate(v status.Verb) []updateStep {
	list := []updateStep{
		{update.Signature, "The list of files is signed"},
		{update.Version, "and belongs to the requested version"},
		{update.Download, "Download"},
		{update.Checksum, "The archive matches its checksum"},
		{update.Extract, "It contains the binary and nothing unexpected"},
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

// An updateRun is an update in progress.
type updateRun struct {
	*Machine

	action status.Action
	steps  []updateStep
	commit func() // called when the update must no longer be cancelled
}

// runUpdate checks, updates or rolls back, and shows each step when it is done.
func (m *Machine) runUpdate(ctx context.Context, a status.Action) (err error) {
	if !m.updating.TryLock() {
		return errors.New("update lectern: an update is already running; wait until it ends")
	}
	defer m.updating.Unlock()
	conf, err := m.conf.Updates()
	if err != nil {
		return fmt.Errorf("update lectern: %w", err)
	}
	ctx, done := m.newUpdateContext(ctx)
	defer done()
	r := &updateRun{Machine: m, action: a, steps: stepsOfUpdate(a.Verb), commit: done}
	conf.Progress = r.showProgress
	u, err := update.New(conf)
	if err != nil {
		return err
	}
	r.showPendingSteps()
	var res update.Result
	switch a.Verb {
	case status.CheckUpdate:
		var state update.State
		if state, err = u.Check(ctx); err == nil && state.Managed != "" {
			_ = m.checkUpdatable(ctx, u) // remembers the reason; a check installs nothing
		}
	case status.RollBack:
		res, err = u.Rollback(ctx, false)
	default:
		res, err = u.Apply(ctx, update.ApplyOptions{Version: a.Target})
	}
	r.showResult(res, err)
	m.scan(context.WithoutCancel(ctx))
	m.showReleases(u)
	if e, ok := errors.AsType[*update.StepError](err); ok {
		err = fmt.Errorf("%w; to install by hand: %s", err, e.Manual)
	}
	return err
}

// newUpdateContext is a context that ends with ctx and when the panel is closed,
// until done is called: a swap that has begun is completed.
func (m *Machine) newUpdateContext(ctx context.Context) (_ context.Context, done func()) {
	detached, cancel := context.WithCancel(context.WithoutCancel(ctx))
	detach := context.AfterFunc(ctx, cancel)
	m.mu.Lock()
	m.cancelUpdate = cancel
	m.mu.Unlock()
	return detached, func() {
		detach()
		m.mu.Lock()
		m.cancelUpdate = nil
		m.mu.Unlock()
	}
}

// StopUpdate cancels an update that can be cancelled, and waits for one that
// cannot.
func (m *Machine) StopUpdate() {
	m.mu.Lock()
	if m.cancelUpdate != nil {
		m.cancelUpdate()
	}
	m.mu.Unlock()
	if !m.updating.TryLock() {
		m.conf.Warn("finishing the update; this takes seconds")
		m.updating.Lock()
	}
	m.updating.Unlock()
}

// showPendingSteps shows all steps, none of them done.
func (r *updateRun) showPendingSteps() {
	steps := []status.Check{}
	for _, s := range r.steps {
		steps = append(steps, status.Check{Name: "update." + string(s.step), Title: s.title, Result: status.CheckPending})
	}
	steps[0].Result = status.CheckRunning
	r.changeLocalState(func(l *machineSnapshot) {
		l.update.Steps, l.update.Done, l.update.Total, l.update.Rate = steps, 0, 0, 0
	})
}

// index is the position of a step; -1: it is not part of this run.
func (r *updateRun) index(s update.Step) int {
	return slices.IndexFunc(r.steps, func(x updateStep) bool { return x.step == s })
}

// showProgress shows steps that are done, and bytes as they arrive.
func (r *updateRun) showProgress(p update.Progress) {
	if p.Step == update.Run {
		r.commit()
	}
	i := r.index(p.Step)
	if i < 0 {
		return
	}
	running := p.Step == update.Download && (p.Done != p.Total || p.Rate != 0)
	r.changeLocalState(func(l *machineSnapshot) {
		if p.Step == update.Download {
			l.update.Done, l.update.Total, l.update.Rate = p.Done, max(p.Total, p.Done), int64(p.Rate)
		}
		l.update.Steps = slices.Clone(l.update.Steps)
		if running {
			l.update.Steps[i].Result = status.CheckRunning
			return
		}
		l.update.Steps[i].Result, l.update.Steps[i].Detail = status.CheckOK, p.Note
		if i+1 < len(l.update.Steps) {
			l.update.Steps[i+1].Result = status.CheckRunning
		}
	})
}

// showResult shows which step failed, and which were skipped.
func (r *updateRun) showResult(res update.Result, err error) {
	r.changeLocalState(func(l *machineSnapshot) {
		steps := slices.Clone(l.update.Steps)
		at := slices.IndexFunc(steps, func(s status.Check) bool { return s.Result == status.CheckRunning })
		e, ok := errors.AsType[*update.StepError](err)
		if ok && r.index(e.Step) >= 0 {
			at = r.index(e.Step)
		}
		skipped := "skipped"
		if err == nil && r.action.Verb == status.InstallUpdate && !res.Changed {
			skipped = "not needed: " + res.To + " is already installed"
		}
		for i := range steps {
			switch {
			case i < at:
				steps[i].Result = status.CheckOK // the download, whose content the next step checks
			case at >= 0:
				steps[i].Result, steps[i].Detail = status.CheckSkipped, skipped
			}
		}
		if err != nil {
			at = max(at, 0)
			steps[at].Result, steps[at].Detail = status.CheckFail, err.Error()
			steps[at].Fix, steps[at].Action = "Try again, or install by hand.", &r.action
			if ok {
				steps[at].Detail, steps[at].Fix = e.Cause.Error(), "Try again, or install by hand: "+e.Manual
				l.update.URL = e.Manual
			}
		}
		l.update.Steps = steps
	})
}
