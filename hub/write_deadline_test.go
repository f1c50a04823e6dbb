package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// A stepSource writes pages in steps that take as long as a call says.
type stepSource struct {
	mu    sync.Mutex
	pages map[string]bool
}

func (s *stepSource) Close() error                { return nil }
func (s *stepSource) Check(context.Context) error { return nil }

func (s *stepSource) has(page string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pages[page]
}

func (s *stepSource) State(_ context.Context, page string) (tools.State, error) {
	return tools.State{Exists: s.has(page)}, nil
}

func (s *stepSource) Restore(ctx context.Context, c tools.CallContext, changes []tools.Change) error {
	if err := c.BeforeWrite(ctx, changes...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, change := range changes {
		s.pages[change.Target] = change.After.Exists
	}
	c.ReportWritten(changes...)
	return nil
}

// A stepsIn is how long the steps of a write take, in nanoseconds.
type stepsIn struct {
	Page     string        `json:"page" jsonschema:"its name"`
	Plan     time.Duration `json:"plan" jsonschema:"before it is reported"`
	Write    time.Duration `json:"write" jsonschema:"until it is written"`
	Answer   time.Duration `json:"answer" jsonschema:"after that"`
	Stubborn bool          `json:"stubborn" jsonschema:"it does not heed its context"`
}

func (in stepsIn) take(ctx context.Context, step time.Duration) error {
	over := ctx.Done()
	if in.Stubborn {
		over = nil
	}
	select {
	case <-time.After(step):
		return nil
	case <-over:
		return ctx.Err()
	}
}

func (s *stepSource) put(ctx context.Context, c tools.CallContext, in stepsIn) (none, error) {
	if err := in.take(ctx, in.Plan); err != nil {
		return none{}, err
	}
	change := tools.Change{Target: in.Page, After: tools.State{Exists: true}}
	if err := c.BeforeWrite(ctx, change); err != nil {
		return none{}, err
	}
	if err := in.take(ctx, in.Write); err != nil {
		return none{}, err
	}
	s.mu.Lock()
	s.pages[in.Page] = true
	s.mu.Unlock()
	c.ReportWritten(change)
	return none{}, in.take(ctx, in.Answer)
}

// putByCall writes by calls of its own, two pages.
func (s *stepSource) putByCall(ctx context.Context, c tools.CallContext, in stepsIn) (none, error) {
	first, second := in, in
	second.Page, second.Plan = in.Page+"b", 0
	for _, step := range []stepsIn{first, second} {
		args, err := json.Marshal(step)
		if err != nil {
			return none{}, err
		}
		if _, err := c.Call(ctx, "", "put", args); err != nil {
			return none{}, err
		}
	}
	return none{}, in.take(ctx, in.Answer)
}

func stepKind(s *stepSource) tools.Kind {
	return tools.Erase(tools.System[*stepSource, struct{}]{
		Name: "steps", Title: "Steps", Doc: "For tests.",
		Open: func(context.Context, struct{}, tools.Env) (*stepSource, error) { return s, nil },
		Tools: []tools.Tool[*stepSource]{
			tools.DefineWithContext(tools.Spec[stepsIn, none]{Name: "put", Title: "Put", Doc: "Puts.", Effect: tools.Writes}, (*stepSource).put),
			tools.DefineWithContext(tools.Spec[stepsIn, none]{Name: "both", Title: "Both", Doc: "Puts two.", Effect: tools.Runs, Calls: true},
				(*stepSource).putByCall),
		},
	})
}

// Whatever step a write is in when its time is over or a client cancels it: who is told that
// nothing was written finds nothing, now and later, who is told that it is done finds all of
// it, and of everything else it is said that it is not known.
func TestWritesAtTheirDeadline(t *testing.T) {
	const deadline, grace = 30 * time.Second, 10 * time.Second
	plans := []time.Duration{0, deadline - 1, deadline, deadline + 1}
	writes := []time.Duration{0, 1, grace - 1, grace, grace + 1, deadline - 1, deadline, deadline + 1, deadline + grace + 1}
	for _, tool := range []string{"put", "both"} {
		t.Run(tool, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := journal.New(journal.Options{Dir: filepath.Join(t.TempDir(), "journal"), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
				defer func() { _ = j.Close() }()
				s := &stepSource{pages: map[string]bool{}}
				h := startWith(t, hub.Config{
					Systems: []tools.Kind{stepKind(s)}, Sources: []hub.Source{{Name: "steps", Kind: "steps"}},
					Limits: hub.Limits{Deadline: deadline, InFlight: 1000}, Journal: j, OwnChanges: true,
				})
				rng := rand.New(rand.NewPCG(3, 4))
				pick := func(from []time.Duration) time.Duration { return from[rng.IntN(len(from))] }
				var calls sync.WaitGroup
				var mu sync.Mutex
				nothing, outcomes := []string{}, map[string]int{}
				for n := range 600 {
					in := stepsIn{fmt.Sprintf("p%d", n), pick(plans), pick(writes), pick([]time.Duration{0, 1, deadline}), rng.IntN(2) == 0}
					args, err := json.Marshal(in)
					if err != nil {
						t.Fatal(err)
					}
					cancelled, end := time.Duration(0), rng.IntN(4) == 0
					if end {
						cancelled = pick(append(plans, writes...))
					}
					calls.Go(func() {
						ctx, cancel := context.WithCancel(t.Context())
						defer cancel()
						if end {
							time.AfterFunc(cancelled, cancel)
						}
						_, err := h.PersonAPI().Call(ctx, "steps", tool, args)
						mu.Lock()
						defer mu.Unlock()
						switch e := tools.AsError(err); {
						case !end && errors.Is(err, context.Canceled):
							t.Errorf("%+v ended as if somebody had cancelled it", in)
						case err == nil:
							outcomes["done"]++
							if !s.has(in.Page) || tool == "both" && !s.has(in.Page+"b") {
								t.Errorf("%+v is done and was not written", in)
							}
						case e.Applied == false:
							if !end && errors.Is(e, context.Canceled) {
								t.Errorf("%+v ended with %q, and nobody cancelled it", in, e.Message)
							}
							outcomes["nothing"]++
							nothing = append(nothing, in.Page, in.Page+"b")
						case e.Applied == "unknown":
							outcomes["unknown"]++
						default:
							t.Errorf("%+v ended with %q, which says nothing of the write", in, e.Message)
						}
					})
				}
				calls.Wait()
				check := func(when string) {
					for _, page := range nothing {
						if s.has(page) {
							t.Errorf("%s %s is there, of which nothing was to be written", when, page)
						}
					}
				}
				check("at once")
				time.Sleep(10 * deadline) // for what outlives its call
				synctest.Wait()
				check("later")
				if outcomes["done"] == 0 || outcomes["nothing"] == 0 || outcomes["unknown"] == 0 {
					t.Errorf("the calls ended as %v", outcomes)
				}
				made, err := h.Changes().List(t.Context(), status.Filter{Limit: 5000})
				if err != nil {
					t.Fatal(err)
				}
				written := map[string]bool{}
				for _, c := range made.Changes {
					written[c.Target] = written[c.Target] || c.Outcome == status.Written
				}
				for page, there := range s.pages {
					if there && !written[page] {
						t.Errorf("%s was written, and the journal does not say so", page)
					}
				}
				if n, _ := h.ActivityCounts(); n != 0 {
					t.Errorf("%d calls are in flight", n)
				}
			})
		})
	}
}
