package hub_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
)

// The files of every source are listed as resources, each URI once, without those that
// are hidden; and each can be read.
func TestFilesAreListed(t *testing.T) {
	var sources []hub.Source
	for name, files := range map[string][]string{"one": {"a b.org", "é.org", "both.org", "private.org"}, "two": {"both.org", "deep/c.org"}} {
		dir := t.TempDir()
		for _, file := range files {
			path := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("* In "+file+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		config, err := json.Marshal(org.Config{Path: tools.Folder(dir), Emacs: "off"})
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, hub.Source{Name: name, Kind: "org", Options: config, Privacy: tools.Privacy{Exclude: []tools.PrivacyRule{{Path: "private.org"}}}})
	}
	h := startWith(t, hub.Config{Systems: []tools.Kind{org.System()}, Sources: sources})
	s := connectClient(t, h.Hub, "cursor", "")
	var answer struct {
		Resources []struct{ URI, Name string }
	}
	if err := json.Unmarshal(s.Ask("resources/list", `{}`).Result, &answer); err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range answer.Resources {
		if filepath.Ext(r.URI) == ".org" {
			uris = append(uris, r.URI)
			if f := s.Ask("resources/read", `{"uri":"`+r.URI+`"}`); f.Error != nil {
				t.Errorf("%s: %s", r.URI, f.Raw)
			}
		}
	}
	slices.Sort(uris)
	if d := cmp.Diff([]string{"org://%C3%A9.org", "org://a%20b.org", "org://both.org", "org://deep/c.org"}, uris); d != "" {
		t.Error(d)
	}
}
