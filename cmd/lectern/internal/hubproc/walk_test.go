package hubproc

import (
	"context"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/loopback"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// The walk of a call in ARCHITECTURE.md is true: it names each of our files on the
// stack of a call that writes, where its Change is recorded, where the call itself
// is, and where the answer is written.
func TestWalkOfACall(t *testing.T) {
	h, _, stacks := openWatchedHub(t, "")
	client := hubtest.Connect(t, func(ctx context.Context, conn net.Conn) error {
		return h.serveAgentStream(ctx, daemon.Hello{Scope: "notes"}, watchedConn{conn, stacks})
	})
	client.Initialize()
	stacks.reset()
	if res := client.Call("write_page", `{"path":"a.md","content":"two\n"}`); res.IsError {
		t.Fatalf("write_page: %+v", res)
	}
	for _, top := range []string{"journal/recorder.go", "hub/call_log.go", "hub/mcp/outbox.go"} {
		checkWalk(t, "## The walk of a call", top, stacks.from(top))
	}
}

// The same for a person's yes, on its way through the hub.
func TestWalkOfAKey(t *testing.T) {
	h, c, stacks := openWatchedHub(t, `"write"`)
	server := httptest.NewServer(h.controlHandler())
	t.Cleanup(server.Close)
	written := make(chan error, 1)
	go func() {
		_, err := h.hub.PersonAPI().Call(t.Context(), "notes", "write_page", []byte(`{"path":"a.md","content":"two\n"}`))
		written <- err
	}()
	a := apptest.AwaitSnapshot(t, c, "a call that waits", hasOneApproval).Approvals[0]
	panel := loopback.Dial(func(ctx context.Context) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", server.Listener.Addr().String())
	})
	stacks.reset()
	yes := status.Action{Verb: status.Allow, Target: a.ID, Answer: &status.Answer{Scope: status.Once, Shown: true}}
	if err := panel.Do(t.Context(), yes); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	checkWalk(t, "## The walk of a key", "hub/approval/queue.go", stacks.from("hub/approval/queue.go"))
}

// openWatchedHub is a hub with a folder of notes whose clock takes stacks. ask are
// the effects that it asks about.
func openWatchedHub(t *testing.T, ask string) (*hubProcess, status.Client, *stackLog) {
	t.Helper()
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stacks := newStackLog(t)
	a := apptest.New(t)
	a.Now = func() time.Time { stacks.take(); return time.Now() }
	apptest.WriteConfig(t, a, "[hub]\nhttp = false\n\n[[source]]\nname = \"notes\"\nkind = \"markdown\"\npath = '"+notes+"'\neffects = [\"read\", \"write\"]\nask = ["+ask+"]\n")
	h, c := openHubOf(t, a)
	apptest.AwaitSnapshot(t, c, "notes", hasReadySources("notes"))
	return h, c, stacks
}

// checkWalk compares a stack with a section of ARCHITECTURE.md.
func checkWalk(t *testing.T, heading, top string, stack []string) {
	t.Helper()
	if len(stack) == 0 {
		t.Errorf("no stack was taken in %s: the clock is not asked there, or nothing is written to the connection there", top)
	}
	walk := walkSection(t, heading)
	for _, file := range stack {
		if !strings.Contains(walk, "`"+file+"`") {
			t.Errorf("ARCHITECTURE.md does not name %s under %q; the way to %s is %s", file, heading, top, strings.Join(stack, ", "))
		}
	}
}

// walkSection is the text of ARCHITECTURE.md below a heading.
func walkSection(t *testing.T, heading string) string {
	t.Helper()
	page, err := os.ReadFile("../../../../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(page), heading+"\n")
	if !found {
		t.Fatalf("ARCHITECTURE.md has no %q", heading)
	}
	section, _, _ := strings.Cut(after, "\n## ")
	return section
}

// A stackLog keeps our files on the stacks of those who take one, innermost first,
// without tests.
type stackLog struct {
	root string

	mu     sync.Mutex
	stacks [][]string
}

func newStackLog(t *testing.T) *stackLog {
	t.Helper()
	root, err := filepath.Abs("../../../..")
	if err != nil {
		t.Fatal(err)
	}
	return &stackLog{root: filepath.ToSlash(root)}
}

func (l *stackLog) take() {
	callers := make([]uintptr, 100)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	var files []string
	for {
		f, more := frames.Next()
		file, ours := strings.CutPrefix(filepath.ToSlash(f.File), l.root+"/")
		if !ours { // built with -trimpath
			file, ours = strings.CutPrefix(f.File, "github.com/lectern-mcp/lectern/")
		}
		if ours && !strings.HasSuffix(file, "_test.go") && !slices.Contains(files, file) {
			files = append(files, file)
		}
		if !more {
			break
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stacks = append(l.stacks, files)
}

func (l *stackLog) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stacks = nil
}

// from is the longest stack that was taken in a file.
func (l *stackLog) from(file string) (longest []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, stack := range l.stacks {
		if len(stack) > 0 && stack[0] == file && len(stack) > len(longest) {
			longest = stack
		}
	}
	return longest
}

// A watchedConn takes the stack of each write.
type watchedConn struct {
	net.Conn
	stacks *stackLog
}

func (c watchedConn) Write(p []byte) (int, error) {
	c.stacks.take()
	return c.Conn.Write(p)
}
