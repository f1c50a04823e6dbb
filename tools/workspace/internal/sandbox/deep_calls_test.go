package sandbox

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// recursions nest in the ways that take an engine of JavaScript deep: in its interpreter, its
// parsers, its writers, and what they call of each other.
func recursions() map[string]string {
	scripts := map[string]string{
		"function":  "(function f() { f() })()",
		"async":     "async function f() { await f() } await f()",
		"generator": "function* g() { yield* g() } g().next()",
		"class":     "class A { constructor() { new A() } } new A()",
		"construct": "function f() { return Reflect.construct(f, []) } f()",
		"getter":    "const o = { get a() { return this.a } }; o.a",
		"valueOf":   "const o = { valueOf() { return +o } }; +o",
		"proxies":   "let p = {}; for (let i = 0; i < 5e3; i++) p = new Proxy(p, {}); p.x",
		"iterators": "let it = [1].values(); for (let i = 0; i < 5e3; i++) it = it.map((x) => x); it.next()",
		"for of":    "const o = { [Symbol.iterator]() { for (const x of o); } }; for (const x of o);",
		"sort":      "function f() { [2, 1].sort(f) } f()",
		"from":      "function f() { return Array.from({ length: 1 }, f) } f()",
		"replace":   "function f() { return 'a'.replace(/a/, f) } f()",
		"reviver":   "JSON.parse('[1]', function f() { return JSON.parse('[1]', f) })",
		"toString":  "let a = []; for (let i = 0; i < 5e3; i++) a = [a]; String(a)",
		"flat":      "let a = []; for (let i = 0; i < 5e3; i++) a = [a]; a.flat(Infinity)",
		"to JSON":   "let a = []; for (let i = 0; i < 3e3; i++) a = [a]; JSON.stringify(a)",
		"JSON":      "JSON.parse('['.repeat(2e4))",
		"objects":   `JSON.parse('{"a":'.repeat(1e4))`,
		"classes":   "new RegExp('['.repeat(1e4), 'v')",
		"host call": "const o = { toJSON() { return host.call('POST', '/', o) } }; host.call('POST', '/', o)",
		"eval":      "globalThis.f = () => eval('f()'); f()",
	}
	for _, text := range []string{
		"(", "[", "-", "`${", "a?", "[a=", "a(", "new ", "a[", "async()=>", "x=>", "a=>{", "class A{a=", "x**", "a??(", "!", "({a:",
	} {
		scripts["text "+text] = fmt.Sprintf("eval('(' + %q.repeat(8e3))", text)
	}
	for _, text := range []string{"if(1)", "for(;;)", "try{", "function f(){", "{"} {
		scripts["text "+text] = fmt.Sprintf("eval(%q.repeat(8e3))", text)
	}
	return scripts
}

// depthObserver sees how deep a script is whenever it looks at whether it has to end.
type depthObserver struct {
	context.Context //nolint:containedctx // it is one
	in              *instance
	deepest         int64 // bytes of the C stack
	most            int64 // of it on one stack of compiled code, at least
}

// Err implements [context.Context].
func (o *depthObserver) Err() error {
	deep := int64(o.in.reservation.pool.image.stackPointer) - int64(int32(o.in.stack.Get()))
	o.deepest, o.most = max(o.deepest, deep), max(o.most, deep/int64(max(1, o.in.depth)))
	return nil
}

// The stack of compiled code is doubled as a whole, which no deadline interrupts. So however
// deep a script goes, none of its stacks serves much more than deepCallStack.
func TestRecursionsGoOnOnOtherStacks(t *testing.T) {
	s, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	s.slice = 2000 // look often
	for name, code := range recursions() {
		in, err := s.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		s.idle <- in
		o := &depthObserver{Context: t.Context(), in: in}
		_, err = s.Run(o, Script{Code: code, Limits: Limits{Fuel: 400_000_000}}, hostFunc(echo))
		if o.deepest < deepCallStack+8*kibibyte {
			t.Errorf("%s goes only %d bytes deep: %v", name, o.deepest, err)
		}
		if o.most > deepCallStack+4*kibibyte {
			t.Errorf("%s goes %d bytes deep without another stack", name, o.most)
		}
	}
}

// TestStopsInDepth holds that a run ends as it should where its calls are on several stacks,
// and that an instance that is kept has none of them.
func TestStopsInDepth(t *testing.T) {
	s := testSandbox()
	in := func(code string) Script {
		return Script{
			Code:   "const inside = () => { " + code + " }; const f = (n) => n > 0 ? f(n - 1) + 1 : inside(); f(1000)",
			Limits: Limits{Fuel: 100_000_000, Memory: 16 * mebibyte},
		}
	}
	for code, want := range map[string]ErrorName{
		"for (;;) {}": FuelExhausted,
		"const a = []; for (;;) a.push(new Uint8Array(1e6))": MemoryExceeded,
		"null.x": ExecutionError,
	} {
		if _, e := runScript(t, s, in(code), echo); e == nil || e.Name != want {
			t.Errorf("%s in depth: %v, want %s", code, e, want)
		}
	}
	broken := errors.New("the store is closed")
	host := hostFunc(func(context.Context, HostCall) (HostAnswer, error) { return HostAnswer{}, broken })
	if _, err := s.Run(t.Context(), in("host.call('GET', '/')"), host); !errors.Is(err, broken) {
		t.Errorf("an error of the host in depth: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	host = func(context.Context, HostCall) (HostAnswer, error) { cancel(); return HostAnswer{}, nil }
	if _, err := s.Run(ctx, in("host.call('GET', '/'); for (;;) {}"), host); asError(err) == nil || asError(err).Name != Cancelled {
		t.Errorf("cancelled in depth: %v", err)
	}
	for len(s.idle) > 0 {
		s.finish(t.Context(), <-s.idle, false)
	}
	if r, e := runScript(t, s, in("return host.call('GET', '/').path.length"), echo); e != nil || string(r.Value) != "1001" {
		t.Errorf("a result of depth: %s, %v", r.Value, e)
	}
	kept := <-s.idle
	if kept.rest != nil {
		t.Error("a recursion needs what few scripts do")
	}
	for i, caller := range kept.callers {
		if caller != nil {
			t.Errorf("caller %d of %d is kept with its stack", i, len(kept.callers))
		}
	}
	s.idle <- kept
}
