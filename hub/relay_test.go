package hub_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/frame"
	"github.com/lectern-mcp/lectern/status"
)

// An endingReader reads as the hub process does when it shuts down: nothing more.
type endingReader struct{ net.Conn }

func (r endingReader) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = io.EOF
	}
	return n, err
}

// connectRelay connects a client behind a relay; stop ends the reading of the hub.
func connectRelay(t *testing.T, h *testHub, relay bool) (c *hubtest.Client, stop func()) {
	t.Helper()
	conns := make(chan net.Conn, 1)
	c = hubtest.Connect(t, func(ctx context.Context, conn net.Conn) error {
		conns <- conn
		return h.MCP().ServeStream(ctx, endingReader{conn}, conn, mcp.ConnectionInfo{Transport: status.Stdio, Relay: relay})
	})
	conn := <-conns
	return c, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) }
}

// recvAll reads what a hub still says until it closes the stream.
func recvAll(c *hubtest.Client) (frames []string) {
	for {
		f, err := c.RecvOrError()
		if err != nil {
			return frames
		}
		frames = append(frames, f.Raw)
	}
}

const allAnswered = `{"jsonrpc":"2.0","method":"notifications/lectern/all_answered"}`

// A hub that shuts down gives its relay back what waits for a person, and answers a client without
// a relay, or with more than a relay keeps, that nothing was changed.
func TestWaitingCallsAreGivenBack(t *testing.T) {
	for name, tt := range map[string]struct {
		relay bool
		text  string
		want  []string
	}{
		"a relay":            {true, "two", []string{allAnswered}},
		"more than it keeps": {true, strings.Repeat("x", frame.MaxResendBytes), []string{"nothing was changed", allAnswered}},
		"no relay":           {false, "two", []string{"nothing was changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := startNotes(t, askWrites(), nil)
				c, stop := connectRelay(t, h.testHub, tt.relay)
				if tt.relay {
					if f := c.Recv(); f.Raw != `{"jsonrpc":"2.0","method":"notifications/lectern/read_only_tools","params":{"tools":["get"]}}` {
						t.Fatalf("first: %s", f.Raw)
					}
				}
				initialize(c, hubtest.InitParams)
				c.Send(hubtest.CallBody(7, "put", fmt.Sprintf(`{"path":"a","text":%q}`, tt.text), ""))
				synctest.Wait()
				old := h.onlyPending().ID
				h.Approvals().Close()
				stop()
				got := recvAll(c)
				if len(got) != len(tt.want) {
					t.Fatalf("got %.300q, want %q", got, tt.want)
				}
				for i, want := range tt.want {
					if !strings.Contains(got[i], want) {
						t.Errorf("frame %d is %.300s, want %s", i, got[i], want)
					}
				}
				if h.Approvals().Answer(old, true, status.Answer{}) == nil || h.notes.Writes > 0 {
					t.Error("an answer to the old question counts")
				}
			})
		})
	}
}

// What a hub cuts off when it shuts down it gives back if nothing has come of it, and answers if
// something has.
func TestCallsThatAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubtest.NewFakeSystemState()
		h := startWorld(t, w, hub.Limits{}, deskSource("desk"))
		c, stop := connectRelay(t, h, true)
		c.Recv()
		initialize(c, hubtest.InitParams)
		c.Send(hubtest.CallBody(7, "wait", `{}`, ""))
		<-w.Started
		stop()
		if got := recvAll(c); len(got) != 1 || got[0] != allAnswered {
			t.Errorf("of a read: %q", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, nil)
		c, stop := connectRelay(t, h.testHub, true)
		c.Recv()
		initialize(c, hubtest.InitParams)
		h.notes.BeforeWrite = func(*hubtest.FakeNotes) { stop(); time.Sleep(time.Second) }
		c.Send(hubtest.CallBody(7, "put", `{"path":"a","text":"two"}`, ""))
		got := recvAll(c)
		if len(got) != 2 || !strings.Contains(got[0], `"done":true`) || got[1] != allAnswered || h.notes.Writes != 1 {
			t.Errorf("of a write: %q; %d writes", got, h.notes.Writes)
		}
		c, stop = connectRelay(t, h.testHub, true)
		c.Recv()
		initialize(c, hubtest.InitParams)
		h.notes.BeforeWrite = func(*hubtest.FakeNotes) { stop(); time.Sleep(time.Minute) }
		c.Send(hubtest.CallBody(7, "put", `{"path":"a","text":"three"}`, ""))
		if got := recvAll(c); len(got) != 1 || got[0] != allAnswered {
			t.Errorf("of a write that has not begun: %q", got)
		}
		time.Sleep(time.Hour)
		if h.notes.Writes != 1 {
			t.Error("what was given back was written")
		}
	})
}

// A relay hears which tools only read whenever that changes.
func TestRelayHearsOfReadOnlyTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := hubtest.NewFakeSystemState()
		h := startWorld(t, w, hub.Limits{}, deskSource("desk"))
		c, _ := connectRelay(t, h, true)
		first := c.Recv()
		initialize(c, hubtest.InitParams)
		synctest.Wait()
		if err := h.ReloadSources(t.Context(), []hub.Source{deskSource("desk"), {Name: "org", Kind: "org", Location: "/org"}}); err != nil {
			t.Fatal(err)
		}
		for {
			f := c.Recv()
			if f.Method == first.Method {
				if f.Raw == first.Raw || !strings.Contains(f.Raw, "desk_say") {
					t.Errorf("at first %s\nthen %s", first.Raw, f.Raw)
				}
				return
			}
		}
	})
}
