package hub_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// The role of a client decides which tools it sees and may call. A name that is
// only claimed has the least, and so has one with a role that does not exist.
func TestRoles(t *testing.T) {
	store := memo.NewStore()
	store.Put("desk", "Milk", "two bottles")
	h, _ := startMemo(t, store, policy.New([]policy.Grant{
		{Client: "keeper", Source: "desk", Role: "owner"}, {Client: "typo", Role: "ownr"},
	}, nil))
	for _, c := range []struct {
		claims, proves string
		owns           bool
	}{
		{"cursor", "", false}, {"keeper", "", false}, {"typo", "typo", false}, {"keeper", "keeper", true},
	} {
		s := connectClient(t, h, c.claims, c.proves)
		if list := s.Ask("tools/list", `{}`).Raw; strings.Contains(list, `"empty_notebook"`) != c.owns {
			t.Errorf("%+v sees %s", c, list)
		}
		want := "no tool named empty_notebook"
		if c.owns {
			want = `"by":"owner"`
		}
		if got := s.Ask("tools/call", `{"name":"empty_notebook","arguments":{"dry_run":true}}`).Raw; !strings.Contains(got, want) {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
	if _, err := h.PersonAPI().Call(t.Context(), "desk", "empty_notebook", json.RawMessage(`{}`)); err == nil {
		t.Error("a person without the role emptied the notebook")
	}
}
