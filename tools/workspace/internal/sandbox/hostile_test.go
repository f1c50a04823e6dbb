package sandbox

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// A hostile script, and how it has to end: by one of the names, or "" if it
// comes to its end.
type hostileScript struct {
	name, code string
	want       []ErrorName
}

const ended ErrorName = ""

func hostileScripts() []hostileScript {
	one := func(names ...ErrorName) []ErrorName { return names }
	return []hostileScript{
		{"endless loop", "while (true) {}", one(FuelExhausted)},
		{"loop that catches", "for (;;) { try { for (;;) {} } catch {} }", one(FuelExhausted)},
		{"loop in finally", "try { for (;;) {} } finally { for (;;) {} }", one(FuelExhausted)},
		{"backtracking expression", `/^(a+)+$/.test("a".repeat(40) + "b")`, one(FuelExhausted)},
		{"arrays for ever", "const a = []; for (;;) a.push(new Array(1e5).fill(1))", one(MemoryExceeded)},
		{"arrays, caught", "const a = []; for (;;) { try { for (;;) a.push(new Array(1e5).fill(1)) } catch {} }", one(MemoryExceeded)},
		{"doubled string", "let s = 'x'; for (;;) s += s", one(ExecutionError, MemoryExceeded)},
		{"typed arrays", "const a = []; for (;;) a.push(new Uint8Array(16 << 20).fill(1))", one(MemoryExceeded)},
		{"one large buffer", "new ArrayBuffer(2 ** 31 - 1)", one(MemoryExceeded, ExecutionError)},
		{"repeat", "'x'.repeat(2 ** 29).length", one(MemoryExceeded)},
		{"recursion", "(function f() { f() })()", one(ExecutionError)},
		{"recursion, caught for ever", "function f() { try { f() } catch { f() } } f()", one(FuelExhausted)},
		{"mutual recursion through sort", "function f() { [2, 1].sort(f) } f()", one(ExecutionError)},
		{"recursion in getters", "const o = { get a() { return this.a } }; o.a", one(ExecutionError)},
		{"deep parentheses", "eval('('.repeat(200000))", one(ExecutionError)},
		{"deep arrays", "eval('['.repeat(200000))", one(ExecutionError)},
		{"deep JSON", "JSON.parse('['.repeat(200000))", one(ExecutionError)},
		{"deep value to JSON", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; JSON.stringify(a)", one(ExecutionError, FuelExhausted)},
		{"deep expression", "new RegExp('('.repeat(100000))", one(ExecutionError)},
		{"deep result", "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a", one(ExecutionError, FuelExhausted)},
		{"indexOf of a huge length", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)", one(FuelExhausted)},
		{"join of a huge length", "Array(2 ** 31).join('x')", one(FuelExhausted, MemoryExceeded, ExecutionError)},
		{"fill of a huge length", "Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)", one(MemoryExceeded, FuelExhausted)},
		{"reverse of a huge length", "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })", one(FuelExhausted)},
		{"BigInt", "let n = 3n; for (;;) n *= n", one(FuelExhausted, ExecutionError, MemoryExceeded)},
		{"promise jobs", "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})", one(FuelExhausted)},
		{"async recursion", "async function f() { await f() } await f()", one(ExecutionError, FuelExhausted, MemoryExceeded)},
		{"toJSON for ever", "({ toJSON() { for (;;) {} } })", one(FuelExhausted)},
		{"getter for ever", "({ get a() { for (;;) {} } })", one(FuelExhausted)},
		{"thenable for ever", "({ then(f) { f(this) } })", one(FuelExhausted)},
		{"error that never describes itself", "throw { get message() { for (;;) {} } }", one(FuelExhausted)},
		{"proxy for ever", "const p = new Proxy({}, { get() { return p }, ownKeys() { for (;;) {} } }); p", one(FuelExhausted, ExecutionError)},
		{"generator", "function* g() { for (;;) yield 1 } [...g()]", one(FuelExhausted, MemoryExceeded)},
		{"spread", "Math.max(...new Array(1e7).fill(1))", one(ExecutionError, MemoryExceeded)},
		{"collected garbage", "for (;;) { const a = {}; a.a = a }", one(FuelExhausted)},
		{"finalizers", "const r = new FinalizationRegistry(() => { for (;;) {} }); for (;;) r.register({}, 1)", one(FuelExhausted, MemoryExceeded)},
		{"symbols", "const a = []; for (;;) a.push(Symbol('x'.repeat(1000)))", one(MemoryExceeded, FuelExhausted)},
		{"functions compiled for ever", "for (let i = 0; ; i++) new Function('return ' + i)()", one(FuelExhausted)},
		{"replace", "'a'.repeat(1e5).replaceAll('a', 'b'.repeat(1e5))", one(MemoryExceeded, FuelExhausted, ExecutionError)},
		{"date parsed for ever", "for (;;) new Date('2026-11-22T00:00:00Z').toString()", one(FuelExhausted)},
		{"replaced prototypes", "Object.prototype.toJSON = () => { throw 1 }; Array.prototype[Symbol.iterator] = null; String.prototype.slice = Promise.prototype.then = JSON.stringify = null; Object.prototype.get = () => 1; 3", one(ended)},
		{"getter for the result", "Object.defineProperty(Object.prototype, 'value', { get() { throw 2 } }); 3", one(ended, ExecutionError)},
		{"toJSON of every object", "Object.prototype.toJSON = function () { return 'mine' }; ({ a: 1 })", one(ended)},
		{"constructor of promises", "Object.defineProperty(Promise.prototype, 'constructor', { get() { throw 1 } }); 4", one(ended, ExecutionError)},
		{"host overwritten", "globalThis.host = { call: 1 }; host.call = 2; Object.setPrototypeOf(host, { x: 1 })", one(ExecutionError)},
		{"host calls", "for (let i = 0; i < 1e7; i++) { try { host.call('GET', '/') } catch {} }", one(FuelExhausted)},
		{"console for ever", "for (;;) console.log('x'.repeat(1000))", one(FuelExhausted)},
		{"error with a huge message", "throw new Error('x'.repeat(1e6))", one(ExecutionError)},
		{"forged host error", "throw Object.assign(new Error('x'), { name: 'HostCallError', status: 200 })", one(ExecutionError)},
		{"stack made by the script", "Error.prepareStackTrace = () => ({ toString() { for (;;) {} } }); null.x", one(ExecutionError, FuelExhausted)},
		{"ends its wrapper", "return 1\n})(); (async function () { for (;;) {}", one(FuelExhausted)},
		{"chain of iterators", "let it = [1].values(); for (let i = 0; i < 4e4; i++) it = it.map((x) => x); it.next()", one(ExecutionError)},
		{"chain of proxies", "let p = {}; for (let i = 0; i < 5e4; i++) p = new Proxy(p, {}); p.x", one(ExecutionError)},
		{"its own prototype", "const p = new Proxy({}, { getPrototypeOf() { return p } }); p instanceof Array", one(FuelExhausted)},
		{"buffer that shrinks while it is sorted", "const b = new ArrayBuffer(65536, { maxByteLength: 65536 }); const a = new Float64Array(b).fill(1); a.sort(() => { b.resize(8); return -1 }); a.length", one(ended)},
		{"buffer that goes while it is written", "const b = new ArrayBuffer(64); new DataView(b).setUint8({ valueOf() { b.transfer(); return 3 } }, 1)", one(ExecutionError)},
		{"array that shrinks while it is sorted", "const a = Array.from({ length: 1000 }, (_, i) => i); a.sort(() => { a.length = 0; return -1 }); a.length", one(ended)},
		{"iterator without an end", "Iterator.from({ next() { return {} } }).drop(Infinity).next()", one(FuelExhausted)},
		{"set without an end", "new Set([1]).union({ size: Infinity, has() {}, keys() { return { next() { return { value: {} } } } } })", one(FuelExhausted, MemoryExceeded)},
		{"expression that is compiled for ever", "new RegExp('((((a{1000}){1000}){1000}){1000})').test('a'.repeat(1e4))", one(FuelExhausted, MemoryExceeded)},
		{"with", "const p = new Proxy({}, { has() { return true }, get(_, k) { return k === Symbol.unscopables ? undefined : 1 } }); new Function('p', 'with (p) { for (;;) x }')(p)", one(FuelExhausted)},
		{"revoked proxy as the result", "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); proxy", one(ExecutionError)},
		{"error whose traps throw", "throw new Proxy(new Error('x'), { get() { throw 1 }, getPrototypeOf() { throw 2 }, has() { throw 3 } })", one(ExecutionError)},
		{"host calls within host calls", "const o = { toJSON() { return host.call('POST', '/', o) } }; host.call('POST', '/', o)", one(ExecutionError)},
		{"null bytes", "'a\x00b'.length\x00", one(ExecutionError)},
		{"invalid UTF-8", "'\xff\xfe'.length", one(ended, ExecutionError)},
	}
}

// hostileLimits keep the tests short; that what they bound is bounded does not
// depend on them.
var hostileLimits = Limits{Fuel: 400_000_000, Memory: 16 * mebibyte, Timeout: time.Minute}

func TestHostileScripts(t *testing.T) {
	runtest.InOrder(t)
	s := testSandbox()
	clean := Script{Code: cleanScript, WorkspaceID: "ws", Seed: 1}
	want, e := runScript(t, s, clean, echo)
	if e != nil {
		t.Fatal(e)
	}
	for _, c := range hostileScripts() {
		t.Run(c.name, func(t *testing.T) {
			result, e := runScript(t, s, Script{Code: c.code, Limits: hostileLimits}, echo)
			name := ended
			if e != nil {
				name = e.Name
				if strings.Contains(e.Message, "broke the JavaScript engine") {
					t.Errorf("it reached a trap of the engine: %v", e)
				}
			}
			if !slices.Contains(c.want, name) {
				t.Errorf("ended with %v, want %v", e, c.want)
			}
			if result.Usage.Fuel > hostileLimits.Fuel || result.Usage.Memory > hostileLimits.Memory {
				t.Errorf("used more than it may: %+v", result.Usage)
			}
			if name == FuelExhausted && result.Usage.Fuel != hostileLimits.Fuel {
				t.Errorf("fuel is exhausted after %d", result.Usage.Fuel)
			}
			got, e := runScript(t, s, clean, echo)
			if e != nil || string(got.Value) != string(want.Value) || got.Usage.Fuel != want.Usage.Fuel {
				t.Errorf("the next script gives %s, %v, with %d fuel; before %s with %d", got.Value, e, got.Usage.Fuel, want.Value, want.Usage.Fuel)
			}
		})
	}
	count := 0
	s.instances.Range(func(module, in any) bool {
		if module == in.(*instance).module {
			count++
		}
		return true
	})
	if count != len(s.idle) {
		t.Errorf("%d instances live, %d of them idle", count, len(s.idle))
	}
}

// cleanScript notices what another script may have left behind.
const cleanScript = `
const names = Object.getOwnPropertyNames(globalThis).sort();
const seen = {};
for (const name of names) {
  const value = globalThis[name];
  if (typeof value === "function" && value.prototype) seen[name] = Reflect.ownKeys(value.prototype).map(String).concat(Reflect.ownKeys(value).map(String)).join();
}
[names, seen, Math.random(), JSON.stringify({ a: [1] }), [..."abc"], host.call("GET", "/"), await Promise.resolve(1), console.log("x")]`

// TestTraps holds that a trap of the engine itself is an error like any other
// and that its instance is dropped.
func TestTraps(t *testing.T) {
	s := testSandbox()
	in, err := s.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in.run = &run{sandbox: s, instance: in, limits: s.limits}
	if _, err = in.call(engineFunction(len(engineFunctions()))); err == nil {
		t.Fatal("a function that does not exist returns")
	}
	e := in.run.failure(err)
	if !strings.Contains(e.Error(), "broke the JavaScript engine") {
		t.Errorf("failure %v", e)
	}
	s.finish(t.Context(), in, false)
	if _, live := s.instances.Load(in.module); live {
		t.Error("the instance lives on")
	}
}
