package org_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/org"
)

// files are the names of the files that are open.
func (s *testSource) files() (names []string) {
	s.t.Helper()
	for _, f := range s.must("org-get-allowed-files", `{}`)["files"].([]any) {
		name, _ := f.(map[string]any)["file"].(string)
		names = append(names, name)
	}
	return names
}

func TestFilesThatAreOpen(t *testing.T) {
	files := map[string]string{}
	for _, name := range []string{"a.org", "b.org", "a.org_archive", "_c.org", "sub/d.org", "sub/e.org", "sub/e.org_archive", "f.txt"} {
		files[name] = "* A\n"
	}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"*.org"}, "_c.org a.org a.org_archive b.org"},
		{[]string{"*.org", "!b.org"}, "_c.org a.org a.org_archive"},
		{[]string{"!a.org"}, "_c.org b.org sub/d.org sub/e.org sub/e.org_archive"},
		{[]string{"!sub"}, "_c.org a.org a.org_archive b.org"},
		{[]string{"**/*.org", "!**/[de].org"}, "_c.org a.org a.org_archive b.org"},
		{[]string{"!DIR/sub/e.*"}, "_c.org a.org a.org_archive b.org sub/d.org"},
		{[]string{"[!_]*.org"}, "a.org a.org_archive b.org"},
		{[]string{"sub", "b.org"}, "b.org sub/d.org sub/e.org sub/e.org_archive"},
		{[]string{"sub/e.org"}, "sub/e.org sub/e.org_archive"},
		{[]string{"sub/e.org", "!**/*_archive"}, "sub/e.org"},
		{[]string{"a.org", "gone.org", "none/*.org"}, "a.org a.org_archive"},
	} {
		s := openFiles(t, files, org.Config{Path: "DIR", Files: c.files})
		if got := strings.Join(s.files(), " "); got != c.want {
			t.Errorf("%q opens %s, want %s", c.files, got, c.want)
		}
	}
}

// What is not there is named, the rest is served, and it too as soon as it is there.
func TestMissingFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openFiles(t, map[string]string{"here/a.org": "* A\n"}, org.Config{Files: []string{"DIR/here/a.org", "DIR/here/gone.org", "DIR/later/*.org", "DIR/folder"}})
		runner, _ := tools.As[tools.Runner](s.OpenedSource)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- runner.Run(ctx) }()
		opens := func(want ...string) {
			t.Helper()
			time.Sleep(3 * time.Second) // of the bubble: a look comes every 2 s
			synctest.Wait()
			if got := s.files(); !slices.Equal(got, want) {
				t.Errorf("open are %q, want %q", got, want)
			}
		}
		opens("here/a.org")
		put(t, filepath.Join(s.dir, "later", "b.org"), "* B\n")
		opens("here/a.org", "later/b.org")
		put(t, filepath.Join(s.dir, "here", "gone.org"), "* G\n")
		put(t, filepath.Join(s.dir, "folder", "deep", "c.org"), "* C\n")
		opens("folder/deep/c.org", "here/a.org", "here/gone.org", "later/b.org")
		s.must("org-add-todo", `{"title":"x","parentUri":"org://later/b.org/headline/B"}`)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestGuide does what docs/guide/org.md shows.
func TestGuide(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "guide", "org.md"))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	text := strings.ReplaceAll(string(guide), "/home/me", filepath.ToSlash(home))
	for _, name := range []string{"org/work/plan.org", "org/inbox.org", "org/other.org", "notes/deep/n.org"} {
		put(t, filepath.Join(home, filepath.FromSlash(name)), "#+TODO: TODO | DONE\n* TODO A\n")
	}
	config := readGuide(t, text)
	config.IDs = "never"
	s := openFiles(t, nil, config)
	if got := strings.Join(s.files(), " "); got != "notes/deep/n.org org/inbox.org org/work/plan.org" {
		t.Errorf("open are %s", got)
	}
	s.must("org-archive-subtree", `{"resourceUri":"org://org/work/plan.org/headline/A"}`)
	s.must("org-read-headline", `{"resourceUri":"org://org/work/plan.org_archive/headline/A"}`)
	config.Files = nil
	put(t, filepath.Join(home, "org", "projects.org"), "* Tasks\n")
	s = openFiles(t, nil, config)
	for _, template := range []string{"t", "j"} {
		s.must("org-capture", `{"template":"`+template+`","title":"x"}`)
	}

	if err := os.CopyFS(filepath.Join(home, "sample"), testSystem().Manifest().Sample.Files); err != nil {
		t.Fatal(err)
	}
	s = openFiles(t, nil, org.Config{Path: tools.Folder(filepath.Join(home, "sample"))})
	calls := regexp.MustCompile(`(?m)^lectern call tasks (\S+) '(.*)'$`).FindAllStringSubmatch(text, -1)
	for _, call := range calls {
		s.must(call[1], call[2])
	}
	if len(calls) < 4 {
		t.Errorf("the guide has %d calls", len(calls))
	}
}

// readGuide is the configuration that the guide shows in parts.
func readGuide(t *testing.T, text string) (config org.Config) {
	t.Helper()
	all := map[string]any{"vars": map[string]any{}}
	for _, block := range regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(text, -1) {
		source := strings.ReplaceAll(strings.ReplaceAll(block[1], "[[source]]\n", ""), "[source.vars]", "[vars]")
		part := map[string]any{}
		if err := toml.Unmarshal([]byte(source), &part); err != nil {
			t.Fatalf("%v in\n%s", err, block[1])
		}
		for key, value := range part {
			if vars, ok := value.(map[string]any); ok {
				maps.Copy(all["vars"].(map[string]any), vars)
				continue
			}
			all[key] = value
		}
	}
	for _, key := range []string{"name", "kind", "tools", "emacs_vars", "emacs", "emacs_socket"} {
		delete(all, key)
	}
	raw, err := json.Marshal(all)
	if err == nil {
		err = json.Unmarshal(raw, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	config.Path = tools.Folder(filepath.FromSlash(string(config.Path)))
	return config
}
