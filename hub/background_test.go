package hub_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// settle lets everything that waits for no time happen, and the snapshot follow.
func settle() {
	synctest.Wait()
	time.Sleep(time.Second)
	synctest.Wait()
}

// Background work raises and clears the Problems of its System, and one that
// fails degrades its source and is started again.
func TestBackgroundWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memo.NewStore()
		store.Put("desk", "Blank", " ")
		_, board := startMemo(t, store, nil)
		settle()
		if p, ok := board.Problem("memo.empty desk"); !ok || p.Title != "1 notes in desk have no words" {
			t.Errorf("problem %+v", p)
		}
		if s := board.LastSnapshot().Sources[0]; s.State != status.Degraded || s.Note == "" || len(s.Tasks)+len(s.Holds) > 0 {
			t.Errorf("status %+v", s)
		}
		store.Put("desk", "Blank", "a word")
		settle()
		if s := board.LastSnapshot().Sources[0]; s.State != status.Ready || s.Note != "" {
			t.Errorf("status %+v after it was cleared", s)
		}

		store.Break("desk", errors.New("the notebook is torn"))
		settle()
		if p, ok := board.Problem("source.background desk"); !ok || !strings.Contains(p.Title, "the notebook is torn") {
			t.Errorf("problem %+v", p)
		}
		store.Break("desk", nil)
		time.Sleep(2 * time.Minute) // it is started again, and well for a minute
		settle()
		if p, ok := board.Problem("source.background desk"); ok {
			t.Errorf("problem %+v after it was repaired", p)
		}
	})
}

// slow is a source whose background work ends late and must not overlap.
type slow struct {
	running *atomic.Int32
	most    *atomic.Int32
	ends    time.Duration
	report  tools.Reporter
}

func (slow) Close() error                { return nil }
func (slow) Check(context.Context) error { return nil }

func (s slow) Run(ctx context.Context) error {
	if n := s.running.Add(1); n > s.most.Load() {
		s.most.Store(n)
	}
	s.report.Progress("index", 3, 10)
	release := s.report.BlockIdleExit("has a schedule")
	defer release()
	<-ctx.Done()
	time.Sleep(s.ends)
	s.running.Add(-1)
	return nil
}

func slowSystem(running, most *atomic.Int32, ends time.Duration) tools.Kind {
	type config struct {
		Note string `json:"note,omitempty" jsonschema:"anything"`
	}
	return tools.Erase(tools.System[slow, config]{
		Name: "slow", Title: "Slow", Doc: "Takes its time.",
		Open: func(_ context.Context, _ config, env tools.Env) (slow, error) {
			return slow{running, most, ends, env.Report}, nil
		},
	})
}

// There is one Run of a name at a time, through reloads and reopening; while it
// holds the hub, the hub says why.
func TestOneRunAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		h, board := startMemo(t, memo.NewStore(), nil, slowSystem(&running, &most, 100*time.Millisecond))
		list := func(note string) []hub.Source {
			return []hub.Source{{Name: "one", Kind: "slow", Options: json.RawMessage(`{"note":"` + note + `"}`)}}
		}
		for _, note := range []string{"a", "b", "c", "d", "e", "f"} {
			if err := h.ReloadSources(t.Context(), list(note)); err != nil {
				t.Fatal(err)
			}
			if note == "c" || note == "e" { // while the former one ends, and while this one runs
				settle()
				if err := h.ReopenSource(t.Context(), "one"); err != nil {
					t.Error(err)
				}
			}
		}
		settle()
		if running.Load() != 1 || most.Load() != 1 {
			t.Errorf("%d run, at most %d at a time, want 1 and 1", running.Load(), most.Load())
		}
		s := board.LastSnapshot().Sources[0]
		if !h.BlocksIdleExit() || len(s.Holds) != 1 || s.Holds[0] != "has a schedule" || len(s.Tasks) != 1 || s.Tasks[0].Done != 3 || s.Tasks[0].Total != 10 {
			t.Errorf("held %v, status %+v", h.BlocksIdleExit(), s)
		}
		if err := h.ReloadSources(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		settle()
		if running.Load() != 0 || h.BlocksIdleExit() {
			t.Errorf("%d still run, held %v", running.Load(), h.BlocksIdleExit())
		}
	})
}

// A Problem that the System does not declare is not shown.
func TestUndeclaredProblem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		system := slowSystem(&running, &most, 0)
		raised := make(chan tools.Reporter, 1)
		h, board := startMemo(t, memo.NewStore(), nil, reportingSystem{system, raised})
		if err := h.ReloadSources(t.Context(), []hub.Source{{Name: "one", Kind: "slow"}}); err != nil {
			t.Fatal(err)
		}
		(<-raised).Raise(status.ProblemType{Code: "slow.invented", Title: "x"}, nil)
		settle()
		if p, ok := board.Problem("slow.invented one"); ok {
			t.Errorf("it shows %+v", p)
		}
	})
}

// reportingSystem hands out the Reporter of the source that is opened.
type reportingSystem struct {
	tools.Kind
	opened chan tools.Reporter
}

func (s reportingSystem) Open(ctx context.Context, config json.RawMessage, env tools.Env) (*tools.OpenedSource, error) {
	s.opened <- env.Report
	return s.Kind.Open(ctx, config, env)
}
