package statustest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

// RunCalls checks that what wrap returns delivers calls as status.CallsQuery
// promises. It keeps [LinesKept] of those that it takes from the tee, which wrap
// gives away first.
func RunCalls(
	t *testing.T, wrap func(t *testing.T, tee func(func(status.Call))) func(context.Context, status.CallFilter) (<-chan status.Call, error),
) {
	t.Helper()
	runFeed(t, func(t *testing.T) feedTest[status.Call] {
		f := new(Fake)
		return callTest(f, wrap(t, func(on func(status.Call)) { f.onCall = on }))
	})
}

// A feedTest is numbered values under test.
type feedTest[T any] struct {
	add    func()
	open   func(ctx context.Context, after uint64, follow bool) (<-chan T, error)
	fields func(*T) fields
}

func callTest(f *Fake, open func(context.Context, status.CallFilter) (<-chan status.Call, error)) feedTest[status.Call] {
	return feedTest[status.Call]{
		add: func() { f.AddCall(status.Call{Source: "notes", Tool: "read_page"}) },
		open: func(ctx context.Context, after uint64, follow bool) (<-chan status.Call, error) {
			return open(ctx, status.CallFilter{After: after, Follow: follow})
		},
		fields: callFields,
	}
}

func lineTest(f *Fake, c status.Client) feedTest[status.Line] {
	n := 0
	return feedTest[status.Line]{
		add: func() {
			n++ // a log may drop repeated lines
			f.AddLine(status.Line{Component: "hub", Text: fmt.Sprint("line ", n)})
		},
		open: func(ctx context.Context, after uint64, follow bool) (<-chan status.Line, error) {
			return status.Open(ctx, c, status.LogsQuery, status.LogFilter{After: after, Follow: follow})
		},
		fields: lineFields,
	}
}

// runFeed checks the numbered values that start makes for each check.
func runFeed[T any](t *testing.T, start func(*testing.T) feedTest[T]) {
	t.Helper()
	for name, check := range map[string]func(*testing.T, feedTest[T]){
		"values come oldest first and then end": checkOrder[T], "values that are gone are counted": checkGone[T],
		"following goes on": checkFollow[T], "a slow follower knows what it missed": checkSlowFollower[T],
	} {
		t.Run(name, func(t *testing.T) { check(t, start(t)) })
	}
}

func (x feedTest[T]) addMany(n int) {
	for range n {
		x.add()
	}
}

func (x feedTest[T]) seqs(all []T) []uint64 {
	list := []uint64{}
	for _, v := range all {
		list = append(list, *x.fields(&v).seq)
	}
	return list
}

func (x feedTest[T]) read(t *testing.T, after uint64, follow bool) (<-chan T, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	ch, err := x.open(ctx, after, follow)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	return ch, cancel
}

func checkOrder[T any](t *testing.T, x feedTest[T]) {
	none, _ := x.read(t, 0, false)
	if got := closes(t, none); len(got) != 0 {
		t.Errorf("an empty feed has %d values", len(got))
	}
	x.addMany(5)
	for _, q := range []struct {
		after uint64
		want  []uint64
	}{{0, []uint64{1, 2, 3, 4, 5}}, {3, []uint64{4, 5}}, {5, []uint64{}}, {1000, []uint64{1, 2, 3, 4, 5}}} {
		ch, _ := x.read(t, q.after, false)
		if diff := cmp.Diff(q.want, x.seqs(closes(t, ch))); diff != "" {
			t.Errorf("after %d (-want +got):\n%s", q.after, diff)
		}
	}
}

func checkGone[T any](t *testing.T, x feedTest[T]) {
	x.addMany(LinesKept + 50)
	ch, _ := x.read(t, 10, false)
	got := closes(t, ch)
	if len(got) != LinesKept || *x.fields(&got[0]).seq != 51 || *x.fields(&got[0]).missed != 40 {
		t.Fatalf("%d values, the first is %+v; want %d, seq 51, missed 40", len(got), got[0], LinesKept)
	}
	if slices.ContainsFunc(got[1:], func(v T) bool { return *x.fields(&v).missed != 0 }) {
		t.Error("a later value says that values before it are missing")
	}
	all, _ := x.read(t, 0, false)
	if got := closes(t, all); len(got) != LinesKept || *x.fields(&got[0]).missed != 0 {
		t.Errorf("%d values from the oldest, the first is %+v; want %d, and none missed", len(got), got[0], LinesKept)
	}
}

func checkFollow[T any](t *testing.T, x feedTest[T]) {
	x.addMany(2)
	ch, stop := x.read(t, 1, true)
	for want := uint64(2); want < 5; want++ {
		if got := next(t, ch); *x.fields(&got).seq != want || *x.fields(&got).missed != 0 {
			t.Fatalf("the next value is %+v; want seq %d and none missed", got, want)
		}
		x.add()
	}
	stop()
	closes(t, ch)
}

func checkSlowFollower[T any](t *testing.T, x feedTest[T]) {
	x.add()
	ch, _ := x.read(t, 0, true)
	next(t, ch)
	const many = 50 * LinesKept
	x.addMany(many - 1) // returns although nothing reads
	for seq := uint64(1); seq < many; {
		v := next(t, ch)
		if *x.fields(&v).seq != seq+1+*x.fields(&v).missed {
			t.Fatalf("after %d came %+v", seq, v)
		}
		seq = *x.fields(&v).seq
	}
}

func checkLogFilter(t *testing.T, f *Fake, c status.Client) {
	whole := status.Line{
		Time: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Level: status.Debug, Component: "hub", Text: `page opened page="Grüße ␛[2J"`,
	}
	whole.Seq = f.AddLine(whole)
	for _, l := range []status.Line{
		{Level: status.Info, Component: "hub", Text: "2"},
		{Level: status.Warn, Component: "notes", Text: "3"},
		{Level: status.Fail, Component: "hub", Text: "4"},
		{Level: status.Info, Component: "notes", Text: "5"},
		{Level: status.Debug, Component: "notes", Text: "6"},
	} {
		f.AddLine(l)
	}
	for _, q := range []struct {
		name   string
		filter status.LogFilter
		want   []string
	}{
		{"no level means info", status.LogFilter{}, []string{"2", "3", "4", "5"}},
		{"debug", status.LogFilter{Level: status.Debug}, []string{whole.Text, "2", "3", "4", "5", "6"}},
		{"warn", status.LogFilter{Level: status.Warn}, []string{"3", "4"}},
		{"error", status.LogFilter{Level: status.Fail}, []string{"4"}},
		{"component", status.LogFilter{Component: "notes"}, []string{"3", "5"}},
		{"component and level", status.LogFilter{Component: "hub", Level: status.Warn}, []string{"4"}},
		{"unknown component", status.LogFilter{Component: "unknown"}, []string{}},
		{"after", status.LogFilter{After: 3}, []string{"4", "5"}},
		{"after the newest", status.LogFilter{After: 6}, []string{}},
		{"after a line of another hub", status.LogFilter{After: 1000}, []string{"2", "3", "4", "5"}},
		{"last", status.LogFilter{Last: 2}, []string{"4", "5"}},
		{"last of a component", status.LogFilter{Last: 1, Component: "hub"}, []string{"4"}},
		{"last of more than there are", status.LogFilter{Last: 9}, []string{"2", "3", "4", "5"}},
		{"last and after", status.LogFilter{Last: 2, After: 4}, []string{"5"}},
	} {
		got := []string{}
		for _, l := range closes(t, openLogs(t, c, q.filter)) {
			if got = append(got, l.Text); l.Seq == whole.Seq && !cmp.Equal(l, whole) {
				t.Errorf("the line did not arrive whole: %s", cmp.Diff(whole, l))
			}
		}
		if diff := cmp.Diff(q.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", q.name, diff)
		}
	}
	following := openLogs(t, c, status.LogFilter{Last: 1, Follow: true, Component: "hub"})
	if got := next(t, following); got.Text != "4" {
		t.Errorf("the first line is %q, want 4", got.Text)
	}
	f.AddLine(status.Line{Component: "notes", Text: "of another component"})
	f.AddLine(status.Line{Component: "hub", Level: status.Debug, Text: "below the level"})
	f.AddLine(status.Line{Component: "hub", Text: "7"})
	if got := next(t, following); got.Text != "7" {
		t.Errorf("the next line is %q, want 7", got.Text)
	}
}

func openLogs(t *testing.T, c status.Client, filter status.LogFilter) <-chan status.Line {
	t.Helper()
	ch, err := status.Open(t.Context(), c, status.LogsQuery, filter)
	if err != nil {
		t.Fatalf("logs: %v", err)
	}
	return ch
}
