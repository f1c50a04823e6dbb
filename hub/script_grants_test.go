package hub

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace"
)

// onFirst is a log that calls do when the first line with a text comes.
type onFirst struct {
	slog.Handler
	has  string
	once *sync.Once
	do   func()
}

func (o onFirst) Enabled(context.Context, slog.Level) bool { return true }

func (o onFirst) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.String() == o.has {
			o.once.Do(o.do)
		}
		return true
	})
	return nil
}

// What a person grants, or forbids, while a script runs holds from its next host call.
func TestScriptObeysGrantsThatChange(t *testing.T) {
	if runtest.UnderRace {
		t.Skip("one call follows the other, and a hub compiles an engine")
	}
	const readThrice = `[1, 2, 3].map(() => { try { kb.notes.get("welcome"); return "ok" } catch (e) { return e.name + " " + e.status } }).join(", ")`
	cache := t.TempDir() // of the engine, which takes seconds to compile
	only := func(effects ...tools.Effect) *policy.Policy {
		return policy.New([]policy.Grant{{Source: "ws", Client: "cursor", Effects: effects}}, nil)
	}
	for name, tt := range map[string]struct {
		before, after *policy.Policy
		want          string
	}{
		"a grant is taken away": {only(tools.Reads, tools.Runs), only(tools.Runs), `"ok, HostCallError 403, HostCallError 403"`},
		"a grant is left":       {only(tools.Reads, tools.Runs), only(tools.Reads, tools.Runs, tools.Writes), `"ok, ok, ok"`},
		"a rule forbids": {
			policy.New(nil, nil), policy.New(nil, []policy.Rule{{Do: policy.Deny, Tool: "workspace_read"}}), "policy changed",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var h *Hub
			log := slog.New(onFirst{slog.DiscardHandler, "workspace_read", &sync.Once{}, func() { h.SetPolicy(tt.after) }})
			h = New(Config{
				Folders: func(string, string) (string, string, error) { return cache, t.TempDir(), nil },
				Systems: []tools.Kind{workspace.System()}, Version: "1", Skill: "1", State: hubtest.NewFakeSnapshotStore(), Now: time.Now, Log: log, Policy: tt.before, Limits: Limits{Deadline: runtest.Timeout},
				Sources: []Source{{
					Name: "ws", Kind: "workspace", Effects: tools.Effects(),
					Options: fmt.Appendf(nil, `{"folder":%q,"welcome":true}`, filepath.Join(t.TempDir(), "ws")),
				}},
			})
			h.calls.lines.delay = 0 // each call is logged before it returns
			if err := h.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := h.Close(); err != nil {
					t.Error(err)
				}
			})
			args, err := json.Marshal(map[string]string{"workspace_id": "ws", "code": readThrice})
			if err != nil {
				t.Fatal(err)
			}
			by := agentAPI{h}.caller(mcp.RequestOrigin{Session: h.sessions.newPersonSession("", "cursor").Session, Client: policy.Client{Name: "cursor"}})
			res, err := h.call(t.Context(), by, mcp.Call{Tool: "run_script", Args: args})
			if got := fmt.Sprint(string(res.JSON), err); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
