package hub_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
)

func TestCallsAreRemembered(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	followed, err := h.Calls().Stream(ctx, status.CallFilter{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	c.Call("say", `{"text":"a secret"}`)
	c.Call("miss", `{}`)
	if f := c.Ask("tools/call", `{"name":"nothing","arguments":{"a":1}}`); f.Error == nil || f.Error.Message != "tool 'nothing' not found: tool not found" {
		t.Errorf("an unlisted tool is answered %s", f.Raw)
	}
	if f := c.Ask("tools/call", `{"name":7}`); f.Error == nil {
		t.Errorf("a call without a name is answered %s", f.Raw)
	}
	_, err = h.PersonAPI().Call(t.Context(), "notes", strings.Repeat("n", 1000), nil)
	if err == nil {
		t.Error("a tool that is not there was called")
	}
	var got []status.Call
	var last uint64
	for range 5 {
		n, more := <-followed
		if !more {
			t.Fatalf("only %d calls were remembered: %+v", len(got), got)
		}
		if n.Time.IsZero() || n.Duration <= 0 && n.Source != "" || n.Session == "" {
			t.Errorf("call %+v lacks something", n)
		}
		if n.Seq <= last {
			t.Errorf("call %d comes after %d", n.Seq, last)
		}
		last = n.Seq // what agents do besides calling is numbered too
		n.Seq = uint64(len(got) + 1)
		n.Time, n.Duration, n.Session = time.Time{}, 0, ""
		got = append(got, n)
	}
	want := []status.Call{
		{Seq: 1, Client: "tester", Source: "notes", Tool: "say", Effect: "read", RequestBytes: 19, ResponseBytes: got[0].ResponseBytes},
		{Seq: 2, Client: "tester", Source: "notes", Tool: "miss", Effect: "read", RequestBytes: 2, Code: "not_found", Message: "no page named x"},
		{Seq: 3, Client: "tester", Tool: "nothing", RequestBytes: 7, Code: "not_found", Message: "no such tool", Refused: true},
		{Seq: 4, Client: "tester", Code: "invalid", Message: "the parameters of the call are not valid", Refused: true},
		{Seq: 5, Client: "lectern call", Proven: true, Tool: strings.Repeat("n", mcp.MaxNameBytes-len("…")) + "…", Code: "not_found", Message: "no tool named …", Refused: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || got[0].ResponseBytes == 0 {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

// What a person is shown is what an agent reads, byte for byte.
func TestShownTools(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"), hub.Source{Name: "safe", Kind: "desk", ReadOnly: true})
	for scope, want := range map[string][]string{"": {"notes", "safe"}, "safe": {"safe"}} {
		shown, err := h.PersonAPI().ClientTools(t.Context(), scope, "")
		if err != nil {
			t.Fatal(err)
		}
		c := connect(t, h, scope)
		c.Initialize()
		var listed struct{ Tools []json.RawMessage }
		if err := json.Unmarshal(c.Ask("tools/list", `{}`).Result, &listed); err != nil {
			t.Fatal(err)
		}
		if len(shown) != len(listed.Tools) {
			t.Fatalf("%q: %d tools shown, %d listed", scope, len(shown), len(listed.Tools))
		}
		for i, raw := range listed.Tools {
			var tool struct{ Name, Title, Description string }
			if err := json.Unmarshal(raw, &tool); err != nil {
				t.Fatal(err)
			}
			if tool.Name != shown[i].Name || tool.Description != shown[i].Description || len(raw) != shown[i].Bytes {
				t.Errorf("%q: shown %s of %d bytes, listed %s of %d", scope, shown[i].Name, shown[i].Bytes, tool.Name, len(raw))
			}
			if tool.Name == "say" && !cmp.Equal(shown[i].Sources, want) {
				t.Errorf("%q: say works on %v, want %v", scope, shown[i].Sources, want)
			}
		}
	}
	if _, err := h.PersonAPI().ClientTools(t.Context(), "nowhere", ""); err == nil {
		t.Error("tools of a source that is not there")
	}
}
