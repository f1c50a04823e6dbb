package supervisor

import (
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
	Output  io.Writer // gets all that the child prints; nil: nobody

	// Before waits until the child may start, each time. Nil: it may.
	Before func(ctx context.Context) error
	// Ready asks whether the child serves. Nil: it does once it is started.
	Ready func(ctx context.Context) error
	// Live asks whether it still serves. Nil: as long as it runs.
	Live func(ctx context.Context) error
	// Stop asks the child to leave; it need not wait. Nil: it is signalled.
	Stop func(ctx context.Context) error

	Policy RestartPolicy  // without Steps: the default one
	Timing ProcessTiming  // zero fields: the usual times
	Report func(Report)   // called on each change, never twice at once
	Rand   func() float64 // [0, 1), for jitter; nil: random
	Log    *slog.Logger
	Now    func() time.Time
}

// ProcessTiming holds the waits around one run of a child.
type ProcessTiming struct {
	ReadyWithin time.Duration // else it is ended; 10 s
	ReadyEvery  time.Duration // between two questions; 100 ms
	LiveEvery   time.Duration // between two questions; 10 s
	LiveMisses  int           // questions without an answer until it is ended; 3
	Grace       time.Duration // between asking, TERM and KILL; 5 s
}

func (t ProcessTiming) withDefaults() ProcessTiming {
	if t.ReadyWithin == 0 {
		t.ReadyWithin = 10 * time.Second
	}
	if t.ReadyEvery == 0 {
		t.ReadyEvery = 100 * time.Millisecond
	}
	if t.LiveEvery == 0 {
		t.LiveEvery = 10 * time.Second
	}
	if t.LiveMisses == 0 {
		t.LiveMisses = 3
	}
	if t.Grace == 0 {
		t.Grace = 5 * time.Second
	}
	return t
}

// A Report is how a child is.
type Report struct {
	State    status.State
	Note     string // one line for a person; empty: nothing to say
	PID      int    // 0: it does not run
	Restarts int
	Exit     *Exit     // how it last ended; nil: it has not
	Stderr   []string  // the last lines that it wrote there, at most 50
	Next     time.Time // of the next start; zero: none is planned
}

// ExitError says that a child ended and is not started again.
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

	history         RestartHistory
	restartRequests chan struct{} // a person asks for a new start
	report          Report
}

// NewProcess returns a Process that Run starts.
func NewProcess(c ProcessConfig) *Process {
	c.Timing = c.Timing.withDefaults()
	if len(c.Policy.Steps) == 0 {
		c.Policy = DefaultRestartPolicy()
	}
	return &Process{ProcessConfig: c, history: RestartHistory{RestartPolicy: c.Policy, Rand: c.Rand}, restartRequests: make(chan struct{}, 1)}
}

// Restart starts the child anew: a running one is ended first, and a crash
// loop is forgotten. It does not wait.
func (p *Process) Restart() {
	select {
	case p.restartRequests <- struct{}{}:
	default:
	}
}

// Run keeps the child running until ctx ends, which ends the child, or until
// the child ends for good: nil after exit code 0, else an *ExitError.
func (p *Process) Run(ctx context.Context) error {
	for ; ; p.report.Restarts++ {
		if p.Before != nil {
			if err := p.Before(ctx); err != nil {
				return p.endRun(ctx, err)
			}
		}
		began := p.Now()
		exit, asked := p.runOnce(ctx)
		p.report.PID, p.report.Exit = 0, &exit
		if ctx.Err() != nil {
			return p.endRun(ctx, nil)
		}
		if asked {
			p.history.Reset()
			continue
		}
		ended := p.Now()
		final := exit.Final()
		var delay time.Duration
		var crashLoop bool
		if !final {
			delay, crashLoop = p.history.Failed(ended.Sub(began), ended)
		}
		p.Log.Warn("child ended", "part", p.Name, "exit", exit.String(), "ran", ended.Sub(began), "next_in", delay)
		if final {
			return p.endForGood(exit)
		}
		if !p.wait(ctx, delay, crashLoop) {
			return p.endRun(ctx, nil)
		}
	}
}

// wait waits for delay, which is shown, or until a person asks for a restart. A
// crash loop without a delay waits for the person. It returns false if ctx ends.
func (p *Process) wait(ctx context.Context, delay time.Duration, crashLoop bool) bool {
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
	case <-p.restartRequests:
		p.history.Reset()
	case <-ctx.Done():
		return false
	}
	return true
}

// runOnce runs the child one time. asked is true when a person wants it to be
// started anew.
func (p *Process) runOnce(ctx context.Context) (exit Exit, asked bool) {
	p.setState(status.Starting, "")
	c, err := p.start()
	if err != nil {
		return Exit{Code: 127, Reason: err.Error()}, false // as a shell says it
	}
	p.report.PID = c.pid
	checking, cancel := context.WithCancel(ctx)
	news := make(chan healthReport)
	checked := make(chan struct{})
	go func() {
		defer close(checked)
		p.watchHealth(checking, news)
	}()
	defer func() {
		cancel()
		<-checked
		p.report.Stderr = c.stderr.snapshot()
	}()
	for {
		select {
		case <-c.done:
			return c.exit, false
		case n := <-news:
			if n.endReason == "" {
				p.setState(n.state, n.note)
				continue
			}
			return p.endChild(c, n.endReason), false
		case <-p.restartRequests:
			return p.endChild(c, "asked to restart"), true
		case <-ctx.Done():
			return p.endChild(c, "asked to stop"), false
		}
	}
}

// endChild ends the child: it is asked, then told, then killed with its whole group.
func (p *Process) endChild(c *child, why string) Exit {
	p.setState(status.Stopping, why)
	steps := []func(context.Context) error{
		func(context.Context) error { return c.terminate() },
		func(context.Context) error { return c.kill() },
	}
	if p.Stop != nil {
		steps = append([]func(context.Context) error{p.Stop}, steps...)
	}
	for _, step := range steps {
		// ctx may have ended: that is why the child is to leave.
		grace, cancel := context.WithTimeout(context.Background(), p.Timing.Grace)
		if err := step(grace); err != nil {
			p.Log.Debug("child could not be told to leave", "part", p.Name, "error", err)
			cancel()
			continue // do not wait for what it has not heard
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

// endRun is the end of Run because ctx ended, or Before failed.
func (p *Process) endRun(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = nil
	}
	p.setState(status.Stopped, "")
	return err
}

// endForGood is the end of Run because the child ended for good.
func (p *Process) endForGood(exit Exit) error {
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
