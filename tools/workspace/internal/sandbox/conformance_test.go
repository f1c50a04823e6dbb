package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// flagCompileOnly of qjs_eval only compiles.
const flagCompileOnly = 1 << 5

// TestParser reads npm's test262-parser-tests: what is in pass has to compile,
// and what is in fail and early must not. The suite is of 2018; where the
// language has changed since, testdata/parser.txt says so.
func TestParser(t *testing.T) {
	runtest.InOrder(t)
	dir := os.Getenv("LECTERN_PARSER_TESTS")
	if dir == "" {
		t.Skip("no LECTERN_PARSER_TESTS; .ci/needs installs it")
	}
	s := testSandbox()
	in, err := s.acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.finish(t.Context(), in, true)
	var other []string
	count := 0
	for _, group := range []string{"pass", "fail", "early"} {
		files, err := filepath.Glob(filepath.Join(dir, group, "*.js"))
		if err != nil || len(files) < 100 {
			t.Fatalf("%d files in %s, %v", len(files), group, err)
		}
		for _, file := range files {
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(file, ".module.js") {
				continue // a sandbox has no modules
			}
			_, thrown, err := in.evaluate(string(code), scriptFile, flagCompileOnly)
			if err != nil || !in.restore(&s.pool.image) {
				t.Fatalf("%s: %v", file, err)
			}
			if thrown != (group != "pass") {
				other = append(other, group+"/"+filepath.Base(file))
			}
			count++
		}
	}
	t.Logf("%d of %d as the suite says", count-len(other), count)
	got := strings.Join(other, "\n") + "\n"
	const golden = "testdata/parser.txt"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("other exceptions (UPDATE=1 accepts them):\n%s", d)
	}
}

// skippedFeatures are parts of test262 for what a sandbox does not have, and for
// proposals that the engine does not know.
const skippedFeatures = `Temporal Atomics Atomics.pause Atomics.waitAsync SharedArrayBuffer cross-realm IsHTMLDDA host-gc-required ShadowRealm
	dynamic-import import-attributes import-bytes import-defer import-text json-modules source-phase-imports source-phase-imports-module-source
	await-dictionary decorators immutable-arraybuffer`

// TestTest262 runs a checkout of tc39/test262, its language and built-ins, as
// `make test262 DIR=…` does.
func TestTest262(t *testing.T) {
	dir := os.Getenv("LECTERN_TEST262")
	if dir == "" {
		t.Skip("no LECTERN_TEST262: make test262 DIR=… runs a checkout of tc39/test262")
	}
	suite := &test262{dir: dir, skip: strings.Fields(skippedFeatures), sandbox: testSandbox()}
	files := make(chan string)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for file := range files {
				suite.runFile(t, file)
			}
		})
	}
	for part := range strings.FieldsSeq("language built-ins") {
		if only := os.Getenv("LECTERN_TEST262_ONLY"); only != "" {
			part = only
		}
		err := filepath.WalkDir(filepath.Join(dir, "test", part), func(path string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".js") && !strings.Contains(path, "_FIXTURE") {
				files <- path
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
		if os.Getenv("LECTERN_TEST262_ONLY") != "" {
			break
		}
	}
	close(files)
	wait.Wait()
	slices.Sort(suite.failed)
	ran := suite.passed + len(suite.failed)
	t.Logf("%d pass, %d fail, %d skipped: %.2f %%\n%s", suite.passed, len(suite.failed), suite.skipped, 100*float64(suite.passed)/float64(max(1, ran)), strings.Join(suite.failed, "\n"))
	if ran == 0 || float64(len(suite.failed)) > 0.005*float64(ran) {
		t.Errorf("%d of %d fail; more than 0.5 %% must not", len(suite.failed), ran)
	}
}

// test262 is a run of the suite.
type test262 struct {
	dir     string
	skip    []string
	sandbox *Sandbox

	mu      sync.Mutex
	passed  int
	skipped int
	failed  []string
}

var frontMatter = regexp.MustCompile(`(?s)/\*---(.*?)---\*/`)

// field returns the words of a list in the front matter, in either notation.
func field(matter, name string) []string {
	m := regexp.MustCompile(`(?m)^ *` + name + `: *(\[[^\]]*\]|\S*)((?:\n +- .*)*)`).FindStringSubmatch(matter)
	if m == nil {
		return nil
	}
	return strings.FieldsFunc(m[1]+m[2], func(r rune) bool { return strings.ContainsRune("[], \n", r) })
}

func (s *test262) runFile(t *testing.T, file string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Error(err)
		return
	}
	source := string(b)
	matter := ""
	if m := frontMatter.FindStringSubmatch(source); m != nil {
		matter = m[1]
	}
	flags := field(matter, "flags")
	skip := slices.ContainsFunc(field(matter, "features"), func(f string) bool { return slices.Contains(s.skip, f) }) ||
		slices.Contains(flags, "module") || slices.Contains(flags, "CanBlockIsFalse") || strings.Contains(source, "$262.createRealm") || strings.Contains(source, "$262.agent")
	modes := []string{"", "\"use strict\";\n"}
	switch {
	case slices.Contains(flags, "raw"), slices.Contains(flags, "noStrict"):
		modes = modes[:1]
	case slices.Contains(flags, "onlyStrict"):
		modes = modes[1:]
	}
	fault := ""
	for _, mode := range modes {
		if !skip && fault == "" {
			fault = s.runMode(mode+source, matter, flags)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch name, _ := filepath.Rel(s.dir, file); {
	case skip:
		s.skipped++
	case fault == "":
		s.passed++
	default:
		s.failed = append(s.failed, name+": "+fault)
	}
}

const host262 = `globalThis.print = (...a) => console.log(...a);
globalThis.$262 = { global: globalThis, gc() {}, evalScript: (s) => (0, eval)(s), detachArrayBuffer: (b) => { b.transfer() } };`

// runMode runs a test once. It returns what is wrong.
func (s *test262) runMode(source, matter string, flags []string) string {
	in, err := s.sandbox.acquire(context.Background())
	if err != nil {
		return err.Error()
	}
	r := &run{sandbox: s.sandbox, instance: in, limits: s.sandbox.limits}
	r.limits.Fuel = 60_000_000_000
	in.run = r
	r.grant(0)
	r.clock = startClock(context.Background(), r.limits.Timeout*10)
	fault, err := s.evaluate(in, source, matter, flags)
	r.clock.end()
	s.sandbox.finish(context.Background(), in, err == nil)
	if err != nil {
		return r.failure(err).Error()
	}
	return fault
}

func (s *test262) evaluate(in *instance, source, matter string, flags []string) (fault string, err error) {
	async := slices.Contains(flags, "async")
	if !slices.Contains(flags, "raw") {
		prologue := host262
		for _, name := range append([]string{"assert.js", "sta.js", "doneprintHandle.js"}, field(matter, "includes")...) {
			b, err := os.ReadFile(filepath.Join(s.dir, "harness", name))
			if err != nil {
				return "", err
			}
			prologue += "\n" + string(b)
		}
		prologue += "\nTest262Error.prototype.name ??= 'Test262Error'" // by which a negative test is known
		if _, thrown, err := in.evaluate(prologue, "harness.js", 0); err != nil || thrown {
			return "the harness throws", err
		}
	}
	value, thrown, err := in.evaluate(source, scriptFile, 0)
	if err != nil {
		return "", err
	}
	if thrown {
		if _, err := in.invoke(in.run.sandbox.prepared.Fail, value); err != nil {
			return "", err
		}
	}
	if err := in.drain(); err != nil {
		return "", err
	}
	wanted := ""
	if strings.Contains(matter, "negative:") {
		wanted = strings.Join(field(matter, "type"), "")
	}
	switch got := in.run.thrown; {
	case wanted != "" && (got == nil || got.Name != wanted && !strings.Contains(got.Stack+got.Message, wanted)):
		return fmt.Sprintf("throws %+v, want %s", got, wanted), nil
	case wanted == "" && got != nil:
		return got.Name + ": " + got.Message, nil
	case async && wanted == "":
		if !slices.ContainsFunc(in.run.result.Logs, func(l LogLine) bool { return l.Text == "Test262:AsyncTestComplete" }) {
			b, err := json.Marshal(in.run.result.Logs)
			return "does not complete: " + string(b), err
		}
	}
	return "", nil
}
