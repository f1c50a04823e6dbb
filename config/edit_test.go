package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

func parse(t *testing.T, text string) config.Config {
	t.Helper()
	c, err := config.Parse(file, []byte(text), schema)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const (
	tableA = "[[source]]\nname = \"a\"\nkind = \"markdown\"\npath = \"/a\"\n"
	tableB = "[[source]]\nname = \"b\"\nkind = \"markdown\"\npath = \"/b\"\n"
)

// Every byte that is not the new table stays what it was.
func TestAddSourceBytes(t *testing.T) {
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	for name, c := range map[string]struct{ before, after string }{
		"empty":            {"", tableB},
		"comment":          {"# hi\n", "# hi\n\n" + tableB},
		"no last newline":  {"[hub] # x", "[hub] # x\n\n" + tableB},
		"blank line there": {"[hub]\n\n", "[hub]\n\n" + tableB},
		"after a source":   {tableA + "  # odd  \n", tableA + "  # odd  \n\n" + tableB},
		"before the hub":   {tableA + "[hub]\nport=1\n", tableA + "[hub]\nport=1\n\n" + tableB},
		"crlf":             {crlf(tableA), crlf(tableA + "\n" + tableB)},
		"bom":              {"\ufeff" + tableA, "\ufeff" + tableA + "\n" + tableB},
		"only a BOM":       {"\ufeff", "\ufeff" + tableB},
	} {
		t.Run(name, func(t *testing.T) {
			e, s, err := parse(t, c.before).AddSource(config.Source{Kind: "markdown"}, map[string]string{"path": "/b"})
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.after, string(e.After)); d != "" || s.Name != "b" {
				t.Errorf("name %s, text %s", s.Name, d)
			}
			back, err := parse(t, string(e.After)).RemoveSource("b")
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.TrimRight(string(back.After), "\r\n"), strings.TrimRight(c.before, "\r\n"); got != want {
				t.Errorf("removed again: %q, want %q", got, want)
			}
		})
	}
}

func TestRemoveSourceBytes(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"first":             {tableA + "\n" + tableB, tableB},
		"last":              {tableB + "\n" + tableA, tableB},
		"middle":            {"[hub]\n\n" + tableA + "\n" + tableB, "[hub]\n\n" + tableB},
		"no gaps":           {"[hub]\n" + tableA + tableB, "[hub]\n" + tableB},
		"its comment goes":  {"[hub]\n\n# about a\n" + tableA + "\n# about b\n" + tableB, "[hub]\n\n# about b\n" + tableB},
		"top comment stays": {"# the file\n" + tableA + "\n" + tableB, "# the file\n\n" + tableB},
		"far comment stays": {"# far\n\n" + tableA + "\n# end\n", "# far\n\n# end\n"},
		"inner comment":     {tableB + "\n[[source]] # x\n# in\nname = 'a'\n\nkind = 'markdown' # y\npath = '/a'\n", tableB},
		"crlf":              {strings.ReplaceAll(tableA+"\n"+tableB, "\n", "\r\n"), strings.ReplaceAll(tableB, "\n", "\r\n")},
		"bom":               {"\ufeff" + tableA, "\ufeff"},
		"no last newline":   {tableB + "\n" + strings.TrimSuffix(tableA, "\n"), tableB},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := parse(t, c.before).RemoveSource("a")
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.after, string(e.After)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestEditsThatAreRefused(t *testing.T) {
	inline := "source = [{name = \"a\", kind = \"markdown\", path = \"/a\"}]\n"
	if _, _, err := parse(t, inline).AddSource(config.Source{Kind: "markdown"}, map[string]string{"path": "/b"}); err == nil {
		t.Error("added beside an inline list")
	}
	if _, err := parse(t, inline).RemoveSource("a"); err == nil || !strings.Contains(err.Error(), "with an editor") {
		t.Errorf("remove from an inline list: %v", err)
	}
	if _, err := parse(t, tableA+tableB).RemoveSource("aa"); err == nil || !strings.Contains(err.Error(), "did you mean a?") {
		t.Errorf("remove what is not there: %v", err)
	}
	if _, _, err := parse(t, tableA).AddSource(config.Source{Name: "a", Kind: "markdown"}, map[string]string{"path": "/b"}); err == nil || !strings.Contains(err.Error(), "line 1") {
		t.Errorf("add a taken name: %v", err)
	}
}

// Paths of every system come back as they were given.
func TestAddSourceQuotes(t *testing.T) {
	for _, path := range []string{"/a b", `/a"b`, `/a\b`, `/a'\b`, "/a\nb", "/ä/💡", "/a\tb", "/#"} {
		e, s, err := parse(t, "").AddSource(config.Source{Kind: "markdown"}, map[string]string{"path": path})
		if err != nil || s.Path != path {
			t.Errorf("%q became %q, error %v\n%s", path, s.Path, err, e.After)
		}
	}
}

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "config.toml")
	c, err := config.Load(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := c.AddSource(config.Source{Kind: "markdown"}, map[string]string{"path": "/b"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(e.Diff(), "+name = \"b\"\n") {
		t.Errorf("diff %s", e.Diff())
	}
	if err := e.Save(); err != nil {
		t.Fatal(err)
	}
	if err := e.Save(); !errors.Is(err, atomicfile.ErrExists) {
		t.Errorf("saved over a file that was not there when the edit was made: %v", err)
	}
	again, err := config.Load(path, schema)
	if err != nil {
		t.Fatal(err)
	}
	e, err = again.RemoveSource("b")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("# another edit\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := e.Save(); !errors.Is(err, atomicfile.ErrChanged) {
		t.Errorf("overwrote another edit: %v", err)
	}
}

// A configuration kept elsewhere, as dotfiles are, stays there.
func TestSaveFollowsALink(t *testing.T) {
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.toml"), filepath.Join(dir, "config.toml")
	if err := os.WriteFile(real, []byte(tableA), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	c, err := config.Load(link, schema)
	if err != nil {
		t.Fatal(err)
	}
	e, err := c.RemoveSource("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Save(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode().IsRegular() {
		t.Errorf("the link is gone: %v %v", info, err)
	}
}
