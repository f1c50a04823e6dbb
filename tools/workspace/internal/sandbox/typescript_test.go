package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/internal/typescript"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "typescript" { // the compiler's child
		if err := typescript.Serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func TestTypeScript(t *testing.T) {
	runtest.InOrder(t)
	compiler := typescript.NewCompiler(os.Args[0], "typescript")
	defer compiler.Close()
	s, err := Open(t.Context(), Options{TypeScript: compiler})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	run := func(code string) (Result, *Error) {
		return runScript(t, s, Script{Code: code, Language: TypeScript, WorkspaceID: "ws"}, echo)
	}
	for code, want := range map[string]string{
		"const n: number = 1; n + 1": "2",
		"interface Note { id: string }\nconst n: Note = { id: workspace_id };\nn": `{"id":"ws"}`,
		"return (1 as unknown) as string":                                         "1",
		"const x = await Promise.resolve<number>(3); return x!":                   "3",
		"enum E { A = 4 }\nE.A":                                                   "4",
		"(host.call('GET', '/') as { path: string }).path":                        `"/"`,
	} {
		if r, e := run(code); e != nil || string(r.Value) != want {
			t.Errorf("%s gives %s, %v, want %s", code, r.Value, e, want)
		}
	}
	for code, want := range map[string]string{
		"interface A {\n  b: string;\n}\n\nconst a = null as any;\n   a.b":              "6:4",
		"type T = string;\nfunction f(t: T): never {\n  throw new Error(t);\n}\nf('x')": "3:19",
		"type T = string;\nreturn missing as T":                                         "2:8",
		"type T = string;\nconst a: number = await 1;\nreturn new Error.x() as T":       "3:",
		"let a: = 1": "1:8",
	} {
		if _, e := run(code); e == nil || e.Name != ExecutionError || !strings.HasPrefix(fmt.Sprintf("%d:%d", e.Line, e.Column), want) {
			t.Errorf("%q fails with %+v, want it at %s", code, e, want)
		}
	}
	most := s.Limits().TypeScript
	if _, e := run(strings.Repeat(" ", int(most)+1)); e == nil || !strings.Contains(e.Message, "in TypeScript") {
		t.Errorf("beyond the limit: %v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Run(ctx, Script{Code: strings.Repeat("a=>", 9000), Language: TypeScript}, hostFunc(echo))
	if e := asError(err); e == nil || e.Name != Cancelled {
		t.Errorf("cancelled: %v", err)
	}
	if _, e := run(strings.Repeat("a=>", 20000) + "1"); e == nil || !strings.Contains(e.Message, "too deeply nested") {
		t.Errorf("too deep: %v", e)
	}
}
