package hub_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/tools"
)

// The error that an agent reads: the System's object, and one sentence.
func TestErrorsOfCalls(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"), hub.Source{Name: "safe", Kind: "desk", ReadOnly: true})
	c := connect(t, h, "")
	c.Initialize()
	for _, tt := range []struct{ name, tool, args, object, text string }{
		{"spelled", "miss", `{"source":"notes"}`, `{"error":"no page named x","code":"PAGE_MISSING"}`, "no page named x. Search first."},
		{
			"not ours", "break", `{"source":"notes"}`, `{"error":"the call failed; Lectern's log has the reason","code":"internal"}`,
			"the call failed; Lectern's log has the reason. Run `lectern logs` to see it.",
		},
		{
			"panic", "panic", `{"source":"notes"}`, `{"error":"the call failed; Lectern's log has the reason","code":"internal"}`,
			"the call failed; Lectern's log has the reason. Run `lectern logs` to see it.",
		},
		{"arguments", "say", `{"source":"notes","txt":"a"}`, `{"error":"unknown argument txt, did you mean text?","code":"invalid"}`, "unknown argument txt, did you mean text?"},
		{
			"no source", "say", `{"text":"a"}`, `{"error":"source: several sources have this; name one of notes, safe","code":"invalid"}`,
			"source: several sources have this; name one of notes, safe.",
		},
		{
			"wrong source", "say", `{"text":"a","source":"x"}`, `{"error":"source: no source named \"x\" here; name one of notes, safe","code":"invalid"}`,
			`source: no source named "x" here; name one of notes, safe.`,
		},
		{
			"read-only", "write", `{"text":"a","source":"safe"}`, `{"error":"source safe is read-only for agents","code":"denied"}`,
			"source safe is read-only for agents. Ask the user; they decide it in Lectern's configuration.",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c.T = t
			r := c.Call(tt.tool, tt.args)
			if !r.IsError || string(r.Structured) != tt.object {
				t.Errorf("object %s, want %s", r.Structured, tt.object)
			}
			if d := cmp.Diff([]struct{ Type, Text string }{{"text", tt.text}}, r.Content); d != "" {
				t.Error(d)
			}
		})
	}
	c.T = t
	log := h.logged()
	for _, want := range []string{"/home/me/secret", "the secret of note 7", "fake_system.go"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q", want)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	c := connect(t, start(t, hub.Limits{}, deskSource("notes")), "")
	c.Initialize()
	for _, name := range []string{"nothing", "own", "desk_say"} {
		if f := c.Ask("tools/call", `{"name":"`+name+`"}`); f.Error == nil || f.Error.Code != -32602 {
			t.Errorf("%s: got %s, want -32602", name, f.Raw)
		}
	}
}

func TestResultIsWrittenOnce(t *testing.T) {
	c := connect(t, start(t, hub.Limits{}, deskSource("notes")), "")
	c.Initialize()
	r := c.Call("say", `{"text":"a <b> & ü"}`)
	want := map[string]string{"text": "a <b> & ü", "from": "notes"}
	var structured, text map[string]string
	if json.Unmarshal(r.Structured, &structured) != nil || json.Unmarshal([]byte(r.Content[0].Text), &text) != nil {
		t.Fatalf("got %+v", r)
	}
	if d := cmp.Diff(want, structured) + cmp.Diff(want, text); d != "" || r.IsError {
		t.Error(d)
	}
	if !strings.Contains(r.Content[0].Text, "a <b> & ü") {
		t.Errorf("an agent reads %s", r.Content[0].Text)
	}
}

func TestAnswerIsCapped(t *testing.T) {
	c := connect(t, start(t, hub.Limits{Answer: 1000}, deskSource("notes")), "")
	c.Initialize()
	if r := c.Call("big", `{"count":900}`); r.IsError {
		t.Errorf("got %+v, want an answer", r)
	}
	r := c.Call("big", `{"count":2000}`)
	if want := "the answer has 2026 bytes, more than the limit of 1000. Ask for less: use a smaller limit, and offset for the rest."; !r.IsError || r.Content[0].Text != want {
		t.Errorf("got %+v, want %s", r, want)
	}
	for limit, refused := range map[int]bool{2025: true, 2026: false} {
		c := connect(t, start(t, hub.Limits{Answer: limit}, deskSource("notes")), "")
		c.Initialize()
		if r := c.Call("big", `{"count":2000}`); r.IsError != refused {
			t.Errorf("2026 bytes with a limit of %d are refused: %v", limit, r.IsError)
		}
	}
}

// A call whose tool passes its deadline is answered, and its slot stays
// taken until it returns.
func TestDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{InFlight: 1}, deskSource("notes"))
		c := connect(t, h, "")
		c.Initialize()
		began := time.Now()
		r := c.Call("stubborn", `{}`)
		if !r.IsError || !strings.Contains(string(r.Structured), `"code":"timeout"`) {
			t.Errorf("got %+v, want a timeout", r)
		}
		if took := time.Since(began); took != 30*time.Second {
			t.Errorf("took %v, want 30s", took)
		}
		if n, _ := h.ActivityCounts(); n != 1 {
			t.Errorf("%d calls in flight, want the stubborn one", n)
		}
		close(h.world.Free)
		if r := c.Call("say", `{"text":"a"}`); r.IsError {
			t.Errorf("got %+v, want an answer", r)
		}
	})
}

// A call that was answered at its deadline leaves its place and its id to others
// and holds up nothing at the end of the stream, and what its tool returns at last
// goes nowhere.
func TestAnsweredCallIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t, hub.Limits{}, deskSource("notes"))
		c := connect(t, h, "")
		c.Initialize()
		for range 2 {
			c.Send(`{"jsonrpc":"2.0","id":"same","method":"tools/call","params":{"name":"stubborn","arguments":{}}}`)
			if r := c.Recv(); !strings.Contains(string(r.Result), `"code":"timeout"`) {
				t.Errorf("got %+v, want a timeout", r)
			}
		}
		other := connect(t, h, "")
		other.Initialize()
		other.Send(`{"jsonrpc":"2.0","id":"left","method":"tools/call","params":{"name":"stubborn","arguments":{}}}`)
		other.Recv()
		_ = other.Conn.Close()
		time.Sleep(time.Second) // until the board has been told
		if n := len(h.board.LastSnapshot().Sessions); n != 1 {
			t.Errorf("%d agents are there, want one", n)
		}
		if n, _ := h.ActivityCounts(); n != 3 {
			t.Errorf("%d calls in flight, want the three stubborn ones", n)
		}
		close(h.world.Free)
		synctest.Wait()
		if n, _ := h.ActivityCounts(); n != 0 {
			t.Errorf("%d calls in flight", n)
		}
		c.Send(`{"jsonrpc":"2.0","id":"next","method":"ping"}`)
		if r := c.Recv(); r.ID != "next" {
			t.Errorf("got %+v, want the answer to the ping", r)
		}
	})
}

// What the hub does for an agent it does for `lectern call`.
func TestCallByName(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"), hub.Source{Name: "safe", Kind: "desk", ReadOnly: true}, hub.Source{Name: "agenda", Kind: "org"})
	r, err := h.PersonAPI().Call(t.Context(), "safe", "say", json.RawMessage(`{"text":"a"}`))
	if err != nil || string(r.JSON) != `{"text":"a","from":"safe"}` {
		t.Errorf("got %s, %v", r.JSON, err)
	}
	for source, want := range map[string]tools.Code{"safe": tools.Denied, "nowhere": tools.NotFound, "": tools.NotFound} {
		_, err := h.PersonAPI().Call(t.Context(), source, "write", json.RawMessage(`{"text":"a"}`))
		if e := tools.AsError(err); e == nil || e.Code != want {
			t.Errorf("%s: got %v, want %s", source, err, want)
		}
	}
}

func TestAuditHoldsNoContent(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	c.Call("say", `{"text":"swordfish"}`)
	c.Call("miss", `{}`)
	log := h.logged()
	for _, want := range []string{"component=audit", "client=tester", "tool=say", "source=notes", "effect=read", "bytes=35", "code=ok", "code=not_found"} {
		if !strings.Contains(log, want) {
			t.Errorf("the audit lacks %s:\n%s", want, log)
		}
	}
	if strings.Contains(log, "swordfish") {
		t.Error("the log holds content")
	}
}

// The log, which is kept, does not hold what an agent writes into the name of a
// tool that does not exist.
func TestUnknownToolIsNotLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, nil, nil)
		checkOutcome(t, <-h.agent(cursor).startCall("swordfish", `{}`), notListed, "not found")
		if log := h.logged(); strings.Contains(log, "swordfish") || !strings.Contains(log, "tool=(unknown)") {
			t.Errorf("the log says %s", log)
		}
	})
}
