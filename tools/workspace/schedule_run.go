package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// scheduledScriptFailed is about the newest run of each script.
var scheduledScriptFailed = status.ProblemType{
	Code: "workspace.schedule", Severity: status.Warning,
	Description: "The newest run of a script that has a schedule failed, or needed an approval that nobody gave. It wrote nothing, and runs " +
		"again at its next time.",
	Title: "scheduled script {script} in {source} failed: {why}",
	Fix: "`lectern script run NAME` shows what is wrong with the script, `lectern grants` what it may do; `lectern script unschedule " +
		"NAME` ends its schedule.",
}

// A scriptScheduler runs scripts at their times, each at most once at a time.
type scriptScheduler struct {
	*Workspaces
	ended chan struct{} // cap 1: a run has ended
	runs  sync.WaitGroup

	mu      sync.Mutex
	running map[string]bool
	began   map[string]time.Time // the newest run, also one that could not be kept
	failed  map[string]string    // why, by script
}

func (w *Workspaces) newScheduler() *scriptScheduler {
	return &scriptScheduler{
		Workspaces: w, ended: make(chan struct{}, 1), running: map[string]bool{}, began: map[string]time.Time{}, failed: map[string]string{},
	}
}

// wakeSchedule has schedules read now.
func (w *Workspaces) wakeSchedule() {
	select {
	case w.scheduled <- struct{}{}:
	default: // they will be
	}
}

// Run implements [tools.Runner]: it runs scripts by their schedules, and keeps the
// index of words short. While there is a schedule, the hub stays.
func (w *Workspaces) Run(ctx context.Context) error {
	if w.calls == nil {
		return nil
	}
	s := w.newScheduler()
	defer s.runs.Wait()
	release := func() {}
	defer func() { release() }()
	held := false
	for {
		next, any, err := s.startDue(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if any != held {
			release()
			if release = func() {}; any {
				release = w.report.BlockIdleExit("scripts have a schedule")
			}
			held = any
		}
		if err := w.store.MergeWords(ctx); err != nil && ctx.Err() == nil {
			return err
		}
		timer := time.NewTimer(min(max(next.Sub(w.now()), 0), shortestSchedule))
		select {
		case <-timer.C:
		case <-w.scheduled:
		case <-s.ended:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// startDue starts what is due, and returns when it must be called again and whether
// there are schedules. What was missed while no hub ran is made up for once.
func (s *scriptScheduler) startDue(ctx context.Context) (next time.Time, any bool, err error) {
	now := s.now()
	next = now.Add(shortestSchedule)
	list, err := s.schedules(ctx)
	if err != nil {
		return next, false, err
	}
	s.showFailures(list)
	for _, one := range list {
		due, err := one.next(one.last.In(now.Location()))
		if err != nil {
			return next, false, err
		}
		if !due.After(now) {
			s.start(ctx, one, now)
		} else if due.Before(next) {
			next = due
		}
	}
	return next, len(list) > 0, nil
}

func (s *scriptScheduler) start(ctx context.Context, one scheduledScript, now time.Time) {
	label := one.label(s.name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[label] || now.Sub(s.began[label]) < shortestSchedule {
		return
	}
	s.running[label], s.began[label] = true, now
	s.runs.Go(func() {
		err := s.runOnce(ctx, one, now)
		s.mu.Lock()
		delete(s.running, label)
		delete(s.failed, label)
		if err != nil && ctx.Err() == nil {
			s.failed[label] = failureReason(err)
		}
		s.mu.Unlock()
		select {
		case s.ended <- struct{}{}:
		default:
		}
	})
}

// runOnce runs a script unless another hub does. The time is kept before the run, so
// that a script which ends the hub is not run again and again.
func (s *scriptScheduler) runOnce(ctx context.Context, one scheduledScript, now time.Time) error {
	run := scheduledRun{At: now.UTC()}
	if begins, err := s.keepRun(ctx, one, run); err != nil || !begins {
		return err
	}
	err := s.callScript(ctx, one)
	switch {
	case ctx.Err() != nil:
		return err // with the hub
	case err != nil:
		run.Outcome, run.Why = failed, failureReason(err)
	default:
		run.Outcome = succeeded
	}
	_, notKept := s.keepRun(ctx, one, run)
	return errors.Join(err, notKept)
}

// keepRun writes how far the newest run is; false: another hub has written its own.
func (s *scriptScheduler) keepRun(ctx context.Context, one scheduledScript, run scheduledRun) (bool, error) {
	body, err := tools.PlainJSON(run)
	if err != nil {
		return false, err
	}
	draft := s.store.Begin(notestore.View{})
	if err := draft.Put(ctx, notestore.Document{
		Workspace: one.workspace, Kind: notestore.ScheduledRunKind, ID: one.name, Body: string(body),
	}); err != nil {
		return false, err
	}
	err = draft.Commit(ctx)
	if _, other := errors.AsType[*notestore.ConflictError](err); other {
		return false, nil
	}
	return err == nil, err
}

// maxReason is how much of an error is kept of a run, in bytes.
const maxReason = 200

// failureReason is an error on one line.
func failureReason(err error) string {
	return safetext.Truncate(strings.Join(strings.Fields(tools.AsError(err).Message), " "), maxReason)
}

// callScript calls run_script as the client of a script.
func (s *scriptScheduler) callScript(ctx context.Context, one scheduledScript) error {
	script, err := findScript(ctx, s.Workspaces, one.workspace, one.name)
	if err != nil {
		return err
	}
	args, err := json.Marshal(ScriptIn{Code: script.Code, Language: script.Language, WorkspaceID: ID(one.workspace)})
	if err != nil {
		return err
	}
	_, err = s.calls.CallAs(ctx, "script:"+one.label(s.name), "run_script", args)
	return err
}

// showFailures shows the scripts whose newest run failed, as far as they still have a
// schedule.
func (s *scriptScheduler) showFailures(list []scheduledScript) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range list { // also of runs before this hub, and of another
		if label := one.label(s.name); one.ran && one.newest.Outcome == failed && !s.running[label] {
			s.failed[label] = one.newest.Why
		}
	}
	maps.DeleteFunc(s.failed, func(label, _ string) bool {
		return !slices.ContainsFunc(list, func(one scheduledScript) bool { return one.label(s.name) == label })
	})
	if len(s.failed) == 0 {
		s.report.Clear(scheduledScriptFailed)
		return
	}
	names := slices.Sorted(maps.Keys(s.failed))
	s.report.Raise(scheduledScriptFailed, status.Args{"script": strings.Join(names, ", "), "why": s.failed[names[0]]})
}
