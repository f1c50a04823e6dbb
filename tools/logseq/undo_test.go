package logseq_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

// A changeRecorder is a WriteObserver that notes Changes as the journal does.
type changeRecorder struct {
	f       *fakePeer
	changes []tools.Change
	late    []string // writes that came before anything was noted
	refuse  error
}

func (l *changeRecorder) BeforeWrite(_ context.Context, changes ...tools.Change) error {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if len(l.changes) == 0 {
		for _, call := range l.f.calls {
			if _, writes := l.f.writes()[call]; writes {
				l.late = append(l.late, call)
			}
		}
	}
	for _, c := range changes {
		if slices.ContainsFunc(l.changes, func(old tools.Change) bool { return old.Target == c.Target }) {
			l.late = append(l.late, "twice "+c.Target)
		}
	}
	l.changes = append(l.changes, changes...)
	return l.refuse
}

func (l *changeRecorder) AfterWrite(target string, after tools.State) {
	for i := range l.changes {
		if l.changes[i].Target == target && l.changes[i].AfterUnknown {
			l.changes[i].After, l.changes[i].AfterUnknown = after, false
		}
	}
}

func (l *changeRecorder) OutcomeUnknown(string) {}

// back are the Changes turned around, the last first.
func (l *changeRecorder) back() []tools.Change {
	var out []tools.Change
	for _, c := range slices.Backward(l.changes) {
		out = append(out, tools.Change{Target: c.Target, Before: c.After, After: c.Before})
	}
	return out
}

// undoCases are writes of every kind, beyond the examples.
func undoCases() [][2]string {
	all := [][2]string{
		{"create_block", `{"parent_block_uuid":"` + id(2) + `","position":"first","content":"new","properties":{"n":1}}`},
		{"delete_block", `{"block_uuid":"` + id(2) + `","recursive":true}`},
		{"delete_block", `{"block_uuid":"` + id(1) + `"}`},
		{"move_block", `{"block_uuid":"` + id(2) + `","target_page_name":"Compost"}`},
		{"move_block", `{"block_uuid":"` + id(3) + `","sibling_block_uuid":"` + id(1) + `","position":"after"}`},
		{"move_block", `{"block_uuid":"` + id(4) + `","sibling_block_uuid":"` + id(1) + `","position":"before"}`},
		{"update_block", `{"block_uuid":"` + id(2) + `","content":"other","properties":{"n":1}}`},
		{"set_task", `{"block_uuid":"` + id(3) + `","status":"DONE","deadline":"2026-04-01"}`},
		{"insert_blocks", `{"sibling_block_uuid":"` + id(1) + `","markdown":"- a\n  - b\n- c"}`},
		{"update_page", `{"page_name":"Garden","content_append":"- x\n  - y\n- z","properties":{"area":null,"soil":"loam"}}`},
		{"rename_page", `{"page_name":"Kitchen","new_name":"Scullery"}`},
		{"rename_page", `{"page_name":"Kitchen","new_name":"KITCHEN"}`},
		{"delete_page", `{"page_name":"Garden"}`},
		{"create_page", `{"title":"Shed","content":"- Tools\n  - Spade","properties":{"key":"k"}}`},
		{"append_to_journal", `{"date":"2026-03-01","content":"- Thaw\n  - Mud\n- Sun"}`},
		{"append_to_journal", `{"date":"2026-03-02","content":"Thaw"}`},
		{"batch", `{"items":[{"tool":"update_block","arguments":{"block_uuid":"` + id(1) + `","content":"x"}},{"tool":"move_block","arguments":{"block_uuid":"` + id(4) + `","target_page_name":"Compost"}}]}`},
		{"batch", `{"items":[{"tool":"update_block","arguments":{"block_uuid":"` + id(1) + `","content":"x"}},{"tool":"move_block","arguments":{"block_uuid":"` + id(1) + `","target_page_name":"Compost"}},` +
			`{"tool":"rename_page","arguments":{"page_name":"Compost","new_name":"Heap"}},{"tool":"update_page","arguments":{"page_name":"Heap","properties":{"n":1}}},{"tool":"create_block","arguments":{"page_name":"Heap","content":"y"}}]}`},
	}
	for _, t := range testSystem().Manifest().Tools {
		if t.Effect == tools.Reads {
			continue
		}
		for _, x := range t.Examples {
			if !strings.Contains(string(x.In), "dry_run") {
				all = append(all, [2]string{t.Name, string(x.In)})
			}
		}
	}
	return all
}

// Every write tells what it changes before it does, is taken back to the
// identical graph, and can be done again.
func TestUndo(t *testing.T) {
	for _, kind := range []string{"db", "file"} {
		for _, call := range undoCases() {
			if kind == "file" && onlyOfDB(call[0]) {
				continue
			}
			t.Run(kind+" "+call[0], func(t *testing.T) { undo(t, kind, call[0], call[1]) })
		}
	}
}

// onlyOfDB reports whether file graphs lack a tool.
func onlyOfDB(tool string) bool {
	return slices.Contains([]string{"set_tags", "create_tag", "create_property"}, tool)
}

func undo(t *testing.T, kind, tool, args string) {
	f := fixtureGraph(kind)
	d := openTestSource(t, f)
	before := f.digest()
	l := &changeRecorder{f: f}
	if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: l}, tool, []byte(args)); err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	if len(l.changes) == 0 || len(l.late) > 0 {
		t.Fatalf("%s: %d changes, written before they were told: %v", args, len(l.changes), l.late)
	}
	after := f.digest()
	k := d.open.Restorer()
	for _, c := range l.changes {
		if now, err := k.State(t.Context(), c.Target); err != nil || c.AfterUnknown || !cmp.Equal(now, c.After) {
			t.Errorf("%s: %s (open %v, %v):\n%s", args, c.Target, c.AfterUnknown, err, cmp.Diff(string(c.After.Data), string(now.Data)))
		}
	}
	again := &changeRecorder{f: f}
	if err := k.Restore(t.Context(), tools.CallContext{Writes: again}, l.back()); err != nil {
		t.Fatalf("%s: restore: %v %+v", args, err, tools.AsError(err).Data)
	}
	f.emptyBin(before)
	if diff := cmp.Diff(before, f.digest()); diff != "" {
		t.Errorf("%s: not as before (-before +now):\n%s", args, diff)
	}
	if kind == "db" && strings.Contains(before, "Recycled") != strings.Contains(f.digest(), "Recycled") {
		return
	}
	if len(again.changes) != len(l.changes) {
		t.Errorf("%s: restoring told %d changes of %d", args, len(again.changes), len(l.changes))
	}
	if err := k.Restore(t.Context(), tools.CallContext{}, again.back()); err != nil {
		t.Fatalf("%s: do it again: %v %+v", args, err, tools.AsError(err).Data)
	}
	if diff := cmp.Diff(after, f.digest()); diff != "" {
		t.Errorf("%s: not as after the call (-after +now):\n%s", args, diff)
	}
}

// emptyBin lets go of pages that were made, taken back, and so lie in a DB
// graph's recycle bin.
func (f *fakePeer) emptyBin(before string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.pages = slices.DeleteFunc(f.pages, func(p *fakePage) bool { return p.Recycled && !strings.Contains(before, p.UUID) })
}

// What was edited since is refused by name, and nothing is written.
func TestUndoRefuses(t *testing.T) {
	for _, kind := range []string{"db", "file"} {
		for _, c := range []struct{ tool, args, edit, editArgs, names string }{
			{"update_block", `{"block_uuid":"` + id(1) + `","content":"x"}`, "update_block", `{"block_uuid":"` + id(1) + `","content":"y"}`, "block " + id(1)},
			{"move_block", `{"block_uuid":"` + id(1) + `","target_page_name":"Compost"}`, "move_block", `{"block_uuid":"` + id(1) + `","target_page_name":"Kitchen"}`, "block " + id(1)},
			{"create_page", `{"title":"Shed"}`, "create_block", `{"page_name":"Shed","content":"mine"}`, "page Shed"},
			{"update_page", `{"page_name":"Garden","properties":{"soil":"loam"}}`, "update_page", `{"page_name":"Garden","properties":{"soil":"clay"}}`, "head of page Garden"},
			{"rename_page", `{"page_name":"Compost","new_name":"Heap"}`, "rename_page", `{"page_name":"Heap","new_name":"Pile"}`, "head of page Heap"},
			{"delete_block", `{"block_uuid":"` + id(5) + `"}`, "delete_page", `{"page_name":"Compost"}`, "the previous page"},
			{"delete_block", `{"block_uuid":"` + id(1) + `"}`, "delete_block", `{"block_uuid":"` + id(2) + `","recursive":true}`, "the previous parent block"},
		} {
			f := fixtureGraph(kind)
			d := openTestSource(t, f)
			l := &changeRecorder{f: f}
			if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: l}, c.tool, []byte(c.args)); err != nil {
				t.Fatal(err)
			}
			d.must(c.edit, c.editArgs)
			now := f.digest()
			again := &changeRecorder{f: f}
			err := tools.AsError(d.open.Restorer().Restore(t.Context(), tools.CallContext{Writes: again}, l.back()))
			if err == nil || err.Code != tools.Conflict || !strings.Contains(err.Message, c.names) {
				t.Errorf("%s %s then %s: %v", kind, c.tool, c.editArgs, err)
			}
			if f.digest() != now || len(again.changes) > 0 {
				t.Errorf("%s %s: refused, and %d changes or others made", kind, c.tool, len(again.changes))
			}
		}
	}
}

// A new block that a person has put something below is not taken away with it.
func TestUndoKeepsWhatIsBelow(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	l := &changeRecorder{f: f}
	r, err := d.open.Call(t.Context(), tools.CallContext{Writes: l}, "create_block", []byte(`{"page_name":"Garden","content":"x"}`))
	if err != nil {
		t.Fatal(err)
	}
	uuid := strings.Split(string(r.JSON), `"`)[3]
	d.must("create_block", `{"parent_block_uuid":"`+uuid+`","content":"mine"}`)
	if err := d.open.Restorer().Restore(t.Context(), tools.CallContext{}, l.back()); tools.AsError(err) == nil || tools.AsError(err).Code != tools.Conflict {
		t.Errorf("want a conflict, got %v", err)
	}
}

// A neighbour is no edit: undo works out of order, and beside a person.
func TestUndoBesideOthers(t *testing.T) {
	f := fixtureGraph("file")
	d := openTestSource(t, f)
	before := f.digest()
	var calls []*changeRecorder
	for range 3 {
		l := &changeRecorder{f: f}
		if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: l}, "append_to_journal", []byte(`{"content":"same"}`)); err != nil {
			t.Fatal(err)
		}
		calls = append(calls, l)
	}
	for _, i := range []int{0, 2, 1} {
		if err := d.open.Restorer().Restore(t.Context(), tools.CallContext{}, calls[i].back()); err != nil {
			t.Fatalf("undo of call %d: %v", i, err)
		}
	}
	if f.digest() != before {
		t.Error("not as before")
	}
}

// A link that was made while a page had its new name follows it back, and is
// named among what the undo changes.
func TestUndoOfARenamingTakesLinksAlong(t *testing.T) {
	f := fixtureGraph("file")
	d := openTestSource(t, f)
	l := &changeRecorder{f: f}
	if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: l}, "rename_page", []byte(`{"page_name":"Compost","new_name":"Heap"}`)); err != nil {
		t.Fatal(err)
	}
	d.must("update_block", `{"block_uuid":"`+id(4)+`","content":"Weed onto the [[Heap]]"}`)
	again := &changeRecorder{f: f}
	if err := d.open.Restorer().Restore(t.Context(), tools.CallContext{Writes: again}, l.back()); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(again.changes, func(c tools.Change) bool { return c.Target == "block "+id(4) })
	if at < 0 || !strings.Contains(string(again.changes[at].After.Data), "[[Compost]]") {
		t.Errorf("the link is not told: %v", again.changes)
	}
}

// What looks like a uuid is taken for one, so that no page can be found by
// such a name.
func TestNamesThatLookLikeUUIDs(t *testing.T) {
	f := fixtureGraph("file")
	d := openTestSource(t, f)
	for tool, args := range map[string]string{
		"create_page": `{"title":"` + id(99) + `"}`,
		"rename_page": `{"page_name":"Compost","new_name":" ` + id(5) + `"}`,
	} {
		if _, err := d.call(tool, args); err == nil || err.Code != tools.Invalid || !strings.Contains(err.Message, "uuid") {
			t.Errorf("%s %s: %v", tool, args, err)
		}
	}
	f.pages[1].Name = id(99) // by a person
	before := f.digest()
	if _, err := d.call("delete_page", `{"page_name":"`+id(102)+`","force":true}`); err == nil || err.Code != tools.Conflict || f.digest() != before {
		t.Errorf("a page whose deletion could not be taken back: %v", err)
	}
}

// A page that a person has edited in the recycle bin is not brought back over
// their edit; what Logseq itself put on it there is none.
func TestUndoLooksIntoTheRecycleBin(t *testing.T) {
	for _, c := range []struct {
		property string
		refused  bool
	}{{"soil", true}, {":logseq.property/recycled-by", false}} {
		f := fixtureGraph("db")
		d := openTestSource(t, f)
		l := &changeRecorder{f: f}
		if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: l}, "delete_page", []byte(`{"page_name":"Garden","force":true}`)); err != nil {
			t.Fatal(err)
		}
		f.pages[0].Properties[c.property] = "loam"
		now := f.digest()
		err := tools.AsError(d.open.Restorer().Restore(t.Context(), tools.CallContext{}, l.back()))
		if c.refused && (err == nil || err.Code != tools.Conflict || !strings.Contains(err.Message, "page Garden") || f.digest() != now) {
			t.Errorf("%s was set in the bin: %v", c.property, err)
		}
		if !c.refused && f.pages[0].Recycled {
			t.Errorf("%s is Logseq's own: %v", c.property, err)
		}
	}
}

// The journal's refusal stops the write and comes back as it is, also out of a
// batch.
func TestJournalRefuses(t *testing.T) {
	full := errors.New("disk is full")
	for _, call := range undoCases() {
		f := fixtureGraph("db")
		d := openTestSource(t, f)
		before := f.digest()
		_, err := d.open.Call(t.Context(), tools.CallContext{Writes: &changeRecorder{f: f, refuse: full}}, call[0], []byte(call[1]))
		if !errors.Is(err, full) || f.digest() != before {
			t.Errorf("%s: %v, changed %v", call[0], err, f.digest() != before)
		}
	}
}

// A call that is shown to a person first and then made is about the same
// targets, or their yes would not cover it; the next like it is not.
func TestRehearsedTargets(t *testing.T) {
	targets := func(l *changeRecorder) (names []string) {
		for _, c := range l.changes {
			names = append(names, c.Target)
		}
		return names
	}
	for _, call := range undoCases() {
		f := fixtureGraph("db")
		d := openTestSource(t, f)
		shown := &changeRecorder{f: f, refuse: errors.New("only shown")}
		_, _ = d.open.Call(t.Context(), tools.CallContext{Writes: shown}, call[0], []byte(call[1]))
		made := &changeRecorder{f: f}
		if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: made}, call[0], []byte(call[1])); err != nil {
			t.Fatal(err)
		}
		first := targets(made)
		if call[0] == "batch" {
			first = first[:len(shown.changes)]
		}
		if diff := cmp.Diff(targets(shown), first); diff != "" {
			t.Errorf("%s %s: shown and made differ:\n%s", call[0], call[1], diff)
		}
		next := &changeRecorder{f: f}
		if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: next}, call[0], []byte(call[1])); err == nil {
			for _, c := range next.changes {
				if strings.HasPrefix(c.Target, "tree of") && !c.Before.Exists && slices.Contains(first, c.Target) {
					t.Errorf("%s %s: made twice %s", call[0], call[1], c.Target)
				}
			}
		}
	}
}

// Who is asked before a call is made sees what is expected of it.
func TestExpected(t *testing.T) {
	for call, want := range map[[2]string]string{
		{"update_block", `{"block_uuid":"` + id(1) + `","content":"other"}`}:                  `"text": "other"`,
		{"update_block", `{"block_uuid":"` + id(1) + `","properties":{"n":7}}`}:               `"n": 7`,
		{"move_block", `{"block_uuid":"` + id(1) + `","target_parent_uuid":"` + id(5) + `"}`}: `"parent": "` + id(5) + `"`,
		{"create_block", `{"page_name":"Garden","content":"new"}`}:                            `"text": "new"`,
		{"create_page", `{"title":"Shed","content":"- Spade"}`}:                               `"text": "Spade"`,
	} {
		f := fixtureGraph("file")
		l := &changeRecorder{f: f, refuse: errors.New("only shown")}
		_, _ = openTestSource(t, f).open.Call(t.Context(), tools.CallContext{Writes: l}, call[0], []byte(call[1]))
		if c := l.changes[0]; !c.AfterUnknown || !strings.Contains(string(c.After.Data), want) || strings.Contains(string(c.Before.Data), want) {
			t.Errorf("%v: want %s, expected is %s", call, want, c.After.Data)
		}
	}
}
