//go:build linux

package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/status/statustest"
)

func TestClientSuite(t *testing.T) {
	statustest.Run(t, func(t *testing.T, f *statustest.Fake) status.Client {
		w := newHubTest(t)
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() {
			ended <- Run(ctx, HubConfig{
				Paths: w.paths(), Control: loopback.Handler(f), Busy: func() (int, int) { return 0, 0 },
				Attach: func(context.Context, Hello, net.Conn) error { return nil },
				Log:    slog.New(slog.DiscardHandler), Now: time.Now,
			})
		}()
		t.Cleanup(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		w.until("the hub to answer", func() bool { _, err := GetHealth(ctx, w.paths()); return err == nil })
		return Client(w.config())
	})
}

// waitForSnapshot waits for a snapshot of which ok is true.
func waitForSnapshot(t *testing.T, shots <-chan status.Snapshot, what string, ok func(status.Snapshot) bool) status.Snapshot {
	t.Helper()
	deadline := time.After(runtest.Timeout)
	for {
		select {
		case s := <-shots:
			if ok(s) {
				return s
			}
		case <-deadline:
			t.Fatalf("saw no snapshot: %s", what)
		}
	}
}

func inState(state status.State) func(status.Snapshot) bool {
	return func(s status.Snapshot) bool { return s.Hub.State == state }
}

func TestClientOutlivesHubs(t *testing.T) {
	w := newHubTest(t)
	c := w.config()
	c.Offline = func() status.Snapshot { return status.Snapshot{Hub: status.Hub{Config: "/c/config.toml"}} }
	client := Client(c)
	ctx, cancel := context.WithCancel(t.Context())
	shots, err := client.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if s := waitForSnapshot(t, shots, "stopped at first", inState(status.Stopped)); s.Hub.Config != "/c/config.toml" {
		t.Errorf("without a hub: %+v", s.Hub)
	}
	lines, err := status.Open(ctx, client, status.LogsQuery, status.LogFilter{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	calls, err := status.Open(ctx, client, status.CallsQuery, status.CallFilter{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := status.Open(ctx, client, status.CallsQuery, status.CallFilter{}); !errors.Is(err, ErrNoHub) {
		t.Errorf("calls without a hub: %v", err)
	}
	for _, verb := range []status.Verb{status.StopHub, status.PinHub} {
		if err := client.Do(ctx, status.Action{Verb: verb}); !errors.Is(err, ErrNoHub) {
			t.Errorf("%s without a hub: %v", verb, err)
		}
	}
	if err := client.Do(ctx, status.Action{Verb: status.StartHub}); err != nil {
		t.Fatal(err)
	}
	first := waitForSnapshot(t, shots, "ready after the start", inState(status.Ready)).Hub.PID
	if line := <-lines; line.Text != fmt.Sprint("this is ", first) {
		t.Errorf("first hub's log: %q", line.Text)
	}
	if call := <-calls; call.Session != fmt.Sprint(first) {
		t.Errorf("first hub's call: %+v", call)
	}
	if err := client.Do(ctx, status.Action{Verb: status.RestartHub}); err != nil {
		t.Fatal(err)
	}
	second := waitForSnapshot(t, shots, "another hub", func(s status.Snapshot) bool { return s.Hub.State == status.Ready && s.Hub.PID != first }).Hub.PID
	if line := <-lines; line.Text != fmt.Sprint("this is ", second) {
		t.Errorf("second hub's log: %q", line.Text)
	}
	if call := <-calls; call.Session != fmt.Sprint(second) {
		t.Errorf("second hub's call: %+v", call)
	}
	agent := w.connect()
	w.until("the agent to be seen", func() bool { v, err := GetHealth(ctx, w.paths()); return err == nil && v.Sessions == 1 })
	plan, err := client.Preview(ctx, status.Action{Verb: status.StopHub})
	if err != nil || len(plan.Risks) != 1 || !strings.HasPrefix(plan.Risks[0], "1 agents") {
		t.Errorf("plan to stop: %+v, %v", plan, err)
	}
	if err := client.Do(ctx, status.Action{Verb: status.StopHub}); err != nil {
		t.Fatal(err)
	}
	agent.expectEnd()
	waitForSnapshot(t, shots, "stopped in the end", inState(status.Stopped))
	cancel()
	for range shots { // it is closed
	}
}

// supervise runs Supervise and returns how it ends.
func (w *hubTest) supervise(ctx context.Context) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- Supervise(ctx, w.config()) }()
	return ended
}

// hub waits for a hub other than not to answer.
func (w *hubTest) hub(not int) int {
	w.t.Helper()
	var pid int
	w.until("a hub to answer", func() bool {
		v, err := GetHealth(w.t.Context(), w.paths())
		pid = v.PID
		return err == nil && pid != not
	})
	return pid
}

func TestSupervise(t *testing.T) {
	w := newHubTest(t)
	w.Idle = time.Millisecond // which a service does not mind
	ended := w.supervise(t.Context())
	first := w.hub(0)
	if err := syscall.Kill(first, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	second := w.hub(first)
	if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{Restart: true}); err != nil {
		t.Fatal(err)
	}
	third := w.hub(second)
	if _, err := StopHubAndWait(t.Context(), w.paths(), StopRequest{}); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("Supervise: %v", err)
	}
	for _, pid := range []int{first, second, third} {
		w.waitGone(pid)
	}
}

func TestSuperviseAdopts(t *testing.T) {
	w := newHubTest(t)
	a := w.connect()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := w.supervise(ctx)
	if err := syscall.Kill(a.welcome.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	pid := w.hub(a.welcome.PID)
	if n := len(w.pids()); n != 2 {
		t.Errorf("%d hubs were started, want 2", n)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Supervise: %v", err)
	}
	w.waitGone(pid)
}
