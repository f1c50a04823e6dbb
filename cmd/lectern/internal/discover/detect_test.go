package discover

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

type folderSource struct{}

func (folderSource) Close() error                { return nil }
func (folderSource) Check(context.Context) error { return nil }

// claims is a kind that claims every folder that exists with this score.
func claims(name string, score int) tools.Kind {
	return tools.Erase(tools.System[folderSource, struct{}]{
		Name: name, Title: name, Doc: name + ".",
		Detect: func(dir fs.FS) tools.Detection {
			if _, err := fs.ReadDir(dir, "."); err != nil {
				return tools.Detection{}
			}
			return tools.Detection{Score: score, Reason: "it is " + name}
		},
	})
}

// The kind of a folder is only chosen where one claim is clearly the best.
func TestInspect(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		a, b int
		kind string // empty: ambiguous
	}{
		{90, 50, "a"}, {50, 90, "b"}, {90, 90, ""}, {50, 31, ""}, {50, 30, "a"}, {0, 10, "b"},
	} {
		f, err := InspectFolder([]tools.Kind{claims("a", c.a), claims("b", c.b)}, dir, "")
		if f.Kind != c.kind || errors.Is(err, ErrAmbiguousKind) != (c.kind == "") {
			t.Errorf("%d and %d: %+v, %v", c.a, c.b, f, err)
		}
		if c.kind != "" && len(f.Alternatives) != min(c.a, c.b, 1) {
			t.Errorf("%d and %d: alternatives %v", c.a, c.b, f.Alternatives)
		}
	}
	if f, err := InspectFolder([]tools.Kind{claims("a", 90), claims("b", 90)}, dir, "b"); err != nil || f.Kind != "b" || f.Alternatives != nil {
		t.Errorf("chosen by a person: %+v, %v", f, err)
	}
}

// Where kinds go by their files, the one of most files is taken, and what else is there is said.
func TestKindOfMostFiles(t *testing.T) {
	byFiles := func(name string, score int) tools.Kind {
		return tools.Erase(tools.System[folderSource, struct{}]{Name: name, Title: name, Doc: name + ".", Detect: func(fs.FS) tools.Detection {
			return tools.Detection{Score: score, Reason: "it has some", Ext: "." + name}
		}})
	}
	for _, c := range []struct {
		files  []string
		kind   string // empty: ambiguous
		reason string
	}{
		{[]string{"README.a", "x.b", "deep/er/y.B"}, "b", "it has some; .b files: 2"},
		{[]string{"1.a", "2.a", "1.b", ".hidden/2.b", "node_modules/3.b", "4.b/x"}, "a", "it has some; .a files: 2"},
		{[]string{"1.a", "1.b"}, "", ""},
	} {
		dir := t.TempDir()
		for _, name := range c.files {
			file := filepath.Join(dir, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		f, err := InspectFolder([]tools.Kind{byFiles("a", 50), byFiles("b", 40)}, dir, "")
		if f.Kind != c.kind || f.Reason != c.reason || errors.Is(err, ErrAmbiguousKind) != (c.kind == "") || c.kind != "" && len(f.Alternatives) != 1 {
			t.Errorf("%q: %+v, %v", c.files, f, err)
		}
	}
}

// A folder that two kinds claim is offered as both.
func TestSearchShowsEveryClaim(t *testing.T) {
	home := t.TempDir()
	dir := filepath.Join(home, "notes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	search := Search{Home: home, Env: func(string) string { return "" }, Kinds: []tools.Kind{claims("a", 80), claims("b", 90), claims("c", 55)}}
	want := []status.Discovered{
		{Kind: "b", Name: "notes", Location: resolveLinks(dir), Reason: "it is b"},
		{Kind: "a", Name: "notes-2", Location: resolveLinks(dir), Reason: "it is a"},
	}
	if d := cmp.Diff(want, search.Run(nil)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
