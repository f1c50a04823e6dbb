package workspace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace/internal/notesapi"
)

// fill creates notes, n0 and so on, of which each has the sections that of says.
func fill(t *testing.T, b *scriptBench, n int, of func(i int) map[string]string) {
	t.Helper()
	var requests []notesapi.Request
	for i := range n {
		text := fmt.Sprintf("# Note %d\n", i)
		for name, section := range of(i) {
			text += "\n## " + name + "\n" + section + "\n"
		}
		body, err := json.Marshal(map[string]string{"id": fmt.Sprint("n", i), "markdown": text})
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, notesapi.Request{Method: http.MethodPost, Path: "/workspaces/ws/notes", Body: body})
	}
	serveAll(t, b.store, requests...)
}

// A workspace of usual size is listed and queried whole: a row leaves out what is long, and names
// it. What does not fit says where it goes on.
func TestListsOfManyNotes(t *testing.T) {
	if runtest.UnderRace {
		t.Skip("its scripts take longer there than a script may, and one call follows the other")
	}
	b := openBench(t, "")
	const notes = 3000
	short, long := strings.Repeat("é", 200), strings.Repeat("é", 201)
	fill(t, b, notes, func(i int) map[string]string {
		return map[string]string{"Status": []string{"pending", "done"}[i%2], "Short": short, "Long": long}
	})
	welcome := len(b.value("host.call('GET', '/workspaces/ws/notes').filter(n => !/^n\\d/.test(n.id)).map(n => 'x').join('')")) - 2
	for code, want := range map[string]string{
		"host.call('GET', `/workspaces/${workspace_id}/notes`).length":                                                                                              fmt.Sprint(notes + welcome),
		"kb.query({ filter: { 'properties.Status': 'done' } }).filter(n => /^n\\d/.test(n.id)).length":                                                              fmt.Sprint(notes / 2),
		"kb.query({ filter: { 'properties.Long': '" + long + "' }, limit: 2 }).length":                                                                              "2",
		"const [n] = kb.query({ filter: { title: 'Note 7' } }); [n.properties.Short.length, n.properties.Long, n.truncated, Object.keys(n).includes('updated_at')]": `[200,null,["Long"],true]`,
		"kb.notes.get('n7').properties.Long.length":                                                                                                                 "201",
		"const l = kb.notes.list(); [Array.isArray(l), l.next]":                                                                                                     "[true,null]",
		"const l = kb.notes.list({ limit: 10 }); const m = kb.notes.list({ limit: 10, cursor: l.next }); [l.length, m.length, l[9].id === m[0].id]":                 "[10,10,false]",
	} {
		out, err := b.run(ScriptIn{Code: code})
		if err != nil || string(out.Value.RawMessage) != want || len(out.Partial) > 0 {
			t.Errorf("%.80s: %s, %q, %v; want %s", code, out.Value.RawMessage, out.Partial, err, want)
		}
	}
	answer := notesapi.New(notesapi.Options{Store: b.store}).Serve(t.Context(), notesapi.Caller{}, notesapi.Request{Method: http.MethodGet, Path: "/workspaces/ws/notes"})
	var rows []map[string]any
	if err := json.Unmarshal(answer.Body, &rows); err != nil || len(rows) == 0 || len(answer.Body) > 1<<20 || answer.Header["Link"] == "" {
		t.Errorf("over HTTP: %d rows in %d bytes, %v, %v", len(rows), len(answer.Body), answer.Header, err)
	}
	content, err := b.Read(t.Context(), "ieapp://ws/notes/list")
	if err != nil || len(content.Text) > 1<<20 || json.Unmarshal([]byte(content.Text), &rows) != nil {
		t.Fatalf("the resource: %d bytes, %v", len(content.Text), err)
	}
	if len(rows) < 1500 || (len(rows) < notes) != strings.Contains(content.Rest, "cursor=") || rows[0]["title"] == "" || rows[0]["updated_at"] == "" {
		t.Errorf("the resource lists %d notes, and says %q", len(rows), content.Rest)
	}
	t.Logf("the resource lists %d of %d notes, in %d bytes", len(rows), notes, len(content.Text))
}

// A list of which there is more than a script is answered is told, until the script reads on.
func TestListInParts(t *testing.T) {
	if runtest.UnderRace {
		t.Skip("its scripts take longer there than a script may, and one call follows the other")
	}
	b := openBench(t, "")
	const notes = 1200
	property := strings.Repeat("x", 190)
	fill(t, b, notes, func(int) map[string]string {
		sections := map[string]string{}
		for i := range 85 { // together nearly 16 KiB
			sections[fmt.Sprintf("P%02d", i)] = property
		}
		return sections
	})
	out, err := b.run(ScriptIn{Code: "const l = kb.notes.list(); [l.length < 1200, typeof l.next]"})
	if err != nil || string(out.Value.RawMessage) != `[true,"string"]` || strings.Join(out.Partial, " ") != "GET /workspaces/ws/notes" {
		t.Errorf("a part: %s, %q, %v", out.Value.RawMessage, out.Partial, err)
	}
	const whole = "let n = 0; for (let cursor; ;) { const l = %s; n += l.length; if (!(cursor = l.next)) break } n > 1200"
	for _, list := range []string{"kb.notes.list({ cursor })", "kb.query({ filter: {}, cursor })"} {
		if out, err = b.run(ScriptIn{Code: fmt.Sprintf(whole, list)}); err != nil || string(out.Value.RawMessage) != "true" || len(out.Partial) > 0 {
			t.Errorf("%s in parts: %s, %q, %v", list, out.Value.RawMessage, out.Partial, err)
		}
	}
}

// A script whose answer is too long has written what it wrote, and is told so: what it returned
// and what the console wrote is cut.
func TestLongResults(t *testing.T) {
	if runtest.UnderRace {
		t.Skip("its scripts take longer there than a script may, and one call follows the other")
	}
	b := openBench(t, "")
	const create = `kb.notes.create({ id: "made%d", markdown: "# Made" }); `
	for i, code := range []string{
		`"x".repeat(2e6)`, `"x".repeat(1 << 20)`, `"é".repeat(1e6)`, `Array.from({ length: 2e5 }, (_, i) => ({ i, text: "a" }))`,
		`for (let i = 0; i < 60; i++) console.log("\u0001".repeat(1000)); "x".repeat(2e6)`,
		`"x".repeat(50) + "\ud83d\udcdd".repeat(5e5)`,
	} {
		out, err := b.run(ScriptIn{Code: fmt.Sprintf(create, i) + code})
		if err != nil || out.Cut == nil || len(out.Changes) != 1 || out.Run == "" || !json.Valid(out.Value.RawMessage) || len(out.Value.RawMessage) < 300_000 {
			t.Errorf("%s: %d bytes, %+v, %d changes, %v", code, len(out.Value.RawMessage), out.Cut, len(out.Changes), err)
		}
		text, err := tools.PlainJSON(out)
		if err != nil || len(text) > 1<<20 {
			t.Errorf("%s: the answer has %d bytes, %v", code, len(text), err)
		}
		if got := b.value(fmt.Sprintf("kb.notes.get('made%d').title", i)); got != `"Made"` {
			t.Errorf("%s: the note is %s", code, got)
		}
	}
	big := `const text = "# Big\n" + "line\n".repeat(3000); for (let i = 0; i < 60; i++) kb.notes.create({ id: "big" + i, markdown: text }); "x".repeat(2e6)`
	out, err := b.run(ScriptIn{Code: big, DryRun: true})
	text, _ := tools.PlainJSON(out)
	if err != nil || len(out.Changes) != 60 || len(text) > 1<<20 || !strings.Contains(out.Changes[0].Diff, "+# Big") || !strings.Contains(out.Changes[59].Diff, "left out") {
		t.Errorf("a dry run with long diffs has %d bytes, %d changes, %v", len(text), len(out.Changes), err)
	}
}

// What a script returns is cut where it is nested deeper than programs read: after its writes,
// and whatever is beside it.
func TestDeepResults(t *testing.T) {
	b := openBench(t, "")
	for i, code := range []string{
		`let a = 1; for (let i = 0; i < 9000; i++) a = [a]; a`, `let a = {}; for (let i = 0; i < 300; i++) a = { a }; ({ before: 1, a })`,
		`let a = 1; for (let i = 0; i < 9000; i++) a = [a]; ({ x: [1, [2], a] })`,
	} {
		out, err := b.run(ScriptIn{Code: fmt.Sprintf(`kb.notes.create({ id: "deep%d", markdown: "# Made" }); `, i) + code})
		if err != nil || out.Cut == nil || len(out.Changes) != 1 || !json.Valid(out.Value.RawMessage) || bytes.Count(out.Value.RawMessage, []byte("[")) > 200 {
			t.Errorf("%s: %.300s, %+v, %v", code, out.Value.RawMessage, out.Cut, err)
		}
	}
	const shallow = `let a = 1; for (let i = 0; i < 45; i++) a = [a]; a`
	if out, err := b.run(ScriptIn{Code: shallow}); err != nil || out.Cut != nil {
		t.Errorf("%s: %+v, %v", shallow, out.Cut, err)
	}
}

// One script changes some hundred notes.
func TestScriptChangesManyNotes(t *testing.T) {
	runtest.InOrder(t)
	b := openBench(t, "")
	fill(t, b, 300, func(int) map[string]string { return map[string]string{"Status": "pending"} })
	code := `const l = kb.query({ filter: { "properties.Status": "pending", title: { $ne: "Pay the rent" } } });
for (const { id } of l) { const n = kb.notes.get(id); kb.notes.update(id, { markdown: n.markdown.replace("pending", "done"), parent_revision_id: n.revision_id }) } l.length`
	out, err := b.run(ScriptIn{Code: code})
	if err != nil || len(out.Changes) < 300 {
		t.Errorf("%s, %d changes, %v", out.Value.RawMessage, len(out.Changes), err)
	}
}

// A rejection that nothing awaits is an error, and nothing is written.
func TestRejectionThatNobodyAwaits(t *testing.T) {
	b := openBench(t, "")
	before := digest(b.store)
	_, err := b.run(ScriptIn{Code: `kb.notes.create({ id: "p1", markdown: "# p1" }); async function save() { await null; throw new Error("half done") } save(); "done"`})
	if e := tools.AsError(err); e == nil || e.SpecCode != "ExecutionError" || !strings.Contains(e.Message, "half done") || digest(b.store) != before {
		t.Errorf("got %v", err)
	}
}
