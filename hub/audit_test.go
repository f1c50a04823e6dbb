package hub

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// Every call is in the audit with its outcome, its targets and the time that it
// waited for a person, and without what it carried.
func TestAuditOfCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		trail, file := openAudit(t, h.Hub)
		a := h.agent(cursor)
		answer := func(tool, args string, approve bool) {
			out := a.startCall(t.Context(), tool, args)
			time.Sleep(3 * time.Second)
			synctest.Wait()
			h.answer(h.onlyPending().ID, approve, status.Answer{Reason: "swordfish"})
			<-out
		}
		answer("put", `{"path":"a","text":"swordfish"}`, true)
		answer("drop", `{"path":"a"}`, false)
		for _, call := range [][2]string{{"get", `{"path":"a"}`}, {"get", `{"path":"swordfish"}`}, {"put", `{"path":""}`}, {"swordfish", `{}`}} {
			time.Sleep(time.Second)
			<-a.startCall(t.Context(), call[0], call[1])
		}
		if err := trail.Close(); err != nil {
			t.Fatal(err)
		}
		calls := readAudit(t, file)
		want := []audit.Record{
			{Tool: "put", Effect: "write", Outcome: audit.OK, Targets: []string{"a"}, Waited: 3 * time.Second},
			{Tool: "drop", Effect: "delete", Outcome: audit.Refused, Code: "denied", Targets: []string{"a"}, Waited: 3 * time.Second},
			{Tool: "get", Effect: "read", Outcome: audit.OK},
			{Tool: "get", Effect: "read", Outcome: audit.OK},
			{Tool: "put", Effect: "write", Outcome: audit.Refused, Code: "invalid"},
			{Outcome: audit.Refused, Code: "not_found"},
		}
		if len(calls) > 0 && string(calls[0].Detail) != `{"done":true}` {
			t.Errorf("the first call has the detail %s", calls[0].Detail)
		}
		if len(calls) != len(want) {
			t.Fatalf("%d records, want %d: %+v", len(calls), len(want), calls)
		}
		for i, r := range calls {
			w := want[i]
			if (r.Approval != "") != (i == 0) {
				t.Errorf("call %d was let through by %q", i, r.Approval)
			}
			if r.Tool != w.Tool || r.Effect != w.Effect || r.Outcome != w.Outcome || r.Code != w.Code || !slices.Equal(r.Targets, w.Targets) || r.Waited != w.Waited {
				t.Errorf("call %d is recorded as %+v, want %+v", i, r, w)
			}
			if r.Client != "cursor" || r.Session == "" || r.Transport == "" || r.Digest == "" || r.Request == 0 || (r.Message == "") != (r.Code == "") {
				t.Errorf("call %d lacks something: %+v", i, r)
			}
		}
		for _, name := range []string{file, file + "-wal"} {
			if text, err := os.ReadFile(name); err == nil && strings.Contains(string(text), "swordfish") {
				t.Errorf("%s holds content", name)
			}
		}
	})
}

// A call that another makes names it, although that one has not ended.
func TestAuditOfNestedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := startNotes(t, askWrites(), nil, Limits{})
		trail, file := openAudit(t, h.Hub)
		by, src, err := h.PersonAPI().callerForSource("notes")
		if err != nil {
			t.Fatal(err)
		}
		outer := &call{caller: by, source: src, began: time.Now()}
		time.Sleep(time.Second)
		if _, err := (crossSourceCaller{hub: h.Hub, outer: outer}).Call(t.Context(), "", "get", tools.Arguments{JSON: []byte(`{"path":"a"}`)}); err != nil {
			t.Fatal(err)
		}
		h.calls.record(outer, tools.Result{}, nil)
		if err := trail.Close(); err != nil {
			t.Fatal(err)
		}
		calls := readAudit(t, file)
		if len(calls) != 2 || calls[0].ID == 0 || calls[0].Parent != 0 || calls[1].Tool != "get" || calls[1].Parent != calls[0].ID {
			t.Errorf("recorded as %+v", calls)
		}
	})
}

func openAudit(t *testing.T, h *Hub) (trail *audit.Trail, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "audit.db")
	trail, err := audit.Open(t.Context(), audit.Options{File: file, Key: []byte("key"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	h.Calls().SetTrail(trail)
	return trail, file
}

// readAudit is every record, oldest first.
func readAudit(t *testing.T, file string) []audit.Record {
	t.Helper()
	r, err := audit.OpenReader(t.Context(), file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	page, err := r.Calls(t.Context(), audit.Filter{})
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	slices.Reverse(page.Calls)
	return page.Calls
}
