package statustest

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// RunLedger checks that a Ledger keeps the promises of status.Ledger; wrap is as
// in [Run], with [Fake.TeeCalls] to fill one that has its own store of calls.
func RunLedger(t *testing.T, wrap func(*testing.T, *Fake) status.History) {
	t.Helper()
	for _, c := range []struct {
		name  string
		check func(*testing.T, *Fake, status.History)
	}{
		{"a call arrives whole", checkWholeCall},
		{"calls come oldest first and then end", checkCallOrder},
		{"calls that are gone are counted", checkCallsGone},
		{"following calls goes on", checkCallsFollow},
		{"a slow follower of calls knows what it missed", checkSlowCalls},
		{"following calls ends with its context", checkCallsEnd},
		{"changes arrive whole", checkChangesWhole},
		{"errors of changes keep their words", checkChangesErrors},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := new(Fake)
			c.check(t, f, wrap(t, f))
		})
	}
}

func calls(t *testing.T, l status.History, q status.CallQuery) (<-chan status.Call, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ch, err := l.Calls(ctx, q)
	if err != nil {
		t.Fatalf("calls: %v", err)
	}
	return ch, cancel
}

func addCalls(f *Fake, n int) {
	for range n {
		f.AddCall(status.Call{Source: "notes", Tool: "read_page"})
	}
}

func seqs(calls []status.Call) []uint64 {
	list := []uint64{}
	for _, c := range calls {
		list = append(list, c.Seq)
	}
	return list
}

func checkWholeCall(t *testing.T, f *Fake, l status.History) {
	want := status.Call{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Session: "s1", Client: "<agent> & \"co\"", Source: "notes", Tool: "write_page",
		Effect: "write", Duration: 1234567, RequestBytes: 12, ResponseBytes: 3456, Code: "conflict", Changes: []string{"c1", "c2"},
	}
	want.Seq = f.AddCall(want)
	ch, _ := calls(t, l, status.CallQuery{})
	if diff := cmp.Diff([]status.Call{want}, closes(t, ch)); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func checkCallOrder(t *testing.T, f *Fake, l status.History) {
	none, _ := calls(t, l, status.CallQuery{})
	if got := closes(t, none); len(got) != 0 {
		t.Errorf("a ledger of nothing has %d calls", len(got))
	}
	addCalls(f, 5)
	for _, q := range []struct {
		after uint64
		want  []uint64
	}{{0, []uint64{1, 2, 3, 4, 5}}, {3, []uint64{4, 5}}, {5, []uint64{}}, {1000, []uint64{1, 2, 3, 4, 5}}} {
		ch, _ := calls(t, l, status.CallQuery{After: q.after})
		if diff := cmp.Diff(q.want, seqs(closes(t, ch))); diff != "" {
			t.Errorf("after %d (-want +got):\n%s", q.after, diff)
		}
	}
}

func checkCallsGone(t *testing.T, f *Fake, l status.History) {
	addCalls(f, Kept+50)
	ch, _ := calls(t, l, status.CallQuery{After: 10})
	got := closes(t, ch)
	if len(got) != Kept || got[0].Seq != 51 || got[0].Missed != 40 || got[1].Missed != 0 {
		t.Errorf("%d calls, the first is seq %d and missed %d; want %d, seq 51, missed 40", len(got), got[0].Seq, got[0].Missed, Kept)
	}
}

func checkCallsFollow(t *testing.T, f *Fake, l status.History) {
	addCalls(f, 2)
	ch, stop := calls(t, l, status.CallQuery{After: 1, Follow: true})
	for want := uint64(2); want < 5; want++ {
		if got := next(t, ch); got.Seq != want || got.Missed != 0 {
			t.Fatalf("the next call has seq %d and missed %d, want %d and none missed", got.Seq, got.Missed, want)
		}
		addCalls(f, 1)
	}
	stop()
	closes(t, ch)
}

func checkSlowCalls(t *testing.T, f *Fake, l status.History) {
	addCalls(f, 1)
	ch, _ := calls(t, l, status.CallQuery{Follow: true})
	next(t, ch)
	const many = 50 * Kept
	addCalls(f, many-1) // returns though nobody reads
	for seq := uint64(1); seq < many; {
		c := next(t, ch)
		if c.Seq != seq+1+c.Missed {
			t.Fatalf("seq %d came after %d and says that %d are missing", c.Seq, seq, c.Missed)
		}
		seq = c.Seq
	}
}

func checkCallsEnd(t *testing.T, _ *Fake, l status.History) {
	ch, stop := calls(t, l, status.CallQuery{Follow: true})
	stop()
	closes(t, ch)
}
