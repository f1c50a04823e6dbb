package statustest

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// RunDesk checks that a Desk which asks a Fake keeps the promises of
// status.Desk; wrap is as in [Run].
func RunDesk(t *testing.T, wrap func(*testing.T, *Fake) status.Operator) {
	t.Helper()
	for _, c := range []struct {
		name  string
		check func(*testing.T, *Fake, status.Operator)
	}{
		{"tools arrive whole", checkTools},
		{"a call brings its result", checkCall},
		{"a refusal keeps its code", checkRefusal},
		{"checks come one by one", checkChecks},
		{"settings arrive whole", checkSettings},
		{"errors of a desk keep their words", checkDeskErrors},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := new(Fake)
			c.check(t, f, wrap(t, f))
		})
	}
}

func checkTools(t *testing.T, f *Fake, d status.Operator) {
	if got, err := d.Tools(soon(t), "", ""); err != nil || len(got) != 0 {
		t.Errorf("no tools: %v, %v", got, err)
	}
	want := []status.Tool{{
		Name: "read_page", Title: "Read a page", Description: "Read <one> page.", System: "markdown", Effect: "read",
		Sources: []string{"notes", "wiki"}, Schema: json.RawMessage(`{"type":"object","properties":{"b":{},"a":{}}}`),
		Examples: []status.Example{{Why: "the usual", Args: json.RawMessage(`{"page":"Grüße"}`)}}, Bytes: 812,
	}}
	f.SetTools(want...)
	got, err := d.Tools(soon(t), "notes", "claude-code")
	if err != nil {
		t.Fatalf("tools: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Asked{What: "tools", Source: "notes", Name: "claude-code"}, f.Asked()[1]); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func checkCall(t *testing.T, f *Fake, d status.Operator) {
	long := `{"text":"` + strings.Repeat("x", 3<<20) + `"}` // of the size that an agent may send
	f.SetResult(json.RawMessage(`{"b":1,"a":"<&>"}`), nil)
	got, err := d.Call(soon(t), "notes", "write_page", json.RawMessage(long))
	if err != nil {
		t.Fatalf("call: %v", err)
	}
	var value struct{ A string }
	if err := json.Unmarshal(got, &value); err != nil || value.A != "<&>" {
		t.Errorf("result %s: %v", got, err)
	}
	if diff := cmp.Diff([]Asked{{What: "call", Source: "notes", Name: "write_page", Args: long}}, f.Asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff[:min(len(diff), 400)])
	}
}

func checkRefusal(t *testing.T, f *Fake, d status.Operator) {
	want := &status.CallError{Code: "conflict", Msg: "it was edited", Hint: "Read it again.", Data: json.RawMessage(`{"etag":"x"}`)}
	f.SetResult(nil, want)
	_, err := d.Call(soon(t), "notes", "write_page", nil)
	got, ok := errors.AsType[*status.CallError](err)
	if !ok {
		t.Fatalf("call: %v, want a CallError", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
}

func checkChecks(t *testing.T, f *Fake, d status.Operator) {
	want := []status.Check{
		{Name: "hub.port", Title: "Port", Result: status.CheckFail, Detail: "taken", Fix: "Stop it.", Action: &status.Action{Verb: status.RestartHub}},
		{Name: "hub.log", Title: "Log", Result: status.CheckOK},
	}
	f.SetChecks(append([]status.Check{{Name: "config.file"}}, want...)...)
	ch, err := d.Check(soon(t), "hub.")
	if err != nil {
		t.Fatalf("check: %v", err)
	}
	if diff := cmp.Diff(want, closes(t, ch)); diff != "" {
		t.Errorf("checks (-want +got):\n%s", diff)
	}
}

func checkSettings(t *testing.T, f *Fake, d status.Operator) {
	want := []status.Setting{
		{Key: "hub.port", Description: "the port", Value: "1", Default: "12740", Set: true, Line: 3, Restart: true},
		{Key: "hub.http", Description: "whether", Value: "true", Default: "true", Choices: []string{"true", "false"}},
	}
	f.SetSettings(want...)
	got, err := d.Settings(soon(t))
	if err != nil {
		t.Fatalf("settings: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func checkDeskErrors(t *testing.T, f *Fake, d status.Operator) {
	const words = "the hub is being replaced & comes back"
	f.SetErr(errors.New(words))
	_, tools := d.Tools(soon(t), "", "")
	_, call := d.Call(soon(t), "notes", "read_page", nil)
	_, check := d.Check(soon(t), "")
	_, settings := d.Settings(soon(t))
	for what, err := range map[string]error{"tools": tools, "call": call, "check": check, "settings": settings} {
		if err == nil || !strings.HasSuffix(err.Error(), words) {
			t.Errorf("%s: %v, want %s", what, err, words)
		}
	}
}
