package hub_test

import (
	"context"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A changingMind is a source with a tool that changes nothing when its call is worked out, and
// writes when it is made.
type changingMind struct{ runs, written int }

func (*changingMind) Close() error                { return nil }
func (*changingMind) Check(context.Context) error { return nil }

func (m *changingMind) State(context.Context, string) (tools.State, error) { return tools.State{}, nil }

func (m *changingMind) Restore(context.Context, tools.CallContext, []tools.Change) error { return nil }

func (m *changingMind) Write(ctx context.Context, c tools.CallContext, _ none) (none, error) {
	if m.runs++; m.runs == 1 {
		return none{}, nil
	}
	err := c.BeforeWrite(ctx, tools.Change{Target: "page", After: tools.State{Exists: true, Data: []byte("x")}})
	if err == nil {
		m.written++
	}
	return none{}, err
}

// A call of which a person was told nothing, because it was to change nothing, writes nothing.
func TestCallWithoutChangesMayNotWrite(t *testing.T) {
	m := &changingMind{}
	kind := tools.Erase(tools.System[*changingMind, struct{}]{
		Name: "mind", Title: "Mind", Doc: "For tests.",
		Open:  func(context.Context, struct{}, tools.Env) (*changingMind, error) { return m, nil },
		Tools: []tools.Tool[*changingMind]{tools.DefineWithContext(tools.Spec[none, none]{Name: "write", Title: "Write", Doc: "Writes.", Effect: tools.Writes}, (*changingMind).Write)},
	})
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{kind}, Sources: []hub.Source{{Name: "mind", Kind: "mind"}},
		Policy: policy.New([]policy.Grant{{Source: "mind", Ask: []tools.Effect{tools.Writes}}}, nil),
	})
	out := newAgent(t, h, cursor).call("write", `{}`)
	if m.runs != 2 || m.written > 0 || out.code == "ok" {
		t.Errorf("after %d runs it has written %d times: %s %s", m.runs, m.written, out.code, out.text)
	}
}
