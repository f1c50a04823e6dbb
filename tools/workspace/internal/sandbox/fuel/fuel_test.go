package fuel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var options = Options{Interrupt: "env.interrupt"}

// engine is an instance of a test module.
type engine struct {
	api.Module
	interrupts int
}

// start instantiates a module. Its interrupt adds refill to the fuel, or, if
// that is 0, stops it.
func start(t testing.TB, wasm []byte, refill int64) *engine {
	t.Helper()
	ctx := t.Context()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	t.Cleanup(func() { runtime.Close(context.Background()) })
	e := &engine{}
	_, err := runtime.NewHostModuleBuilder("env").NewFunctionBuilder().WithFunc(func(_ context.Context, m api.Module) int32 {
		e.interrupts++
		if refill == 0 {
			panic(errors.New("stopped"))
		}
		g := m.ExportedGlobal(RemainingGlobal).(api.MutableGlobal)
		g.Set(g.Get() + uint64(refill))
		return 0
	}).Export("interrupt").Instantiate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if e.Module, err = runtime.Instantiate(ctx, wasm); err != nil {
		t.Fatalf("instantiate: %v", err)
	}
	return e
}

func (e *engine) call(argument uint64) (result string) {
	r, err := e.ExportedFunction("f").Call(context.Background(), argument)
	if err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return first
	}
	return fmt.Sprint(int32(r[0]))
}

func (e *engine) set(fuel int64) {
	e.ExportedGlobal(RemainingGlobal).(api.MutableGlobal).Set(uint64(fuel))
}

func (e *engine) remaining() int64 { return int64(e.ExportedGlobal(RemainingGlobal).Get()) }

func mustRewrite(t testing.TB, m testModule, options Options) []byte {
	t.Helper()
	out, err := Rewrite(m.encode(), options)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCount holds the exact price of code, worked out by hand.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		name     string
		body     []byte
		argument uint64
		result   string
		want     int64
	}{
		{"constant", []byte{opI32Const, 5}, 0, "5", 2},
		{"free instructions", []byte{opNop, opBlock, typeEmpty, opEnd, opI32Const, 5, opI32Const, 6, opDrop}, 0, "5", 3},
		{"call", []byte{opI32Const, 5, opCall, 2}, 0, "6", 3 + 4},
		{"if taken", []byte{opLocalGet, 0, opIf, typeI32, opI32Const, 1, opElse, opLocalGet, 0, opLocalGet, 0, 0x6a, opEnd}, 1, "1", 4},
		{"if not taken", []byte{opLocalGet, 0, opIf, typeI32, opI32Const, 1, opElse, opLocalGet, 0, opLocalGet, 0, 0x6a, opEnd}, 0, "0", 6},
		{"return", []byte{opI32Const, 9, opReturn, opDrop, opI32Const, 1}, 0, "9", 2},
		{"leaving a block", []byte{opBlock, typeI32, opI32Const, 3, opBr, 0, opDrop, opI32Const, 4, opEnd}, 0, "3", 3},
		{"staying in a block", []byte{opBlock, typeI32, opI32Const, 3, opLocalGet, 0, opBrIf, 0, opDrop, opI32Const, 4, opEnd}, 0, "4", 5},
		{"table", []byte{opBlock, typeEmpty, opLocalGet, 0, opBrTable, 1, 0, 0, opEnd, opI32Const, 1}, 0, "1", 4},
		{"loop, once", countdown(), 1, "0", 1 + 9 + 1},
		{"loop, 100 times", countdown(), 100, "4950", 1 + 900 + 1},
		{"fill", []byte{opI32Const, 0, opI32Const, 1, opLocalGet, 0, opPrefix, prefixMemoryFill, 0, opI32Const, 2}, 65536, "2", 6 + 65536>>3},
		{"fill of constant length", []byte{opI32Const, 0, opI32Const, 1, opI32Const, 0xd0, 0, opPrefix, prefixMemoryFill, 0, opI32Const, 2}, 0, "2", 6 + 10},
		{"returning from a block", []byte{opBlock, typeEmpty, opLocalGet, 0, opIf, typeEmpty, opI32Const, 9, opReturn, opEnd, opEnd, opI32Const, 1}, 1, "9", 4},
		{"not returning from a block", []byte{opBlock, typeEmpty, opLocalGet, 0, opIf, typeEmpty, opI32Const, 9, opReturn, opEnd, opEnd, opI32Const, 1}, 0, "1", 4},
		{"leaving two blocks", []byte{
			opBlock, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBrIf, 1, opEnd, opI32Const, 9, opDrop, opEnd, opI32Const, 1,
		}, 1, "1", 4},
		{"copy", []byte{opI32Const, 0, opI32Const, 1, opLocalGet, 0, opPrefix, prefixMemoryCopy, 0, 0, opI32Const, 2}, 80, "2", 6 + 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := options
			o.BulkShift = 3
			e := start(t, mustRewrite(t, module(c.body...), o), 0)
			e.set(1_000_000)
			if got := e.call(c.argument); got != c.result {
				t.Errorf("result %s, want %s", got, c.result)
			}
			if got := 1_000_000 - e.remaining(); got != c.want {
				t.Errorf("used %d fuel, want %d", got, c.want)
			}
			if e.interrupts > 0 {
				t.Errorf("%d interrupts with fuel left", e.interrupts)
			}
		})
	}
}

func TestInterrupt(t *testing.T) {
	out := mustRewrite(t, module(countdown()...), options)
	t.Run("stops", func(t *testing.T) {
		e := start(t, out, 0)
		e.set(500)
		if got := e.call(1000); !strings.Contains(got, "stopped") {
			t.Errorf("a loop without fuel returned %s", got)
		}
		if left := e.remaining(); left >= 0 || left < -20 {
			t.Errorf("stopped with %d fuel left, want a little less than none", left)
		}
	})
	t.Run("refilled in slices of any size, the count is the same", func(t *testing.T) {
		for _, slice := range []int64{1, 7, 100, 5000} {
			e := start(t, out, slice)
			e.set(0)
			if got := e.call(1000); got != "499500" {
				t.Errorf("result %s", got)
			}
			if used := int64(e.interrupts)*slice - e.remaining(); used != 1+9*1000+1 {
				t.Errorf("slices of %d: used %d", slice, used)
			}
		}
	})
	t.Run("stops a recursion", func(t *testing.T) {
		e := start(t, mustRewrite(t, module(opLocalGet, 0, opCall, 1), options), 0)
		e.set(500)
		if got := e.call(1); !strings.Contains(got, "stopped") {
			t.Errorf("a recursion without fuel returned %s", got)
		}
	})
	t.Run("before a bulk operation", func(t *testing.T) {
		o := options
		o.BulkShift = 1
		e := start(t, mustRewrite(t, module(opI32Const, 0, opI32Const, 1, opLocalGet, 0, opPrefix, prefixMemoryFill, 0, opI32Const, 2), o), 0)
		e.set(1000)
		if got := e.call(60000); !strings.Contains(got, "stopped") {
			t.Errorf("a fill without fuel returned %s", got)
		}
		if b, _ := e.Memory().ReadByte(0); b != 0 {
			t.Error("the memory was filled")
		}
	})
}

// TestLargeBulk holds that what is split does what it did as a whole, whichever
// way target and source overlap, and looks at the fuel in between.
func TestLargeBulk(t *testing.T) {
	o := options
	o.BulkShift = 3
	const pages, length = 62, 2<<20 + 5 // bytes
	for _, c := range []struct{ target, source int64 }{{0, 100}, {100, 0}, {0, 1<<20 + 3}, {1<<20 + 3, 0}, {7, 7}, {40, -1}} {
		body := []byte{opI32Const, pages, opMemoryGrow, 0, opDrop}
		for i := range int64(64) { // something to see
			body = append(appendInt(append(body, opI32Const), i*65000), opI32Const, byte(i), opI32Const, 17, opPrefix, prefixMemoryFill, 0)
		}
		body = appendInt(append(appendInt(append(body, opI32Const), c.target), opI32Const), max(c.source, 5))
		body = appendInt(append(body, opI32Const), length)
		if c.source < 0 {
			body = append(body, opPrefix, prefixMemoryFill, 0, opI32Const, 1)
		} else {
			body = append(body, opPrefix, prefixMemoryCopy, 0, 0, opI32Const, 1)
		}
		m := module(body...)
		a, b := start(t, m.encode(), 0), start(t, mustRewrite(t, m, o), 100_000)
		b.set(0)
		if x, y := a.call(0), b.call(0); x != y {
			t.Fatalf("%+v returns %s, and %s with fuel", c, x, y)
		}
		x, _ := a.Memory().Read(0, a.Memory().Size())
		y, _ := b.Memory().Read(0, b.Memory().Size())
		if !bytes.Equal(x, y) {
			t.Errorf("%+v leaves another memory", c)
		}
		if used := int64(b.interrupts)*100_000 - b.remaining(); used != 1+2+64*(4+17>>3)+4+length>>3+1 || b.interrupts < 2 {
			t.Errorf("%+v uses %d in %d slices", c, used, b.interrupts)
		}
		// However much fuel there is, it can be stopped between the parts.
		rich := start(t, mustRewrite(t, m, o), 1)
		rich.set(1 << 40)
		if rich.call(0); rich.interrupts != length/maxBulk+1 {
			t.Errorf("%+v is interrupted %d times with fuel left, want %d", c, rich.interrupts, length/maxBulk+1)
		}
	}
}

func TestRefusedMemory(t *testing.T) {
	grow := module(opLocalGet, 0, opMemoryGrow, 0)
	for _, c := range []struct {
		name     string
		declared byte
		most     uint32
		argument uint64
		want     string
		refused  uint64
	}{
		{"has room", 0, 4, 3, "1", 0},
		{"beyond ours", 0, 4, 4, "wasm error: unreachable", 1},
		{"beyond its own", 3, 0, 3, "wasm error: unreachable", 1},
		{"its own is lower", 3, 4, 3, "wasm error: unreachable", 1},
		{"far beyond", 0, 4, math.MaxUint32, "wasm error: unreachable", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			grow.maxPage = c.declared
			o := options
			o.MaxPages = c.most
			e := start(t, mustRewrite(t, grow, o), 0)
			e.set(1000)
			if got := e.call(c.argument); got != c.want {
				t.Errorf("result %s, want %s", got, c.want)
			}
			if got := e.ExportedGlobal(RefusedGlobal).Get(); got != c.refused {
				t.Errorf("refused is %d, want %d", got, c.refused)
			}
		})
	}
}

func TestImage(t *testing.T) {
	const stack = 1024
	// Stores its argument where the global points, and returns what is at 100.
	m := module(opGlobalGet, 0, opLocalGet, 0, 0x36, 2, 0, opI32Const, 0xe4, 0, opFirstLoad, 2, 0)
	m.global, m.data, m.start = stack, []byte("data"), true
	o := options
	o.StackFirst = true
	e := start(t, mustRewrite(t, m, o), 1000)
	if got := e.call(0x01020304); got != "7" {
		t.Fatalf("result %s", got)
	}
	memory, _ := e.Memory().Read(0, e.Memory().Size())
	o.Image = &Image{Memory: bytes.Clone(memory), StackPointer: 512}
	again := start(t, mustRewrite(t, m, o), 1000)
	got, _ := again.Memory().Read(0, again.Memory().Size())
	if !bytes.Equal(got, o.Image.Memory) {
		t.Error("the memory is not the image")
	}
	if sp := again.ExportedGlobal("g").Get(); sp != 512 {
		t.Errorf("the stack pointer is %d", sp)
	}
}

// TestCallable holds that CallFunction calls what was asked for, and that it is the only
// way in: what nothing reaches any more only traps.
func TestCallable(t *testing.T) {
	o := options
	o.Callable = []string{"f"}
	for _, c := range []struct {
		name  string
		body  []byte
		start bool
		traps int
	}{
		{"calls nothing", []byte{opLocalGet, 0, opI32Const, 1, opI32Sub}, false, 2},
		{"calls a function", []byte{opLocalGet, 0, opCall, 2, opI32Const, 2, opI32Sub}, false, 1},
		{"and one is called at the start", []byte{opLocalGet, 0, opCall, 2, opI32Const, 2, opI32Sub}, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := module(c.body...)
			m.start = c.start
			out := mustRewrite(t, m, o)
			e := start(t, out, 1000)
			call := e.ExportedFunction(CallFunction)
			if r, err := call.Call(t.Context(), 0, 1<<32|5, 1, 2, 3); err != nil || r[0] != 4 {
				t.Errorf("f returns %d, %v, want 4", r, err)
			}
			if r, err := call.Call(t.Context(), 0, 0, 0, 0, 0); err != nil || r[0] != math.MaxUint32 {
				t.Errorf("f returns %d, %v, want -1 as 32 bits", r, err)
			}
			if _, err := call.Call(t.Context(), 1, 0, 0, 0, 0); err == nil || !strings.Contains(err.Error(), "unreachable") {
				t.Errorf("a function beyond the last gives %v", err)
			}
			if functions := e.ExportedFunctionDefinitions(); len(functions) != 1 {
				t.Errorf("%d functions are exported", len(functions))
			}
			p, err := parse(out)
			if err != nil {
				t.Fatal(err)
			}
			if n := bytes.Count(p.sections[sectionCode], append([]byte{3}, trap()...)); n != c.traps {
				t.Errorf("%d functions only trap, want %d", n, c.traps)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	stack := func(m testModule) (testModule, Options) {
		o := options
		o.StackFirst = true
		return m, o
	}
	below := module(opI32Const, 1)
	below.data = []byte("in the stack")
	image, imageOptions := stack(module(opI32Const, 1))
	imageOptions.Image = &Image{Memory: make([]byte, 100)}
	large := imageOptions
	large.MaxPages, large.Image = 1, &Image{Memory: make([]byte, 2*PageSize)}
	many := module(opI32Const, 1)
	many.locals = []byte{1, 0xff, 0xff, 0xff, 0xff, 0x0f, typeI32}
	for _, c := range []struct {
		name    string
		module  []byte
		options Options
		want    string
	}{
		{"empty", nil, options, "not a WebAssembly module"},
		{"component", []byte("\x00asm\x0d\x00\x01\x00"), options, "not a WebAssembly module"},
		{"no such import", module(opI32Const, 1).encode(), Options{Interrupt: "env.other"}, `no import "env.other"`},
		{"truncated", module(opI32Const, 1).encode()[:60], options, "unexpected end"},
		{"section out of order", append(module(opI32Const, 1).encode(), section(sectionType, vector())...), options, "out of order"},
		{"unknown section", append(module(opI32Const, 1).encode(), section(13, nil)...), options, "section 13"},
		{"too many locals", many.encode(), options, "locals"},
		{"no end", testModule{body: []byte{opI32Const, 1}}.encode(), options, "does not end"},
		{"code behind the end", testModule{body: []byte{opI32Const, 1, opEnd, opNop}}.encode(), options, "after the last entry"},
		{"image without stack", module(opI32Const, 1).encode(), Options{Interrupt: options.Interrupt, Image: &Image{}}, "StackFirst"},
		{"image of half a page", image.encode(), imageOptions, "whole pages"},
		{"image beyond the memory", image.encode(), large, "may have 1"},
		{"no such function", module(opI32Const, 1).encode(), Options{Interrupt: options.Interrupt, Callable: []string{"f", "g"}}, `no exported function "g"`},
	} {
		_, err := Rewrite(c.module, c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	m, o := stack(below)
	m.global = 4096
	wasm := bytes.Replace(m.encode(), []byte{0, opI32Const, 0x80, 0x20, opEnd, 12}, []byte{0, opI32Const, 0x80, 0x10, opEnd, 12}, 1)
	if _, err := Rewrite(wasm, o); err == nil || !strings.Contains(err.Error(), "lies in the stack") {
		t.Errorf("data in the stack: %v", err)
	}
}

// TestUnknownOpcodes goes through every opcode: those that are not understood
// are refused, by name of an error that says so.
func TestUnknownOpcodes(t *testing.T) {
	known := 0
	for op := range 256 {
		body := append([]byte{byte(op)}, bytes.Repeat([]byte{0}, 12)...)
		_, err := Rewrite(module(body...).encode(), options)
		if !errors.Is(err, ErrUnsupported) {
			known++
			continue
		}
		if !strings.Contains(err.Error(), fmt.Sprintf("opcode %#02x", op)) {
			t.Errorf("opcode %#02x: %v", op, err)
		}
	}
	if known != 13+2+5+23+2+4+128+1 {
		t.Errorf("%d opcodes are known", known)
	}
	for _, body := range [][]byte{
		{0x06, typeEmpty, opEnd},
		{0x08, 0},
		{0x12, 0},
		{0x13, 0, 0},
		{0x14, 0},
		{0x1c, 1, typeI32},
		{0x25, 0},
		{0x26, 0},
		{0xd0, 0x70},
		{0xd2, 0},
		{0xc5},
		{0xfb, 0},
		{0xfd, 0},
		{0xfe, 0},
		{0xff},
		{opPrefix, 8, 0, 0},
		{opPrefix, 9, 0},
		{opPrefix, 12, 0, 0},
		{opPrefix, 13, 0},
		{opPrefix, 14, 0, 0},
		{opPrefix, 15, 0},
		{opPrefix, 16, 0},
		{opPrefix, 17, 0},
		{opMemoryGrow, 1},
		{opPrefix, prefixMemoryFill, 1},
	} {
		if _, err := Rewrite(module(body...).encode(), options); !errors.Is(err, ErrUnsupported) {
			t.Errorf("% x: %v", body, err)
		}
	}
}

// TestSameResults runs random programs before and after.
func TestSameResults(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	distinct := map[string]bool{}
	o := options
	o.BulkShift = 2
	used := int64(0)
	for i := range 300 {
		m := module(randomBody(r, 5)...)
		plain := m.encode()
		before := bytes.Clone(plain)
		out, err := Rewrite(plain, o)
		if err != nil {
			t.Fatalf("program %d: %v", i, err)
		}
		if again, err := Rewrite(plain, o); err != nil || !bytes.Equal(out, again) || !bytes.Equal(before, plain) {
			t.Fatalf("program %d: rewriting twice differs, or changed its argument: %v", i, err)
		}
		a, b := start(t, plain, 0), start(t, out, 100)
		if x, y := a.call(uint64(i)), b.call(uint64(i)); x != y {
			t.Fatalf("program %d returns %s, and %s with fuel: % x", i, x, y, m.body)
		} else {
			distinct[x] = true
		}
		used += int64(b.interrupts)*100 - b.remaining()
		x, _ := a.Memory().Read(0, PageSize)
		y, _ := b.Memory().Read(0, PageSize)
		if !bytes.Equal(x, y) {
			t.Fatalf("program %d leaves another memory", i)
		}
	}
	if len(distinct) < 30 {
		t.Errorf("300 programs have only %d results", len(distinct))
	}
	const want = 108873 // as each stretch of code was charged where it begins
	if used != want {
		t.Errorf("300 programs use %d fuel, want %d", used, want)
	}
}

func FuzzRewrite(f *testing.F) {
	f.Add(module(countdown()...).encode(), []byte{opI32Const, 1})
	f.Add(module(opLocalGet, 0, opMemoryGrow, 0).encode(), countdown())
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		f.Add(module(randomBody(r, 3)...).encode(), randomBody(r, 4))
	}
	f.Fuzz(func(t *testing.T, wasm, body []byte) {
		for _, o := range []Options{options, {Interrupt: options.Interrupt, Callable: []string{"f"}}, {Interrupt: options.Interrupt, StackFirst: true, BulkShift: 3, MaxPages: 9, Image: &Image{Memory: make([]byte, PageSize)}}} {
			for _, plain := range [][]byte{wasm, module(body...).encode()} {
				out, err := Rewrite(plain, o)
				if err != nil {
					continue
				}
				// What an engine accepts, it accepts with fuel.
				ctx := context.Background()
				runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter().WithCoreFeatures(api.CoreFeaturesV2))
				if _, err := runtime.CompileModule(ctx, plain); err == nil {
					if _, err := runtime.CompileModule(ctx, out); err != nil {
						t.Errorf("valid before, and not after: %v", err)
					}
				}
				runtime.Close(ctx)
			}
		}
	})
}
