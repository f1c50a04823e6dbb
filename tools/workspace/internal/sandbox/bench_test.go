package sandbox

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"
)

// typicalScript asks once, computes a little, and answers with a string.
const typicalScript = `const rows = host.call("GET", "/notes");
let n = 0;
for (let i = 0; i < 100; i++) n += i;
JSON.stringify({ n, path: rows.path })`

// percentiles reports p50 and p99 of durations in microseconds.
func percentiles(b *testing.B, durations []time.Duration) {
	b.Helper()
	slices.Sort(durations)
	at := func(p float64) float64 {
		return float64(durations[min(len(durations)-1, int(p*float64(len(durations))))].Nanoseconds()) / 1000
	}
	b.ReportMetric(at(0.5), "p50-µs")
	b.ReportMetric(at(0.99), "p99-µs")
}

func BenchmarkScript(b *testing.B) {
	for name, code := range map[string]string{"1+1": "1+1", "typical": typicalScript} {
		for _, fresh := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/fresh=%v", name, fresh), func(b *testing.B) {
				s := testSandbox()
				durations := make([]time.Duration, 0, b.N)
				for b.Loop() {
					if fresh {
						drop(b, s)
					}
					start := time.Now()
					runScript(b, s, Script{Code: code}, echo)
					durations = append(durations, time.Since(start))
				}
				percentiles(b, durations)
			})
		}
	}
}

// drop closes the idle instances, so that the next script gets a new one.
func drop(b testing.TB, s *Sandbox) {
	b.Helper()
	for {
		select {
		case in := <-s.idle:
			s.finish(context.Background(), in, false)
		default:
			return
		}
	}
}

func BenchmarkThroughput(b *testing.B) {
	s := testSandbox()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			runScript(b, s, Script{Code: typicalScript}, echo)
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "scripts/s")
}

func BenchmarkHostCall(b *testing.B) {
	s, err := Open(b.Context(), Options{Limits: Limits{HostCalls: 65536, Fuel: 1e11}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	answer := HostAnswer{Body: []byte(`{"id":"n"}`)}
	host := func(context.Context, HostCall) (HostAnswer, error) { return answer, nil }
	const calls = 20000
	for b.Loop() {
		runScript(b, s, Script{Code: fmt.Sprintf(`for (let i = 0; i < %d; i++) host.call("GET", "/n")`, calls)}, host)
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/calls, "µs/call")
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for _, options := range []Options{{}, {CacheDir: dir}} {
		b.Run(fmt.Sprintf("cache=%v", options.CacheDir != ""), func(b *testing.B) {
			open := func() {
				s, err := Open(b.Context(), options)
				if err != nil {
					b.Fatal(err)
				}
				runScript(b, s, Script{Code: "1+1"}, echo)
				s.Close(context.Background())
			}
			open()
			for b.Loop() {
				open()
			}
		})
	}
}

// BenchmarkOvershoot measures how long a script goes on after its deadline, at worst, and
// the longest processor time in which it did not look whether it has to end, which other
// work on the machine disturbs less.
func BenchmarkOvershoot(b *testing.B) {
	const timeout = 50 * time.Millisecond
	s, err := Open(b.Context(), Options{Limits: Limits{Timeout: timeout, Fuel: 1e12}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	for _, c := range hostileScripts() {
		b.Run(c.name, func(b *testing.B) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			worst := time.Duration(0)
			looks := &observedContext{Context: context.Background()}
			for b.Loop() {
				looks.last = threadTime()
				result, err := s.Run(looks, Script{Code: c.code}, hostFunc(echo))
				looks.look()
				if e, ok := errors.AsType[*Error](err); ok && e.Name == Timeout {
					worst = max(worst, result.Usage.Duration-timeout)
				}
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
			b.ReportMetric(float64(looks.longest.Microseconds())/1000, "unobserved-ms")
		})
	}
}

// An observedContext measures the time of the thread between two looks at whether it has
// ended, which it never has.
type observedContext struct {
	context.Context //nolint:containedctx // it is one
	last, longest   time.Duration
}

func (c *observedContext) look() {
	now := threadTime()
	c.longest, c.last = max(c.longest, now-c.last), now
}

// Err implements [context.Context].
func (c *observedContext) Err() error {
	c.look()
	return nil
}
