//go:build linux

package supervisor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
)

// childEnv makes the test binary a child that behaves as its value says.
const childEnv = "LECTERN_TEST_CHILD"

func TestMain(m *testing.M) {
	if how := os.Getenv(childEnv); how != "" {
		os.Exit(childMain(how, os.Args[1:]))
	}
	os.Exit(m.Run())
}

func childMain(how string, args []string) int {
	how, arg, _ := strings.Cut(how, " ")
	switch how {
	case "fail":
		for i := range 60 {
			fmt.Fprintln(os.Stderr, "line", i)
		}
		code, _ := strconv.Atoi(arg)
		return code
	case "serve": // until TERM
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		fmt.Println("pid", os.Getpid())
		<-ctx.Done()
		return 0
	case "stubborn": // and so is its child, which holds our stdout
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("pid", os.Getpid())
		if arg != "" {
			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), childEnv+"=stubborn")
			child.Stdout = os.Stdout
			if err := child.Start(); err != nil {
				return 1
			}
			if arg == "leaves" {
				return 3
			}
		}
		select {}
	case "lifeline":
		gone, err := WatchLifeline(os.Getenv(LifelineEnv))
		if err != nil {
			return 1
		}
		signal.Ignore(syscall.SIGTERM) // so that only the lifeline ends it
		fmt.Println("pid", os.Getpid())
		<-gone
		return 0
	case "supervise":
		p := NewProcess(ProcessConfig{
			Name: "child", Command: []string{os.Args[0]}, Env: append(os.Environ(), childEnv+"="+args[0]), Output: os.Stdout,
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		_ = p.Run(context.Background())
	}
	return 0
}

// testProcess is a Process under test: what it reports, and what it prints.
type testProcess struct {
	*Process

	t       *testing.T
	reports chan Report
	pids    chan int
	done    chan error
	stop    context.CancelFunc
}

func startProcess(t *testing.T, how string, with func(*ProcessConfig)) *testProcess {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	w := &testProcess{t: t, reports: make(chan Report, 256), pids: make(chan int, 16), done: make(chan error, 1), stop: cancel}
	c := ProcessConfig{
		Name: "child", Command: []string{os.Args[0]}, Env: append(os.Environ(), childEnv+"="+how), Output: w,
		Policy: RestartPolicy{Steps: []time.Duration{time.Millisecond}, Healthy: time.Minute, LoopExits: 3, LoopWithin: time.Minute},
		Timing: ProcessTiming{ReadyEvery: 5 * time.Millisecond, LiveEvery: 5 * time.Millisecond, Grace: 200 * time.Millisecond},
		Report: func(r Report) { w.reports <- r }, Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	if with != nil {
		with(&c)
	}
	w.Process = NewProcess(c)
	go func() { w.done <- w.Run(ctx) }()
	t.Cleanup(cancel)
	return w
}

func (w *testProcess) Write(p []byte) (int, error) {
	for line := range strings.Lines(string(p)) {
		if pid, ok := strings.CutPrefix(strings.TrimSpace(line), "pid "); ok {
			n, _ := strconv.Atoi(pid)
			w.pids <- n
		}
	}
	return len(p), nil
}

// until returns the first report with state.
func (w *testProcess) until(state status.State) Report {
	w.t.Helper()
	deadline := time.After(runtest.Timeout)
	for {
		select {
		case r := <-w.reports:
			if r.State == state {
				return r
			}
		case <-deadline:
			w.t.Fatalf("was never %s", state)
		}
	}
}

func (w *testProcess) result() error {
	w.t.Helper()
	return runtest.Receive(w.t, "Run returns", w.done)
}

// mustEnd waits for a process that may be nobody's child here.
func mustEnd(t *testing.T, pid int) {
	t.Helper()
	if !runtest.Until(func() bool {
		cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return err != nil || len(cmdline) == 0
	}) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
		t.Errorf("process %d is left behind", pid)
	}
}

func TestProcessStops(t *testing.T) {
	w := startProcess(t, "serve", nil)
	pid := <-w.pids
	if r := w.until(status.Ready); r.PID != pid {
		t.Errorf("reports pid %d, want %d", r.PID, pid)
	}
	w.stop()
	w.until(status.Stopped)
	if err := w.result(); err != nil {
		t.Error(err)
	}
	mustEnd(t, pid)
}

func TestProcessIsAskedFirst(t *testing.T) {
	asked := make(chan int, 1)
	var pid int
	w := startProcess(t, "serve", func(c *ProcessConfig) {
		c.Timing.Grace = 10 * time.Second
		c.Stop = func(context.Context) error {
			asked <- pid
			return syscall.Kill(pid, syscall.SIGTERM)
		}
	})
	pid = <-w.pids
	w.stop()
	if err := w.result(); err != nil || len(asked) != 1 {
		t.Errorf("Run: %v; asked %d times, want once", err, len(asked))
	}
}

func TestStubbornGroupIsKilled(t *testing.T) {
	w := startProcess(t, "stubborn too", nil)
	pids := []int{<-w.pids, <-w.pids}
	w.stop()
	if err := w.result(); err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		mustEnd(t, pid)
	}
}

// TestGrandchildHoldsPipe: the end of the child is noticed although its own
// child still holds stdout.
func TestGrandchildHoldsPipe(t *testing.T) {
	w := startProcess(t, "stubborn leaves", func(c *ProcessConfig) { c.Policy.LoopExits = 1 })
	w.until(status.CrashLoop)
	mustEnd(t, <-w.pids)
	mustEnd(t, <-w.pids)
}

func TestCrashLoop(t *testing.T) {
	w := startProcess(t, "fail 3", nil)
	r := w.until(status.CrashLoop)
	if r.Restarts != 2 || r.Exit == nil || r.Exit.Code != 3 || !r.Next.IsZero() {
		t.Errorf("%+v", r)
	}
	if len(r.Stderr) != 50 || r.Stderr[49] != "line 59" {
		t.Errorf("kept %d lines, the last is %q", len(r.Stderr), r.Stderr[len(r.Stderr)-1])
	}
	w.stop()
	if err := w.result(); err != nil {
		t.Error(err)
	}
}

func TestExitForGood(t *testing.T) {
	w := startProcess(t, "fail 78", nil)
	err := w.result()
	exit, ok := errors.AsType[*ExitError](err)
	if !ok || exit.Exit.Code != 78 || !strings.HasSuffix(err.Error(), "line 59") {
		t.Errorf("Run: %v", err)
	}
	if w := startProcess(t, "fail 0", nil); w.result() != nil {
		t.Error("exit code 0 is an error")
	}
}

func TestMissingProgram(t *testing.T) {
	w := startProcess(t, "", func(c *ProcessConfig) { c.Command = []string{filepath.Join(t.TempDir(), "absent")} })
	if r := w.until(status.CrashLoop); !strings.Contains(r.Note, "no such file") {
		t.Errorf("note %q", r.Note)
	}
}

func TestNeverReady(t *testing.T) {
	w := startProcess(t, "serve", func(c *ProcessConfig) {
		c.Timing.ReadyWithin = 20 * time.Millisecond
		c.Ready = func(context.Context) error { return errors.New("no answer on its socket") }
	})
	r := w.until(status.Failed)
	if want := "not ready within 20ms: no answer on its socket"; r.Exit == nil || r.Exit.Reason != want {
		t.Errorf("exit %v, want %q", r.Exit, want)
	}
}

func TestNoLongerLive(t *testing.T) {
	answers := make(chan error, 8)
	for _, err := range []error{nil, errors.New("hangs"), nil, errors.New("hangs"), errors.New("hangs"), errors.New("hangs")} {
		answers <- err
	}
	w := startProcess(t, "serve", func(c *ProcessConfig) {
		c.Live = func(context.Context) error { return <-answers }
	})
	w.until(status.Ready)
	w.until(status.Degraded)
	w.until(status.Ready)
	if r := w.until(status.Failed); r.Exit.Reason != "does not answer: hangs" {
		t.Errorf("exit %v", r.Exit)
	}
	close(answers)
}

func TestBeforeIsWaitedFor(t *testing.T) {
	free := make(chan struct{})
	w := startProcess(t, "serve", func(c *ProcessConfig) {
		c.Before = func(ctx context.Context) error {
			select {
			case <-free:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	})
	if len(w.pids) != 0 {
		t.Error("started before it might")
	}
	close(free)
	<-w.pids
}

// TestSupervisorIsKilled: neither a child that obeys signals nor one that only
// watches its lifeline outlives its supervisor.
func TestSupervisorIsKilled(t *testing.T) {
	for _, how := range []string{"serve", "lifeline"} {
		t.Run(how, func(t *testing.T) {
			out := &testProcess{pids: make(chan int, 1)}
			sup := exec.Command(os.Args[0], how)
			sup.Env = append(os.Environ(), childEnv+"=supervise")
			sup.Stdout = out
			sup.WaitDelay = time.Second
			if err := sup.Start(); err != nil {
				t.Fatal(err)
			}
			pid := <-out.pids
			if err := sup.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = sup.Wait()
			mustEnd(t, pid)
		})
	}
}

// TestThreadsMayEnd: a child must not die with some thread of its parent.
func TestThreadsMayEnd(t *testing.T) {
	w := startProcess(t, "serve", nil)
	pid := <-w.pids
	for range 50 {
		ended := make(chan struct{})
		go func() {
			runtime.LockOSThread() // never unlocked: the thread ends with us
			close(ended)
		}()
		<-ended
	}
	conn, err := net.Listen("unix", filepath.Join(t.TempDir(), "s")) // some system calls on other threads
	if err == nil {
		_ = conn.Close()
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the child is gone: %v", err)
	}
	if r := w.until(status.Ready); r.Restarts != 0 {
		t.Error("the child was restarted")
	}
}

func TestLifelineValue(t *testing.T) {
	if gone, err := WatchLifeline(""); gone != nil || err != nil {
		t.Errorf("no lifeline: %v, %v", gone, err)
	}
	for _, bad := range []string{"x", "0", "-1"} {
		if _, err := WatchLifeline(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestOutputTail(t *testing.T) {
	var got outputTail
	for _, piece := range []string{"a\nb", "c\r\n", strings.Repeat("x", 3000), "y\n\nend"} {
		if _, err := got.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a", "bc", strings.Repeat("x", maxTailLineBytes), "", "end"}
	if lines := got.lastLines(); strings.Join(lines, "|") != strings.Join(want, "|") {
		t.Errorf("%q", lines)
	}
}
