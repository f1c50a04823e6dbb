package pane

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// What is counted call by call is what all calls come to: as calls come, older ones are read and
// filtered, and the oldest go.
func TestCallCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	r := newCallLog()
	next := func(id int64, at time.Time) status.Call {
		c := status.Call{
			ID: id, Seq: uint64(id), Time: at, Tool: fmt.Sprint("tool", random.IntN(5)), Client: fmt.Sprint("client", random.IntN(3)), Source: "notes",
			Duration: time.Duration(random.IntN(1000)), ResponseBytes: random.IntN(100),
		}
		switch random.IntN(10) {
		case 0:
			c.Code = "not_found"
		case 1:
			c.Event = status.AgentConnected
		}
		return c
	}
	id := int64(5000)
	for step := range 40 {
		switch step % 8 {
		case 3:
			page := status.RecordedCalls{Next: 1}
			for i := range 50 {
				old := next(4000-int64(step*50+i), now.Add(-time.Hour))
				old.Seq, old.Client = 0, "client1"
				page.Calls = append(page.Calls, old)
			}
			r.addRecorded(page, nil)
		case 5:
			r.setSearch(clientSearch([]string{"", "client1"}[step/8%2]))
		default:
			for range 500 {
				id++
				r.add(next(id, now.Add(time.Duration(id)*time.Second)))
			}
		}
		since := now.Add(time.Duration(7000+step/10) * time.Second)
		type summary struct {
			Calls, Events, Newer int
			Tools, Clients       []callTotal
		}
		got := summary{Newer: r.countSince(since), Calls: r.counts.calls, Events: r.counts.events, Tools: r.totalsByTool(), Clients: r.totalsByClient()}
		kept := got
		kept.Tools, kept.Clients = slices.Clone(got.Tools), slices.Clone(got.Clients)
		r.recount()
		r.revision++
		want := summary{Newer: r.countSince(since), Calls: r.counts.calls, Events: r.counts.events, Tools: r.totalsByTool(), Clients: r.totalsByClient()}
		if d := cmp.Diff(want, kept, cmp.AllowUnexported(callTotal{})); d != "" {
			t.Fatalf("step %d, counted again and as they came:\n%s", step, d)
		}
		order := r.orderedCallNumbers(false)
		if !slices.IsSortedFunc(order, func(a, b uint64) int { return -int(a - b) }) || len(order) != got.Calls+got.Events {
			t.Fatalf("step %d: %d numbers, not the newest first, of %d calls and %d events", step, len(order), got.Calls, got.Events)
		}
	}
	if len(r.calls) < maxCalls {
		t.Errorf("%d calls came: the oldest of them stay", len(r.calls))
	}
}
