package hub_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// An agent is a client over a stream whose calls may overlap.
type agent struct {
	t testing.TB
	c *hubtest.Client

	mu    sync.Mutex
	calls []chan callOutcome // the request with ID n is at n-1
}

// newAgent connects a client that claims its name, or proves it.
func newAgent(t testing.TB, h *testHub, who policy.Client) *agent {
	t.Helper()
	var attach mcp.ConnectionInfo
	if who.Proven {
		attach.Proven = who.Name
	}
	a := &agent{t: t, c: connectAs(t, h, attach)}
	initialize(a.c, fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"9"}}`, who.Name))
	go a.receive()
	return a
}

// receive delivers outcomes until the connection ends; notifications are for
// nobody.
func (a *agent) receive() {
	for {
		f, err := a.c.RecvOrError()
		if err != nil {
			return
		}
		if n, ok := f.ID.(float64); ok && f.Method == "" {
			a.mu.Lock()
			out := a.calls[int(n)-1]
			a.mu.Unlock()
			out <- outcomeOf(f)
		}
	}
}

// startCall calls a tool and delivers its outcome.
func (a *agent) startCall(tool, args string) <-chan callOutcome {
	out := make(chan callOutcome, 1)
	a.mu.Lock()
	a.calls = append(a.calls, out)
	id := len(a.calls)
	a.mu.Unlock()
	a.c.Send(hubtest.CallBody(id, tool, args, ""))
	return out
}

// cancelLast cancels the call that was started last, which is not answered then.
func (a *agent) cancelLast() {
	a.c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, len(a.calls)))
}

func (a *agent) call(tool, args string) callOutcome { return <-a.startCall(tool, args) }

func (a *agent) mustCall(tool, args string) json.RawMessage {
	a.t.Helper()
	got := a.call(tool, args)
	if got.code != "ok" {
		a.t.Fatalf("%s %s: %s", tool, args, got.text)
	}
	return got.json
}

// notListed stands for MCP's error about a tool that is not in the client's list.
const notListed tools.Code = "not listed"

// A callOutcome is what an agent is answered.
type callOutcome struct {
	code tools.Code // "ok": the call was carried out
	text string     // message and hint
	json json.RawMessage
}

func outcomeOf(f hubtest.Frame) callOutcome {
	if f.Error != nil {
		return callOutcome{code: notListed, text: f.Error.Message}
	}
	var r hubtest.CallResult
	var object struct{ Code tools.Code }
	if err := json.Unmarshal(f.Result, &r); err != nil || !r.IsError {
		return callOutcome{code: "ok", json: r.Structured}
	}
	_ = json.Unmarshal(r.Structured, &object) // its text says the rest
	return callOutcome{code: object.Code, text: r.Content[0].Text}
}

func checkOutcome(t testing.TB, o callOutcome, want tools.Code, words string) {
	t.Helper()
	if o.code != want || !strings.Contains(o.text, words) {
		t.Errorf("got %s (%s), want %s with %q", o.code, o.text, want, words)
	}
}

var cursor, proven = policy.Client{Name: "cursor"}, policy.Client{Name: "cursor", Proven: true}
