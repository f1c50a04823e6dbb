package statustest

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
)

func texts(lines []status.Line) []string {
	texts := []string{}
	for _, l := range lines {
		texts = append(texts, l.Text)
	}
	return texts
}

func checkWholeLine(t *testing.T, f *Fake, c status.Client) {
	want := status.Line{
		Time:  time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC),
		Level: status.Fail, Component: "notes", Text: `page opened page="Grüße ␛[2J"`,
	}
	want.Seq = f.AddLine(want)
	ch, _ := logs(t, c, status.LogQuery{})
	if diff := cmp.Diff([]status.Line{want}, closes(t, ch)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func checkOrder(t *testing.T, f *Fake, c status.Client) {
	none, _ := logs(t, c, status.LogQuery{})
	if got := closes(t, none); len(got) != 0 {
		t.Errorf("an empty log has %d lines", len(got))
	}
	addLines(f, 1, 5)
	ch, _ := logs(t, c, status.LogQuery{})
	got := closes(t, ch)
	if diff := cmp.Diff([]string{"line 1", "line 2", "line 3", "line 4", "line 5"}, texts(got)); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
	for i, l := range got {
		if l.Seq != uint64(i+1) || l.Missed != 0 {
			t.Errorf("line %d has seq %d and missed %d, want seq %d and none missed", i, l.Seq, l.Missed, i+1)
		}
	}
}

func checkPicks(t *testing.T, f *Fake, c status.Client) {
	for _, l := range []status.Line{
		{Level: status.Debug, Component: "hub", Text: "1"},
		{Level: status.Info, Component: "hub", Text: "2"},
		{Level: status.Warn, Component: "notes", Text: "3"},
		{Level: status.Fail, Component: "hub", Text: "4"},
		{Level: status.Info, Component: "notes", Text: "5"},
		{Level: status.Debug, Component: "notes", Text: "6"},
	} {
		f.AddLine(l)
	}
	for _, q := range []struct {
		name  string
		query status.LogQuery
		want  []string
	}{
		{"no level means info", status.LogQuery{}, []string{"2", "3", "4", "5"}},
		{"debug", status.LogQuery{Level: status.Debug}, []string{"1", "2", "3", "4", "5", "6"}},
		{"warn", status.LogQuery{Level: status.Warn}, []string{"3", "4"}},
		{"error", status.LogQuery{Level: status.Fail}, []string{"4"}},
		{"part", status.LogQuery{Component: "notes"}, []string{"3", "5"}},
		{"part and level", status.LogQuery{Component: "hub", Level: status.Warn}, []string{"4"}},
		{"unknown part", status.LogQuery{Component: "nobody"}, []string{}},
		{"after", status.LogQuery{After: 3}, []string{"4", "5"}},
		{"after the newest", status.LogQuery{After: 6}, []string{}},
		{"after a line of another hub", status.LogQuery{After: 1000}, []string{"2", "3", "4", "5"}},
		{"last", status.LogQuery{Last: 2}, []string{"4", "5"}},
		{"last of a part", status.LogQuery{Last: 1, Component: "hub"}, []string{"4"}},
		{"last of more than there are", status.LogQuery{Last: 9}, []string{"2", "3", "4", "5"}},
		{"last and after", status.LogQuery{Last: 2, After: 4}, []string{"5"}},
	} {
		ch, _ := logs(t, c, q.query)
		if diff := cmp.Diff(q.want, texts(closes(t, ch))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", q.name, diff)
		}
	}
}

func checkGone(t *testing.T, f *Fake, c status.Client) {
	addLines(f, 1, Kept+50)
	ch, _ := logs(t, c, status.LogQuery{After: 10})
	got := closes(t, ch)
	if len(got) != Kept || got[0].Seq != 51 || got[0].Missed != 40 {
		t.Errorf("%d lines, the first is seq %d and missed %d; want %d, seq 51, missed 40", len(got), got[0].Seq, got[0].Missed, Kept)
	}
	if i := slices.IndexFunc(got[1:], func(l status.Line) bool { return l.Missed != 0 }); i >= 0 {
		t.Errorf("line %d says that lines before it are missing", got[i+1].Seq)
	}

	all, _ := logs(t, c, status.LogQuery{})
	if got := closes(t, all); len(got) != Kept || got[0].Missed != 0 {
		t.Errorf("%d lines from the oldest, missed %d; want %d, and none missed", len(got), got[0].Missed, Kept)
	}
}

func checkFollow(t *testing.T, f *Fake, c status.Client) {
	addLines(f, 1, 3)
	ch, stop := logs(t, c, status.LogQuery{Last: 1, Follow: true, Component: "hub"})
	if got := next(t, ch); got.Text != "line 3" {
		t.Fatalf("the first line is %q, want line 3", got.Text)
	}
	f.AddLine(status.Line{Component: "notes", Text: "of another part"})
	f.AddLine(status.Line{Component: "hub", Level: status.Debug, Text: "too light"})
	addLines(f, 6, 7)
	for _, want := range []string{"line 6", "line 7"} {
		if got := next(t, ch); got.Text != want || got.Missed != 0 {
			t.Fatalf("the next line is %q and missed %d, want %s and none missed", got.Text, got.Missed, want)
		}
	}
	stop()
	closes(t, ch)
}

func checkSlowFollower(t *testing.T, f *Fake, c status.Client) {
	addLines(f, 1, 1)
	ch, _ := logs(t, c, status.LogQuery{Follow: true})
	if got := next(t, ch); got.Seq != 1 {
		t.Fatalf("the first line has seq %d, want 1", got.Seq)
	}
	const many = 50 * Kept
	addLines(f, 2, many) // returns though nobody reads
	for seq := uint64(1); seq < many; {
		l := next(t, ch)
		if l.Seq != seq+1+l.Missed {
			t.Fatalf("seq %d came after %d and says that %d are missing", l.Seq, seq, l.Missed)
		}
		seq = l.Seq
	}
}
