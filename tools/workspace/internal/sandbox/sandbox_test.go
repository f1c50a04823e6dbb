package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testSandbox is one sandbox for all tests that do not need their own: compiling
// the engine takes a second or two.
var testSandbox = sync.OnceValue(func() *Sandbox {
	s, err := Open(context.Background(), Options{})
	if err != nil {
		panic(err)
	}
	return s
})

// hostFunc is a Host.
type hostFunc func(ctx context.Context, call HostCall) (HostAnswer, error)

func (f hostFunc) Call(ctx context.Context, call HostCall) (HostAnswer, error) { return f(ctx, call) }

// echo answers what it was asked.
func echo(_ context.Context, call HostCall) (HostAnswer, error) {
	if len(call.Body) == 0 {
		call.Body = json.RawMessage("null")
	}
	b, err := json.Marshal(map[string]any{"method": call.Method, "path": call.Path, "body": call.Body})
	return HostAnswer{Body: b}, err
}

// runScript runs a script that may fail.
func runScript(t testing.TB, s *Sandbox, script Script, host hostFunc) (Result, *Error) {
	t.Helper()
	result, err := s.Run(t.Context(), script, host)
	var e *Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%.100s: %v", script.Code, err)
	}
	return result, e
}

// value runs a script that succeeds.
func value(t testing.TB, script Script) string {
	t.Helper()
	result, e := runScript(t, testSandbox(), script, echo)
	if e != nil {
		t.Fatalf("%.100s: %v", script.Code, e)
	}
	return string(result.Value)
}

func TestValues(t *testing.T) {
	for code, want := range map[string]string{
		"1+1":                                  "2",
		"":                                     "null",
		"let report = 'a\\n'; report;":         `"a\n"`,
		"return 5":                             "5",
		"return await Promise.resolve(6)":      "6",
		"await Promise.resolve(7)":             "7",
		"Promise.resolve(8)":                   "8",
		"const f = async () => [9]; await f()": "[9]",
		"for (const x of [1, 2]) { x * 2 }":    "4",
		"function f() {}":                      "null",
		"undefined":                            "null",
		"() => 1":                              "null",
		"({ a: undefined, b: NaN, c: new Date(0) })":         `{"b":null,"c":"1970-01-01T00:00:00.000Z"}`,
		"new Map([['a', new Map([[1, 2]])]])":                `[["a",[[1,2]]]]`,
		"[new Set(['a', 1]), new Date(NaN)]":                 `[["a",1],null]`,
		"[Infinity, -0, , /x/, Symbol('s')]":                 `[null,0,null,{},null]`,
		"const e = new RangeError('far'); e.at = 3; ({ e })": `{"e":{"name":"RangeError","message":"far","at":3}}`,
		"[JSON.rawJSON('1e308'), JSON.rawJSON('12345678901234567890'), JSON.rawJSON('1e-999'), JSON.rawJSON('\"a\"')]":                                                                                                                `[1e308,12345678901234567890,1e-999,"a"]`,
		"const o = { d: new Date(0), m: new Map([[{ k: 1 }, new Set([2])]]), r: /x/g, a: [, 1], b: new Uint8Array([7]) }; o.o = o; const c = structuredClone(o); [c !== o, c.o === c, c.d, c.m, c.r.flags, c.a, c.b[0], c.b !== o.b]": `[true,true,"1970-01-01T00:00:00.000Z",[[{"k":1},[2]]],"g",[null,1],7,true]`,
		"const c = structuredClone(Object.assign(new TypeError('t'), { x: { y: 1 } })); [c instanceof Error, c]":                                                                                                                      `[true,{"name":"TypeError","message":"t","x":{"y":1}}]`,
		"const c = structuredClone(JSON.parse('{\"__proto__\":{\"a\":1}}')); [c.a, Object.keys(c)]":                                                                                                                                   `[null,["__proto__"]]`,
		"'\\ud800'":                          `"\ufffd"`,
		"'\\ud83d\\udcdd'.slice(0, 1) + 'x'": `"\ufffdx"`,
		"({ '\\udcdd': ['\\\\ud83d', '\\udcdd\\ud83d', '\\ud83d\\udcdd'] })":       `{"\ufffd":["\\ud83d","\ufffd\ufffd","📝"]}`,
		"Promise.reject(1).catch(() => {}); 2":                                     "2",
		"const p = Promise.reject(1); await null; try { await p } catch (e) { e }": "1",
		"await Promise.allSettled([Promise.reject(1)]); 3":                         "3",
		"'\\u0000é😀'":                                                `"\u0000é😀"`,
		"if (true) return { early: 1 }; 2":                           `{"early":1}`,
		"let x; try { eval('return 1') } catch (e) { x = e.name } x": `"SyntaxError"`,
		"'use strict'; (function () { return this })()":              "null",
	} {
		if got := value(t, Script{Code: code}); got != want {
			t.Errorf("%s gives %s, want %s", code, got, want)
		}
	}
}

func TestConstants(t *testing.T) {
	script := Script{WorkspaceID: "ws", Input: json.RawMessage(`{"list":[{"a":1}]}`)}
	for code, want := range map[string]string{
		"[workspace_id, input.list[0].a]":                     `["ws",1]`,
		"workspace_id = 'x'; workspace_id":                    `"ws"`,
		"input.list[0].a = 2; input.list.length = 0; input":   `{"list":[{"a":1}]}`,
		"host = 1; host.call = 1; typeof host.call":           `"function"`,
		"delete globalThis.host; typeof host.call":            `"function"`,
		"const input = 3; input":                              "3",
		"typeof native + typeof performance + typeof process": `"undefinedundefinedundefined"`,
		"try { 'use strict'; Object.defineProperty(globalThis, 'host', { value: 1 }) } catch (e) { e.name }": `"TypeError"`,
	} {
		script.Code = code
		if got := value(t, script); got != want {
			t.Errorf("%s gives %s, want %s", code, got, want)
		}
	}
	if got := value(t, Script{Code: "[typeof workspace_id, input]"}); got != `["undefined",null]` {
		t.Errorf("without them: %s", got)
	}
}

func TestHostCalls(t *testing.T) {
	host := func(ctx context.Context, call HostCall) (HostAnswer, error) {
		switch call.Path {
		case "/created":
			return HostAnswer{Status: 201, Body: json.RawMessage(`{"id":"n"}`)}, nil
		case "/empty":
			return HostAnswer{Status: 204}, nil
		case "/part":
			return HostAnswer{Body: json.RawMessage(`[{"id":"a"},{"id":"b"}]`), Next: "b c"}, nil
		case "/conflict":
			return HostAnswer{Status: 409, Body: json.RawMessage(`{"detail":"edited since","current":{"id":"n"}}`)}, nil
		}
		return echo(ctx, call)
	}
	s := testSandbox()
	for code, want := range map[string]string{
		"host.call('GET', '/a?b=ü')":               `{"body":null,"method":"GET","path":"/a?b=ü"}`,
		"host.call('POST', '/a', { b: [1, 'x'] })": `{"body":{"b":[1,"x"]},"method":"POST","path":"/a"}`,
		"host.call('POST', '/a', null)":            `{"body":null,"method":"POST","path":"/a"}`,
		"host.call('GET', '/created').id":          `"n"`,
		"host.call('GET', '/empty')":               `null`,
		"const l = host.call('GET', '/part'); [Array.isArray(l), l.length, l.next, l.map(n => n.id), Object.keys(l), [...l].next]": `[true,2,"b c",["a","b"],["0","1"],null]`,
		"host.call('POST', '/a', '\\ud800').body": "\"\uFFFD\"",
		"(await host.call('GET', '/created')).id": `"n"`,
		"try { host.call('PUT', '/conflict') } catch (e) { [e instanceof HostCallError, e.name, e.status, e.body.current.id, e.message] }": `[true,"HostCallError",409,"n","PUT /conflict answered 409: edited since"]`,
		"try { host.call('POST', '/a', () => 1) } catch (e) { e.message }":                                                                 `"the body of host.call cannot be written as JSON"`,
	} {
		result, e := runScript(t, s, Script{Code: code}, host)
		if e != nil || string(result.Value) != want {
			t.Errorf("%s gives %s, %v, want %s", code, result.Value, e, want)
		}
	}
	_, e := runScript(t, s, Script{Code: "\nhost.call('PUT', '/conflict')"}, host)
	want := &Error{Name: HostCallError, Message: "PUT /conflict answered 409: edited since", Line: 2, Column: 6, Stack: "script:2:6", Status: 409, Body: json.RawMessage(`{"detail":"edited since","current":{"id":"n"}}`)}
	if d := cmp.Diff(want, e); d != "" {
		t.Errorf("uncaught:\n%s", d)
	}
	broken := errors.New("the store is closed")
	_, err := s.Run(t.Context(), Script{Code: "try { host.call('GET', '/') } catch {} 1"}, hostFunc(func(context.Context, HostCall) (HostAnswer, error) { return HostAnswer{}, broken }))
	if !errors.Is(err, broken) {
		t.Errorf("an error of the host ends the run with %v", err)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		code, message string
		line, column  int
		stack         string
	}{
		{"let a = 1;\n\n  nul.x", "ReferenceError: nul is not defined. Besides the language there are: host, HostCallError, console, structuredClone, input, workspace_id", 3, 3, "script:3:3"},
		{"function f() {\n  null.x\n}\nf()", "TypeError: cannot read property 'x' of null", 2, 3, "f:2:3\nscript:4:1"},
		{"return null.x", "TypeError: cannot read property 'x' of null", 1, 1, "script:1:1"},
		{"const o = {\n  a: 1\n  b: 2\n}", "SyntaxError: Unexpected identifier 'b'", 3, 3, "script:3:3"},
		{"throw new Error('mine')", "mine", 1, 11, "script:1:11"},
		{"throw 5", "thrown: 5", 0, 0, ""},
		{"throw { a: 1 }", `{"a":1}`, 0, 0, ""},
		{"throw { get name() { throw 1 } }", "thrown: an object that cannot be described", 0, 0, ""},
		{"await Promise.reject(new RangeError('later'))", "RangeError: later", 1, 26, "script:1:26"},
		{"(async () => { await null; throw new Error('half done') })(); 1", "half done (a promise was rejected, and nothing awaited it)", 1, 38, ""},
		{"Promise.reject('first'); Promise.reject('second'); 1", "thrown: first (a promise", 0, 0, ""},
		{"queueMicrotask(() => { throw new Error('half done') }); 1", "half done (thrown by a job", 1, 0, ""},
		{"queueMicrotask(() => queueMicrotask(() => { throw 'deep' })); queueMicrotask(() => {}); 1", "thrown: deep (thrown by a job", 0, 0, ""},
		{"queueMicrotask(() => { throw undefined }); queueMicrotask(() => { throw 2 }); Promise.reject(3); 1", "thrown: 3 (a promise", 0, 0, ""},
		{"queueMicrotask(() => { throw null }); queueMicrotask(() => { throw 2 }); 1", "thrown: null (thrown by a job", 0, 0, ""},
		{"queueMicrotask(() => { throw new RangeError('why') }); await new Promise(() => {})", "RangeError: why (thrown by a job", 1, 0, ""},
		{"await null; queueMicrotask(() => { throw new Error('late') }); const p = Promise.reject(1); await null; try { await p } catch {} 1", "late (thrown by a job", 1, 0, ""},
		{"({ toJSON() { queueMicrotask(() => { throw new Error('after') }); return 1 } })", "after (thrown by a job", 1, 0, ""},
		{"Promise.reject(1); throw new Error('mine')", "mine", 1, 30, ""},
		{"await new Promise(() => {})", "the script waits for a promise that nothing settles", 0, 0, ""},
		{"setTimeout(() => 1, 1)", "ReferenceError: setTimeout is not defined. There are no timers: ", 1, 1, "script:1:1"},
		{"1;\nrequire('fs')", "ReferenceError: require is not defined. There are no modules ", 2, 1, "script:2:1"},
		{"new Intl.NumberFormat()", "ReferenceError: Intl is not defined. There is no Intl: ", 1, 5, ""},
		{"10n", "the result cannot be written as JSON: a BigInt has no form in JSON: write Number(n)", 0, 0, ""},
		{"host.call('POST', '/x', { a: [10n] })", "TypeError: a BigInt has no form in JSON", 1, 5, ""},
		{"[1].map(async n => n)", "the result cannot be written as JSON: a promise has no form in JSON: await it", 0, 0, ""},
		{"JSON.rawJSON('1e999')", "SyntaxError: JSON.rawJSON: 1e999 is larger than any number", 1, 0, ""},
		{"\n JSON.rawJSON('-1e400')", "SyntaxError: JSON.rawJSON: -1e400 is larger than any number", 2, 7, ""},
		{"JSON.rawJSON('9'.repeat(400))", "SyntaxError: JSON.rawJSON: 99999999999999999999 is larger", 1, 0, ""},
		{"structuredClone({ a: () => 1 })", "TypeError: structuredClone cannot copy a function", 1, 1, ""},
		{"structuredClone(Promise.resolve())", "TypeError: structuredClone cannot copy a Promise", 1, 0, ""},
		{"const a = {}; a.a = a; a", "the result cannot be written as JSON: circular reference", 0, 0, ""},
		{"import('fs')", "ReferenceError: could not load module 'fs'. There are no modules ", 0, 0, ""},
		{"import x from 'fs'", "SyntaxError: Unexpected identifier 'x'. There are no modules ", 1, 0, ""},
		{"1;\n  export default 1", "SyntaxError: unsupported keyword: export. There are no modules ", 2, 0, ""},
	} {
		_, e := runScript(t, testSandbox(), Script{Code: c.code, WorkspaceID: "ws"}, echo)
		if e == nil {
			t.Errorf("%q: no error", c.code)
			continue
		}
		if e.Name != ExecutionError || !strings.HasPrefix(e.Message, c.message) || e.Line != c.line || c.column != 0 && e.Column != c.column || c.stack != "" && e.Stack != c.stack {
			t.Errorf("%q:\n%+v", c.code, e)
		}
	}
}

func TestConsole(t *testing.T) {
	result, e := runScript(t, testSandbox(), Script{Code: `console.log("a", 1, 2n, null, undefined, { b: [1] }, Symbol("s"));
console.warn(new TypeError("t")); const c = {}; c.c = c; console.error(c); console.debug(); console.info("ü\ud800"); throw 1`}, echo)
	if e == nil {
		t.Error("no error")
	}
	want := []LogLine{{"log", `a 1 2n null undefined {"b":[1]} Symbol(s)`}, {"warn", "TypeError: t"}, {"error", "[object Object]"}, {"debug", ""}, {"info", "ü\uFFFD"}}
	if d := cmp.Diff(want, result.Logs); d != "" {
		t.Error(d)
	}
}

// TestInputs holds that a script sees nothing but what it was given.
func TestInputs(t *testing.T) {
	code := "[Math.random(), Math.random(), Date.now(), new Date().toISOString(), new Date().getTimezoneOffset()]"
	at := time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC)
	a := value(t, Script{Code: code, Seed: 7, Time: at})
	if b := value(t, Script{Code: code, Seed: 7, Time: at}); a != b {
		t.Errorf("the same script gives %s and %s", a, b)
	}
	if !strings.HasSuffix(a, `,1795309323000,"2026-11-22T01:02:03.000Z",0]`) {
		t.Errorf("the time is %s", a)
	}
	for _, seed := range []uint64{0, 8, 7 << 32, math.MaxUint64} {
		if b := value(t, Script{Code: code, Seed: seed, Time: at}); a == b {
			t.Errorf("seed %d gives the numbers of another", seed)
		}
	}
	if got := value(t, Script{Code: "let n = 0; for (let i = 0; i < 1e5; i++) { const x = Math.random(); if (!(x >= 0 && x < 1)) throw x; n += x } Math.round(n / 1000)"}); got != "50" {
		t.Errorf("the mean of random numbers is %s %%", got)
	}
}

// What the sandbox itself evaluates, such as the globals, may copy and fill much at a time:
// a look at the deadline in between is no end of its fuel.
func TestImageMayFillMuch(t *testing.T) {
	s, err := Open(t.Context(), Options{Globals: "globalThis.filled = new Uint8Array(600_000).fill(1).length"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if r, e := runScript(t, s, Script{Code: "filled"}, echo); e != nil || string(r.Value) != "600000" {
		t.Errorf("%s, %v", r.Value, e)
	}
}
