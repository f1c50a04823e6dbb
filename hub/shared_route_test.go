package hub_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/workspace"
)

// Where a System has several sources, the path of its specification leads to the
// source that it names, with the grants of that source. Others are answered with
// the sources that the caller may read, and strangers with nothing.
func TestSharedRoute(t *testing.T) {
	var sources []hub.Source
	for name, keys := range map[string]string{"ws": "", "lab": "", "vault": `,"open_loopback":true`} {
		sources = append(sources, hub.Source{Name: name, Kind: "workspace", Options: fmt.Appendf(nil, `{"folder":%q%s}`, t.TempDir(), keys)})
	}
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{workspace.System()}, Sources: sources,
		Policy: policy.New([]policy.Grant{
			{Client: "stranger", Effects: []tools.Effect{}},
			{Client: "cursor", Source: "vault", Effects: []tools.Effect{}},
			{Client: "cursor", Effects: []tools.Effect{tools.Reads, tools.Writes}},
		}, nil),
		VerifyClient: func(r *http.Request) string { return r.Header.Get("X-Client") },
		Reveal:       func(context.Context, tools.Secret) (string, error) { return "", nil },
	})
	s := serveRoutes(t, h.Hub)
	token := []string{"Authorization", "Bearer client", "X-Client", "cursor"}
	stranger := []string{"Authorization", "Bearer client", "X-Client", "stranger"} // nothing is granted to it
	const several = "/workspaces is served by several sources, and this path names none of them. Use /sources/lab or /sources/ws in place of /workspaces."
	for _, c := range []struct {
		method, path, body string
		header             []string
		code               int
		answer             string // empty: any
	}{
		{"POST", "/workspaces/ws/notes", `{"id":"tea","markdown":"# Tea"}`, token, 201, ""},
		{"GET", "/workspaces/ws/notes/tea", "", token, 200, ""},
		{"GET", "/sources/ws/ws/notes/tea", "", token, 200, ""},
		{"GET", "/workspaces/lab/notes/tea", "", token, 404, `{"detail":"there is no note \"tea\" in the workspace lab"}`},
		{"GET", "/workspaces/vault/notes", "", token, 403, ""},
		{"GET", "/workspaces", "", token, 404, several},
		{"GET", "/workspaces/", "", token, 404, several},
		{"POST", "/workspaces", `{"id":"more"}`, token, 404, several},
		{"GET", "/workspaces/more/notes", "", token, 404, several},
		{"GET", "/workspaces/wss/notes", "", token, 404, several},
		{"GET", "/workspaces", "", stranger, 404, "not found: nothing is served at this path"},
		{"GET", "/workspaces/more/notes", "", stranger, 404, "not found: nothing is served at this path"},
		{"GET", "/workspaces", "", nil, 401, "unauthorized: /workspaces/ needs the header Authorization: Bearer TOKEN, or X-API-Key: TOKEN"},
		{"GET", "/workspaces/more", "", nil, 401, ""},
		{"GET", "/workspaces/ws/notes", "", nil, 401, ""},
		{"GET", "/workspacesws/notes", "", token, 404, "not found: nothing is served at this path"},
	} {
		resp, body := s.Do(c.method, c.path, c.body, c.header...)
		if resp.StatusCode != c.code || c.answer != "" && !strings.Contains(body, c.answer) {
			t.Errorf("%s %s: %d %s, want %d %s", c.method, c.path, resp.StatusCode, body, c.code, c.answer)
		}
	}
	if _, ok := h.Routes().ForSources([]string{"lab"}).Lookup("/workspaces/more/notes"); !ok {
		t.Error("the only source that other machines reach has no path of the specification")
	}
	if _, ok := h.Routes().ForSources(nil).Lookup("/workspaces/ws/notes"); ok {
		t.Error("other machines reach a source that is not for them")
	}
}
