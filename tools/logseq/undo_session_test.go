package logseq_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// What a session did to things within each other is taken back as one, by the
// journal itself: a page, what was put on it, and what was made of that.
func TestSessionIsTakenBack(t *testing.T) {
	for _, calls := range [][][2]string{
		{{"create_page", `{"title":"Shed","content":"- Tools"}`}, {"update_page", `{"page_name":"Shed","content_append":"Rake","properties":{"key":"k"}}`}},
		{{"create_page", `{"title":"Shed","content":"- Tools"}`}, {"rename_page", `{"page_name":"Shed","new_name":"Barn"}`}},
		{{"create_page", `{"title":"Shed"}`}, {"move_block", `{"block_uuid":"` + id(2) + `","target_page_name":"Shed"}`}},
		{{"update_block", `{"block_uuid":"` + id(1) + `","content":"x"}`}, {"delete_block", `{"block_uuid":"` + id(2) + `","recursive":true}`}},
		{{"delete_block", `{"block_uuid":"` + id(1) + `"}`}, {"delete_page", `{"page_name":"Garden","force":true}`}},
		{{"append_to_journal", `{"date":"2026-03-02","content":"Thaw"}`}, {"append_to_journal", `{"date":"2026-03-02","content":"Mud"}`}},
	} {
		for _, kind := range []string{"file", "db"} {
			f := fixtureGraph(kind)
			before := f.inUse()
			if err := session(t, f, calls, nil); err != nil {
				t.Errorf("%s %v: %v", kind, calls, err)
			} else if f.inUse() != before {
				t.Errorf("%s %v: not as before", kind, calls)
			}
		}
	}
}

// What a person put into the midst of it is not taken along, and stops all of it.
func TestSessionWithAnEditInItStays(t *testing.T) {
	calls := [][2]string{{"create_page", `{"title":"Shed","content":"- Tools"}`}, {"update_page", `{"page_name":"Shed","content_append":"Rake"}`}}
	for _, edit := range [][2]string{
		{"create_block", `{"page_name":"Shed","content":"mine"}`}, {"update_page", `{"page_name":"Shed","properties":{"by":"hand"}}`},
	} {
		f := fixtureGraph("file")
		var now string
		err := session(t, f, calls, func(d *testSource) { d.must(edit[0], edit[1]); now = f.digest() })
		if conflict, ok := errors.AsType[*journal.ConflictError](err); !ok || !strings.Contains(conflict.Reason, "page Shed") || f.digest() != now {
			t.Errorf("%s: %v", edit[1], err)
		}
	}
}

// session makes calls, has a person edit, and takes the calls back together.
func session(t *testing.T, f *fakePeer, calls [][2]string, person func(*testSource)) error {
	t.Helper()
	d := openTestSource(t, f)
	j := journal.New(journal.Options{Dir: filepath.Join(t.TempDir(), "j"), Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { _ = j.Close() })
	for _, c := range calls {
		r := j.NewRecorder(journal.CallOrigin{Client: "c", Session: "s", Source: "home", Tool: c[0]})
		_, err := d.open.Call(t.Context(), tools.CallContext{Writes: r}, c[0], []byte(c[1]))
		if r.End(err); err != nil {
			t.Fatal(err)
		}
	}
	if person != nil {
		person(d)
	}
	from := func(context.Context, string) (tools.Restorer, func(), error) {
		return d.open.Restorer(), func() {}, nil
	}
	return j.Undo(t.Context(), status.Filter{Session: "s"}, journal.CallOrigin{Client: "person"}, from)
}
