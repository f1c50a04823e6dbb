package logseq_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/tools"
)

// A write whose blocks Logseq puts into another order is not called verified.
func TestOrderIsVerified(t *testing.T) {
	for _, kind := range []string{"db", "file"} {
		for _, c := range []struct{ tool, args, method string }{
			{"update_page", `{"page_name":"Garden","content_append":"one"}`, "pages.append"},
			{"update_page", `{"page_name":"Garden","content_append":"- one\n- two"}`, "blocks.insert"},
			{"append_to_journal", `{"date":"2026-03-01","content":"one"}`, "pages.append"},
			{"create_page", `{"title":"Shed","content":"- one\n- two"}`, "blocks.insert"},
			{"create_page", `{"title":"Shed","content":"- one\n  - two\n  - three"}`, "blocks.insert"},
			{"insert_blocks", `{"sibling_block_uuid":"` + id(1) + `","markdown":"- one\n- two"}`, "blocks.insert"},
			{"insert_blocks", `{"parent_block_uuid":"` + id(5) + `","markdown":"- one\n- two"}`, "blocks.insert"},
			{"create_block", `{"page_name":"Garden","content":"one","position":"first"}`, "blocks.create"},
			{"create_block", `{"parent_block_uuid":"` + id(2) + `","content":"one"}`, "blocks.create"},
			{"create_block", `{"sibling_block_uuid":"` + id(4) + `","content":"one","position":"before"}`, "blocks.create"},
			{"move_block", `{"block_uuid":"` + id(3) + `","target_parent_uuid":"` + id(2) + `"}`, "blocks.move"},
			{"replace_page_content", `{"page_name":"Compost","content":"- one\n- two"}`, "blocks.insert"},
		} {
			for _, wrong := range []fault{fine, astray} {
				f := fixtureGraph(kind)
				f.fault = func(method string) fault {
					if method == c.method {
						return wrong
					}
					return fine
				}
				m := openTestSource(t, f).must(c.tool, c.args)
				if m["success"] != true || m["verified"] != (wrong == fine) || (m["warnings"] != nil) == (wrong == fine) {
					t.Errorf("%s %s %s, astray %v: %v", kind, c.tool, c.args, wrong == astray, m)
				}
			}
		}
	}
}

// An undo says what is in another order than before, and where.
func TestUndoSaysWhatIsInAnotherOrder(t *testing.T) {
	for _, c := range []struct{ tool, args, method, says string }{
		{"delete_block", `{"block_uuid":"` + id(4) + `"}`, "blocks.restore", "position of block " + id(4)},
		{"move_block", `{"block_uuid":"` + id(3) + `","target_page_name":"Compost"}`, "blocks.move", "position of block " + id(3)},
		{"create_block", `{"page_name":"Garden","content":"one"}`, "blocks.delete", "order of blocks on page"},
		{"create_block", `{"parent_block_uuid":"` + id(2) + `","content":"one"}`, "blocks.delete", "order of blocks below block " + id(2)},
		{"delete_page", `{"page_name":"Garden","force":true}`, "blocks.restore", "page Garden"},
	} {
		f := fixtureGraph("file")
		d := openTestSource(t, f)
		l := record(d, f, c.tool, c.args)
		f.fault = func(method string) fault {
			if method == c.method {
				return astray
			}
			return fine
		}
		err := tools.AsError(d.open.Restorer().Restore(t.Context(), tools.CallContext{}, l.back()))
		if err == nil || err.Code != tools.Unavailable || !strings.Contains(fmt.Sprint(err.Message, err.Data), c.says) {
			t.Errorf("undo of %s %s: %v", c.tool, c.args, err)
		}
	}
}

// record makes a call and notes its Changes.
func record(d *testSource, f *fakePeer, tool, args string) *changeRecorder {
	d.t.Helper()
	l := &changeRecorder{f: f}
	if _, err := d.open.Call(d.t.Context(), tools.CallContext{Writes: l}, tool, []byte(args)); err != nil {
		d.t.Fatalf("%s %s: %v", tool, args, err)
	}
	return l
}

// A block goes back to where it was although a person has taken away what stood
// beside it; where that cannot be told, the undo says so.
func TestUndoWithoutNeighbours(t *testing.T) {
	for _, c := range []struct {
		gone  []string // of a b c d e
		block string
		wants string // empty: nobody can tell
	}{
		{nil, "c", "abcde"},
		{[]string{"b"}, "c", "acde"},
		{[]string{"d"}, "c", "abce"},
		{[]string{"b"}, "a", "acde"},
		{[]string{"d"}, "e", "abce"},
		{[]string{"a", "b", "d", "e"}, "c", "c"},
		{[]string{"b", "d"}, "c", ""},
	} {
		for _, method := range []string{"delete_block", "move_block"} {
			f := fixtureGraph("file")
			d := openTestSource(t, f)
			uuids := map[string]string{}
			d.must("create_page", `{"title":"Letters","content":"- a\n- b\n- c\n- d\n- e"}`)
			for _, b := range f.pages[len(f.pages)-1].blocks {
				uuids[b.Content] = b.UUID
			}
			args := `{"block_uuid":"` + uuids[c.block] + `"}`
			if method == "move_block" {
				args = `{"block_uuid":"` + uuids[c.block] + `","target_page_name":"Kitchen"}`
			}
			l := record(d, f, method, args)
			for _, letter := range c.gone {
				d.must("delete_block", `{"block_uuid":"`+uuids[letter]+`"}`)
			}
			err := tools.AsError(d.open.Restorer().Restore(t.Context(), tools.CallContext{}, l.back()))
			if c.wants == "" {
				if err == nil || !strings.Contains(err.Message, "position of block "+uuids["c"]) {
					t.Errorf("%s of %s without %v: %v", method, c.block, c.gone, err)
				}
				continue
			}
			text := ""
			for _, b := range f.pages[len(f.pages)-1].blocks {
				text += b.Content
			}
			if err != nil || text != c.wants {
				t.Errorf("%s of %s without %v: %s, want %s (%v)", method, c.block, c.gone, text, c.wants, err)
			}
		}
	}
}
