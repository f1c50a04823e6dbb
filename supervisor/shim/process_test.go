//go:build linux

package shim

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
	"github.com/lectern-mcp/lectern/supervisor/internal/echo"
)

// The test binary is also the hub and the shim; these hold the directory.
const (
	hubEnv  = "LECTERN_TEST_HUB"
	shimEnv = "LECTERN_TEST_SHIM"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(hubEnv); dir != "" {
		os.Exit(hubMain(dir))
	}
	if dir := os.Getenv(shimEnv); dir != "" {
		os.Exit(shimMain(dir))
	}
	os.Exit(m.Run())
}

func paths(dir string) daemon.Paths {
	return daemon.Paths{State: filepath.Join(dir, "state")}
}

func hubMain(dir string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	recordLine(dir, "pids", strconv.Itoa(os.Getpid()))
	hub := &echo.Hub{Relays: true, Name: strconv.Itoa(os.Getpid()), Wrote: func(text string) { recordLine(dir, "writes", text) }}
	err := daemon.Run(ctx, daemon.HubConfig{
		Paths: paths(dir), Busy: hub.ActivityCounts, Now: time.Now, Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Attach: func(ctx context.Context, _ daemon.Hello, conn net.Conn) error { return hub.Serve(ctx, conn) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func shimMain(dir string) int {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	c := daemon.ConnectConfig{
		Paths: paths(dir), Command: []string{os.Args[0]}, Env: []string{hubEnv + "=" + dir}, Log: log, Now: time.Now,
	}
	connect := func(ctx context.Context, start daemon.StartPolicy) (net.Conn, error) {
		c := c
		c.Start = start
		conn, _, err := daemon.Connect(ctx, c)
		return conn, err
	}
	err := Run(context.Background(), Config{
		In: os.Stdin, Out: os.Stdout, Log: log, Parent: WatchParent(context.Background()),
		Connect:   func(ctx context.Context) (net.Conn, error) { return connect(ctx, daemon.StartAlways) },
		Reconnect: func(ctx context.Context) (net.Conn, error) { return connect(ctx, daemon.StartReplacement) },
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// recordLine appends a line to a file of the test's directory.
func recordLine(dir, name, line string) {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err == nil {
		_, err = f.WriteString(line + "\n")
		err = errorsFirst(err, f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func errorsFirst(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// newDir returns a directory, and ends the hubs of it when the test is over.
func newDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "lectern")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, line := range lines(dir, "pids") {
			pid, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			if isOurs(pid) {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			if !hasEnded(pid) {
				t.Errorf("hub %d is left behind", pid)
			}
		}
		_ = os.RemoveAll(dir)
	})
	return dir
}

func lines(dir, name string) []string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func isOurs(pid int) bool {
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return err == nil && strings.HasPrefix(string(cmdline), os.Args[0]+"\x00")
}

// hasEnded waits for a process that nobody here is the parent of.
func hasEnded(pid int) bool {
	return runtest.Until(func() bool { return !isOurs(pid) })
}

// shimProcess is an MCP client with a shim of its own.
type shimProcess struct {
	t   testing.TB
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t testing.TB, dir string) *shimProcess {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), shimEnv+"="+dir)
	cmd.Stderr = t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &shimProcess{t, cmd, in, bufio.NewReader(out)}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return c
}

func (c *shimProcess) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

type answer struct {
	ID     *int   `json:"id"`
	Method string `json:"method"`
	Result *struct {
		From string `json:"from"`
	} `json:"result"`
	Error *struct {
		Code int `json:"code"`
		Data struct {
			Retryable bool `json:"retryable"`
		} `json:"data"`
	} `json:"error"`
}

func (c *shimProcess) receive() answer {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("the shim ended: %v", err)
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		c.t.Fatalf("%s: %v", line, err)
	}
	return a
}

// answer returns the next answer, and skips notifications.
func (c *shimProcess) answer() answer {
	c.t.Helper()
	for {
		if a := c.receive(); a.ID != nil {
			return a
		}
	}
}

func (c *shimProcess) initialize() {
	c.t.Helper()
	c.send(initialize)
	if a := c.answer(); a.Result == nil {
		c.t.Fatalf("initialize: %+v", a.Error)
	}
	c.send(initialized)
}

// expectEnd closes the pipe as a client does, and waits for the shim to end.
func (c *shimProcess) expectEnd() {
	c.t.Helper()
	_ = c.in.Close()
	if err := c.cmd.Wait(); err != nil {
		c.t.Errorf("shim: %v", err)
	}
}

func lastPID(t testing.TB, dir string) int {
	t.Helper()
	pids := lines(dir, "pids")
	if len(pids) == 0 {
		t.Fatal("no hub was started")
	}
	pid, err := strconv.Atoi(pids[len(pids)-1])
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

func TestEightColdStarts(t *testing.T) {
	dir := newDir(t)
	clients := make([]*shimProcess, 8)
	for i := range clients {
		clients[i] = start(t, dir)
	}
	for _, c := range clients {
		c.initialize()
	}
	for _, c := range clients {
		c.expectEnd()
	}
	if n := len(lines(dir, "pids")); n != 1 {
		t.Errorf("started %d hubs, want 1", n)
	}
}

// TestKilledHub kills the hub twice in the middle of 1,000 reads and 100
// writes. Every request is answered exactly once; no write is carried out
// twice, and one that was answered with success was carried out.
func TestKilledHub(t *testing.T) {
	const reads, writes = 1000, 100
	dir := newDir(t)
	c := start(t, dir)
	c.initialize()
	go func() {
		for i := 10; i < 10+reads+writes; i++ {
			tool := "read"
			if i%(reads/writes+1) == 0 {
				tool = "write"
			}
			_, _ = fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"n":%d}}}`+"\n", i, tool, i)
		}
	}()
	answers := map[int]answer{}
	for len(answers) < reads+writes {
		switch len(answers) {
		case 200, 700:
			pid := lastPID(t, dir)
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && isOurs(pid) {
				t.Fatal(err)
			}
		}
		a := c.answer()
		if _, twice := answers[*a.ID]; twice {
			t.Fatalf("request %d was answered twice", *a.ID)
		}
		answers[*a.ID] = a
	}
	c.send(`{"jsonrpc":"2.0","id":5,"method":"ping"}`)
	if a := c.answer(); *a.ID != 5 {
		t.Errorf("one answer too many: %d", *a.ID)
	}
	c.expectEnd()
	done := map[string]int{}
	for _, line := range lines(dir, "writes") {
		done[line]++
	}
	failed := 0
	for id, a := range answers {
		write := id%(reads/writes+1) == 0
		switch carried := done[fmt.Sprintf(`{"n":%d}`, id)]; {
		case a.Error != nil && (!write || a.Error.Code != codeHubLost || !a.Error.Data.Retryable):
			t.Errorf("request %d (write: %v): %+v", id, write, a.Error)
		case carried > 1:
			t.Errorf("write %d was carried out %d times", id, carried)
		case a.Error == nil && write && carried == 0:
			t.Errorf("write %d was answered and not carried out", id)
		}
		if a.Error != nil {
			failed++
		}
	}
	t.Logf("%d hubs, %d writes answered as retryable", len(lines(dir, "pids")), failed)
}

// TestStoppedHubStaysStopped: a shim that nobody asks anything does not bring
// a hub back that a person has stopped; the next call does.
func TestStoppedHubStaysStopped(t *testing.T) {
	dir := newDir(t)
	c := start(t, dir)
	c.initialize()
	c.send(callTool("1", "read"))
	c.answer() // so that nothing is on its way to the hub, which would need another
	pid := lastPID(t, dir)
	if _, err := daemon.StopHubAndWait(t.Context(), paths(dir), daemon.StopRequest{}); err != nil {
		t.Fatal(err)
	}
	if !hasEnded(pid) {
		t.Fatal("the hub did not stop")
	}
	if n := len(lines(dir, "pids")); n != 1 {
		t.Errorf("started %d hubs", n)
	}
	c.send(callTool("7", "read"))
	if a := c.answer(); a.Error != nil || a.Result.From == strconv.Itoa(pid) {
		t.Errorf("after the stop: %+v", a)
	}
	c.expectEnd()
}

func TestGarbageOnStdin(t *testing.T) {
	dir := newDir(t)
	c := start(t, dir)
	c.initialize()
	for _, garbage := range []string{"x", "{", `{"id":1`, "\x00\xff", strings.Repeat("[", 5000), `"`} {
		c.send(garbage)
		if a := c.receive(); a.Error == nil || a.Error.Code != codeParseError {
			t.Errorf("%.20q: %+v", garbage, a)
		}
	}
	c.expectEnd()
}

// TestOrphan kills a client in between that leaves its pipes open to others.
func TestOrphan(t *testing.T) {
	dir := newDir(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close() // the shim never sees the end of its stdin
	pidFile := filepath.Join(dir, "shim")
	sh := exec.Command("sh", "-c", `"$0" <&3 >/dev/null & echo $! > "$1"; wait`, os.Args[0], pidFile)
	sh.Env = append(os.Environ(), shimEnv+"="+dir)
	sh.ExtraFiles = []*os.File{r}
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	runtest.Eventually(t, "shim and hub have started", func() bool {
		return len(lines(dir, "shim")) > 0 && lines(dir, "shim")[0] != "" && len(lines(dir, "pids")) > 0
	})
	shim, err := strconv.Atoi(lines(dir, "shim")[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := sh.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = sh.Wait()
	if !hasEnded(shim) {
		_ = syscall.Kill(shim, syscall.SIGKILL)
		t.Error("the shim outlives its parent")
	}
}
