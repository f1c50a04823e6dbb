package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A processor is a source whose calls compute for as many seconds as they say, and note
// when they begin and end.
type processor struct {
	prepare chan struct{} // calls that compute wait until it is closed; nil: for nothing
	mu      sync.Mutex
	log     []string
}

// Prepare implements [tools.Preparer].
func (p *processor) Prepare(ctx context.Context, c tools.CallContext) error {
	if p.prepare == nil {
		return nil
	}
	c.Progress(0, 0, "preparing")
	select {
	case <-p.prepare:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

type computeIn struct {
	Name    string `json:"name" jsonschema:"name"`
	Seconds int    `json:"seconds,omitempty" jsonschema:"how long"`
	Within  bool   `json:"within,omitempty" jsonschema:"compute in a call of its own"`
	Light   bool   `json:"light,omitempty" jsonschema:"it does not compute"`
	Deaf    bool   `json:"deaf,omitempty" jsonschema:"it does not end at its deadline"`
}

func (p *processor) Close() error                { return nil }
func (p *processor) Check(context.Context) error { return nil }

func (p *processor) note(what, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log = append(p.log, what+name)
}

func (p *processor) noted() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.log, " ")
}

func (p *processor) Compute(ctx context.Context, c tools.CallContext, in computeIn) (none, error) {
	p.note("+", in.Name)
	defer p.note("-", in.Name)
	if in.Within {
		_, err := c.Call(ctx, "", "compute", json.RawMessage(`{"name":"within"}`))
		return none{}, err
	}
	if in.Deaf {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-time.After(time.Duration(in.Seconds) * time.Second):
		return none{}, nil
	case <-ctx.Done():
		return none{}, ctx.Err()
	}
}

func (p *processor) kind(name string) tools.Kind {
	return tools.Erase(tools.System[*processor, struct{}]{
		Name: name, Title: "Processor", Doc: "For tests.",
		Open: func(context.Context, struct{}, tools.Env) (*processor, error) { return p, nil },
		Tools: []tools.Tool[*processor]{tools.DefineWithContext(tools.Spec[computeIn, none]{
			Name: "compute", Title: "Compute", Doc: "Computes.", Effect: tools.Runs, Calls: true, Timeout: time.Minute,
			Computes: func(in computeIn) bool { return !in.Light },
		}, (*processor).Compute)},
	})
}

func startProcessor(t *testing.T, change func(*hub.Config)) (*testHub, *processor) {
	p := new(processor)
	c := hub.Config{
		Systems: []tools.Kind{p.kind("processor")}, Sources: []hub.Source{{Name: "one", Kind: "processor"}},
		Limits: hub.Limits{Computing: 1, Deadline: 10 * time.Second},
	}
	if change != nil {
		change(&c)
	}
	return startWith(t, c), p
}

func compute(a *agent, name string, more string) <-chan callOutcome {
	out := a.startCall("compute", fmt.Sprintf(`{"name":%q%s}`, name, more))
	synctest.Wait()
	return out
}

// Calls that compute wait in line: clients take turns, of one client the first comes
// first, and what does not compute waits for none of them.
func TestComputingTakesTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := startProcessor(t, nil)
		a, b := newAgent(t, h, cursor), newAgent(t, h, policy.Client{Name: "codex"})
		var all []<-chan callOutcome
		for _, name := range []string{"a1", "a2", "a3"} {
			all = append(all, compute(a, name, `,"seconds":1`))
		}
		all = append(all, compute(b, "b1", `,"seconds":1`), compute(b, "b2", `,"seconds":1`), compute(a, "light", `,"light":true`))
		for _, out := range all {
			checkOutcome(t, <-out, "ok", "")
		}
		if got, want := p.noted(), "+a1 +light -light -a1 +a2 -a2 +b1 -b1 +a3 -a3 +b2 -b2"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	})
}

// The hub's deadline ends a call that computes although its tool has more time. One that
// is still in line at its own deadline was not run, which it is told. A call that goes on
// after its deadline keeps its turn.
func TestDeadlineOfComputing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := startProcessor(t, nil)
		a := newAgent(t, h, cursor)
		began := time.Now()
		checkOutcome(t, <-compute(a, "long", `,"seconds":300`), tools.Timeout, "deadline")
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("it ended after %s", took)
		}
		deaf := compute(a, "deaf", `,"seconds":25,"deaf":true`)
		waiting := compute(a, "waiting", "")
		checkOutcome(t, <-waiting, tools.Limited, "was not run")
		checkOutcome(t, <-compute(a, "late", ""), tools.Limited, "was not run")
		checkOutcome(t, <-compute(a, "next", ""), "ok", "")
		checkOutcome(t, <-deaf, tools.Timeout, "deadline")
		if got, want := p.noted(), "+long -long +deaf -deaf +next -next"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// What calls need to compute is made before they have their turn: others compute meanwhile,
// and a call that waits for it longer than its time has not been run.
func TestPreparingTakesNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := &processor{prepare: make(chan struct{})}
		h, p := startProcessor(t, func(c *hub.Config) {
			other := slow.kind("slow")
			c.Systems, c.Sources = append(c.Systems, other), append(c.Sources, hub.Source{Name: "two", Kind: "slow"})
		})
		a := newAgent(t, h, cursor)
		waits := a.startCall("slow_compute", `{"name":"waits"}`)
		synctest.Wait()
		checkOutcome(t, <-a.startCall("processor_compute", `{"name":"other"}`), "ok", "")
		checkOutcome(t, <-waits, tools.Timeout, "deadline")
		ready := a.startCall("slow_compute", `{"name":"ready"}`)
		synctest.Wait()
		close(slow.prepare)
		checkOutcome(t, <-ready, "ok", "")
		if got := p.noted() + " " + slow.noted(); got != "+other -other +ready -ready" {
			t.Error(got)
		}
	})
}

// A call in line that is cancelled leaves it, and those behind it come sooner.
func TestCancelledInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, p := startProcessor(t, nil)
		a := newAgent(t, h, cursor)
		first := compute(a, "first", `,"seconds":1`)
		compute(a, "cancelled", "")
		a.cancelLast()
		synctest.Wait()
		last := compute(a, "last", "")
		checkOutcome(t, <-first, "ok", "")
		checkOutcome(t, <-last, "ok", "")
		if got, want := p.noted(), "+first -first +last -last"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// A call that computes does not wait for itself when it makes another.
func TestComputingWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, change := range []func(*hub.Config){nil, rehearse} {
			h, _ := startProcessor(t, change)
			checkOutcome(t, <-compute(newAgent(t, h, cursor), "outer", `,"within":true`), "ok", "")
		}
	})
}

// rehearse has calls rehearsed, about which nobody is asked.
func rehearse(c *hub.Config) {
	c.Policy = policy.New([]policy.Grant{{Source: "one", Ask: []tools.Effect{tools.Writes}}}, nil)
}

// What runs to be shown and then for good is one turn; but while a person is asked
// others have theirs.
func TestRehearsedComputingIsOneTurn(t *testing.T) {
	for name, c := range map[string]struct {
		ask  []tools.Effect
		want string
	}{
		"not asked": {[]tools.Effect{tools.Writes}, "+a -a +a -a +b -b +b -b"},
		"asked":     {[]tools.Effect{tools.Runs}, "+a -a +b -b +a -a +b -b"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked := make(chan status.Approval, 2)
				h, p := startProcessor(t, func(conf *hub.Config) {
					conf.Policy = policy.New([]policy.Grant{{Source: "one", Ask: c.ask}}, nil)
					conf.OnApproval = func(a status.Approval) { asked <- a }
				})
				a := compute(newAgent(t, h, cursor), "a", `,"seconds":1`)
				b := compute(newAgent(t, h, policy.Client{Name: "codex"}), "b", `,"seconds":1`)
				for _, out := range []<-chan callOutcome{a, b} {
					if slices.Contains(c.ask, tools.Runs) {
						if err := h.Approvals().Answer((<-asked).ID, true, status.Answer{}); err != nil {
							t.Fatal(err)
						}
					}
					checkOutcome(t, <-out, "ok", "")
				}
				if got := p.noted(); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}
