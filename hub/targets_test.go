package hub_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/markdown"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// What a read touches is judged by the rules and stands in the history, hidden or
// not, and the agent cannot tell a hidden note from one that does not exist.
func TestTargetsOfReads(t *testing.T) {
	store := memo.NewStore()
	store.Put("desk", "Milk", "two bottles")
	store.Put("desk", "Diary", "a secret")
	h, _ := startMemo(t, store, policy.New(nil, []policy.Rule{{Do: policy.Deny, Path: "Plans/**"}}))
	hidden := tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Diary"}}}
	if err := h.ReloadSources(t.Context(), []hub.Source{{Name: "desk", Kind: "memo", Privacy: hidden}}); err != nil {
		t.Fatal(err)
	}
	s := connectClient(t, h, "cursor", "")
	read := func(title string) string {
		raw := s.Ask("tools/call", `{"name":"read_note","arguments":{"title":"`+title+`"}}`).Raw
		return strings.ReplaceAll(raw[strings.Index(raw, `"result"`):], title, "TITLE")
	}
	if got := read("Milk"); !strings.Contains(got, "two bottles") {
		t.Error(got)
	}
	if hidden, missing := read("Diary"), read("Nope!"); hidden != missing {
		t.Errorf("hidden: %s\nmissing: %s", hidden, missing)
	}
	if got := read("Plans/secret"); !strings.Contains(got, "policy forbids") {
		t.Error(got)
	}
	if d := cmp.Diff([]string{"Milk", "Diary", "Nope!", "Plans/secret"}, targetsOfCalls(t, h)); d != "" {
		t.Error(d)
	}
}

func targetsOfCalls(t *testing.T, h *hub.Hub) (names []string) {
	t.Helper()
	calls, err := h.Calls().Stream(t.Context(), status.CallFilter{})
	if err != nil {
		t.Fatal(err)
	}
	for c := range calls {
		names = append(names, c.Targets...)
	}
	return names
}

// The history names the file that was read, however the agent named it, found or not.
func TestTargetsOfAnswers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "Plan.md"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(markdown.Config{Path: tools.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	h := startWith(t, hub.Config{Systems: []tools.Kind{markdown.System()}, Sources: []hub.Source{{Name: "notes", Kind: "markdown", Options: config}}})
	s := connectClient(t, h.Hub, "cursor", "")
	for _, path := range []string{"Plan", "plan", "./Plan.md", "None"} {
		s.Ask("tools/call", `{"name":"read_page","arguments":{"path":"`+path+`"}}`)
	}
	if d := cmp.Diff([]string{"Plan.md", "Plan.md", "Plan.md", "None"}, targetsOfCalls(t, h.Hub)); d != "" {
		t.Error(d)
	}
}

// A search says how many results it had, also in the record; its words are only in the memory of the
// hub.
func TestSearchesAreCounted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"Plan.md", "Other.md", "Third.md"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("swordfish\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config, err := json.Marshal(markdown.Config{Path: tools.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	h := startWith(t, hub.Config{Systems: []tools.Kind{markdown.System()}, Sources: []hub.Source{{Name: "notes", Kind: "markdown", Options: config}}})
	file := filepath.Join(t.TempDir(), "audit.db")
	trail, err := audit.Open(t.Context(), audit.Options{File: file, Key: []byte("key"), Now: time.Now, Keep: time.Hour, MaxBytes: 1 << 30})
	if err != nil {
		t.Fatal(err)
	}
	h.Calls().SetTrail(trail)
	s := connectClient(t, h.Hub, "cursor", "")
	for _, call := range []string{
		`{"name":"search_pages","arguments":{"query":"swordfish"}}`, `{"name":"search_pages","arguments":{"query":"marlin"}}`,
		`{"name":"search_pages","arguments":{"query":"swordfish","limit":2}}`,
		`{"name":"read_page","arguments":{"path":"Plan"}}`, `{"name":"search_pages","arguments":{"query":{}}}`,
	} {
		s.Ask("tools/call", call)
	}
	calls, err := h.Calls().Stream(t.Context(), status.CallFilter{})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for c := range calls {
		found := "none"
		if c.Found != nil {
			found = fmt.Sprintf("%d of %d", *c.Found, c.FoundTotal)
		}
		told = append(told, c.Tool+" "+c.Words+" "+found)
	}
	if d := cmp.Diff([]string{
		"search_pages swordfish 3 of 0", "search_pages marlin 0 of 0", "search_pages swordfish 2 of 3", "read_page  none", "search_pages  none",
	}, told); d != "" {
		t.Error(d)
	}
	if err := trail.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := audit.OpenReader(t.Context(), file, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	page, err := r.Calls(t.Context(), audit.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	var details []string
	for _, c := range page.Calls { // the newest first
		details = append(details, string(c.Detail))
	}
	if d := cmp.Diff([]string{"", "", `{"found":2,"found_total":3}`, `{"found":0}`, `{"found":3}`}, details); d != "" {
		t.Error(d)
	}
	if raw, err := os.ReadFile(file); err != nil || strings.Contains(string(raw), "swordfish") {
		t.Errorf("the record has the words of a search, or cannot be read: %v", err)
	}
}

// A page that begins with a template shows what the template says, so a rule that
// forbids to read the template forbids that too, whatever it allows to write.
func TestTemplatesAreRead(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"Secret/Plan.md": "nobody reads this", "Templates/Plain.md": "anybody reads this"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config, err := json.Marshal(markdown.Config{Path: tools.Folder(dir)})
	if err != nil {
		t.Fatal(err)
	}
	h := startWith(t, hub.Config{
		Systems: []tools.Kind{markdown.System()}, Sources: []hub.Source{{Name: "notes", Kind: "markdown", Options: config}},
		Policy: policy.New(nil, []policy.Rule{{Do: policy.Deny, Path: "Secret/**", Effects: []tools.Effect{tools.Reads}}}),
	})
	s := connectClient(t, h.Hub, "cursor", "")
	for template, want := range map[string]string{"Secret/Plan.md": "policy forbids", "secret/plan": "policy forbids", "Templates/Plain.md": "New.md"} {
		got := s.Ask("tools/call", `{"name":"create_page","arguments":{"title":"New","template":"`+template+`"}}`).Raw
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s", template, got)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "New.md")); err != nil || string(text) != "anybody reads this" {
		t.Errorf("%q, %v", text, err)
	}
}

// A write that is refused, or fails before its changes are known, says what it was about. The
// agent is told the same of a hidden page as of one that does not exist.
func TestTargetsOfRefusedWrites(t *testing.T) {
	edit := func(path string) string {
		return `{"name":"edit_page","arguments":{"path":"` + path + `","action":"replace","heading":"None","content":"x"}}`
	}
	asking := []policy.Grant{{Source: "notes", Ask: []tools.Effect{tools.Writes, tools.Deletes}}}
	for _, c := range []struct {
		name   string
		grants []policy.Grant
		source hub.Source
		paused bool
		call   string
		answer string
		want   []string
	}{
		{"failed dry run", asking, hub.Source{}, false, edit("Plan"), "no heading", []string{"Plan.md"}},
		{"failed write", nil, hub.Source{}, false, edit("Plan.md"), "no heading", []string{"Plan.md"}},
		{"missing page", asking, hub.Source{}, false, edit("None"), "not found", []string{"None"}},
		{"hidden page", asking, hub.Source{}, false, edit("Diary.md"), "not found", []string{"Diary.md"}},
		{"pause", nil, hub.Source{}, true, `{"name":"create_page","arguments":{"title":"Plan"}}`, "paused", []string{"Plan-2.md"}},
		{"pause, failed dry run", nil, hub.Source{}, true, edit("Plan"), "paused", []string{"Plan.md"}},
		{"read-only", nil, hub.Source{ReadOnly: true}, false, edit("plan"), "tool not found", []string{"Plan.md"}},
		{
			"grant",
			[]policy.Grant{{Client: "cursor", Source: "notes", Effects: []tools.Effect{tools.Reads}}},
			hub.Source{},
			false,
			`{"name":"delete_page","arguments":{"path":"Plan"}}`, "may not delete",
			[]string{"Plan.md"},
		},
		{"rule by name", nil, hub.Source{}, false, `{"name":"delete_page","arguments":{"path":"Kept/"}}`, "policy forbids", []string{"Kept/"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range []string{"Plan.md", "Diary.md"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte("# Plan\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			config, err := json.Marshal(markdown.Config{Path: tools.Folder(dir)})
			if err != nil {
				t.Fatal(err)
			}
			src := c.source
			src.Name, src.Kind, src.Options = "notes", "markdown", config
			src.Privacy = tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "Diary"}}}
			pausing := pauses.Open(filepath.Join(t.TempDir(), "paused.json"), time.Now)
			h := startWith(t, hub.Config{
				Systems: []tools.Kind{markdown.System()}, Sources: []hub.Source{src}, Pauses: pausing,
				Policy: policy.New(c.grants, []policy.Rule{{Do: policy.Deny, Path: "Kept"}}),
			})
			if c.paused {
				if err := h.Limiter().PauseWrites("cursor"); err != nil {
					t.Fatal(err)
				}
			}
			s := connectClient(t, h.Hub, "cursor", "")
			if got := s.Ask("tools/call", c.call).Raw; !strings.Contains(got, c.answer) {
				t.Errorf("the answer is %s", got)
			}
			if d := cmp.Diff(c.want, targetsOfCalls(t, h.Hub)); d != "" {
				t.Error(d)
			}
		})
	}
}
