package hub_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// startMemo starts a hub with one source, the notebook desk of a store.
func startMemo(t *testing.T, store *memo.Store, p *policy.Policy, systems ...tools.Kind) (*hub.Hub, *hubtest.FakeSnapshotStore) {
	t.Helper()
	h := startWith(t, hub.Config{
		Systems: append(systems, memo.SystemWith(store)), Sources: []hub.Source{{Name: "desk", Kind: "memo"}}, Policy: p,
	})
	return h.Hub, h.board
}

// connectClient connects an agent that claims a name and may prove one.
func connectClient(t *testing.T, h *hub.Hub, claims, proves string) *hubtest.Client {
	t.Helper()
	c := connectAs(t, &testHub{Hub: h}, mcp.ConnectionInfo{Proven: proves})
	initialize(c, fmt.Sprintf(`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":%q,"version":"9"}}`, claims))
	return c
}

// The panel shows how much the rules of a source hide, and a notice about a rule that
// matches nothing, which does not degrade the source.
func TestHiddenPagesAreShown(t *testing.T) {
	store := memo.NewStore()
	store.Put("desk", "Private/Diary", "dear")
	store.Put("desk", "Milk", "two")
	rule := func(text string) tools.PrivacyRule {
		r, err := tools.ParsePrivacyRule(text)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	conf := hub.Source{Name: "desk", Kind: "memo", Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{rule("Private"), rule("Pirvate")}}}
	h := startWith(t, hub.Config{Systems: []tools.Kind{memo.SystemWith(store)}, Sources: []hub.Source{conf}})
	h.board.WaitFor(t, func(s status.Snapshot) bool { return len(s.Sources) == 1 && s.Sources[0].Hidden != nil })
	if _, raised := h.board.Problem("source.rule desk"); !raised {
		t.Error("no notice of a rule that matches nothing")
	}
	shown := h.board.LastSnapshot().Sources[0]
	if want := (status.HiddenPages{Hidden: 1, Total: 2, Unmatched: []string{"Pirvate"}}); !cmp.Equal(*shown.Hidden, want) || shown.State != status.Ready {
		t.Errorf("shown %+v, %s", *shown.Hidden, shown.State)
	}
	store.Put("desk", "Pirvate", "now it is there")
	got, err := h.PersonAPI().CountHiddenPages(t.Context(), "desk")
	if want := (status.HiddenPages{Hidden: 2, Total: 3}); err != nil || !cmp.Equal(got, want) {
		t.Errorf("counted %+v, %v", got, err)
	}
	if _, raised := h.board.Problem("source.rule desk"); raised {
		t.Error("the notice stays")
	}
}

// Problems come and go while the snapshot is filled.
func TestProblemsBesideSnapshots(t *testing.T) {
	store := memo.NewStore()
	store.Put("desk", "Milk", "two")
	conf := hub.Source{Name: "desk", Kind: "memo", Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Tag: "new"}}}}
	h := startWith(t, hub.Config{Systems: []tools.Kind{memo.SystemWith(store)}, Sources: []hub.Source{conf}})
	var filling sync.WaitGroup
	ctx, end := context.WithCancel(t.Context())
	filling.Go(func() {
		for ctx.Err() == nil {
			h.UpdateSnapshot()
		}
	})
	for i := range runtest.Size(2000, 400, 200) {
		store.Put("desk", "Milk", []string{"#new", "old"}[i%2])
		if _, err := h.PersonAPI().CountHiddenPages(t.Context(), "desk"); err != nil {
			t.Fatal(err)
		}
	}
	end()
	filling.Wait()
}
