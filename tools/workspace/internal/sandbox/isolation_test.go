package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return nil
}

// TestNothingGetsOut tries every way out that some engine has, with a file and a
// listener that nobody may touch.
func TestNothingGetsOut(t *testing.T) {
	const secret = "canary-5c1f"
	file := filepath.Join(t.TempDir(), "canary.txt")
	if err := os.WriteFile(file, []byte(secret), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(file))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	touched := make(chan net.Addr, 1)
	var wait sync.WaitGroup
	wait.Go(func() {
		if c, err := listener.Accept(); err == nil {
			touched <- c.RemoteAddr()
			c.Close()
		}
	})
	url := "http://" + listener.Addr().String() + "/"
	attempts := []string{
		"await import(%q)", "eval('import ' + JSON.stringify(%q))", "fetch(%q)", "require(%q)", "require('fs').readFileSync(%q)", "new WebSocket(%q)", "new XMLHttpRequest().open('GET', %q)",
		"std.loadFile(%q)", "os.open(%q)", "bjson.read(%q)", "(await import('qjs:std')).loadFile(%q)", "(await import('std')).open(%q)", "load(%q)", "read(%q)", "readFile(%q)", "importScripts(%q)",
		"Deno.readTextFileSync(%q)", "Bun.file(%q)", "process.binding('fs').open(%q)", "new Worker(%q)", "navigator.sendBeacon(%q)", "new Function('return this')().process.mainModule.require(%q)",
		"[].constructor.constructor('return process')().env[%q]", "host.call.constructor('return native')().ask('GET', %q, '')", "new WebAssembly.Module(%q)", "print(%q)", "scriptArgs[%q]", "gc(%q)", "$262.evalScript(%q)",
	}
	s := testSandbox()
	for _, attempt := range attempts {
		for _, target := range []string{file, "./canary.txt", url} {
			code := fmt.Sprintf(attempt, target)
			result, e := runScript(t, s, Script{Code: code}, func(context.Context, HostCall) (HostAnswer, error) {
				t.Errorf("%s reached the host", code)
				return HostAnswer{}, nil
			})
			if e == nil || e.Name != ExecutionError || strings.Contains(fmt.Sprint(result, e), secret) {
				t.Errorf("%s: %s, %v", code, result.Value, e)
			}
		}
	}
	listener.Close()
	wait.Wait()
	select {
	case from := <-touched:
		t.Errorf("the listener was touched from %v", from)
	default:
	}
}

// TestImportsAreAll holds that the engine is given its thirteen imports, and that
// nothing is left to give.
func TestImportsAreAll(t *testing.T) {
	given := map[string]bool{}
	for _, f := range imports() {
		given[f.module+"."+f.name] = true
	}
	for _, f := range testSandbox().compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if !given[module+"."+name] {
			t.Errorf("%s.%s is asked for and not given", module, name)
		}
		delete(given, module+"."+name)
	}
	if len(given) > 0 {
		t.Errorf("given and not asked for: %v", given)
	}
}

// determinism are scripts whose fuel, memory and results must not depend on
// where and when they run.
func determinism() []Script {
	return []Script{
		{Code: "1+1"},
		{Code: "return 1+1"},
		{Code: typicalScript},
		{Code: cleanScript, Seed: 3},
		{Code: "const m = new Map(); for (let i = 0; i < 2000; i++) m.set({}, String(Math.random())); [...m.values()].sort().slice(0, 3)", Seed: 9},
		{Code: "let s = ''; for (let i = 0; i < 20000; i++) s += i; s.length + /9{3}/.exec(s).index"},
		{Code: "throw new Error('x')"},
		{Code: "for (;;) {}", Limits: Limits{Fuel: 12_345_678}},
		{Code: "const a = []; for (;;) a.push(new Array(1000).fill(a))", Limits: Limits{Memory: 8 * mebibyte}},
	}
}

func fingerprint(t testing.TB, s *Sandbox) string {
	t.Helper()
	var b strings.Builder
	for _, script := range determinism() {
		r, e := runScript(t, s, script, echo)
		fmt.Fprintf(&b, "%s %v %d %d\n", r.Value, e, r.Usage.Fuel, r.Usage.Memory)
	}
	return b.String()
}

func TestDeterminism(t *testing.T) {
	runtest.InOrder(t)
	if dir := os.Getenv("SANDBOX_FINGERPRINT"); dir != "" { // in the other process
		s, err := Open(t.Context(), Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("out-%d", os.Getpid())), []byte(fingerprint(t, s)), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	s := testSandbox()
	want := fingerprint(t, s)
	if got := fingerprint(t, s); got != want {
		t.Errorf("a second time:\n%s\nbefore:\n%s", got, want)
	}
	// Slices of another size look more often, and change nothing.
	sliced, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer sliced.Close(context.Background())
	for _, slice := range []int64{1, 777, 1 << 40} {
		sliced.slice = slice
		if slice == 1 { // as slow as it gets
			for _, script := range determinism()[:3] {
				a, _ := runScript(t, sliced, script, echo)
				if b, _ := runScript(t, s, script, echo); a.Usage.Fuel != b.Usage.Fuel {
					t.Errorf("slices of 1: %d fuel, %d otherwise", a.Usage.Fuel, b.Usage.Fuel)
				}
			}
			continue
		}
		if got := fingerprint(t, sliced); got != want {
			t.Errorf("slices of %d:\n%s\nwant\n%s", slice, got, want)
		}
	}
	// Other processes, which load the engine from the cache that the first made.
	dir := t.TempDir()
	for range 2 {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDeterminism$")
		cmd.Env = append(os.Environ(), "SANDBOX_FINGERPRINT="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	outputs, err := filepath.Glob(filepath.Join(dir, "out-*"))
	if err != nil || len(outputs) != 2 {
		t.Fatalf("outputs %v, %v", outputs, err)
	}
	for _, name := range outputs {
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("in another process:\n%s\nhere:\n%s", got, want)
		}
	}
}

// TestFreshAndRestored holds that an instance that was used and restored is as
// one that was never used: to the last byte.
func TestFreshAndRestored(t *testing.T) {
	runtest.InOrder(t)
	s, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	before := <-s.idle
	unused, err := before.image()
	if err != nil {
		t.Fatal(err)
	}
	s.idle <- before
	for range 3 {
		runScript(t, s, Script{Code: "globalThis.left = 1; Array.prototype.left = 2; host.call('GET', '/'); console.log(1)", WorkspaceID: "secret-workspace"}, echo)
	}
	after := <-s.idle
	if before != after {
		t.Fatal("the instance was not used again")
	}
	image, err := after.image()
	if err != nil || string(image.Memory) != string(unused.Memory) || image.StackPointer != unused.StackPointer {
		t.Error("the restored instance differs from a new one")
	}
	if strings.Contains(string(image.Memory), "secret-workspace") {
		t.Error("a text of the last script is left")
	}
	s.idle <- after
	for _, code := range []string{"'x'.repeat(4e6)", "for (;;) {}"} {
		runScript(t, s, Script{Code: code, Limits: Limits{Fuel: 3_000_000}}, echo)
		if len(s.idle) != 0 {
			t.Errorf("%s: an instance that grew or was stopped was kept", code)
		}
	}
}

// TestRecycledMemory holds that the memory of an instance that was dropped, whatever
// ran in it, serves the next as if it had never been used: to the last byte.
func TestRecycledMemory(t *testing.T) {
	s, err := Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	first := <-s.idle
	unused, err := first.image()
	if err != nil {
		t.Fatal(err)
	}
	s.idle <- first
	for _, code := range []string{
		"for (;;) {}",
		"const s = 'secret'.repeat(1e5); for (;;) {}",
		"const s = []; for (;;) s.push('secret' + s.length)",
		"const f = (n) => 'secret' + f(n + 1); try { f(0) } catch {} for (;;) {}",
		"new Uint8Array(2e6).fill(7)[5]",
	} {
		in := <-s.idle
		space := &in.reservation.space[0]
		s.idle <- in
		runScript(t, s, Script{Code: code, Limits: Limits{Fuel: 30_000_000}}, echo)
		if len(s.idle) != 0 {
			t.Fatalf("%s: the instance was not dropped", code)
		}
		next, err := s.acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if recycled := &next.reservation.space[0] == space; !recycled {
			t.Errorf("%s: the next instance has other memory", code)
		}
		if image, err := next.image(); err != nil || string(image.Memory) != string(unused.Memory) || image.StackPointer != unused.StackPointer {
			t.Errorf("%s: the next instance differs from a new one: %v", code, err)
		}
		if memory := next.reservation.space[len(unused.Memory):next.reservation.used]; strings.Contains(string(memory), "secret") {
			t.Errorf("%s: a text of the last script is left", code)
		}
		s.idle <- next
	}
}

// TestMemoryComesBack holds that what bombs took is given back to the system.
func TestMemoryComesBack(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	resident := func() (bytes int) {
		var size, pages int
		b, err := os.ReadFile("/proc/self/statm")
		if err != nil {
			t.Skip(err)
		}
		fmt.Sscan(string(b), &size, &pages)
		return pages * os.Getpagesize()
	}
	s := testSandbox()
	bomb := Script{Code: "const a = []; for (;;) a.push(new Uint8Array(8 << 20).fill(1))"}
	runScript(t, s, bomb, echo)
	before := resident()
	for range 20 {
		if _, e := runScript(t, s, bomb, echo); e == nil || e.Name != MemoryExceeded {
			t.Fatal(e)
		}
	}
	if grown := resident() - before; grown > 32*mebibyte {
		t.Errorf("20 bombs of %d bytes leave %d behind", s.Limits().Memory, grown)
	}
}

func TestCache(t *testing.T) {
	runtest.InOrder(t)
	dir := filepath.Join(t.TempDir(), "cache")
	open := func() *Sandbox {
		s, err := Open(t.Context(), Options{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close(context.Background()) })
		if got, e := runScript(t, s, Script{Code: "1+1"}, echo); e != nil || string(got.Value) != "2" {
			t.Fatalf("%s, %v", got.Value, e)
		}
		return s
	}
	entry := func() string {
		found, err := filepath.Glob(filepath.Join(dir, "*"))
		if err != nil || len(found) != 1 {
			t.Fatalf("the cache holds %v, %v", found, err)
		}
		return found[0]
	}
	open()
	first := entry()
	info, err := os.Stat(filepath.Join(first, sumsFile))
	if err != nil {
		t.Fatal(err)
	}
	open()
	if again, err := os.Stat(filepath.Join(first, sumsFile)); err != nil || !again.ModTime().Equal(info.ModTime()) {
		t.Error("the entry was not used")
	}
	// Damage anywhere is noticed, and repaired.
	var files []string
	filepath.Walk(first, func(path string, info os.FileInfo, err error) error {
		if err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
		return err
	})
	if len(files) < 3 {
		t.Fatalf("files %v", files)
	}
	c := diskCache{dir, first}
	for _, file := range files {
		whole, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []int{0, len(whole) / 2, len(whole) - 9} {
			b := bytes.Clone(whole)
			b[at] ^= 1
			if err := os.WriteFile(file, b, 0o600); err != nil {
				t.Fatal(err)
			}
			if c.read() != nil {
				t.Errorf("a flipped bit at %d in %s is not noticed", at, file)
			}
			if err := os.WriteFile(file, whole, 0o600); err != nil || c.read() == nil {
				t.Fatalf("%s is put back: %v", file, err)
			}
		}
	}
	if err := os.WriteFile(files[0], nil, 0o600); err != nil {
		t.Fatal(err)
	}
	open()
	if c.read() == nil {
		t.Error("a damaged entry is not made again")
	}
	if runtime.GOOS == "windows" {
		return
	}
	for _, mode := range []os.FileMode{0o777, 0o720} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(t.Context(), Options{CacheDir: dir}); err == nil || !strings.Contains(err.Error(), "chmod 700") {
			t.Errorf("mode %o: %v", mode, err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(t.TempDir(), link); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{CacheDir: link}); err == nil || !strings.Contains(err.Error(), "not a folder") {
		t.Errorf("a link: %v", err)
	}
}

// TestPreparedModule holds the module that the cache's key stands for. When this
// hash changes while quickjs.wasm, prelude.js and the limits do not, raise
// prepareVersion.
func TestPreparedModule(t *testing.T) {
	s := testSandbox()
	again, err := s.prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if string(again.Module) != string(s.prepared.Module) || string(again.Memory) != string(s.prepared.Memory) || again.Begin != s.prepared.Begin {
		t.Error("preparing twice gives two modules")
	}
	const want = "32409f93843800127b38463d6eec6e59f471b18a87e4e72a98ae2b6505b654b8"
	if got := fmt.Sprintf("%x", sha256.Sum256(slices.Concat(again.Module, again.Memory))); got != want {
		t.Errorf("the prepared module has SHA-256 %s, want %s", got, want)
	}
}

func TestLibrary(t *testing.T) {
	s, err := Open(t.Context(), Options{Globals: "globalThis.kb = Object.freeze({ two: () => 2, fail: () => { throw new Error('in kb') } })", GlobalNames: []string{"kb"}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	if r, e := runScript(t, s, Script{Code: "kb.two()"}, echo); e != nil || string(r.Value) != "2" {
		t.Errorf("%s, %v", r.Value, e)
	}
	if _, e := runScript(t, s, Script{Code: "\nkb.fail()"}, echo); e == nil || e.Message != "in kb" || e.Line != 2 {
		t.Errorf("an error in the globals is placed at %+v", e)
	}
	if _, e := runScript(t, s, Script{Code: "x"}, echo); e == nil || !strings.HasSuffix(e.Message, "input, kb") {
		t.Errorf("%v", e)
	}
	if _, err := Open(t.Context(), Options{Globals: "null.x"}); err == nil || !strings.Contains(err.Error(), "globals.js throws") {
		t.Errorf("globals that fail: %v", err)
	}
}
