package logseq_test

import (
	"context"
	"encoding/json"
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
	f := garden("db")
	d := openOn(t, f)
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
		if _, err := d.call("batch", `{"items":[`+bad+`]}`); err == nil || word(err) != "INVALID_INPUT" {
			t.Errorf("batch with %s: %v", bad, err)
		}
	}
}

// No call begins that could not be seen through, so every outcome is told.
func TestBatchHeedsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := garden("db")
		f.fault = func(method string) fault {
			if method == "blocks.create" {
				return never // two seconds go by
			}
			return fine
		}
		ctx, cancel := context.WithTimeout(t.Context(), 21*time.Second)
		defer cancel()
		r, err := openOn(t, f).open.Call(ctx, tools.Silent{}, "batch", []byte(`{"continue_on_error":true,"items":[`+
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
