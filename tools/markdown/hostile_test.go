package markdown

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/internal/runtest"
	"github.com/lectern-mcp/lectern/tools"
)

// Every tool argument that takes a path, with a place for it.
var pathArguments = [][2]string{
	{"list_pages", `{"path":%s}`},
	{"read_page", `{"path":%s}`},
	{"write_page", `{"path":%s,"content":"x"}`},
	{"create_page", `{"title":"X","parentPath":%s}`},
	{"delete_page", `{"path":%s}`},
	{"move_page", `{"sourcePath":%s,"destinationPath":"moved.md"}`},
	{"move_page", `{"sourcePath":"Welcome.md","destinationPath":%s}`},
	{"search_pages", `{"query":"secret","path":%s}`},
	{"get_page_links", `{"path":%s}`},
	{"get_tree", `{"path":%s}`},
	{"add_attachment", `{"pagePath":%s,"data":"eA==","fileName":"x"}`},
	{"add_attachment", `{"pagePath":"Welcome.md","filePath":%s}`},
}

// Nothing outside the tenant's folder is read, named or changed, whatever the
// path, and nothing inside is changed by a path that is refused.
func TestHostilePaths(t *testing.T) {
	runtest.InOrder(t)
	base := t.TempDir()
	secret := "secret-canary-7341"
	for _, file := range []string{"a/Welcome.md", "ab/secret.md", "A2/secret.md", "secret.md"} {
		full := filepath.Join(base, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		content := secret
		if file == "a/Welcome.md" {
			content = "hello\n"
		}
		if err := os.WriteFile(full, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, nil, map[string]any{"path": base, "tenant": "a"})
	b.dir = base
	for link, to := range map[string]string{"out.md": filepath.Join(base, "secret.md"), "out": filepath.Join(base, "ab"), "up": "..", "abs.md": filepath.Join(base, "a", "Welcome.md"), "loop.md": "loop.md", "dangling.md": "none.md"} {
		if err := os.Symlink(to, filepath.Join(base, "a", link)); err != nil {
			t.Logf("symbolic links: %v", err)
		}
	}
	for _, path := range []string{
		"../ab/secret.md", "../secret.md", "..", "../", "a/../../ab/secret.md", "Welcome/../../ab/secret.md", base + "/ab/secret.md", "/etc/passwd", "~/x.md", "C:/x.md", `..\ab\secret.md`, `\\h\s`,
		"out.md", "out/secret.md", "out", "up/ab/secret.md", "abs.md", "loop.md", "dangling.md",
		"a\x00b.md", "a\nb.md", "a\x1b[31m.md", ".git/config.md", ".hidden.md", "x.md.tmp", "a//b.md", "/", "..%2fsecret.md", "%2e%2e/secret.md",
		"CON.md", "nul.md", "a:b.md", "a*.md", "a?.md", "x .md/y.md", " .md", "x\u202ey.md", strings.Repeat("n", 300) + ".md", strings.Repeat("d/", 2500) + "x.md", "WELCOME.md", "Welcome.md/x.md",
	} {
		arg, err := json.Marshal(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range pathArguments {
			before := b.files()
			answer, ok := b.try(tool[0], fmt.Sprintf(tool[1], arg))
			if strings.Contains(answer, secret) {
				t.Errorf("%s %q: the secret came out", tool[0], path)
			}
			for name, content := range b.files() {
				if was, there := before[name]; (!there || was != content) && (!ok || !strings.HasPrefix(name, "a/")) {
					t.Errorf("%s %q wrote %s (%s)", tool[0], path, name, answer)
				}
			}
			for name := range before {
				if _, still := b.files()[name]; !still && (!ok || !strings.HasPrefix(name, "a/")) {
					t.Errorf("%s %q removed %s (%s)", tool[0], path, name, answer)
				}
			}
			b.put("a/Welcome.md", "hello\n")
		}
	}
	f := b.refused("read_page", `{"path":"../ab/secret.md"}`, "DENIED")
	equal(t, "message", "Cannot access pages in another tenant", f.Error)
}

func TestTwinsAreRefused(t *testing.T) {
	b := open(t, map[string]string{"Case.md": "a", "Dir/x.md": "", "cafe\u0301.md": "b"}, nil)
	for _, path := range []string{"case.md", "dir/y.md", "CAFÉ.md"} {
		if f := b.refused("write_page", `{"path":"`+path+`","content":"x"}`, "CONFLICT"); !strings.Contains(f.Error, "case or accents") {
			t.Errorf("%s: %+v", path, f)
		}
	}
	out := call[WritePageOut](b, "write_page", `{"path":"café.md","content":"written"}`)
	equal(t, "the same letters are the same page", "written", b.get("cafe\u0301.md"))
	if out.Created {
		t.Errorf("%+v", out)
	}
}

func TestOpenNamesThePath(t *testing.T) {
	dir := t.TempDir()
	b := open(t, map[string]string{"x.md": ""}, nil)
	for want, config := range map[string]Config{
		"no such folder":                          {Path: tools.Folder(filepath.Join(dir, "gone"))},
		"not a folder":                            {Path: tools.Folder(filepath.Join(b.dir, "x.md"))},
		`(tenant "none"): no such folder`:         {Path: tools.Folder(dir), Tenant: "none"},
		`tenant "../x" is not the name of`:        {Path: tools.Folder(dir), Tenant: "../x"},
		`tenant ".." is not the name of a folder`: {Path: tools.Folder(dir), Tenant: ".."},
	} {
		_, err := Open(t.Context(), config, tools.Env{})
		if e := tools.AsError(err); e == nil || !strings.Contains(e.Message, want) || !strings.Contains(e.Message, string(config.Path)) || e.Code == tools.Internal {
			t.Errorf("%+v: %v, want %s", config, err, want)
		}
	}
}

// A folder that went away is not an empty one.
func TestGoneFolder(t *testing.T) {
	b := open(t, fixture(), nil)
	if err := b.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(b.dir); err != nil {
		t.Fatal(err)
	}
	if err := tools.AsError(b.Check(t.Context())); err == nil || err.Code != tools.Unavailable || !strings.Contains(err.Message, b.dir) {
		t.Errorf("check: %v", err)
	}
	for _, tool := range pathArguments {
		answer, ok := b.try(tool[0], fmt.Sprintf(tool[1], `"Welcome.md"`))
		if ok || !strings.Contains(answer, "UNAVAILABLE") {
			t.Errorf("%s: %s", tool[0], answer)
		}
	}
	if answer, ok := b.try("get_tree", `{}`); ok {
		t.Errorf("get_tree: %s", answer)
	}
}

func TestConfigIsStrict(t *testing.T) {
	env := tools.Env{Name: "n", Log: slog.New(slog.DiscardHandler)}
	for config, want := range map[string]string{`{}`: "missing argument path", `{"path":"x","tenat":"y"}`: "did you mean tenant?"} {
		_, err := testSystem().Open(t.Context(), json.RawMessage(config), env)
		if e, ok := errors.AsType[*tools.Error](err); !ok || !strings.Contains(e.Message, want) {
			t.Errorf("%s: %v", config, err)
		}
	}
}
