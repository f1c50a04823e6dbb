package logs

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestRingKeepsTheNewest compares a small ring with the list of all lines.
func TestRingKeepsTheNewest(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	r := newRingBuffer(8, 100)
	var all []string
	for i := range 5000 {
		text := strings.Repeat(string(rune('a'+i%26)), rnd.IntN(26))
		all = append(all, text)
		r.add(line{text: text})

		var missed uint64
		got, next, end := r.copyBatch(nil, 1, &missed, Query{})
		if !end || next != uint64(len(all)+1) {
			t.Fatalf("after %d lines reading ends at %d", len(all), next)
		}
		if len(got) == 0 || uint64(len(got))+r.first != r.next {
			t.Fatalf("after %d lines the ring has %d, from %d to %d", len(all), len(got), r.first, r.next)
		}
		bytes := 0
		for _, l := range got {
			if l.Text != all[l.Seq-1] {
				t.Fatalf("line %d is %q, want %q", l.Seq, l.Text, all[l.Seq-1])
			}
			bytes += len(l.Text)
		}
		if given := r.first - 1; got[0].Missed != given {
			t.Fatalf("%d lines are missing, and the first says %d", given, got[0].Missed)
		}
		// A line is given up only for want of room: one more would not fit.
		if len(got) < 8 && len(all) > 8 && bytes+25 < 100 {
			t.Fatalf("after %d lines the ring has only %d lines with %d bytes", len(all), len(got), bytes)
		}
	}
}

func TestRingTruncatesLongLines(t *testing.T) {
	r := newRingBuffer(10, 400)
	r.add(line{text: strings.Repeat("x", 1000)})
	var missed uint64
	got, _, _ := r.copyBatch(nil, 1, &missed, Query{})
	if len(got) != 1 || len(got[0].Text) > 100 || !strings.HasSuffix(got[0].Text, "more)") {
		t.Errorf("got %+v", got)
	}
}

// TestReadersAndWriters has slow and quick readers beside writers: each reader
// can account for every line.
func TestReadersAndWriters(t *testing.T) {
	l := open(t, Options{Lines: 200, Bytes: 8000})
	const writers, each = 4, 2000
	var reading, writing sync.WaitGroup
	for range 8 {
		ch := l.Query(t.Context(), Query{Follow: true})
		reading.Go(func() {
			var seq uint64
			for line := range ch {
				if line.Seq != seq+1+line.Missed {
					t.Errorf("line %d came after %d and says %d are missing", line.Seq, seq, line.Missed)
					return
				}
				seq = line.Seq
			}
			if seq != writers*each {
				t.Errorf("the last line is %d, want %d", seq, writers*each)
			}
		})
	}
	for w := range writers {
		writing.Go(func() {
			log := slog.New(l).With("component", fmt.Sprint(w))
			for i := range each {
				log.Info("line", "n", i)
			}
		})
	}
	writing.Wait()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	reading.Wait()
}

func filled(b *testing.B, n int) *Log {
	b.Helper()
	l, err := New(Options{})
	if err != nil {
		b.Fatal(err)
	}
	log := slog.New(l).With("component", "notes")
	for i := range n {
		log.Info("call answered and a text of the usual length", "tool", "read_page", "n", i, "took", "1.2ms")
	}
	return l
}

// BenchmarkAppendAndQuery is what the panel costs for each new line: append
// one, read the forty that are visible. A million lines have passed.
func BenchmarkAppendAndQuery(b *testing.B) {
	l := filled(b, 1_000_000)
	log := slog.New(l)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		log.Info("one more", "n", i)
		seen := 0
		for range l.Query(b.Context(), Query{Last: 40}) {
			seen++
		}
		if seen != 40 {
			b.Fatalf("saw %d lines, want 40", seen)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	l := filled(b, 1_000_000)
	log := slog.New(l)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		log.Info("call answered and a text of the usual length", "tool", "read_page", "n", i)
	}
}

func BenchmarkScanForAPart(b *testing.B) {
	l := filled(b, 20_000)
	b.ReportAllocs()
	for b.Loop() {
		for range l.Query(b.Context(), Query{Component: "nobody", Last: 40}) {
			b.Fatal("found a line of nobody")
		}
	}
}
