package quickjs

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// TestModule pins the file: its bytes, everything that it can ask of us, and
// everything that we can ask of it.
func TestModule(t *testing.T) {
	const want = "d4c9375f2b1ca4dc95f72c8aa2982a7a9951ac8011490d79c6582df732b4bbd9"
	module, err := Module()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(module)); got != want {
		t.Errorf("SHA-256 is %s, want %s", got, want)
	}
	ctx := t.Context()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer runtime.Close(context.Background())
	compiled, err := runtime.CompileModule(ctx, module)
	if err != nil {
		t.Fatal(err)
	}
	signature := func(name string, f api.FunctionDefinition) string {
		types := func(types []api.ValueType) string {
			var names []string
			for _, v := range types {
				names = append(names, api.ValueTypeName(v))
			}
			return "(" + strings.Join(names, " ") + ")"
		}
		return name + " " + types(f.ParamTypes()) + " → " + types(f.ResultTypes())
	}
	var lines []string
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		lines = append(lines, "import "+signature(module+"."+name, f))
	}
	if n := len(compiled.ImportedMemories()); n > 0 {
		t.Errorf("%d memories are imported", n)
	}
	for name, f := range compiled.ExportedFunctions() {
		lines = append(lines, "export "+signature(name, f))
	}
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	const golden = "testdata/interface.txt"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	held, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(held), got); d != "" {
		t.Errorf("imports and exports changed (UPDATE=1 accepts it):\n%s", d)
	}
	for _, line := range lines {
		if name, isImport := strings.CutPrefix(line, "import "); isImport &&
			!strings.HasPrefix(name, "env.host_") && !strings.HasPrefix(name, "wasi_snapshot_preview1.") {
			t.Errorf("import %s", name)
		}
	}
	for _, reach := range []string{"path_", "sock_", "poll_", "args_", "environ_", "proc_", "fd_read", "fd_prestat"} {
		if strings.Contains(got, "wasi_snapshot_preview1."+reach) {
			t.Errorf("the module can ask for %s…", reach)
		}
	}
}
