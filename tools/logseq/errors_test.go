package logseq_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// A call that ended because another graph was opened says what to do.
func TestOtherGraphOpened(t *testing.T) {
	f := fixtureGraph("db")
	d := openTestSource(t, f)
	f.fault = func(string) fault { return unsent }
	_, err := d.call("get_page_content", `{"page_name":"Garden"}`)
	if err == nil || errorCode(err) != "UNAVAILABLE" || !strings.Contains(err.Message, "another graph was opened") || !strings.Contains(err.Hint, "ping") {
		t.Errorf("answered %v, hint %q", err, err.Hint)
	}
}

// Who named no graph is not told to start Logseq with "that" one.
func TestNotConnectedNamesTheGraph(t *testing.T) {
	for config, want := range map[string]string{``: "start Logseq and", `{"graph":"Work"}`: "start Logseq with that graph and"} {
		o, err := testSystem().Open(t.Context(), []byte(config), tools.Env{Name: "home"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Call(t.Context(), tools.CallContext{}, "list_pages", []byte(`{}`))
		if e := tools.AsError(err); e.Code != tools.Unavailable || !strings.Contains(e.Hint, want) {
			t.Errorf("config %q: %v, hint %q", config, e, e.Hint)
		}
	}
}

// longPagePeer is a Logseq whose every page is one long page.
type longPagePeer struct {
	*fakePeer
	page json.RawMessage
}

// Call implements tools.Peer.
func (p longPagePeer) Call(ctx context.Context, method string, in, out any, again bool) error {
	if method == "pages.tree" {
		return json.Unmarshal(p.page, out)
	}
	return p.fakePeer.Call(ctx, method, in, out, again)
}

func longPage(blocks int) json.RawMessage {
	page := map[string]any{"uuid": id(103), "name": "Kitchen", "kind": "page"}
	list := make([]map[string]any, blocks)
	for i := range list {
		text := fmt.Sprintf("block <%d> & \"more\"", i)
		list[i] = map[string]any{"uuid": id(100_000 + i), "page": "Kitchen", "content": text, "raw": text}
	}
	return encode(map[string]any{"page": page, "blocks": list})
}

// A page of 10,000 blocks is read in pieces, none of which is larger than an
// answer may be, as text and as JSON.
func TestLongPageInPieces(t *testing.T) {
	blocks := runtest.Size(10_000, 4_000, 2_000)
	d := openTestSource(t, longPagePeer{fixtureGraph("db"), longPage(blocks)})
	for _, format := range []string{"text", "json"} {
		read, pieces := 0, 0
		for more := true; more; pieces++ {
			r, err := d.open.Call(t.Context(), tools.CallContext{}, "get_page_content", fmt.Appendf(nil, `{"page_name":"Kitchen","format":%q,"offset":%d}`, format, read))
			if err != nil {
				t.Fatal(err)
			}
			var m struct {
				Text      string
				Blocks    []struct{ Content string }
				Total     int
				Truncated bool
			}
			if err := json.Unmarshal(r.JSON, &m); err != nil {
				t.Fatal(err)
			}
			if size := len(r.JSON); size > 100<<10 {
				t.Fatalf("%s: the piece at %d has %d bytes", format, read, size)
			}
			got := strings.Count(m.Text, "\n- ") + len(m.Blocks)
			if first := fmt.Sprintf("block <%d> &", read); got == 0 || len(m.Blocks) > 0 && !strings.HasPrefix(m.Blocks[0].Content, first) || m.Text != "" && !strings.Contains(m.Text, "- "+first) {
				t.Fatalf("%s: the piece at %d has %d blocks", format, read, got)
			}
			read, more = read+got, m.Truncated
			if m.Total != blocks {
				t.Errorf("%s: %d blocks in all", format, m.Total)
			}
		}
		if read != blocks {
			t.Errorf("%s: %d blocks in %d pieces", format, read, pieces)
		}
		t.Logf("%s: %d pieces", format, pieces)
	}
}

// Where all is well the capabilities are one line, and else there is one more
// for each that is missing.
func TestCapabilitiesInOneLine(t *testing.T) {
	text := func(peer tools.Peer) string {
		r, err := openTestSource(t, peer).open.Call(t.Context(), tools.CallContext{}, "get_capabilities", []byte(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		return r.Content[0].Text
	}
	f := fixtureGraph("db")
	if got := text(f); strings.Count(got, "\n") != 1 || !strings.Contains(got, "templates: a DB graph does not support it") {
		t.Errorf("all of a DB graph: %q", got)
	}
	f.lacks["page.open"] = true
	if got := text(f); strings.Count(got, "\n") != 2 || !strings.Contains(got, "needed by open_page") {
		t.Errorf("without page.open: %q", got)
	}
	f.gone = true
	if got := text(f); !strings.Contains(got, "not connected") || strings.Contains(got, "\n") {
		t.Errorf("not connected: %q", got)
	}
}
