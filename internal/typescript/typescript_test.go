package typescript

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "serve" { // the child
		if err := Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func newCompiler(t testing.TB) *Compiler {
	t.Helper()
	c := NewCompiler(os.Args[0], "serve")
	t.Cleanup(c.Close)
	return c
}

func TestCompile(t *testing.T) {
	c := newCompiler(t)
	for source, want := range map[string]string{
		"const a: number = 1; a":                            "const a=1;a;\n",
		"let r = 'é'; r satisfies string; r":                "let r=\"é\";r;r;\n",
		"interface A { b: string }\nreturn (1 as any) as A": "return 1;\n",
		"const x = await f(); return x as string":           "(async function $script(){const x=await f();return x})();\n",
		"type T = string":                                   "",
		"\"use strict\"; 1":                                 "\"use strict\";1;\n",
		"report;":                                           "report;\n",
	} {
		o, err := c.Compile(t.Context(), source)
		if err != nil || o.Code != want {
			t.Errorf("%s gives %q, %v, want %q", source, o.Code, err, want)
		}
	}
	_, err := c.Compile(t.Context(), "let a = 1;\nlet é: = 2")
	var fault *Error
	if !errors.As(err, &fault) || fault.Line != 2 || fault.Column != 8 || !strings.HasPrefix(fault.Message, "SyntaxError: ") {
		t.Errorf("a syntax error is %+v", fault)
	}
}

func TestPosition(t *testing.T) {
	c := newCompiler(t)
	for source, marker := range map[string]string{
		"interface A {\n  b: string;\n}\n\nconst a: A = { b: '' };\n  nowhere(a);": "nowhere",
		"const x: number = await f();\nreturn here(x)":                             "here",
		"const x: number = await f(), y = here(x); return y":                       "here",
	} {
		o, err := c.Compile(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		at := strings.Index(o.Code, marker)
		line, column := o.Position(1, at+1)
		before := source[:strings.Index(source, marker)]
		if wantLine, wantColumn := strings.Count(before, "\n")+1, len(before)-strings.LastIndex(before, "\n"); line != wantLine || column != wantColumn {
			t.Errorf("%q is placed at %d:%d, want %d:%d", source, line, column, wantLine, wantColumn)
		}
	}
	for _, mappings := range []string{"!", "g", "ggggggggggA"} {
		if _, err := parsePositions(mappings); err == nil {
			t.Errorf("mappings %q are read", mappings)
		}
	}
	if line, column := (Output{}).Position(1, 1); line != 0 || column != 0 {
		t.Errorf("no positions lead to %d:%d", line, column)
	}
}

// TestHostileSources holds that what ends or blocks esbuild does neither to us,
// and that the next source is compiled.
func TestHostileSources(t *testing.T) {
	c := newCompiler(t)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := c.Compile(ctx, strings.Repeat("a=>", 20000)+"1")
	// The race detector's larger stack frames may end it before the deadline.
	if deep, ok := errors.AsType[*Error](err); !errors.Is(err, context.DeadlineExceeded) && (!ok || !strings.Contains(deep.Message, "too deeply nested")) {
		t.Errorf("what takes minutes ends with %v", err)
	}
	for _, source := range []string{strings.Repeat("!", 256<<10) + "1", strings.Repeat("1,", 128<<10) + "1"} {
		var fault *Error
		if _, err := c.Compile(t.Context(), source); !errors.As(err, &fault) || !strings.Contains(fault.Message, "too deeply nested") {
			t.Errorf("%.10s… ends with %v", source, err)
		}
	}
	if o, err := c.Compile(t.Context(), "1"); err != nil || o.Code != "1;\n" {
		t.Errorf("the next source gives %q, %v", o.Code, err)
	}
	if _, err := NewCompiler().Compile(t.Context(), "1"); err == nil {
		t.Error("no command compiles")
	}
	if _, err := NewCompiler("/nonexistent/program").Compile(t.Context(), "1"); err == nil {
		t.Error("a missing program compiles")
	}
}

// TestServeEnds holds that the child does not outlive its parent.
func TestServeEnds(t *testing.T) {
	child, err := startChild([]string{os.Args[0], "serve"})
	if err != nil {
		t.Fatal(err)
	}
	defer child.stop()
	if _, err := child.ask(t.Context(), request{Source: "1"}); err != nil {
		t.Fatal(err)
	}
	// It is busy for minutes when its input ends.
	if _, err := fmt.Fprintf(child.in, `{"source":"%s1"}`+"\n", strings.Repeat("a=>", 20000)); err != nil {
		t.Fatal(err)
	}
	child.in.Close()
	if b, err := child.out.ReadByte(); err == nil {
		t.Errorf("it answered %q", b)
	}
}

func BenchmarkCompile(b *testing.B) {
	c := newCompiler(b)
	source := strings.Repeat("const f = (n: number): string => `${n}`;\n", 1) + "interface A { b: string }\nconst a: A[] = [1, 2].map((n) => ({ b: f(n) }));\na"
	for b.Loop() {
		if _, err := c.Compile(b.Context(), source); err != nil {
			b.Fatal(err)
		}
	}
}
