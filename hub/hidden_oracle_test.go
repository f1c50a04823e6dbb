package hub_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/hubtest"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
)

// startHiding starts a hub on a folder in which every second of some names is a page
// with the tag secret, which is hidden.
func startHiding(t *testing.T, names int, limits hub.Limits, rules ...policy.Rule) (*hubtest.Client, *hubtest.FakeSnapshotStore) {
	t.Helper()
	s, board, _ := startHidingHub(t, names, limits, rules...)
	return s, board
}

func startHidingHub(t *testing.T, names int, limits hub.Limits, rules ...policy.Rule) (*hubtest.Client, *hubtest.FakeSnapshotStore, *testHub) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a.md", "text")
	write("Vault/open.md", "text")
	for i := range names / 2 {
		write(fmt.Sprintf("Vault/n%03d.md", 2*i), "#secret")
	}
	config, err := json.Marshal(markdown.Config{Path: tools.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{markdown.System()}, Policy: policy.New(nil, rules), Limits: limits,
		Sources: []hub.Source{{Name: "notes", Kind: "markdown", Options: config, Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Tag: "secret"}}}}},
	})
	return connectClient(t, h.Hub, "cursor", ""), h.board, h
}

// ask calls a tool and returns the answer without what names it.
func ask(s *hubtest.Client, tool, args, name string) string {
	raw := s.Ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, strings.ReplaceAll(args, "NAME", name))).Raw
	return strings.ReplaceAll(raw[strings.Index(raw, `"result"`):], name, "NAME")
}

// Under a rule that denies by path no call tells whether a hidden page has the name: it
// is denied before anything is compared with what is hidden.
func TestDenialByPathIsNoOracle(t *testing.T) {
	const names = 20
	s, _ := startHiding(t, names, hub.Limits{}, policy.Rule{Do: policy.Deny, Path: "Vault/n*.md"})
	for tool, args := range map[string]string{
		"create_page": `{"title":"NAME","parentPath":"Vault"}`,
		"write_page":  `{"path":"Vault/NAME.md","content":"x"}`,
		"move_page":   `{"sourcePath":"a.md","destinationPath":"Vault/NAME.md"}`,
	} {
		answers := map[string]int{}
		for i := range names {
			answers[ask(s, tool, args, fmt.Sprintf("n%03d", i))]++
		}
		if len(answers) != 1 {
			t.Errorf("%s tells names apart: %v", tool, answers)
		}
		for answer := range answers {
			if !strings.Contains(answer, "policy forbids") {
				t.Errorf("%s: %s", tool, answer)
			}
		}
	}
}

// Writes that are refused because of what is hidden are limited, dry runs too, and
// shown.
func TestProbingIsLimited(t *testing.T) {
	s, board := startHiding(t, 4, hub.Limits{HiddenWritesPerMinute: 5})
	for i := range 5 {
		if got := ask(s, "write_page", `{"path":"NAME.md","content":"#secret","dry_run":true}`, fmt.Sprint(i)); !strings.Contains(got, "hidden from agents") {
			t.Error(got)
		}
		if _, raised := board.Problem("privacy.probed cursor"); raised != (i == 4) {
			t.Errorf("shown after %d attempts: %v", i+1, raised)
		}
	}
	for _, name := range []string{"new", "n000"} {
		if got := ask(s, "write_page", `{"path":"Vault/NAME.md","content":"x","dry_run":true}`, name); !strings.Contains(got, "rate limit exceeded") {
			t.Error(got)
		}
	}
	if got := ask(s, "read_page", `{"path":"NAME.md"}`, "a"); !strings.Contains(got, "text") || strings.Contains(got, "rate limit") {
		t.Error(got)
	}
}
