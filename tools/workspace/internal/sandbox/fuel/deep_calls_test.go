package fuel

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// frame is how much of the C stack a call of sumDown takes.
const frame = 16

// sumDown is f(n) = n > 0 ? f(n - 1) + n : 0, in frames of the C stack.
func sumDown() testModule {
	m := module(
		opGlobalGet, 0, opI32Const, frame, opI32Sub, opGlobalSet, 0,
		opLocalGet, 0, opIf, typeI32,
		opLocalGet, 0, opI32Const, 1, opI32Sub, opCall, 1, opLocalGet, 0, opI32Add,
		opElse, opI32Const, 0, opEnd,
		opGlobalGet, 0, opI32Const, frame, opI32Add, opGlobalSet, 0)
	m.global = 4096
	return m
}

// deepHost answers deep calls, each of which may use room more of the C stack.
type deepHost struct {
	module     api.Module
	room       uint64
	calls      int // that it was asked for
	under, max int // under way
	stop       error
}

func (h *deepHost) global(name string) api.MutableGlobal {
	return h.module.ExportedGlobal(name).(api.MutableGlobal)
}

func (h *deepHost) limit() { h.global(StackLimitGlobal).Set(h.global("g").Get() - h.room) }

func (h *deepHost) interrupt() int32 {
	deepCall, limit := h.global(DeepCallGlobal), h.global(StackLimitGlobal)
	number, before := deepCall.Get(), limit.Get()
	if h.calls++; number == 0 || h.stop != nil {
		panic(h.stop)
	}
	deepCall.Set(0)
	h.limit()
	h.under++
	h.max = max(h.max, h.under)
	r, err := h.module.ExportedFunction(CallFunction).Call(context.Background(), number, 0, 0, 0, 0)
	h.under--
	if err != nil {
		panic(err)
	}
	deepCall.Set(r[0])
	limit.Set(before)
	return 0
}

// TestDeepCalls holds that a recursion goes on by other calls of CallFunction, each of which
// has its part of the C stack, with the same result and for the same fuel.
func TestDeepCalls(t *testing.T) {
	o := options
	o.Callable, o.StackFirst, o.DeepCalls = []string{"f"}, true, true
	wasm := mustRewrite(t, sumDown(), o)
	for _, runtimeConfig := range []wazero.RuntimeConfig{wazero.NewRuntimeConfigInterpreter(), wazero.NewRuntimeConfig()} {
		runtime := wazero.NewRuntimeWithConfig(t.Context(), runtimeConfig)
		t.Cleanup(func() { runtime.Close(context.Background()) })
		h := &deepHost{}
		env := runtime.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(h.interrupt).Export("interrupt")
		_, err := env.Instantiate(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if h.module, err = runtime.Instantiate(t.Context(), wasm); err != nil {
			t.Fatal(err)
		}
		var used []uint64
		for _, c := range []struct {
			room  uint64 // frames; 0 sets no limit
			calls int
		}{{0, 0}, {1, 50}, {9, 10}, {99, 1}, {100, 0}} {
			h.calls, h.max, h.room = 0, 0, c.room*frame
			if h.global(StackLimitGlobal).Set(0); c.room > 0 {
				h.limit()
			}
			h.global(RemainingGlobal).Set(1_000_000)
			r, err := h.module.ExportedFunction(CallFunction).Call(t.Context(), 0, 100, 0, 0, 0)
			if err != nil || r[0] != 5050 {
				t.Errorf("room for %d calls: %v, %v; want 5050", c.room, r, err)
			}
			if h.calls != c.calls || h.max != c.calls {
				t.Errorf("room for %d calls: %d on other stacks, %d at once; want %d", c.room, h.calls, h.max, c.calls)
			}
			used = append(used, 1_000_000-h.global(RemainingGlobal).Get())
		}
		if slices.Min(used) != slices.Max(used) || used[0] == 0 {
			t.Errorf("fuel %v depends on the stacks", used)
		}
		h.stop, h.room = errors.New("stopped in depth"), frame
		h.limit()
		if _, err := h.module.ExportedFunction(CallFunction).Call(t.Context(), 0, 100, 0, 0, 0); !errors.Is(err, h.stop) {
			t.Errorf("stopped in depth: %v", err)
		}
	}
	o.StackFirst = false
	if _, err := Rewrite(sumDown().encode(), o); err == nil || !strings.Contains(fmt.Sprint(err), "need StackFirst") {
		t.Errorf("deep calls without a C stack: %v", err)
	}
}

// TestRecursions holds which functions ask for another stack.
func TestRecursions(t *testing.T) {
	framed := func(body ...byte) []byte {
		return slices.Concat([]byte{0, opGlobalGet, 0, opI32Const, frame, opI32Sub, opGlobalSet, 0}, body, []byte{opEnd})
	}
	plain := func(body ...byte) []byte { return slices.Concat([]byte{0}, body, []byte{opEnd}) }
	call := func(functions ...byte) (body []byte) {
		for _, f := range functions {
			body = append(body, opCall, f)
		}
		return body
	}
	for _, c := range []struct {
		name   string
		bodies [][]byte
		table  []uint32
		want   []bool
	}{
		{"itself", [][]byte{framed(call(0)...)}, nil, []bool{true}},
		{"itself, without a frame", [][]byte{plain(call(0)...)}, nil, []bool{false}},
		{"one of a circle", [][]byte{framed(call(1)...), framed(call(2)...), framed(call(0)...)}, nil, []bool{true, false, false}},
		{"one with a frame", [][]byte{plain(call(1)...), framed(call(2)...), plain(call(0)...)}, nil, []bool{false, true, false}},
		{"one of each circle", [][]byte{plain(call(1, 2)...), framed(call(0)...), framed(call(0)...)}, nil, []bool{false, true, true}},
		{"by a table", [][]byte{framed(opI32Const, 0, opCallInd, 0, 0), framed(call(0)...)}, []uint32{1}, []bool{true, false}},
		{"many callers", [][]byte{framed(call(1)...), framed(call(slices.Repeat([]byte{0}, manyCallers+1)...)...)}, nil, []bool{false, true}},
		{"no circle", [][]byte{framed(call(1, 2)...), framed(call(2)...), framed()}, nil, []bool{false, false, false}},
	} {
		g := newCallGraph(&parsedModule{functions: make([]uint32, len(c.bodies))}, len(c.bodies))
		for _, f := range c.table {
			g.addToTable(f)
		}
		for i, body := range c.bodies {
			if err := g.read(i, body); err != nil {
				t.Fatal(err)
			}
		}
		if g.visit(0); !slices.Equal(g.recursive, c.want) {
			t.Errorf("%s: %v, want %v", c.name, g.recursive, c.want)
		}
	}
}
