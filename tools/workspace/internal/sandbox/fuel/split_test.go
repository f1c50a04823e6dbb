package fuel

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// linked is a module of functions that call each other, directly and by the table: those
// from 3 on, of type (i32)->i32, of which "f" is the first.
type linked struct {
	bodies [][]byte
	table  []uint32 // from place 2 on
}

const firstLinked = 3

// randomLinked makes functions each of which calls only later ones.
func randomLinked(r *rand.Rand) linked {
	const n = 8
	m := linked{}
	for range 6 {
		m.table = append(m.table, uint32(firstLinked+1+r.IntN(n-1)))
	}
	for i := range n {
		body := randomBody(r, 3)
		for range r.IntN(4) {
			function := uint32(firstLinked + i + 1 + r.IntN(n))
			place := slices.Index(m.table, function)
			switch {
			case function >= firstLinked+n:
			case place >= 0 && r.IntN(2) == 0:
				body = append(body, opI32Const, byte(2+place), opCallInd, 1, 0)
			default:
				body = append(body, opCall, byte(function))
			}
		}
		if r.IntN(20) == 0 { // a place that is empty, or none
			body = append(body, opI32Const, byte(1+9*r.IntN(2)), opCallInd, 1, 0)
		}
		m.bodies = append(m.bodies, append(body, opEnd))
	}
	return m
}

func (m linked) encode() []byte {
	export := func(name string, kind, index byte) []byte { return append(appendName(nil, name), kind, index) }
	plusOne := sized([]byte{0, opLocalGet, 0, opI32Const, 1, opI32Add, opEnd})
	types := [][]byte{{1}, {1}}
	bodies := [][]byte{plusOne, plusOne} // randomBody calls the second one
	for _, body := range m.bodies {
		types = append(types, []byte{1})
		bodies = append(bodies, sized(append([]byte{1, 2, typeI32}, body...)))
	}
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(sectionType, vector([]byte{0x60, 0, 1, typeI32}, []byte{0x60, 1, typeI32, 1, typeI32})),
		section(sectionImport, vector(append(appendName(appendName(nil, "env"), "interrupt"), 0, 0))),
		section(sectionFunction, vector(types...)),
		section(sectionTable, vector([]byte{typeFunction, 1, 8, 8})),
		section(sectionMemory, vector([]byte{0, 1})),
		section(sectionGlobal, vector([]byte{typeI32, 1, opI32Const, 0x80, 0x20, opEnd})),
		section(sectionExport, vector(export("f", 0, firstLinked), export("g", 3, 0), export("memory", 2, 0))),
		section(sectionElement, encodeElements([]element{{offset: 2, functions: m.table}})),
		section(sectionCode, vector(bodies...)))
}

// splitEngine is an instance of a core, which gets one of the rest when it asks for it.
type splitEngine struct {
	core, rest api.Module
	loads      int
	interrupts int64
}

const refill = 100

func startSplit(t testing.TB, core, rest []byte) *splitEngine {
	t.Helper()
	ctx := t.Context()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { runtime.Close(context.Background()) })
	e := &splitEngine{}
	_, err := runtime.NewHostModuleBuilder("env").
		NewFunctionBuilder().WithFunc(func() int32 {
		e.interrupts++
		g := e.core.ExportedGlobal(RemainingGlobal).(api.MutableGlobal)
		g.Set(g.Get() + refill)
		return 0
	}).Export("interrupt").
		NewFunctionBuilder().WithFunc(func() {
		if e.loads++; e.rest == nil {
			e.rest = instantiateRest(t, runtime, e.core, rest)
		}
	}).Export("host_load_rest").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if e.core, err = runtime.Instantiate(ctx, core); err != nil {
		t.Fatalf("instantiate: %v", err)
	}
	return e
}

func instantiateRest(t testing.TB, runtime wazero.Runtime, core api.Module, rest []byte) api.Module {
	t.Helper()
	ctx := experimental.WithImportResolver(t.Context(), func(name string) api.Module {
		if name == CoreModule {
			return core
		}
		return nil
	})
	m, err := runtime.InstantiateWithConfig(ctx, rest, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatalf("instantiate the rest: %v", err)
	}
	return m
}

// outcome is all that a call of f leaves behind.
type outcome struct {
	result string
	fuel   int64 // used
	memory string
}

func (e *splitEngine) call(t testing.TB, argument uint64) outcome {
	t.Helper()
	var o outcome
	r, err := e.core.ExportedFunction(CallFunction).Call(t.Context(), 0, argument, 0, 0, 0)
	if err != nil {
		o.result, _, _ = strings.Cut(err.Error(), "\n")
	} else {
		o.result = string(appendInt(nil, int64(r[0])))
	}
	o.fuel = e.interrupts*refill - int64(e.core.ExportedGlobal(RemainingGlobal).Get())
	memory, _ := e.core.Memory().Read(0, PageSize)
	o.memory = string(memory)
	return o
}

// TestSplit holds that a module in two parts does what it did, for as much fuel, wherever
// it was divided.
func TestSplit(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	o := options
	o.Callable, o.BulkShift = []string{"f"}, 2
	loaded, unloaded := 0, 0
	for i := range 300 {
		whole, err := Rewrite(randomLinked(r).encode(), o)
		if err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
		want := startSplit(t, whole, nil).call(t, uint64(i))
		const all = 1<<16 - 1
		for _, chosen := range []int{0, r.IntN(all), r.IntN(all), all} {
			core, rest, err := Split(whole, func(function uint32) bool { return chosen>>function&1 == 1 })
			if err != nil {
				t.Fatalf("program %d: %v", i, err)
			}
			e := startSplit(t, core.Module, rest.Module)
			got := e.call(t, uint64(i))
			if got != want {
				t.Fatalf("program %d: result %q and %q in parts, fuel %d and %d, memory equal %v", i,
					want.result, got.result, want.fuel, got.fuel, want.memory == got.memory)
			}
			if e.rest == nil {
				unloaded++
				continue
			}
			loaded++
			if answer, err := e.rest.ExportedFunction(Probe).Call(t.Context()); err != nil || answer[0] != 1 {
				t.Fatalf("the rest answers %d, %v", answer, err)
			}
		}
	}
	if loaded < 200 || unloaded < 100 {
		t.Errorf("the rest was loaded %d times, and %d times not", loaded, unloaded)
	}
}

// TestSplitOutlines holds that outlines look like their modules from outside, and do nothing.
func TestSplitOutlines(t *testing.T) {
	o := options
	o.Callable = []string{"f"}
	whole, err := Rewrite(randomLinked(rand.New(rand.NewPCG(7, 8))).encode(), o)
	if err != nil {
		t.Fatal(err)
	}
	core, rest, err := Split(whole, func(uint32) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	e := startSplit(t, core.Outline, nil)
	if got := e.call(t, 1).result; got != "wasm error: unreachable" {
		t.Errorf("a function of the core's outline returns %q", got)
	}
	e = startSplit(t, core.Module, rest.Outline)
	if got := e.call(t, 1).result; e.rest == nil || got != "wasm error: unreachable" {
		t.Errorf("a function of the rest's outline returns %q", got)
	}
	if _, err := e.rest.ExportedFunction(Probe).Call(t.Context()); err == nil {
		t.Error("the rest's outline answers")
	}
	for name, part := range map[string]Part{"core": core, "rest": rest} {
		// Up to the code, which is the last section, the two differ in nothing.
		at := bytes.LastIndex(part.Outline, append([]byte{3}, trap()...))
		if at < 0 {
			t.Fatalf("the outline of the %s has no body that traps", name)
		}
		same := 0
		for same < len(part.Outline) && part.Outline[same] == part.Module[same] {
			same++
		}
		if part.Outline[same-1] != sectionCode && part.Outline[same-1] < 0x80 {
			t.Errorf("the outline of the %s differs from it at byte %d of %d", name, same, len(part.Outline))
		}
	}
}

func TestSplitRefusals(t *testing.T) {
	all := func(uint32) bool { return true }
	o := options
	o.Callable = []string{"f"}
	withData := module(opI32Const, 1)
	withData.global, withData.data = 1024, []byte("data")
	for name, wasm := range map[string][]byte{
		"no module": []byte("no module"),
		"data":      mustRewrite(t, withData, o),
		"start":     mustRewrite(t, testModule{body: []byte{opI32Const, 1, opEnd}, start: true}, o),
	} {
		if _, _, err := Split(wasm, all); err == nil {
			t.Errorf("%s: it was split", name)
		} else if name != "no module" && !errors.Is(err, ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	whole, err := Rewrite(randomLinked(rand.New(rand.NewPCG(9, 10))).encode(), o)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range whole {
		if _, _, err := Split(whole[:cut], all); err == nil && cut > 200 {
			t.Errorf("the first %d of %d bytes were split", cut, len(whole))
			break
		}
	}
}
