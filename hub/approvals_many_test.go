package hub_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor"
)

// Fifty calls of ten clients wait; the panel is closed and opened again, some
// are answered, and the hub ends. None is lost, none is granted by itself, each
// client hears of each of its calls once, and before its own time is over.
func TestFiftyApprovals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const clients, each = 10, 5
		state := supervisor.NewSnapshotStore(time.Now)
		h := startNotes(t, askWrites(), func(c *hub.Config) { c.State = state })
		panel := func() status.Snapshot {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			time.Sleep(time.Second)
			return <-state.Watch(ctx)
		}
		began := time.Now()
		var ends []*hubtest.Client
		for i := range clients {
			c := h.connect(fmt.Sprintf("client-%d", i), "")
			for n := range each {
				c.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":"put","arguments":{"path":"p%d-%d","text":"x"}}}`, n, i, n))
			}
			ends = append(ends, c)
		}
		if n := len(panel().Approvals); n != clients*each {
			t.Fatalf("the panel shows %d calls", n)
		}
		list := panel().Approvals // another panel, or the same opened again
		if len(list) != clients*each {
			t.Fatalf("the panel that was opened again shows %d calls", len(list))
		}
		allowed := map[string]bool{}
		for i, a := range list {
			switch {
			case i%5 == 0:
				h.answer(a.ID, true, status.Answer{})
				allowed[a.Targets[0]] = true
			case i%5 == 1:
				h.answer(a.ID, false, status.Answer{Reason: "no"})
			}
			if i%5 < 2 && h.Approvals().Answer(a.ID, true, status.Answer{}) == nil {
				t.Error("a second answer was taken")
			}
		}
		synctest.Wait()
		go func() { _ = h.Close() }()
		answers := map[string]int{}
		for i, c := range ends {
			heard := map[any]bool{}
			for range each {
				f := c.Recv()
				if heard[f.ID] {
					t.Errorf("client %d heard of %v twice", i, f.ID)
				}
				heard[f.ID] = true
				var o struct{ Code string }
				_ = json.Unmarshal(c.Result(f).Structured, &o)
				answers[o.Code]++
				target := fmt.Sprintf("p%d-%s", i, strings.TrimPrefix(f.ID.(string), "c"))
				if wrote := h.notes.Text(target) == "x"; wrote != allowed[target] || wrote != (o.Code == "") {
					t.Errorf("%s: allowed %v, written %v, told %q", target, allowed[target], wrote, o.Code)
				}
			}
		}
		if answers[""] != 10 || answers["denied"] != 10 || answers["unavailable"] != 30 || h.notes.Writes != 10 {
			t.Errorf("answers %v, %d writes", answers, h.notes.Writes)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("it took %s", took)
		}
		next := startNotes(t, askWrites(), nil)
		if len(next.pending()) != 0 || next.Approvals().Answer(list[3].ID, true, status.Answer{}) == nil {
			t.Error("an approval outlived its call")
		}
	})
}
