package hub_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// A client's list shows what it may call and no more; a name that is only
// claimed gets nothing that needs proof; the bytes are the same from call to
// call.
func TestListsPerClient(t *testing.T) {
	reads := []tools.Effect{tools.Reads}
	h := startNotes(t, []policy.Grant{
		{Client: "reader", Effects: reads},
		{Client: "owner", Token: true, Effects: tools.Effects()},
		{Client: "nobody", Effects: []tools.Effect{}},
	}, nil)
	for _, c := range []struct{ claims, proves, want string }{
		{"somebody", "", "drop get move put run sly twice"},
		{"Reader", "", "get"},
		{"reader", "owner", "drop get move own put run sly twice"},
		{"owner", "", "drop get move put run sly twice"},
		{"nobody", "", ""},
	} {
		s := h.connect(c.claims, c.proves)
		first := s.Ask("tools/list", `{}`)
		names, _ := listed(t, first)
		if d := cmp.Diff(c.want, strings.Join(names, " ")); d != "" {
			t.Errorf("%+v: %s", c, d)
		}
		if again := s.Ask("tools/list", `{}`); string(again.Result) != string(first.Result) {
			t.Errorf("%+v: the list changes", c)
		}
		if got := s.Ask("tools/call", `{"name":"own","arguments":{"path":"a"}}`).Raw; strings.Contains(got, `"isError":true`) || strings.Contains(got, `"error"`) != !strings.Contains(c.want, "own") {
			t.Errorf("%+v: own answers %s", c, got)
		}
	}
}

// In the modern era each request names its client.
func TestListsPerRequest(t *testing.T) {
	h := startNotes(t, []policy.Grant{{Client: "modern", Effects: []tools.Effect{tools.Reads}}}, nil)
	c := connect(t, h.testHub, "")
	names, _ := listed(t, c.Ask("tools/list", `{`+hubtest.ModernMeta+`}`))
	if len(names) != 1 {
		t.Errorf("modern sees %v", names)
	}
	names, _ = listed(t, c.Ask("tools/list", `{`+strings.Replace(hubtest.ModernMeta, `"modern"`, `"another"`, 1)+`}`))
	if len(names) != 7 {
		t.Errorf("another sees %v", names)
	}
	if f := c.Ask("tools/call", `{"name":"drop","arguments":{"path":"a"},`+hubtest.ModernMeta+`}`); !strings.Contains(f.Raw, "this client may not delete") {
		t.Errorf("drop: %s", f.Raw)
	}
	s := serveHTTP(t, h.testHub)
	_, body := s.Do("POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+hubtest.ModernMeta+`}}`, hubtest.ModernHeaders("tools/list", "")[:4]...)
	if strings.Contains(body, `"drop"`) || !strings.Contains(body, `"get"`) {
		t.Errorf("over HTTP modern sees %s", body)
	}
}

// A change of grants is told to those who are connected, and holds for their
// next call.
func TestGrantsChange(t *testing.T) {
	h := startNotes(t, nil, nil)
	c := h.connect("cursor", "")
	if names, _ := listed(t, c.Ask("tools/list", `{}`)); len(names) != 7 {
		t.Fatalf("sees %v", names)
	}
	h.SetPolicy(policy.New([]policy.Grant{{Client: "cursor", Effects: []tools.Effect{tools.Reads}}}, nil))
	if f := c.Recv(); f.Method != "notifications/tools/list_changed" {
		t.Fatalf("got %s", f.Raw)
	}
	if names, _ := listed(t, c.Ask("tools/list", `{}`)); len(names) != 1 {
		t.Errorf("sees %v", names)
	}
	if f := c.Ask("tools/call", `{"name":"drop","arguments":{"path":"a"}}`); !strings.Contains(f.Raw, "this client may not delete") || h.notes.Writes != 0 {
		t.Errorf("drop: %s", f.Raw)
	}
}

// What a rule forbids to read is forbidden to resources too, and to those who
// wait for it to change; what is to be asked about is refused there.
func TestRulesHoldForResources(t *testing.T) {
	h := start(t, hub.Limits{}, deskSource("notes"))
	c := connect(t, h, "")
	c.Initialize()
	read := func(page string) string {
		return c.Ask("resources/read", `{"uri":"desk://notes/pages/`+page+`"}`).Raw
	}
	c.Ask("resources/subscribe", `{"uri":"desk://notes/pages/a%20b"}`)
	for _, tt := range []struct {
		rule policy.Rule
		want string
	}{
		{policy.Rule{Do: policy.Deny, Path: "a b"}, "forbids"},
		{policy.Rule{Do: policy.Deny, Path: "pages/*"}, "forbids"},
		{policy.Rule{Do: policy.Ask, Client: "test*"}, "asked"},
		{policy.Rule{Do: policy.Deny, Path: "c"}, "desk://notes/pages/a%20b"},
		{policy.Rule{Do: policy.Deny, Client: "another"}, "desk://notes/pages/a%20b"},
	} {
		h.SetPolicy(policy.New(nil, []policy.Rule{tt.rule}))
		got := read("a%20b")
		if !strings.Contains(got, tt.want) || strings.Contains(got, `"error"`) == strings.Contains(tt.want, "desk:") {
			t.Errorf("%s: %s", tt.rule, got)
		}
		h.world.NotifyResourceChanged("notes", "desk://notes/pages/a%20b")
		if strings.Contains(tt.want, "desk:") {
			if n := c.Recv(); n.Method != "notifications/resources/updated" {
				t.Errorf("%s: got %s", tt.rule, n.Raw)
			}
		} else {
			c.Ask("ping", `{}`) // whose answer is the next frame
		}
	}
}

// The panel says in a few words what a client may do where others may do more
// or less.
func TestGrantsInWords(t *testing.T) {
	h := startNotes(t, []policy.Grant{
		{Client: "cursor", Effects: []tools.Effect{tools.Reads}}, {Client: "nobody", Effects: []tools.Effect{}},
	}, nil)
	want := map[string]string{"Cursor": "notes: read", "nobody": "notes: nothing", "codex": ""}
	for client := range want {
		h.connect(client, "")
	}
	h.UpdateSnapshot()
	got := map[string]string{}
	for _, s := range h.board.LastSnapshot().Sessions {
		got[s.Client] = s.Grants
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
