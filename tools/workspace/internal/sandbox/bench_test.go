package sandbox

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/quickjs"
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
func drop(b *testing.B, s *Sandbox) {
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

// programs are the seven of which the price of counting is measured.
func programs() map[string]string {
	return map[string]string{
		"fib":    "const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); fib(24)",
		"json":   "const o = []; for (let i = 0; i < 8000; i++) o.push({ id: i, name: 'note ' + i, tags: ['a', 'b'], n: i / 7 }); JSON.parse(JSON.stringify(o)).length",
		"sort":   "let x = 1; const a = Array.from({ length: 30000 }, () => x = (x * 1103515245 + 12345) % 2147483648); a.sort((p, q) => p - q)[5]",
		"concat": "let s = ''; for (let i = 0; i < 60000; i++) s += 'line ' + i + '\\n'; s.length",
		"regex":  "const t = 'the [[Note One]] and [[Note Two|x]] of 2026-11-22. '.repeat(800); [...t.matchAll(/\\[\\[([^\\]|]+)(\\|[^\\]]*)?\\]\\]/g)].length + t.replace(/\\d{4}-\\d\\d-\\d\\d/g, 'd').length",
		"map":    "const m = new Map(); const o = {}; for (let i = 0; i < 60000; i++) { m.set('k' + i % 5000, i); o['k' + i % 5000] = i } m.size + Object.keys(o).length",
		"loop":   "let n = 0; for (let i = 0; i < 1500000; i++) { n = (n + i * 3) & 0xffff } n",
	}
}

// BenchmarkFuel compares with the engine as it came, in turns, so that other
// work on the machine disturbs both alike.
func BenchmarkFuel(b *testing.B) {
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(wazero.NewRuntimeConfigCompiler()))
	defer runtime.Close(ctx)
	plain := &instance{reservation: &reservation{pool: newMemoryPool()}, functions: map[string]api.Function{}}
	if err := provideImports(ctx, runtime, func(api.Module) *instance { return plain }); err != nil {
		b.Fatal(err)
	}
	engine, err := quickjs.Module()
	if err != nil {
		b.Fatal(err)
	}
	compiled, err := runtime.CompileModule(ctx, engine)
	if err != nil {
		b.Fatal(err)
	}
	// It declares no maximum; the reservation has one.
	allocator := experimental.MemoryAllocatorFunc(func(from, _ uint64) experimental.LinearMemory {
		return plain.reservation.Allocate(from, 512*mebibyte)
	})
	if plain.module, err = runtime.InstantiateModule(experimental.WithMemoryAllocator(ctx, allocator), compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		b.Fatal(err)
	}
	plain.memory = plain.module.Memory()
	plain.stack = plain.module.ExportedGlobal("__stack_pointer").(api.MutableGlobal)
	if _, err := plain.setUp(""); err != nil {
		b.Fatal(err)
	}
	s := testSandbox()
	counted, err := s.acquire(ctx)
	if err != nil {
		b.Fatal(err)
	}
	logs := 0.0
	for name, code := range programs() {
		code = "(() => { " + code[:last(code)] + "return " + code[last(code):] + " })()"
		b.Run(name, func(b *testing.B) {
			best := [2]time.Duration{math.MaxInt64, math.MaxInt64}
			for b.Loop() {
				for range 5 {
					for i, in := range []*instance{plain, counted} {
						if in == counted {
							in.remaining.Set(unlimitedFuel)
						}
						start := time.Now()
						if _, thrown, err := in.evaluate(code, scriptFile, 0); err != nil || thrown {
							b.Fatalf("%s: %v", name, err)
						}
						best[i] = min(best[i], time.Since(start))
					}
				}
			}
			b.ReportMetric(float64(best[0].Microseconds())/1000, "plain-ms")
			b.ReportMetric(float64(best[1].Microseconds())/1000, "counted-ms")
			ratio := float64(best[1]) / float64(best[0])
			b.ReportMetric(100*(ratio-1), "overhead-%")
			logs += math.Log(ratio)
		})
	}
	b.Logf("geometric mean of the overhead: %.1f %%", 100*(math.Exp(logs/7)-1))
}

// last finds where the last statement of a program begins.
func last(code string) int {
	return max(strings.LastIndex(code, "; "), strings.LastIndex(code, "} ")) + 2
}

// BenchmarkOvershoot measures how long a script goes on after its deadline.
func BenchmarkOvershoot(b *testing.B) {
	const timeout = 50 * time.Millisecond
	s, err := Open(b.Context(), Options{Limits: Limits{Timeout: timeout, Fuel: 1e12}})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close(context.Background())
	for _, c := range hostileScripts() {
		b.Run(c.name, func(b *testing.B) {
			worst := time.Duration(0)
			for b.Loop() {
				result, e := runScript(b, s, Script{Code: c.code}, echo)
				if e != nil && e.Name == Timeout {
					worst = max(worst, result.Usage.Duration-timeout)
				}
			}
			b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
		})
	}
}
