package supervisor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// ProcessConfig is a child process that is to run.
type ProcessConfig struct {
	Name    string // for messages: "hub"
	Command []string
	Dir     string
	Env     []string
	Output  io.Writer // of the child; nil: discarded

	// Before waits until the child may start. It runs before each start. Nil: none.
	Before func(ctx context.Context) error
	// Ready checks whether the child serves. Nil: it does once it is started.
	Ready func(ctx context.Context) error
	// Live checks whether it still serves. Nil: it does while it runs.
	Live func(ctx context.Context) error
	// Stop asks the child to end and need not wait. Nil: it gets a signal.
	Stop func(ctx context.Context) error

	Policy RestartPolicy // without Steps: the default one
	Timing ProcessTiming // zero fields: the defaults
	Report func(Report)  // called on each change, never twice at once
	Log    *slog.Logger
	Now    func() time.Time
}

// ProcessTiming holds the waits around one run of a child.
type ProcessTiming struct {
	ReadyWithin time.Duration // or the child is ended; 10 s
	ReadyEvery  time.Duration // between two checks; 100 ms
	LiveEvery   time.Duration // between two checks; 10 s
	LiveMisses  int           // failed checks until it is ended; 3
	Grace       time.Duration // between Stop, SIGTERM and SIGKILL; 5 s
}

func (t ProcessTiming) withDefaults() ProcessTiming {
	t.ReadyWithin = cmp.Or(t.ReadyWithin, 10*time.Second)
	t.ReadyEvery = cmp.Or(t.ReadyEvery, 100*time.Millisecond)
	t.LiveEvery = cmp.Or(t.LiveEvery, 10*time.Second)
	t.LiveMisses = cmp.Or(t.LiveMisses, 3)
	t.Grace = cmp.Or(t.Grace, 5*time.Second)
	return t
}

// A Report is the state of a child.
type Report struct {
	State    status.State
	Note     string // one line for a person; empty: none
	PID      int    // 0: it does not run
	Restarts int
	Exit     *Exit     // how it last ended; nil: it has not
	Stderr   []string  // the last lines that it wrote there, at most 50
	Next     time.Time // of the next start; zero: none is planned
}

// ExitError is for a child that ended and is not started again.
type ExitError struct {
	Name   string
	Exit   Exit
	Stderr []string
}

func (e *ExitError) Error() string {
	text := fmt.Sprintf("run %s: %s", e.Name, e.Exit)
	if len(e.Stderr) > 0 {
		text += ": " + e.Stderr[len(e.Stderr)-1]
	}
	return text
}

// A Process keeps one child running, by its Policy.
type Process struct {
	ProcessConfig

	history RestartHistory
	report  Report
}

// NewProcess returns a Process that Run starts.
func NewProcess(c ProcessConfig) *Process {
	c.Timing = c.Timing.withDefaults()
	if len(c.Policy.Steps) == 0 {
		c.Policy = DefaultRestartPolicy()
	}
	return &Process{ProcessConfig: c, history: RestartHistory{RestartPolicy: c.Policy}}
}

// Run keeps the child running until ctx ends, which ends the child, or until
// the child ends for good: nil after exit code 0, else an *ExitError.
func (p *Process) Run(ctx context.Context) error {
	for ; ; p.report.Restarts++ {
		if p.Before != nil {
			if err := p.Before(ctx); err != nil {
				return p.reportStopped(ctx, err)
			}
		}
		began := p.Now()
		exit := p.runOnce(ctx)
		p.report.PID, p.report.Exit = 0, &exit
		if ctx.Err() != nil {
			return p.reportStopped(ctx, nil)
		}
		ended := p.Now()
		ran := ended.Sub(began)
		p.Log.Warn("child ended", "component", p.Name, "exit", exit.String(), "ran", ran)
		if exit.Final() {
			return p.reportFinalExit(exit)
		}
		delay, crashLoop := p.history.RecordExit(ran, ended)
		if !p.waitToRestart(ctx, delay, crashLoop) {
			return p.reportStopped(ctx, nil)
		}
	}
}

// waitToRestart waits for delay, and without one until ctx ends. It returns false if ctx
// ends.
func (p *Process) waitToRestart(ctx context.Context, delay time.Duration, crashLoop bool) bool {
	state, note := status.Failed, fmt.Sprintf("%s; starts again in %s", p.report.Exit, delay.Round(100*time.Millisecond))
	if crashLoop {
		state, note = status.CrashLoop, fmt.Sprintf("%s; ended %d times within %s", p.report.Exit, p.Policy.LoopExits, p.Policy.LoopWithin)
	}
	var timer <-chan time.Time
	if delay > 0 {
		p.report.Next = p.Now().Add(delay)
		t := time.NewTimer(delay)
		defer t.Stop()
		timer = t.C
	}
	p.setState(state, note)
	p.report.Next = time.Time{}
	select {
	case <-timer:
		return true
	case <-ctx.Done():
		return false
	}
}

// runOnce runs the child once.
func (p *Process) runOnce(ctx context.Context) Exit {
	p.setState(status.Starting, "")
	c, err := p.start()
	if err != nil {
		return Exit{Code: 127, Reason: err.Error()} // as in a shell
	}
	p.report.PID = c.pid
	checking, cancel := context.WithCancel(ctx)
	health := make(chan healthReport)
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		p.watchHealth(checking, health)
	}()
	defer func() {
		cancel()
		<-checked
		p.report.Stderr = c.stderr.lastLines()
	}()
	for {
		select {
		case <-c.done:
			return c.exit
		case n := <-health:
			if n.endReason == "" {
				p.setState(n.state, n.note)
				continue
			}
			return p.endChild(c, n.endReason)
		case <-ctx.Done():
			return p.endChild(c, "asked to stop")
		}
	}
}

// endChild ends the child: with Stop, then with SIGTERM, then it is killed with
// its whole process group.
func (p *Process) endChild(c *childProcess, why string) Exit {
	p.setState(status.Stopping, why)
	steps := []func(context.Context) error{
		func(context.Context) error { return c.terminate() },
		func(context.Context) error { return c.kill() },
	}
	if p.Stop != nil {
		steps = append([]func(context.Context) error{p.Stop}, steps...)
	}
	for _, step := range steps {
		// ctx may have ended, which is why the child has to end.
		grace, cancel := context.WithTimeout(context.Background(), p.Timing.Grace)
		if err := step(grace); err != nil {
			p.Log.Debug("child could not be asked to end", "component", p.Name, "error", err)
			cancel()
			continue // there is nothing to wait for
		}
		select {
		case <-c.done:
		case <-grace.Done():
		}
		cancel()
		if c.ended() {
			break
		}
	}
	<-c.done // killed, if nothing else
	exit := c.exit
	exit.Reason = why
	return exit
}

// reportStopped is the end of Run because ctx ended, or Before failed.
func (p *Process) reportStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = nil
	}
	p.setState(status.Stopped, "")
	return err
}

// reportFinalExit is the end of Run because the child is not restarted.
func (p *Process) reportFinalExit(exit Exit) error {
	if exit.Code == 0 {
		p.setState(status.Stopped, "")
		return nil
	}
	err := &ExitError{Name: p.Name, Exit: exit, Stderr: p.report.Stderr}
	p.setState(status.Failed, strings.TrimPrefix(err.Error(), "run "+p.Name+": "))
	return err
}

func (p *Process) setState(state status.State, note string) {
	p.report.State, p.report.Note = state, note
	if p.Report != nil {
		p.Report(p.report)
	}
}
