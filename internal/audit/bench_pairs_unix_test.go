//go:build unix

package audit

import (
	"fmt"
	"maps"
	"slices"
	"syscall"
	"testing"
	"time"
)

// BenchmarkPairs reads every pair of conditions from a trail of a million calls until
// a page is full or there are no more, and reports the page that took longest, the
// first page that did, and the pair whose pages did: in processor time, each page the
// best of three.
func BenchmarkPairs(b *testing.B) {
	r := openFullTrail(b)
	middle := noon.Add(500_000 * time.Second)
	conditions := map[string]func(*Filter){
		"client": func(f *Filter) { f.Client = "client 3" }, "rare client": func(f *Filter) { f.Client = "rare" },
		"source": func(f *Filter) { f.Source = "source 4" }, "tool": func(f *Filter) { f.Tool = "tool 5" }, "other tool": func(f *Filter) { f.Tool = "tool 23" },
		"read": func(f *Filter) { f.Effect = "read" }, "write": func(f *Filter) { f.Effect = "write" },
		"ok": func(f *Filter) { f.Outcome = OK }, "refused": func(f *Filter) { f.Outcome = Refused }, "error": func(f *Filter) { f.Outcome = Failed },
		"target": func(f *Filter) { f.Target = "pages/75.md" }, "changed": func(f *Filter) { f.Search = append(f.Search, Condition{Field: "changes"}) },
		"client part": func(f *Filter) { f.Search = append(f.Search, Condition{Field: "client", Text: "nt 7"}) }, "source part": func(f *Filter) { f.Search = append(f.Search, Condition{Field: "source", Text: "ce 8"}) },
		"tool part": func(f *Filter) { f.Search = append(f.Search, Condition{Field: "tool", Text: "ol 3"}) }, "target part": func(f *Filter) { f.Search = append(f.Search, Condition{Field: "targets", Text: "9.md"}) },
		"common word": func(f *Filter) { f.Search = append(f.Search, Condition{Text: "client 1"}) }, "word": func(f *Filter) { f.Search = append(f.Search, Condition{Text: "in this"}) },
		"session": func(f *Filter) { f.Search = append(f.Search, Condition{Text: "s77"}) }, "missing word": func(f *Filter) { f.Search = append(f.Search, Condition{Text: "nobody"}) },
		"since": func(f *Filter) { f.Since = middle }, "until": func(f *Filter) { f.Until = middle },
	}
	names := slices.Sorted(maps.Keys(conditions))
	type worst struct {
		name string
		took time.Duration
	}
	for b.Loop() {
		var page, first, whole worst
		for i, one := range names {
			for _, other := range names[i+1:] {
				f, name, total := Filter{Events: true}, one+" and "+other, time.Duration(0)
				conditions[one](&f)
				conditions[other](&f)
				for pages, more := 0, true; more && pages < 100; pages++ {
					var next Page
					took := time.Hour
					for range 3 {
						before := processorTime(b)
						var err error
						if next, err = r.Calls(b.Context(), f); err != nil {
							b.Fatal(err)
						}
						took = min(took, processorTime(b)-before)
					}
					total += took
					if page.took < took {
						page = worst{fmt.Sprintf("%s, page %d", name, pages+1), took}
					}
					if pages == 0 && first.took < took {
						first = worst{name, took}
					}
					// A person sees a page that is full; what follows is read as they scroll.
					more, f.Before = next.More && len(next.Calls) < f.limit(), next.Next
				}
				if whole.took < total {
					whole = worst{name, total}
				}
			}
		}
		b.Logf("page: %s; first page: %s; until a page is full, or all was looked at: %s", page.name, first.name, whole.name)
		b.ReportMetric(float64(page.took.Microseconds()), "us-page")
		b.ReportMetric(float64(first.took.Microseconds()), "us-first")
		b.ReportMetric(float64(whole.took.Microseconds()), "us-whole")
	}
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
