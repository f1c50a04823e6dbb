package logseq_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/tools"
)

func statuses(m map[string]any) []string {
	var all []string
	for _, r := range m["results"].([]any) {
		all = append(all, r.(map[string]any)["status"].(string))
	}
	return all
}

func TestBatch(t *testing.T) {
	const items = `"items":[{"tool":"create_block","arguments":{"page_name":"Garden","content":"one"}},` +
		`{"tool":"create_block","arguments":{"page_name":"Nowhere","content":"two"}},` +
		`{"tool":"create_block","arguments":{"page_name":"Garden","content":"three"}}]`
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	m := d.must("batch", "{"+items+"}")
	if diff := cmp.Diff([]string{"done", "failed", "skipped"}, statuses(m)); diff != "" || m["note"] == nil {
		t.Errorf("stopping at the first failure: %s%v", diff, m)
	}
	failed := m["results"].([]any)[1].(map[string]any)["error"].(map[string]any)
	if failed["code"] != "NOT_FOUND" {
		t.Errorf("the failure is %v", failed)
	}
	before := f.digest()
	m = d.must("batch", `{"continue_on_error":true,"dry_run":true,`+items+"}")
	if diff := cmp.Diff([]string{"done", "failed", "done"}, statuses(m)); diff != "" || f.digest() != before {
		t.Errorf("going on, dry: %s%v", diff, m)
	}
	for _, bad := range []string{`{"tool":"delete_page","arguments":{"page_name":"Garden"}}`, `{"tool":"batch","arguments":{}}`, `{"tool":"set_task"}`} {
		if _, err := d.call("batch", `{"items":[`+bad+`]}`); err == nil || errorCode(err) != "INVALID_INPUT" {
			t.Errorf("batch with %s: %v", bad, err)
		}
	}
}

// No call begins that could not be seen through, so every outcome is told.
func TestBatchHeedsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fixtureGraph("db")
		f.fault = func(method string) fault {
			if method == "blocks.create" {
				return never // two seconds go by
			}
			return fine
		}
		ctx, cancel := context.WithTimeout(t.Context(), 21*time.Second)
		defer cancel()
		r, err := openTestSource(t, f).open.Call(ctx, tools.CallContext{}, "batch", []byte(`{"continue_on_error":true,"items":[`+
			`{"tool":"create_block","arguments":{"page_name":"Garden","content":"one"}},{"tool":"create_block","arguments":{"page_name":"Garden","content":"two"}}]}`))
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]any{}
		if err := json.Unmarshal(r.JSON, &m); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"failed", "skipped"}, statuses(m)); diff != "" {
			t.Errorf("%s%s", diff, r.JSON)
		}
	})
}

// An approvedOnce is a WriteObserver that lets through the one report that a person saw.
type approvedOnce struct {
	changeRecorder
	reports int
}

func (c *approvedOnce) BeforeWrite(ctx context.Context, changes ...tools.Change) error {
	if c.reports++; c.reports > 1 {
		return errors.New("this was not shown")
	}
	return c.changeRecorder.BeforeWrite(ctx, changes...)
}

// A person who is asked about a batch sees all of it at once, and their yes
// covers it; nothing of it is written before. What builds on an earlier call
// is told in its turn.
func TestBatchIsShownWhole(t *testing.T) {
	call := func(tool, args string) string { return `{"tool":"` + tool + `","arguments":` + args + `}` }
	create := call("create_block", `{"page_name":"Garden","content":"same"}`)
	update := call("update_block", `{"block_uuid":"`+id(1)+`","content":"leeks"}`)
	move := call("move_block", `{"block_uuid":"`+id(1)+`","target_page_name":"Compost"}`)
	done := call("set_task", `{"block_uuid":"`+id(3)+`","status":"DONE"}`)
	page := call("create_page", `{"title":"Shed","content":"- Spade"}`)
	rename := call("rename_page", `{"page_name":"Compost","new_name":"Heap"}`)
	for _, c := range []struct {
		calls []string
		whole bool
		says  []string // expected of what block 1 becomes
	}{
		{[]string{create, create, page}, true, nil},
		{[]string{update, done, move}, true, []string{`"leeks"`, `"Compost"`}},
		{[]string{move, update}, true, []string{`"leeks"`, `"Compost"`}},
		{[]string{update, done, done}, true, []string{`"leeks"`}},
		{[]string{rename, create}, true, nil},
		{[]string{page, call("create_block", `{"page_name":"Shed","content":"x"}`)}, false, nil},
		{[]string{rename, call("create_block", `{"page_name":"heap","content":"x"}`)}, false, nil},
		{[]string{move, call("create_block", `{"sibling_block_uuid":"`+id(1)+`","content":"x"}`)}, false, nil},
	} {
		for _, kind := range []string{"db", "file"} {
			f := fixtureGraph(kind)
			d := openTestSource(t, f)
			before := f.digest()
			args := []byte(`{"items":[` + strings.Join(c.calls, ",") + `]}`)
			shown := &changeRecorder{f: f, refuse: errors.New("only shown")}
			if _, err := d.open.Call(t.Context(), tools.CallContext{Writes: shown}, "batch", args); !errors.Is(err, shown.refuse) || f.digest() != before {
				t.Fatalf("%s: %v", args, err)
			}
			for _, want := range c.says {
				if i := slices.IndexFunc(shown.changes, func(c tools.Change) bool { return c.Target == "block "+id(1) }); i < 0 ||
					kind == "file" && !strings.Contains(string(shown.changes[i].After.Data), want) {
					t.Errorf("%s: want %s shown, got %v", args, want, shown.changes)
				}
			}
			one := &approvedOnce{changeRecorder: changeRecorder{f: f}}
			_, err := d.open.Call(t.Context(), tools.CallContext{Writes: one}, "batch", args)
			if c.whole != (err == nil) {
				t.Errorf("%s on %s: whole %v, but answers %v", args, kind, c.whole, err)
			}
			for i, change := range one.changes {
				if i >= len(shown.changes) || change.Target != shown.changes[i].Target || !cmp.Equal(change.Before, shown.changes[i].Before) {
					t.Errorf("%s on %s: made %s, which was not shown", args, kind, change.Target)
				}
			}
			if c.whole {
				if err := d.open.Restorer().Restore(t.Context(), tools.CallContext{}, one.back()); err != nil {
					t.Errorf("%s on %s: undo: %v", args, kind, err)
				}
			}
		}
	}
}
