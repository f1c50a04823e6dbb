package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// TestLimits goes through the table of limits: at the limit a script works, and
// beyond what the table says happens.
func TestLimits(t *testing.T) {
	s := testSandbox()
	quoted := func(n int64) json.RawMessage { return json.RawMessage(`"` + strings.Repeat("x", int(n)-2) + `"`) }
	one := HostAnswer{Body: json.RawMessage("1")}
	answer := func(body json.RawMessage) hostFunc {
		return func(context.Context, HostCall) (HostAnswer, error) { return HostAnswer{Body: body}, nil }
	}
	type check func(t *testing.T, most int64)
	run := func(t *testing.T, script Script, host hostFunc) (Result, *Error) {
		t.Helper()
		return runScript(t, s, script, host)
	}
	fails := func(t *testing.T, script Script, host hostFunc, name ErrorName, message string) {
		t.Helper()
		if _, e := run(t, script, host); e == nil || e.Name != name || !strings.Contains(e.Message, message) {
			t.Errorf("beyond: %v, want %s %q", e, name, message)
		}
	}
	works := func(t *testing.T, script Script, host hostFunc) Result {
		t.Helper()
		result, e := run(t, script, host)
		if e != nil {
			t.Errorf("at the limit: %.200v", e)
		}
		return result
	}
	checks := map[string]check{
		"fuel": func(t *testing.T, _ int64) {
			used := works(t, Script{Code: "1"}, echo).Usage.Fuel
			works(t, Script{Code: "1", Limits: Limits{Fuel: used}}, echo)
			fails(t, Script{Code: "1", Limits: Limits{Fuel: used - 1000}}, echo, FuelExhausted, fmt.Sprint(used-1000))
		},
		"memory": func(t *testing.T, most int64) {
			code := "new Uint8Array(%d).length"
			if peak := works(t, Script{Code: fmt.Sprintf(code, most-4*mebibyte)}, echo).Usage.Memory; peak > most || peak < most-4*mebibyte {
				t.Errorf("the peak is %d", peak)
			}
			fails(t, Script{Code: fmt.Sprintf(code, most)}, echo, MemoryExceeded, fmt.Sprint(most))
			fails(t, Script{Code: fmt.Sprintf(code, 8*mebibyte), Limits: Limits{Memory: 8 * mebibyte}}, echo, MemoryExceeded, fmt.Sprint(8*mebibyte))
		},
		"timeout": func(t *testing.T, _ int64) {
			fails(t, Script{Code: "for (;;) {}", Limits: Limits{Timeout: 20 * time.Millisecond}}, echo, Timeout, "20ms")
			slow := func(ctx context.Context, _ HostCall) (HostAnswer, error) {
				<-ctx.Done()
				return HostAnswer{}, ctx.Err()
			}
			fails(t, Script{Code: "host.call('GET', '/')", Limits: Limits{Timeout: 20 * time.Millisecond}}, slow, Timeout, "host calls included")
		},
		"code": func(t *testing.T, most int64) {
			works(t, Script{Code: strings.Repeat(" ", int(most))}, echo)
			fails(t, Script{Code: strings.Repeat(" ", int(most)+1)}, echo, ExecutionError, "the script has")
		},
		"typescript": func(t *testing.T, _ int64) {
			fails(t, Script{Code: "1", Language: TypeScript}, echo, ExecutionError, "no compiler for TypeScript")
		},
		"input": func(t *testing.T, most int64) {
			if got := works(t, Script{Code: "input.length", Input: quoted(most)}, echo).Value; string(got) != fmt.Sprint(most-2) {
				t.Errorf("input has %s characters", got)
			}
			fails(t, Script{Code: "1", Input: quoted(most + 1)}, echo, ExecutionError, "the input has")
			fails(t, Script{Code: "1", Input: json.RawMessage("{")}, echo, ExecutionError, "not valid JSON")
		},
		"result": func(t *testing.T, most int64) {
			if r := works(t, Script{Code: fmt.Sprintf("'x'.repeat(%d)", most-2)}, echo); r.Cut != nil || int64(len(r.Value)) != most {
				t.Errorf("a result of the limit is cut: %+v", r.Cut)
			}
			r := works(t, Script{Code: fmt.Sprintf("({ list: [1, { text: 'é'.repeat(%d) }] })", most)}, echo)
			if r.Cut == nil || int64(len(r.Value)) > most || int64(len(r.Value)) < most-8 || !json.Valid(r.Value) || r.Cut.Kept != int64(len(r.Value)) || r.Cut.Length != most+24 {
				t.Errorf("a longer one has %d bytes: %+v", len(r.Value), r.Cut)
			}
		},
		"console": func(t *testing.T, most int64) {
			code := "console.log('é'.repeat(%d)); console.log('b'); console.log('')"
			r := works(t, Script{Code: fmt.Sprintf(code, most/2)}, echo)
			if len(r.Logs) != 1 || int64(len(r.Logs[0].Text)) != most || r.LogsDropped != 1 {
				t.Errorf("%d lines, %d dropped", len(r.Logs), r.LogsDropped)
			}
			r = works(t, Script{Code: fmt.Sprintf(code, most)}, echo)
			if len(r.Logs) != 1 || int64(len(r.Logs[0].Text)) > most+2 || r.LogsDropped != most+1 {
				t.Errorf("%d lines, %d dropped", len(r.Logs), r.LogsDropped)
			}
			if r = works(t, Script{Code: "for (let i = 0; i < 2e5; i++) console.log('')"}, echo); int64(len(r.Logs)) > most {
				t.Errorf("%d empty lines", len(r.Logs))
			}
		},
		"host_calls": func(t *testing.T, most int64) {
			calls := 0
			count := func(context.Context, HostCall) (HostAnswer, error) { calls++; return one, nil }
			code := "let n = 0; for (let i = 0; i < %d; i++) n += host.call('GET', '/'); n"
			works(t, Script{Code: fmt.Sprintf(code, most)}, count)
			fails(t, Script{Code: fmt.Sprintf(code, most+1)}, count, HostCallError, "429")
			if int64(calls) != 2*most {
				t.Errorf("the host was called %d times", calls)
			}
		},
		"argument": func(t *testing.T, most int64) {
			works(t, Script{Code: fmt.Sprintf("host.call('POST', '/', 'x'.repeat(%d))", most-2)}, answer(one.Body))
			fails(t, Script{Code: fmt.Sprintf("host.call('POST', '/', 'x'.repeat(%d))", most)}, answer(one.Body), HostCallError, "413")
			fails(t, Script{Code: fmt.Sprintf("host.call('POST', 'x'.repeat(%d))", most+1)}, answer(one.Body), HostCallError, "413")
			fails(t, Script{Code: "host.call('x'.repeat(100), '/')"}, answer(one.Body), HostCallError, "413")
		},
		"answer": func(t *testing.T, most int64) {
			works(t, Script{Code: "host.call('GET', '/').length"}, answer(quoted(most)))
			fails(t, Script{Code: "host.call('GET', '/').length"}, answer(quoted(most+1)), HostCallError, "507")
		},
	}
	for _, row := range LimitTable() {
		check := checks[row.Key]
		if check == nil {
			t.Errorf("limit %s has no test", row.Key)
			continue
		}
		if row.Default <= 0 || row.Maximum < row.Default || row.Meaning == "" || row.Unit == "" {
			t.Errorf("row %+v is not complete", row)
		}
		t.Run(row.Key, func(t *testing.T) { check(t, row.Default) })
	}
}

func TestLimitsAreOnlyLowered(t *testing.T) {
	s := testSandbox()
	if r, e := runScript(t, s, Script{Code: "1", Limits: Limits{Memory: 1 << 40, Fuel: -1}}, echo); e != nil || r.Usage.Fuel == 0 {
		t.Errorf("asking for more: %+v, %v", r, e)
	}
	if got := s.Limits().lower(Limits{Fuel: 5, Memory: 1 << 40}); got.Fuel != 5 || got.Memory != s.Limits().Memory || got.Timeout != s.Limits().Timeout {
		t.Errorf("lowered to %+v", got)
	}
	_, err := Open(t.Context(), Options{Limits: Limits{Console: mebibyte + 1}})
	if err == nil || err.Error() != "open sandbox: limit console is 1048577 bytes: it can be at most 1048576" {
		t.Errorf("too high: %v", err)
	}
}

// What is run to prepare the engine has limits of its own.
func TestLowLimits(t *testing.T) {
	s, err := Open(t.Context(), Options{Limits: Limits{Timeout: time.Millisecond, Fuel: 1000, Code: 10, HostCalls: 1}})
	if err != nil {
		t.Fatal(err)
	}
	s.Close(context.Background())
}

func TestCutJSON(t *testing.T) {
	for _, text := range []string{
		`{"a":[1,2.5e3,{"b":"tëxt\n\u00e9😀"},null,true],"long kéy 😀":{"":[[[]]]},"z":"\\"}`, `"plain \" text"`, `[]`, `12345`, `[[[[[[[[]]]]]]]]`, `["\ud800"]`, `"é知😀"`,
		" { \"a\" : [ \"x, ]é\" , 1 ,\n\t{ } ] , \"b\" : { \"c\" : true } }",
	} {
		whole := 0
		for most := range len(text) + 1 {
			got := cutJSON(text, most)
			if !json.Valid([]byte(got)) || !utf8.ValidString(got) || most >= 4 && len(got) > most {
				t.Errorf("at %d of %s: %q", most, text, got)
			}
			if got == text {
				whole++
			}
			for room := range most + 1 { // what follows was never read
				if again := cutJSON(text[:most], room); !json.Valid([]byte(again)) || !utf8.ValidString(again) {
					t.Errorf("at %d of the first %d of %s: %q", room, most, text, again)
				}
			}
		}
		if whole == 0 && text != "12345" {
			t.Errorf("%s never fits", text)
		}
	}
	if got := cutJSON(`{"a":["xyz","uvw"],"b":1}`, 17); got != `{"a":["xyz","u"]}` {
		t.Errorf("cut to %s", got)
	}
}

func FuzzCutJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,"x\u00e9\\"],"b":{}}`), 9, 12)
	f.Add([]byte(` [ "知识库" , { "é😀" : 1e3 } ]`), 30, 8)
	f.Fuzz(func(t *testing.T, text []byte, read, most int) {
		if !json.Valid(text) || !utf8.Valid(text) || read < 0 || most < 0 {
			return
		}
		text = text[:min(read, len(text))]
		got := cutJSON(string(text), most)
		if !json.Valid([]byte(got)) || !utf8.ValidString(got) || len(got) > max(most, 4) {
			t.Errorf("%s cut to %d: %q", text, most, got)
		}
	})
}

// TestStops holds the ways in which a run is ended from outside.
func TestStops(t *testing.T) {
	s := testSandbox()
	loop := Script{Code: "host.call('GET', '/'); for (;;) {}"}
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Run(ctx, loop, hostFunc(func(context.Context, HostCall) (HostAnswer, error) { cancel(); return HostAnswer{}, nil }))
	if e := asError(err); e == nil || e.Name != Cancelled {
		t.Errorf("cancelled in a host call: %v", err)
	}
	if r, err := s.Run(ctx, loop, hostFunc(echo)); asError(err) == nil || asError(err).Name != Cancelled || r.Usage.HostCalls != 0 {
		t.Errorf("cancelled before: %v, %+v", err, r)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := s.Run(ctx, loop, hostFunc(echo)); asError(err) == nil || asError(err).Name != Timeout {
		t.Errorf("the caller's deadline: %v", err)
	}
}

// While a person is asked, the clock stands.
func TestClockStandsWhileAPersonIsAsked(t *testing.T) {
	s := testSandbox()
	synctest.Test(t, func(t *testing.T) {
		script := Script{Code: "host.call('GET', '/a'); host.call('GET', '/b')", Limits: Limits{Timeout: 5 * time.Second}}
		var order []string
		began := time.Now()
		_, err := s.Run(t.Context(), script, hostFunc(func(ctx context.Context, call HostCall) (HostAnswer, error) {
			order = append(order, call.Path)
			if call.Path == "/a" {
				time.Sleep(2 * time.Second)
				resume := call.Pause()
				defer resume()
				select {
				case <-ctx.Done():
					t.Error("the time went on")
				case <-time.After(time.Hour):
				}
				return HostAnswer{}, nil
			}
			<-ctx.Done()
			return HostAnswer{}, nil
		}))
		if e := asError(err); e == nil || e.Name != Timeout || !slices.Equal(order, []string{"/a", "/b"}) {
			t.Errorf("after a pause: %v, %v", err, order)
		}
		if took := time.Since(began); took != time.Hour+5*time.Second {
			t.Errorf("it ran for %s, want its 5 s and the hour of the pause", took)
		}
	})
}

// What the stacks of compiled code allocate in all, while each of them is doubled again and
// again, is bounded for each recursion.
func TestDeepStacksAreBounded(t *testing.T) {
	s := testSandbox()
	for _, c := range []struct {
		code string
		most uint64 // MB, of all stacks that it moved through
	}{
		{"(function f() { f() })()", 30},
		{"function f() { try { f() } catch { f() } } f()", 20},
		{"async function f() { await f() } await f()", 20},
		{`JSON.parse("[".repeat(200000))`, 25},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, e := runScript(t, s, Script{Code: c.code, Limits: Limits{Fuel: 200_000_000}}, echo); e == nil {
			t.Errorf("%s comes to its end", c.code)
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > c.most {
			t.Errorf("%s allocates %d MB, more than %d", c.code, got, c.most)
		}
	}
}
