package hub_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
)

// A page that a rule by path keeps from an agent is in no answer that shows pages: not among
// hits, whatever the query, nor with its text.
func TestRulesByPathCoverAnswers(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"Open/Plan.md": "swordfish in the open\n", "Closed/Plan.md": "swordfish, confidential\n"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config, err := json.Marshal(markdown.Config{Path: tools.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		rules   []policy.Rule
		covered bool
	}{
		{"no rule", nil, false},
		{"denied", []policy.Rule{{Do: policy.Deny, Path: "Closed/**"}}, true},
		{"asked about", []policy.Rule{{Do: policy.Ask, Path: "Closed/**"}}, true},
		{"denied to others", []policy.Rule{{Do: policy.Deny, Path: "Closed/**", Client: "zed"}}, false},
		{"writes denied", []policy.Rule{{Do: policy.Deny, Path: "Closed/**", Effects: []tools.Effect{tools.Writes}}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := startWith(t, hub.Config{Systems: []tools.Kind{markdown.System()}, Sources: []hub.Source{{Name: "notes", Kind: "markdown", Options: config}}, Policy: policy.New(nil, c.rules)})
			s := connectClient(t, h.Hub, "cursor", "")
			for _, args := range []string{`{"query":"swordfish"}`, `{"query":"confidential"}`, `{"query":"swordfish","limit":1}`} {
				got := s.Ask("tools/call", `{"name":"search_pages","arguments":`+args+`}`).Raw
				if strings.Contains(got, "isError\":true") {
					t.Fatal(got)
				}
				shown := strings.Contains(got, "Closed/") || strings.Contains(got, "swordfish, confidential")
				if wants := !c.covered && !strings.Contains(args, "limit"); shown && c.covered || !shown && wants {
					t.Errorf("%s: shown %v: %s", args, shown, got)
				}
			}
		})
	}
}
