package installer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/lectern-mcp/lectern/internal/loopnet"
)

func testPlugin() Plugin { return Plugin{ID: "logseq-lectern"} }

// testLogseq is a machine where Logseq has run, and the plugin for it.
func testLogseq(t *testing.T) (Machine, Plugin) {
	t.Helper()
	m := testMachine(t, "linux")
	if err := os.Mkdir(filepath.Join(m.Home, ".logseq"), 0o700); err != nil {
		t.Fatal(err)
	}
	g := testPlugin()
	g.Version, g.Port = "1.0.0", 12740
	g.Files = fstest.MapFS{
		"package.json":  {Data: []byte(`{"name": "logseq-lectern"}`)},
		"dist/index.js": {Data: []byte("one()\n")},
		"dist/old.css":  {Data: []byte("a{}\n")},
	}
	token := filepath.Join(t.TempDir(), "private", "plugin.token")
	g.MakeToken = func() (loopnet.Token, error) { return loopnet.LoadOrCreateToken(token) }
	return m, g
}

// tree is every file below dir, and what it holds.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.Type()&fs.ModeSymlink != 0 {
			all[filepath.ToSlash(rel)], err = os.Readlink(path)
			return err
		}
		if d.IsDir() {
			all[filepath.ToSlash(rel)+"/"] = ""
			return nil
		}
		all[filepath.ToSlash(rel)] = string(read(t, path))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPluginComesAndGoes(t *testing.T) {
	m, g := testLogseq(t)
	before := tree(t, m.Home)
	p, err := m.InstallPlugin(g)
	apply(t, p, err)
	if g.Token, err = g.MakeToken(); err != nil {
		t.Fatal(err)
	}
	at := m.pluginInstall(g)
	want := "{\n  \"port\": 12740,\n  \"token\": \"" + g.Token.Reveal() + "\"\n}\n"
	if diff := cmp.Diff(want, string(read(t, at.settingsFile))); diff != "" {
		t.Error(diff)
	}
	if mode := modeOf(at.settingsFile); mode != 0o600 {
		t.Errorf("the settings have mode %v", mode)
	}
	for _, step := range p.Plan.Steps {
		if strings.Contains(step.Diff, g.Token.Reveal()) {
			t.Errorf("the plan shows the token: %s", step.Diff)
		}
	}
	if again, err := m.InstallPlugin(g); err != nil || again.Changes() {
		t.Errorf("again: %v, %v", again.Plan, err)
	}

	// Another port: the plan shows what changes, and no token.
	moved := g
	moved.Port = 7
	p, err = m.InstallPlugin(moved)
	if err != nil || len(p.Plan.Steps) != 1 {
		t.Fatalf("%v, %v", p, err)
	}
	if diff := p.Plan.Steps[0].Diff; !strings.Contains(diff, `+  "port": 7`) || strings.Contains(diff, tokenPrefix) {
		t.Errorf("the plan shows %s", diff)
	}

	// A newer version: what it has not any more goes.
	g.Version, g.Files = "2.0.0", fstest.MapFS{
		"package.json":  {Data: []byte(`{"name": "logseq-lectern"}`)},
		"dist/index.js": {Data: []byte("two()\n")},
	}
	if s, err := m.PluginState(g); err != nil || s.Current || s.Version != "1.0.0" || !s.TokenMatches || !s.PortMatches || !s.Private {
		t.Errorf("before the update: %+v, %v", s, err)
	}
	p, err = m.InstallPlugin(g)
	apply(t, p, err)
	wantTree := map[string]string{
		"./": "", "dist/": "", "dist/index.js": "two()\n", "package.json": `{"name": "logseq-lectern"}`, "lectern.json": "{\"version\":\"2.0.0\"}\n",
	}
	if diff := cmp.Diff(wantTree, tree(t, at.folder)); diff != "" {
		t.Error(diff)
	}
	if s, err := m.PluginState(g); err != nil || !s.Current || s.Version != "2.0.0" {
		t.Errorf("after the update: %+v, %v", s, err)
	}

	p, err = m.RemovePlugin(g)
	apply(t, p, err)
	delete(before, "state/")
	after := tree(t, m.Home)
	delete(after, "state/")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}

// Whatever the user has set or put there stays.
func TestPluginLeavesWhatIsNotOurs(t *testing.T) {
	m, g := testLogseq(t)
	at := m.pluginInstall(g)
	write(t, at.settingsFile, []byte("{\n  \"excludedTags\": \"a\",\n  \"port\": \"x\",\n  \"disabled\": true\n}"), 0o644)
	p, err := m.InstallPlugin(g)
	apply(t, p, err)
	if len(p.Plan.Risks) != 1 || !strings.Contains(p.Plan.Risks[0], "is disabled") {
		t.Errorf("risks: %q", p.Plan.Risks)
	}
	if mode := modeOf(at.settingsFile); mode != 0o600 {
		t.Errorf("the settings have mode %v", mode)
	}
	if got := string(read(t, at.settingsFile)); !strings.HasPrefix(got, "{\n  \"excludedTags\": \"a\",\n  \"port\": 12740,\n  \"disabled\": true") {
		t.Errorf("settings: %s", got)
	}
	write(t, filepath.Join(at.folder, "mine.txt"), []byte("mine"), 0o600)
	p, err = m.RemovePlugin(g)
	apply(t, p, err)
	if diff := cmp.Diff(map[string]string{"./": "", "mine.txt": "mine"}, tree(t, at.folder)); diff != "" {
		t.Error(diff)
	}
	if got := string(read(t, at.settingsFile)); got != "{\n  \"excludedTags\": \"a\",\n  \"disabled\": true\n}" {
		t.Errorf("settings: %s", got)
	}
}

// Without the record, what is ours is found by looking.
func TestPluginIsFoundWithoutRecord(t *testing.T) {
	m, g := testLogseq(t)
	p, err := m.InstallPlugin(g)
	apply(t, p, err)
	if err := os.Remove(m.receipts().file); err != nil {
		t.Fatal(err)
	}
	p, err = m.RemovePlugin(g)
	apply(t, p, err)
	at := m.pluginInstall(g)
	if isFolder(at.folder) || strings.Contains(string(read(t, at.settingsFile)), tokenPrefix) {
		t.Errorf("left: %v", tree(t, at.home))
	}
}

// A crash between two steps: the same command goes on.
func TestPluginHalfInstalled(t *testing.T) {
	m, g := testLogseq(t)
	p, err := m.InstallPlugin(g)
	if err != nil {
		t.Fatal(err)
	}
	p.steps = p.steps[:3]
	apply(t, p, nil)
	if g.Token, err = g.MakeToken(); err != nil {
		t.Fatal(err)
	}
	if s, err := m.PluginState(g); err != nil || s.Installed {
		t.Errorf("%+v, %v", s, err)
	}
	p, err = m.InstallPlugin(g)
	apply(t, p, err)
	if s, err := m.PluginState(g); err != nil || !s.Current {
		t.Errorf("%+v, %v", s, err)
	}
}

func TestPluginRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		prepare func(at pluginInstall) error
		want    string
	}{
		"no Logseq": {func(at pluginInstall) error { return os.Remove(at.home) }, "Logseq has not run here"},
		"theirs": {func(at pluginInstall) error {
			return errors.Join(os.MkdirAll(at.folder, 0o700), os.WriteFile(filepath.Join(at.folder, "package.json"), []byte(`{"name":"x"}`), 0o600))
		}, "is not logseq-lectern; move it away first"},
		"no package": {func(at pluginInstall) error {
			return errors.Join(os.MkdirAll(at.folder, 0o700), os.WriteFile(filepath.Join(at.folder, "a"), nil, 0o600))
		}, "it has no package.json"},
		"link": {func(at pluginInstall) error {
			return errors.Join(os.MkdirAll(filepath.Dir(at.folder), 0o700), os.Symlink(at.home, at.folder))
		}, "is a symbolic link; remove it first"},
		"broken settings": {func(at pluginInstall) error {
			return errors.Join(os.MkdirAll(filepath.Dir(at.settingsFile), 0o700), os.WriteFile(at.settingsFile, []byte("{"), 0o600))
		}, "logseq-lectern.json: unexpected end of JSON input; fix it"},
		"token twice": {func(at pluginInstall) error {
			return errors.Join(os.MkdirAll(filepath.Dir(at.settingsFile), 0o700), os.WriteFile(at.settingsFile, []byte(`{"token":"a","token":"b"}`), 0o600))
		}, "it has port or token twice; remove one"},
		"settings of another form": {func(at pluginInstall) error {
			return errors.Join(os.MkdirAll(filepath.Dir(at.settingsFile), 0o700), os.WriteFile(at.settingsFile, []byte("null"), 0o600))
		}, "it is not an object"},
	} {
		t.Run(name, func(t *testing.T) {
			m, g := testLogseq(t)
			if err := c.prepare(m.pluginInstall(g)); err != nil {
				t.Skip(err)
			}
			before := tree(t, m.Home)
			if _, err := m.InstallPlugin(g); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
			if diff := cmp.Diff(before, tree(t, m.Home)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A new token goes into every Logseq on record, and nothing else changes.
func TestRotatePluginToken(t *testing.T) {
	m, g := testLogseq(t)
	p, err := m.InstallPlugin(g)
	apply(t, p, err)
	other := g
	other.Home = t.TempDir()
	p, err = m.InstallPlugin(other)
	apply(t, p, err)
	file := filepath.Join(t.TempDir(), "private", "plugin.token")
	g.MakeToken = func() (loopnet.Token, error) { return loopnet.RotateToken(file) }
	p, err = m.RotatePluginToken(g, file)
	apply(t, p, err)
	g.Token, err = loopnet.LoadOrCreateToken(file)
	if err != nil {
		t.Fatal(err)
	}
	other.Token = g.Token
	for _, g := range []Plugin{g, other} {
		if s, err := m.PluginState(g); err != nil || !s.TokenMatches || !s.Current {
			t.Errorf("%s: %+v, %v", g.Home, s, err)
		}
	}
}
