package configedit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/toolstest/memo"
)

// Concurrent edits are all in the file afterwards.
func TestConcurrentEdits(t *testing.T) {
	e := Editor{App: apptest.New(t)}
	done := make(chan error)
	const n = 8
	for i := range n {
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("notes%d", i))
		if err := os.MkdirAll(filepath.Join(dir, ".obsidian"), 0o700); err != nil {
			t.Fatal(err)
		}
		go func() {
			_, err := e.ApplyAction(t.Context(), status.Action{Verb: status.AddSource, Source: &status.NewSource{Location: dir}})
			done <- err
		}()
	}
	for range n {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	c, err := e.Config()
	if err != nil || len(c.Sources) != n {
		t.Errorf("%d sources, want %d: %v", len(c.Sources), n, err)
	}
}

// withMemo is an Editor of a build with a System that has a folder, a secret and
// a sample.
func withMemo(t *testing.T) Editor {
	a := apptest.New(t)
	a.Systems = func() []tools.Kind { return []tools.Kind{memo.System()} }
	return Editor{App: a}
}

// A source whose keys do not go together is not added, and no source is changed so.
func TestKeysThatDoNotGoTogether(t *testing.T) {
	e := withMemo(t)
	folder := t.TempDir()
	add := func(keys map[string]string) error {
		_, err := e.ApplyAction(t.Context(), status.Action{Verb: status.AddSource, Source: &status.NewSource{Kind: "memo", Name: "m", Keys: keys}})
		return err
	}
	const want = "notebook and folder: both name the notebook. Leave one of them out."
	if err := add(map[string]string{"notebook": "a", "folder": folder}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("added: %v", err)
	}
	if err := add(map[string]string{"notebook": "a"}); err != nil {
		t.Fatal(err)
	}
	set := func(c status.SourceChange) error {
		_, err := e.ApplyAction(t.Context(), status.Action{Verb: status.SetSource, Target: "m", Change: &c})
		return err
	}
	if err := set(status.SourceChange{Keys: map[string]string{"folder": folder}}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("changed: %v", err)
	}
	if c, err := e.Config(); err != nil || len(c.Sources) != 1 || strings.Contains(string(c.Sources[0].Options), "folder") {
		t.Errorf("the configuration has %+v, %v", c.Sources, err)
	}
}

// A hub takes no path that is relative to its own working directory.
func TestCheckAbsolute(t *testing.T) {
	e := withMemo(t)
	for _, c := range []struct {
		source   status.NewSource
		relative bool
	}{
		{status.NewSource{Location: "notes"}, true},
		{status.NewSource{Location: "~/notes"}, false},
		{status.NewSource{Kind: "memo", Keys: map[string]string{"folder": "notes"}}, true},
		{status.NewSource{Kind: "memo", Keys: map[string]string{"key": "file:key"}}, true},
		{status.NewSource{Kind: "memo", Keys: map[string]string{"key": "file:~/key", "folder": "/notes", "notebook": "a"}}, false},
		{status.NewSource{Kind: "memo", Keys: map[string]string{"key": "env:KEY"}}, false},
	} {
		err := e.CheckAbsolutePaths(status.Action{Verb: status.AddSource, Source: &c.source})
		if (err != nil) != c.relative || err != nil && !strings.Contains(err.Error(), "in full") {
			t.Errorf("%+v: %v", c.source, err)
		}
	}
}

// A sample is written by Apply only, and one that exists is left as it is.
func TestAddSample(t *testing.T) {
	e := withMemo(t)
	add := status.Action{Verb: status.AddSource, Source: &status.NewSource{Kind: "memo", Sample: true, Keys: map[string]string{"notes": "Tea=Hot"}}}
	mark := filepath.Join(e.Paths.Data, "recipes", ".memo")
	p, err := e.Propose(add)
	if _, statErr := os.Stat(mark); err != nil || statErr == nil || len(p.Plan.Steps) != 2 {
		t.Fatalf("%+v, %v; the sample is there: %v", p.Plan, err, statErr == nil)
	}
	if p, err = e.ApplyAction(t.Context(), add); err != nil || p.Source.Name != "recipes" {
		t.Fatalf("%+v, %v", p.Source, err)
	}
	if text, err := os.ReadFile(mark); err != nil || len(text) == 0 {
		t.Errorf("the sample: %q, %v", text, err)
	}
	want := `{"folder":"` + filepath.Dir(mark) + `","notes":{"Tea":"Hot"}}`
	if c, err := e.Config(); err != nil || len(c.Sources) != 1 || string(c.Sources[0].Options) != want {
		t.Errorf("%+v, %v", c.Sources, err)
	}
}
