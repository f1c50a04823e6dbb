package sandbox

import (
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/fuel"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/sandbox/quickjs"
)

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

// last finds where the last statement of a program begins.
func last(code string) int {
	return max(strings.LastIndex(code, "; "), strings.LastIndex(code, "} ")) + 2
}

// BenchmarkFuel compares the engine as it came with the same engine that counts,
// both set up alike. They run in turns, the first of a turn changing, and what is
// compared is the processor's time of the thread: other work on the machine
// disturbs it less. It reports the overhead of each program, medians of all turns,
// and their geometric mean. One turn takes about a second.
func BenchmarkFuel(b *testing.B) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	engine, err := quickjs.Module()
	if err != nil {
		b.Fatal(err)
	}
	rewritten, err := fuel.Rewrite(engine, fuel.Options{Interrupt: "env.host_interrupt", Callable: engineFunctions(), BulkShift: 3, StackFirst: true})
	if err != nil {
		b.Fatal(err)
	}
	engines := [2]*instance{engineOf(b, engine), engineOf(b, rewritten)}
	run := func(in *instance, code string) time.Duration {
		if in.remaining != nil {
			in.remaining.Set(unlimitedFuel)
		}
		start := threadTime()
		if _, thrown, err := in.evaluate("(() => { "+code[:last(code)]+"return "+code[last(code):]+" })()", scriptFile, 0); err != nil || thrown {
			b.Fatalf("%s: %v", code, err)
		}
		return threadTime() - start
	}
	for _, code := range programs() { // memory grows once
		run(engines[0], code)
		run(engines[1], code)
	}
	ratios := map[string][]float64{}
	for turn := 0; b.Loop(); turn++ {
		for name, code := range programs() {
			var took [2]time.Duration
			for i := range took {
				i ^= turn & 1
				took[i] = run(engines[i], code)
			}
			ratios[name] = append(ratios[name], float64(took[1])/float64(took[0]))
		}
	}
	sum := 0.0
	for name, values := range ratios {
		slices.Sort(values)
		ratio := values[len(values)/2]
		sum += math.Log(ratio)
		b.ReportMetric(100*(ratio-1), name+"-%")
	}
	b.ReportMetric(100*(math.Exp(sum/float64(len(ratios)))-1), "mean-%")
}

// engineOf compiles a module of the engine and sets an instance up. One that counts
// no fuel lacks the globals for it.
func engineOf(b *testing.B, module []byte) *instance {
	b.Helper()
	ctx := context.Background()
	runtime := wazero.NewRuntimeWithConfig(ctx, runtimeConfig(wazero.NewRuntimeConfigCompiler()).WithMemoryLimitPages(8192))
	b.Cleanup(func() { runtime.Close(ctx) })
	in := &instance{reservation: &reservation{pool: newMemoryPool()}}
	if err := provideImports(ctx, runtime, func(api.Module) *instance { return in }); err != nil {
		b.Fatal(err)
	}
	compiled, err := runtime.CompileModule(ctx, module)
	if err != nil {
		b.Fatal(err)
	}
	ctx = experimental.WithMemoryAllocator(ctx, in.reservation)
	if in.module, err = runtime.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		b.Fatal(err)
	}
	in.memory = in.module.Memory()
	in.stack = in.module.ExportedGlobal("__stack_pointer").(api.MutableGlobal)
	if remaining, ok := in.module.ExportedGlobal(fuel.RemainingGlobal).(api.MutableGlobal); ok {
		in.remaining = remaining
		in.remaining.Set(unlimitedFuel)
	} else {
		in.callers = []api.Function{&namedCaller{module: in.module, functions: map[uint64]api.Function{}}}
	}
	if _, err := in.setUp(""); err != nil {
		b.Fatal(err)
	}
	return in
}

// namedCaller is fuel.CallFunction of a module that lacks it.
type namedCaller struct {
	api.Function
	module    api.Module
	functions map[uint64]api.Function
}

func (c *namedCaller) CallWithStack(ctx context.Context, stack []uint64) error {
	f := c.functions[stack[0]]
	if f == nil {
		f = c.module.ExportedFunction(engineFunctions()[stack[0]])
		c.functions[stack[0]] = f
	}
	copy(stack, stack[1:])
	return f.CallWithStack(ctx, stack)
}
