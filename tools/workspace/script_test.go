package workspace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notestore"
)

// A scriptBench is an open source, called as a hub calls it.
type scriptBench struct {
	testing.TB
	*tools.OpenedSource
	store *notestore.Store
	calls []string // tools that were called within
	deny  map[string]error
}

func openBench(t testing.TB, keys string) *scriptBench {
	t.Helper()
	dir, store := newWelcome(t, "ws")
	o, err := testSystem().Open(t.Context(), fmt.Appendf(nil, `{"folder":%q%s}`, dir, keys), tools.Env{Name: "ws"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return &scriptBench{TB: t, OpenedSource: o, store: store, deny: map[string]error{}}
}

// Call implements [tools.SourceCaller].
func (b *scriptBench) callTool(ctx context.Context, source, tool string, args tools.Arguments) (tools.Result, error) {
	b.calls = append(b.calls, strings.TrimPrefix(source+"/"+tool, "/"))
	if err := b.deny[tool]; err != nil {
		return tools.Result{}, err
	}
	if source == "other" {
		return tools.Result{JSON: args.JSON}, nil
	}
	return b.CallWithArguments(ctx, b.context(), tool, args)
}

type callerOf struct{ *scriptBench }

// Call implements [tools.SourceCaller].
func (c callerOf) Call(ctx context.Context, source, tool string, args tools.Arguments) (tools.Result, error) {
	return c.callTool(ctx, source, tool, args)
}

// Sources implements [tools.SourceCaller].
func (c callerOf) Sources() []tools.SourceInfo {
	return []tools.SourceInfo{{Name: "ws", System: testSystem().Manifest()}, {Name: "other", System: testSystem().Manifest()}}
}

func (b *scriptBench) context() tools.CallContext {
	return tools.CallContext{Identity: tools.Identity{Client: "tester"}, Sources: callerOf{b}, Seed: 7}
}

func (b *scriptBench) run(in ScriptIn) (ScriptOut, error) {
	b.Helper()
	if in.WorkspaceID == "" {
		in.WorkspaceID = "ws"
	}
	args, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	r, err := b.OpenedSource.Call(b.Context(), b.context(), "run_script", args)
	if err != nil {
		return ScriptOut{}, err
	}
	var out ScriptOut
	if err := json.Unmarshal(r.JSON, &out); err != nil {
		b.Fatal(err)
	}
	return out, nil
}

// value runs a script that must succeed.
func (b *scriptBench) value(code string) string {
	b.Helper()
	out, err := b.run(ScriptIn{Code: code})
	if err != nil {
		b.Fatalf("%s: %v", code, err)
	}
	return string(out.Value.RawMessage)
}

// A script sees what it has written, nobody else does before it has ended, and what
// another writes meanwhile to the same note makes the whole of it fail.
func TestRunIsOne(t *testing.T) {
	b := openBench(t, "")
	before := digest(b.store)
	const write = `const n = kb.notes.get("welcome");
kb.notes.update("welcome", { markdown: "# Mine\n", parent_revision_id: n.revision_id });
kb.notes.create({ markdown: "# Second\n", id: "second" });
`
	if _, err := b.run(ScriptIn{Code: write + `throw new Error("no")`}); err == nil || digest(b.store) != before {
		t.Errorf("a script that fails wrote something: %v", err)
	}
	if out, err := b.run(ScriptIn{Code: write + `kb.notes.get("welcome").title`, DryRun: true}); err != nil || string(out.Value.RawMessage) != `"Mine"` ||
		len(out.Changes) != 2 || !strings.Contains(out.Changes[1].Diff, "+# Mine") || digest(b.store) != before {
		t.Errorf("a dry run answers %+v, %v", out, err)
	}
	b.deny[writeTool] = nil
	theirs := func(tool string) {
		b.deny[tool] = nil
		edit(t, b.store, "/workspaces/ws/notes/welcome", "# Theirs\n")
	}
	// The edit comes between the last request of the script and its commit.
	edited := false
	b.calls = nil
	caller := conflictCaller{callerOf{b}, func(args string) {
		if strings.Contains(args, `"commit":true`) && !edited {
			edited = true
			theirs(writeTool)
		}
	}}
	args, _ := json.Marshal(ScriptIn{Code: write, WorkspaceID: "ws"})
	_, err := b.OpenedSource.Call(t.Context(), tools.CallContext{Sources: caller, Seed: 7}, "run_script", args)
	e := tools.AsError(err)
	if e == nil || e.Code != tools.Conflict || e.SpecCode != "HostCallError" || !edited {
		t.Errorf("a conflict at the end: %v", err)
	}
	if got := b.value(`[kb.notes.get("welcome").title, kb.notes.list().length]`); got != `["Theirs",4]` {
		t.Errorf("after the conflict: %s", got)
	}
	if out, err := b.run(ScriptIn{Code: write}); err != nil || len(out.Changes) != 2 {
		t.Errorf("without a conflict: %+v, %v", out, err)
	}
	if got := b.value(`[kb.notes.get("welcome").title, kb.notes.get("second").title]`); got != `["Mine","Second"]` {
		t.Errorf("after the run: %s", got)
	}
}

type conflictCaller struct {
	callerOf
	before func(args string)
}

// Call implements [tools.SourceCaller].
func (c conflictCaller) Call(ctx context.Context, source, tool string, args tools.Arguments) (tools.Result, error) {
	c.before(string(args.JSON))
	return c.callerOf.Call(ctx, source, tool, args)
}

// Every request of a script is a call of the tool with its effect, so that what the
// client may not do, the script may not either.
func TestScriptDoesNoMoreThanItsClient(t *testing.T) {
	b := openBench(t, "")
	b.value(`kb.notes.list(); kb.notes.create({ markdown: "# A\n" }); kb.notes.delete("welcome")`)
	want := []string{readTool, writeTool, deleteTool, deleteTool, writeTool}
	if got := fmt.Sprint(b.calls); got != fmt.Sprint(want) {
		t.Errorf("calls are %s, want %s", got, want)
	}
	b.deny[deleteTool] = tools.Errorf(tools.Denied, "not granted")
	got := b.value(`try { kb.notes.delete("pay-rent") } catch (e) { [e.name, e.status, e.body.detail] }`)
	if got != `["HostCallError",403,"not granted"]` {
		t.Errorf("what is denied: %s", got)
	}
	if got := b.value(`kb.sources.list().map(s => s.name)`); got != `["other"]` {
		t.Errorf("other sources: %s", got)
	}
	out, err := b.run(ScriptIn{Code: `kb.sources.call("other", "write_note", { markdown: "x" })`})
	if err != nil || len(out.Calls) != 1 || out.Calls[0].Outcome != "done" {
		t.Errorf("a write to another source: %+v, %v", out, err)
	}
	out, err = b.run(ScriptIn{Code: `kb.sources.call("other", "write_note", { markdown: "x" })`, DryRun: true})
	if err != nil || !strings.Contains(string(out.Value.RawMessage), `"dry_run":true`) || len(out.Calls) != 0 {
		t.Errorf("the same on a dry run: %+v, %v", out, err)
	}
	for _, code := range []string{`host.call("GET", "/etc/passwd")`, `host.call("POST", "/sources/ws/tools/read_note", {})`, `host.call("GET", "/workspaces/other/notes")`} {
		if _, err := b.run(ScriptIn{Code: code}); err == nil || tools.AsError(err).SpecCode != "HostCallError" {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// Errors have the names of the specification, and what an author needs.
func TestErrorsByName(t *testing.T) {
	b := openBench(t, "")
	for _, c := range []struct {
		in   ScriptIn
		name string
		has  string
	}{
		{ScriptIn{Code: "while (true) {}", Fuel: 5_000_000}, "FuelExhausted", `"fuel":5000000`},
		{ScriptIn{Code: "const a = []; while (true) a.push(new Array(1e6))", MemoryMB: 8}, "MemoryExceeded", `"peak_memory"`},
		{ScriptIn{Code: "console.log('before');\n\nfoo.bar()"}, "ExecutionError", `"line":3`},
		{ScriptIn{Code: "kb.notes.get('nothing')"}, "HostCallError", `"status":404`},
		{ScriptIn{Code: "while (true) {}", TimeoutMS: 20}, "Timeout", `"usage"`},
		{ScriptIn{Code: "let a: = 1", Language: "ts"}, "ExecutionError", `"column":8`},
	} {
		_, err := b.run(c.in)
		e := tools.AsError(err)
		if e == nil || e.SpecCode != c.name {
			t.Errorf("%s: %v, want %s", c.in.Code, err, c.name)
			continue
		}
		object, jsonErr := json.Marshal(errorFormat().Object(e))
		if jsonErr != nil || !strings.Contains(string(object), c.has) || !strings.Contains(string(object), `"error":"`+c.name) {
			t.Errorf("%s: the error is %s, want %s in it", c.in.Code, object, c.has)
		}
		var audited tools.AuditProvider
		if failure, ok := errors.AsType[*scriptFailure](err); ok {
			audited = failure
		}
		if audited == nil || audited.AuditDetails()["result_status"] != c.name || strings.Contains(fmt.Sprint(audited.AuditDetails()), c.in.Code) {
			t.Errorf("%s: the audit has %v", c.in.Code, audited)
		}
	}
	if _, err := b.run(ScriptIn{Code: "console.log('one'); x"}); err == nil || !strings.Contains(string(mustJSON(t, errorFormat().Object(tools.AsError(err)))), `"logs":[{"level":"log","text":"one"}]`) ||
		!strings.Contains(err.Error(), "kb") || !strings.Contains(tools.AsError(err).Hint, "one") {
		t.Errorf("a missing global: %v", err)
	}
}

// What a script asks for beyond the limits is refused with their range. A person sets how many
// calls it makes, and how many notes it changes.
func TestLimitsOfScripts(t *testing.T) {
	b := openBench(t, `,"script_calls":12,"script_notes":3`)
	for args, want := range map[string]string{
		`{"code":"1","fuel":0}`:                "fuel: from 1 to 10000000000, got 0",
		`{"code":"1","fuel":1000000000000000}`: "fuel: from 1 to 10000000000, got 1000000000000000",
		`{"code":"1","memory_mb":-5}`:          "memory_mb: from 2 to 128, got -5",
		`{"code":"1","memory_mb":129}`:         "memory_mb: from 2 to 128, got 129",
		`{"code":"1","timeout_ms":0}`:          "timeout_ms: from 1 to 30000, got 0",
		`{"code":"1","timeout_ms":30001}`:      "timeout_ms: from 1 to 30000, got 30001",
		`{"code":"1","workspace_id":""}`:       "workspace_id: must not be empty",
		`{"code":"workspace_id","memory_mb":2,"fuel":10000000000,"timeout_ms":30000}`: "",
	} {
		r, err := b.OpenedSource.Call(t.Context(), b.context(), "run_script", json.RawMessage(args))
		if got := tools.AsError(err); want == "" && (err != nil || !strings.Contains(string(r.JSON), `"value":"ws"`)) || want != "" && (got == nil || got.Message != want) {
			t.Errorf("%s: %s, %v; want %q", args, r.JSON, err, want)
		}
	}
	const four = `const done = []; for (let i = 0; i < 4; i++) try { done.push(kb.notes.create({ id: "n" + i, markdown: "# N" }).id) } catch (e) { done.push(e.status) } `
	for code, want := range map[string]string{
		four + `done`: `["n0","n1","n2",429]`,
		four + `const n = kb.notes.get("n1"); kb.notes.update("n1", { markdown: "# M", parent_revision_id: n.revision_id }).id`: `"n1"`,
		four + `kb.links.create({ source: "n0", target: "n1" }).kind`:                                                           `"related"`,
		`let n = 0; try { for (;;) { kb.notes.get("welcome"); n++ } } catch (e) { [n, e.status] }`:                              `[12,429]`,
	} {
		out, err := b.run(ScriptIn{Code: code, DryRun: true})
		if err != nil || string(out.Value.RawMessage) != want {
			t.Errorf("%s: %s, %v; want %s", code, out.Value.RawMessage, err, want)
		}
	}
	b.value(`host.call("POST", "/workspaces", { id: "second" }).id`)
	if _, err := b.OpenedSource.Call(t.Context(), b.context(), "run_script", json.RawMessage(`{"code":"1"}`)); err == nil || !strings.Contains(err.Error(), "name one of second, ws") {
		t.Errorf("of two workspaces none was named: %v", err)
	}
}

func mustJSON(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A scriptTask is what people ask of a workspace, written against the types, and what the
// sample answers.
type scriptTask struct{ code, want string }

func tasks() map[string]scriptTask {
	return map[string]scriptTask{
		"count notes":            {`return kb.notes.list().length;`, `4`},
		"titles by class":        {`const by: Record<string, string[]> = {}; for (const n of kb.notes.list()) (by[n.class] ??= []).push(n.title); return by;`, `{"Task":["Pay the rent","Book a room"],"Meeting":["Weekly Sync"],"":["Welcome"]}`},
		"pending tasks":          {`return kb.query({ filter: { class: "Task", "properties.Status": "pending" } }).map(t => t.title);`, `["Pay the rent"]`},
		"tasks due before":       {`return kb.query({ filter: { "properties.Due": { $lt: "2026-01-01" } }, sort: "properties.Due" }).map(t => t.id);`, `["pay-rent"]`},
		"any of two states":      {`return kb.query({ filter: { $or: [{ "properties.Status": "done" }, { "properties.Status": "pending" }] } }).length;`, `2`},
		"search":                 {`return kb.search({ q: "rent", limit: 5 }).map(n => n.id + n.excerpt);`, `["pay-rent# Pay the rent","weekly-syncBob does [[pay-rent]]."]`},
		"read a note":            {`const n = kb.notes.get("weekly-sync"); return [n.title, n.properties.Attendees, n.markdown.length > 0];`, `["Weekly Sync",["Alice","Bob"],true]`},
		"create a note":          {`const s: Saved = kb.notes.create({ markdown: "# New\n\nText.\n", id: "new-one" }); return s.id;`, `"new-one"`},
		"create a task":          {`return kb.notes.create({ markdown: "# Call Bob\n\n## Status\npending\n", class: "Task" }).revision_id.length > 0;`, `true`},
		"finish a task":          {`const n = kb.notes.get("pay-rent"); return kb.notes.update(n.id, { markdown: n.markdown.replace("pending", "done"), parent_revision_id: n.revision_id }).id;`, `"pay-rent"`},
		"refuse a stale edit":    {`try { kb.notes.update("welcome", { markdown: "# X\n", parent_revision_id: "old" }); return 0; } catch (e) { if (e instanceof HostCallError) return e.status; throw e; }`, `409`},
		"delete a note":          {`kb.notes.delete("book-room"); return kb.notes.list().some(n => n.id === "book-room");`, `false`},
		"history":                {`return kb.notes.history("pay-rent", { limit: 10 }).revisions.map(r => r.deleted);`, `[false,false,false]`},
		"restore":                {`const r = kb.notes.history("pay-rent").revisions; return kb.notes.restore("pay-rent", { revision_id: r[r.length - 1]!.revision_id }).id;`, `"pay-rent"`},
		"links of a note":        {`return kb.links.list({ note_id: "weekly-sync" }).map(l => [l.source, l.target, l.origin]);`, `[["book-room","weekly-sync","text"],["weekly-sync","pay-rent","text"],["welcome","weekly-sync","text"]]`},
		"make a link":            {`return kb.links.create({ source: "welcome", target: "pay-rent", kind: "mentions" }).kind;`, `"mentions"`},
		"fields of a class":      {`return Object.entries(kb.classes.get("Task").fields).map(([name, f]) => name + ":" + f.type);`, `["Due:date","Status:string"]`},
		"make a class":           {`return kb.classes.save("Book", { name: "Book", fields: { Author: { type: "string", required: true } } }).name;`, `"Book"`},
		"notes without links":    {`const linked = new Set(kb.links.list().flatMap(l => [l.source, l.target])); return kb.notes.list().filter(n => !linked.has(n.id)).map(n => n.id);`, `[]`},
		"sum up with the input":  {`const tag: string = input.tag; return kb.notes.list().filter(n => n.tags.includes(tag)).map(n => n.title).sort();`, `["Book a room","Pay the rent","Weekly Sync"]`},
		"tools of other sources": {`return kb.sources.list().map(s => s.name + " " + s.tools.length);`, `["other 9"]`},
	}
}

func TestTasks(t *testing.T) {
	b := openBench(t, "")
	for name, task := range tasks() {
		if out, err := b.run(ScriptIn{Code: task.code, Language: "ts", Input: JSONValue{json.RawMessage(`{"tag":"team"}`)}, DryRun: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := string(out.Value.RawMessage); got != task.want {
			t.Errorf("%s answers %s, want %s", name, got, task.want)
		}
	}
}

// TestTasksCompile compiles the tasks with the compiler of TypeScript that LECTERN_TSC
// names.
func TestTasksCompile(t *testing.T) {
	runtest.InOrder(t)
	compiler := os.Getenv("LECTERN_TSC")
	if compiler == "" {
		t.Skip("LECTERN_TSC is not set; `make test` sets it to the compiler of the plugin")
	}
	dir := t.TempDir()
	files := []string{filepath.Join(dir, "script.d.ts")}
	contents := []string{facadeTypes()}
	for name, task := range tasks() {
		id := strings.ReplaceAll(name, " ", "_")
		files = append(files, filepath.Join(dir, id+".ts"))
		contents = append(contents, "function "+id+"() {\n"+task.code+"\n}\n")
	}
	for i, file := range files {
		if err := os.WriteFile(file, []byte(contents[i]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"--strict", "--noEmit", "--target", "es2022", "--lib", "es2023"}, files...)
	if out, err := exec.CommandContext(t.Context(), compiler, args...).CombinedOutput(); err != nil {
		t.Errorf("tsc: %v\n%s", err, out)
	}
}

// language are the globals of the language itself.
const language = `Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError AggregateError
SuppressedError Iterator Array parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape
Infinity NaN undefined eval Number Boolean String Math Reflect Symbol DisposableStack globalThis BigInt Date RegExp JSON Proxy Map Set WeakMap
WeakSet ArrayBuffer Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array BigInt64Array BigUint64Array
Float16Array Float32Array Float64Array DataView Promise AsyncDisposableStack WeakRef FinalizationRegistry`

// The types are those of the routes: every route of a workspace has its function. What scripts
// find besides the language is declared.
func TestTypes(t *testing.T) {
	runtest.InOrder(t)
	types := facadeTypes()
	if len(types) > 6<<10 {
		t.Errorf("the types have %d bytes, want at most 6 KiB", len(types))
	}
	b := openBench(t, "")
	var globals []string
	if err := json.Unmarshal([]byte(b.value("Object.getOwnPropertyNames(globalThis)")), &globals); err != nil {
		t.Fatal(err)
	}
	for _, name := range globals {
		if !slices.Contains(strings.Fields(language), name) && !regexp.MustCompile(`(?m)^declare \w+ `+name+`\b`).MatchString(types) {
			t.Errorf("script.d.ts does not have the global %s", name)
		}
	}
	for _, r := range notesapi.Routes() {
		if !strings.HasPrefix(r.Path, inWorkspace+"/") || r.Name == "workspaces.test" {
			continue
		}
		if got := b.value("typeof kb." + r.Name); got != `"function"` {
			t.Errorf("kb.%s is %s", r.Name, got)
		}
	}
	if got := b.value(`try { kb.notes = 1 } catch {}; globalThis.kb = 2; Object.isFrozen(kb) && Object.isFrozen(kb.notes)`); got != "true" {
		t.Errorf("kb can be replaced: %s", got)
	}
	if got := b.value(`Array.prototype.map = 1; String.prototype.split = 1; Object.keys = 1; kb.notes.list({ limit: 2 }).length`); got != "2" {
		t.Errorf("a changed language changes kb: %s", got)
	}
}
