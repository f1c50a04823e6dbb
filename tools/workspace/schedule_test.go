package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A scheduleBench is a source whose clock a test sets, and a hub that calls it.
type scheduleBench struct {
	tools.ClientCaller // no script has it write

	testing.TB
	source *tools.OpenedSource
	w      *Workspaces
	mu     sync.Mutex
	now    time.Time
	calls  []string
	fail   error
	shown  string // Problem
}

func newScheduleBench(t *testing.T) *scheduleBench {
	dir, _ := newWelcome(t, "ws", "other")
	b := &scheduleBench{TB: t, now: time.Date(2026, 11, 3, 6, 0, 0, 0, time.UTC)}
	env := tools.Env{Name: "ws", Now: b.clock, Calls: b, Report: b}
	source, err := System().Open(t.Context(), fmt.Appendf(nil, `{"folder":%q}`, dir), env)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = source.Close() })
	runner, ok := tools.As[*Workspaces](source)
	if !ok {
		t.Fatal("the source cannot be had")
	}
	b.source, b.w = source, runner
	return b
}

func (b *scheduleBench) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// CallAs implements [tools.ClientCaller].
func (b *scheduleBench) CallAs(ctx context.Context, client, tool string, args json.RawMessage) (tools.Result, error) {
	b.mu.Lock()
	b.calls = append(b.calls, client+" "+tool)
	fail := b.fail
	b.mu.Unlock()
	if fail != nil {
		return tools.Result{}, fail
	}
	return b.source.Call(ctx, tools.CallContext{Identity: tools.Identity{Client: client}, Sources: callerOf{&scriptBench{TB: b, OpenedSource: b.source}}}, tool, args)
}

func (b *scheduleBench) Progress(string, int64, int64) {}
func (b *scheduleBench) BlockIdleExit(string) func()   { return func() {} }
func (b *scheduleBench) Clear(status.ProblemType)      { b.shown = "" }
func (b *scheduleBench) Raise(p status.ProblemType, args status.Args) {
	b.shown = p.Code + ": " + args["script"] + ": " + args["why"]
}

func (b *scheduleBench) command(name string, args map[string]string) string {
	b.Helper()
	var out strings.Builder
	if err := b.source.Command(b.Context(), name, tools.CommandCall{Args: args}, &out); err != nil {
		return err.Error()
	}
	return out.String()
}

// pass lets time pass, and returns which clients have called when all runs ended.
func (b *scheduleBench) pass(s *scriptScheduler, d time.Duration) []string {
	b.Helper()
	b.mu.Lock()
	b.now, b.calls = b.now.Add(d), nil
	b.mu.Unlock()
	if _, _, err := s.startDue(b.Context()); err != nil {
		b.Fatal(err)
	}
	s.runs.Wait()
	return b.calls
}

// A script runs at its times as a client of its own, once for all that was missed;
// one that fails is shown until it succeeds or has no schedule.
func TestSchedule(t *testing.T) {
	b := newScheduleBench(t)
	file := t.TempDir() + "/count.js"
	writeScript(t, file, "kb.notes.create({ markdown: '# Count ' + kb.notes.list().length })")
	for _, workspace := range []string{"ws", "other"} {
		b.command("script save", map[string]string{"name": "count", "file": file, "workspace": workspace})
	}
	for args, want := range map[[2]string]string{
		{"none", "15m"}: "no script named", {"count", "15s"}: "not a time for a schedule", {"count", "25:00"}: "not a time for a schedule",
		{"count", "15m"}: "count runs every 15m0s as the client script:ws/count, next on 2026-11-03 06:15:00",
	} {
		if said := b.command("script schedule", map[string]string{"name": args[0], "when": args[1]}); !strings.Contains(said, want) {
			t.Errorf("%v: %q, want %q", args, said, want)
		}
	}
	b.command("script schedule", map[string]string{"name": "count", "when": "07:30", "workspace": "other"})
	s := b.w.newScheduler()
	mine, others := "script:count run_script", "script:other/count run_script" // the hub adds the source
	for _, step := range []struct {
		pass time.Duration
		want []string
	}{
		{14 * time.Minute, nil},
		{time.Minute, []string{mine}},
		{0, nil},
		{14 * time.Minute, nil},
		{time.Hour, []string{mine}},
		{time.Minute, []string{others}}, // 07:30; mine has missed four times
		{72 * time.Hour, []string{mine, others}},
	} {
		got := b.pass(s, step.pass)
		slices.Sort(got)
		if !slices.Equal(got, step.want) {
			t.Errorf("after %s: %v, want %v", step.pass, got, step.want)
		}
	}
	if list := b.command("script schedules", nil); !strings.Contains(list, "other/count") || !strings.Contains(list, "daily at 07:30") {
		t.Errorf("listed: %s", list)
	}

	again := b.w.newScheduler() // another process: it knows the runs from the database
	if got := b.pass(again, 0); len(got) != 0 {
		t.Errorf("run a second time: %v", got)
	}

	b.fail = tools.Errorf(tools.Denied, "was not approved")
	b.pass(s, 15*time.Minute)
	b.pass(s, 0)
	if b.shown != "workspace.schedule: count: was not approved" {
		t.Errorf("shown: %q", b.shown)
	}
	if list := b.command("script schedules", nil); !strings.Contains(list, "failed: was not approved") || !strings.Contains(list, "07:30:00 succeeded") {
		t.Errorf("listed after a failure: %s", list)
	}
	b.shown = ""
	if b.pass(b.w.newScheduler(), 0); b.shown != "workspace.schedule: count: was not approved" {
		t.Errorf("shown by a process that begins after the failure: %q", b.shown)
	}
	b.fail = nil
	b.pass(s, 15*time.Minute)
	if b.pass(s, 0); b.shown != "" {
		t.Errorf("shown after it succeeded: %q", b.shown)
	}
	b.fail = tools.Errorf(tools.Denied, "was not approved")
	b.pass(s, 15*time.Minute)
	if said := b.command("script unschedule", map[string]string{"name": "count"}); !strings.Contains(said, "no longer has a schedule") {
		t.Error(said)
	}
	if b.pass(s, time.Hour); b.shown != "" || len(b.calls) != 0 {
		t.Errorf("shown without a schedule: %q; calls %v", b.shown, b.calls)
	}
}

// Run starts what is due, and ends with its context although a run waits.
func TestScheduleRun(t *testing.T) {
	b := newScheduleBench(t)
	file := t.TempDir() + "/one.js"
	writeScript(t, file, "1")
	b.command("script save", map[string]string{"name": "one", "file": file})
	b.command("script schedule", map[string]string{"name": "one", "when": "1m"})
	b.now = b.now.Add(time.Hour)
	called := make(chan struct{})
	b.w.calls = waitingCaller{called: called}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.w.Run(ctx) }()
	<-called
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A waitingCaller makes a call that a person is asked about.
type waitingCaller struct {
	tools.ClientCaller // no script has it write

	called chan struct{}
}

func (c waitingCaller) CallAs(ctx context.Context, _, _ string, _ json.RawMessage) (tools.Result, error) {
	close(c.called)
	<-ctx.Done()
	return tools.Result{}, ctx.Err()
}

func writeScript(t *testing.T, file, code string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
}
