package logs

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Pages that go back are all lines that are kept, each once, while the log goes on
// and rotates.
func TestReadPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hub.log")
	now := noon
	l := open(t, Options{File: file, FileSize: 4 << 10, Files: 4, Now: func() time.Time { return now }})
	n := 0
	add := func(lines int) {
		for range lines {
			n++
			now = now.Add(time.Millisecond)
			slog.New(l).Info("line", "n", n, "text", fmt.Sprintf("%0*d", n%200, n))
		}
	}
	add(150)
	var until time.Time // of the line from which the panel knows the rest
	all, err := ReadTail(file, 1000)
	if err != nil {
		t.Fatal(err)
	}
	until = all[len(all)-10].Time
	want := all[:len(all)-10]
	rng := rand.New(rand.NewPCG(5, 5))
	var got []Line
	q := PageQuery{Until: until, Limit: 7}
	for range 100 {
		page, err := ReadPage(file, q)
		if err != nil {
			t.Fatal(err)
		}
		got = append(append([]Line{}, page.Lines...), got...)
		if q.Before = page.Next; q.Before == "" {
			break
		}
		add(rng.IntN(3))
	}
	// What rotated away meanwhile is missing at the front, and nothing else.
	if len(got) == 0 || len(got) > len(want) {
		t.Fatalf("%d lines, want at most %d", len(got), len(want))
	}
	if d := cmp.Diff(want[len(want)-len(got):], got); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
}

// Of a quiet log every line comes, whatever the size of the pages.
func TestReadPageIsComplete(t *testing.T) {
	file := filepath.Join(t.TempDir(), "hub.log")
	l := open(t, Options{File: file, FileSize: 8 << 10, Files: 5})
	for i := range 300 {
		slog.New(l).Info("line", "n", i, "text", fmt.Sprintf("%0*d", (i*37)%400, i))
	}
	want, err := ReadTail(file, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []int{1, 3, 50, 1000} {
		var got []Line
		for q := (PageQuery{Limit: limit}); ; {
			page, err := ReadPage(file, q)
			if err != nil {
				t.Fatal(err)
			}
			got = append(append([]Line{}, page.Lines...), got...)
			if q.Before = page.Next; q.Before == "" {
				break
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, d)
		}
	}
	gone, err := ReadPage(file, PageQuery{Before: "2020-01-01T00:00:00Z:5", Limit: 9})
	if err != nil || len(gone.Lines) != 0 || gone.Next != "" {
		t.Errorf("before what has rotated away: %+v, %v", gone, err)
	}
}
