package hub_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/status"
)

// Between the calls stands who came, who left and what a person did, for those who
// ask for it.
func TestEventsStandBetweenCalls(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	h.UpdateSnapshot()
	c.Call("say", `{"text":"a secret"}`)
	h.Calls().RecordEvent(status.Call{Event: string(status.PauseWrites), Client: "tester", Message: "pause"})
	read := func(events bool) (got []string) {
		calls, err := h.Calls().Stream(t.Context(), status.CallFilter{Events: events})
		if err != nil {
			t.Fatal(err)
		}
		for n := range calls {
			if n.Missed != 0 || n.Time.IsZero() {
				t.Errorf("%+v", n)
			}
			got = append(got, n.Tool+n.Event)
		}
		return got
	}
	if diff := cmp.Diff([]string{"say"}, read(false)); diff != "" {
		t.Error("only calls:", diff)
	}
	if diff := cmp.Diff([]string{status.AgentConnected, "say", string(status.PauseWrites)}, read(true)); diff != "" {
		t.Error("with events:", diff)
	}
}
