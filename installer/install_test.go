package installer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func client(t *testing.T, id string) Client {
	t.Helper()
	c, err := Find(id)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// apply proposes and does.
func apply(t *testing.T, p *Proposal, err error) *Proposal {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

// What must not be touched is refused, in words that say what to do, and stays.
func TestInstallRefuses(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "theirs.json")
	write(t, outside, []byte("{}"), 0o600)
	for name, c := range map[string]struct {
		client, text string
		in           ConnectOptions
		prepare      func(t *testing.T, path string)
		want         string
	}{
		"broken":       {client: "cursor", text: "{\n  \"a\": 1\n  \"b\": 2\n}", want: "mcp.json:3:3: invalid character"},
		"broken toml":  {client: "codex", text: "a = \n", want: "config.toml:1:5: "},
		"broken yaml":  {client: "goose", text: "a: 1\n\tb: 2\n", want: "config.yaml:2:"},
		"twice":        {client: "cursor", text: "{\"mcpServers\": {},\n\"mcpServers\": {}}", want: "2:1: duplicate key \"mcpServers\"; remove one"},
		"foreign":      {client: "cursor", text: `{"mcpServers": {"lectern": {"command": "npx", "args": ["x"]}}}`, want: `it leads to ["npx","x"]; name ours differently with --name`},
		"token":        {client: "windsurf", text: "{}", in: ConnectOptions{HTTP: true}, want: "which Lectern never writes there"},
		"stdio alone":  {client: "claude-desktop", text: "{}", in: ConnectOptions{HTTP: true}, want: "it supports only stdio"},
		"retired":      {client: "amazon-q-cli", text: "{}", want: "use kiro instead"},
		"no project":   {client: "windsurf", text: "{}", in: ConnectOptions{Project: "/p"}, want: "has no configuration in projects"},
		"closed table": {client: "codex", text: "mcp_servers = {}\n", want: "paste the snippet of `lectern client show codex`"},
		"link outside": {client: "cursor", text: "{}", want: "symbolic link to " + outside, prepare: func(t *testing.T, path string) {
			t.Helper()
			if err := errors.Join(os.Remove(path), os.Symlink(outside, path)); err != nil {
				t.Skip(err)
			}
		}},
		"no file": {client: "jetbrains-ai-assistant", want: "paste the snippet of `lectern client show jetbrains-ai-assistant` in Settings | Tools"},
	} {
		t.Run(name, func(t *testing.T) {
			m := testMachine(t, "linux")
			cl := client(t, c.client)
			path, err := cl.file(m)
			if err == nil {
				write(t, path, []byte(c.text), 0o600)
			}
			if c.prepare != nil {
				c.prepare(t, path)
			}
			_, err = m.Install(cl, testServer(m), c.in)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
			if path != "" && c.prepare == nil && string(read(t, path)) != c.text {
				t.Error("the file was changed")
			}
		})
	}
}

// Another program writes between the plan and its doing: its text stays.
func TestChangedMeanwhile(t *testing.T) {
	m := testMachine(t, "linux")
	c := client(t, "cursor")
	path, _ := c.file(m)
	write(t, path, []byte("{}"), 0o600)
	p, err := m.Install(c, testServer(m), ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	write(t, path, []byte(`{"theirs": 1}`), 0o600)
	if err := p.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "another program has just changed") {
		t.Errorf("apply: %v", err)
	}
	if got := string(read(t, path)); got != `{"theirs": 1}` {
		t.Errorf("the file holds %s", got)
	}
}

// A binary that has moved: our entry follows, and what a person added stays.
func TestUpdateKeepsWhatAPersonAdded(t *testing.T) {
	m := testMachine(t, "linux")
	c := client(t, "kiro")
	path, _ := c.file(m)
	write(t, path, []byte(`{
  "mcpServers": {
    "lectern": {
      "command": "/old/lectern",
      "args": ["serve"],
      "disabled": true,
      "autoApprove": ["list_pages"],
      "env": {"LECTERN_HOME": "/old/home", "TZ": "UTC"},
      "timeout": 7
    }
  }
}
`), 0o600)
	p, err := m.Install(c, testServer(m), ConnectOptions{})
	apply(t, p, err)
	want := `{
  "mcpServers": {
    "lectern": {
      "command": "/usr/local/bin/lectern",
      "args": ["serve", "--client", "kiro"],
      "disabled": true,
      "autoApprove": ["list_pages"],
      "env": {
        "TZ": "UTC"
      },
      "timeout": 7
    }
  }
}
`
	if diff := cmp.Diff(want, string(read(t, path))); diff != "" {
		t.Error(diff)
	}
	if again, err := m.Install(c, testServer(m), ConnectOptions{}); err != nil || again.Changes() {
		t.Errorf("again: %v, want nothing to do", err)
	}
}

func TestRemoveLeavesWhatIsNotOurs(t *testing.T) {
	m := testMachine(t, "linux")
	c := client(t, "cursor")
	path, _ := c.file(m)
	write(t, path, []byte(`{"mcpServers": {"lectern": {"url": "https://example.org/mcp"}}}`), 0o600)
	if _, err := m.Remove(c, testServer(m), ConnectOptions{}); err == nil || !strings.Contains(err.Error(), "does not belong to Lectern: it leads to https://example.org/mcp; nothing was removed") {
		t.Errorf("remove: %v", err)
	}
	write(t, path, []byte(`{}`), 0o600)
	if p, err := m.Remove(c, testServer(m), ConnectOptions{}); err != nil || p.Changes() || p.Message == "" {
		t.Errorf("remove nothing: %v, want nothing to do", err)
	}
}

// A file that was there before Lectern, and had nothing in it, is there afterwards.
func TestRemoveLeavesBlankFiles(t *testing.T) {
	for _, id := range []string{"codex", "cursor", "goose"} {
		m := testMachine(t, "linux")
		c := client(t, id)
		path, err := c.file(m)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, nil, 0o600)
		p, err := m.Install(c, testServer(m), ConnectOptions{})
		apply(t, p, err)
		p, err = m.Remove(c, testServer(m), ConnectOptions{})
		apply(t, p, err)
		if text, err := os.ReadFile(path); err != nil || len(bytes.TrimSpace(text)) > len("{}") {
			t.Errorf("%s: %q, %v", id, text, err)
		}
	}
}

// Claude Code writes its file all the time, so its own command is run; a file
// that does not show the entry then is an error.
func TestOwnCommand(t *testing.T) {
	m := testMachine(t, "linux")
	c := client(t, "claude-code")
	path, _ := c.file(m)
	var calls []string
	m.LookPath = func(name string) string { return "/bin/" + name }
	m.Run = func(_ context.Context, argv []string) (string, error) {
		calls = append(calls, strings.Join(argv, " "))
		switch argv[2] {
		case "add":
			write(t, path, []byte(`{"mcpServers": {"lectern": {"type": "stdio", "command": "/usr/local/bin/lectern", "args": ["serve", "--client", "claude-code"], "env": {}}}}`), 0o600)
		case "remove":
			write(t, path, []byte(`{"mcpServers": {}}`), 0o600)
		}
		return "", nil
	}
	p, err := m.Install(c, testServer(m), ConnectOptions{})
	apply(t, p, err)
	if f := m.Find(c, testServer(m)); f.Condition == Absent || !f.Detected {
		t.Errorf("found %s", f.Condition)
	}
	p, err = m.Remove(c, testServer(m), ConnectOptions{})
	apply(t, p, err)
	want := []string{"/bin/claude mcp add --scope user lectern -- /usr/local/bin/lectern serve --client claude-code", "/bin/claude mcp remove --scope user lectern"}
	if diff := cmp.Diff(want, calls); diff != "" {
		t.Error(diff)
	}
	if left, err := m.receipts().readAll(); err != nil || len(left) > 0 {
		t.Errorf("on record still: %v, %v", left, err)
	}

	m.Run = recordCalls(&calls, nil)
	p, err = m.Install(c, testServer(m), ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "has no such entry; try --by-file") {
		t.Errorf("of a command that did nothing: %v", err)
	}
	m.Run = recordCalls(&calls, errors.New("exit status 1"))
	p, err = m.Install(c, testServer(m), ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Apply(t.Context()); err == nil || !strings.Contains(err.Error(), "exit status 1: it spoke") {
		t.Errorf("of a command that failed: %v", err)
	}
}

// The packaged Claude Desktop of Windows reads its own folder alone; of two of
// them none is guessed.
func TestPackagedFolder(t *testing.T) {
	m := testMachine(t, "windows")
	c := client(t, "claude-desktop")
	packages := filepath.Join(m.Home, "AppData", "Local", "Packages")
	if err := os.MkdirAll(filepath.Join(packages, "Claude_a1", "LocalCache", "Roaming", "Claude"), 0o700); err != nil {
		t.Fatal(err)
	}
	want := filepath.Join(packages, "Claude_a1", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json")
	if got, err := c.file(m); err != nil || got != want {
		t.Errorf("file %s, %v; want %s", got, err, want)
	}
	if err := os.MkdirAll(filepath.Join(packages, "Claude_b2"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := c.file(m); err == nil || !strings.Contains(err.Error(), "several are installed") {
		t.Errorf("of two: %v", err)
	}
}

// The token is in no file, whatever the client: only how it says it.
func TestTokenIsInNoFile(t *testing.T) {
	for _, c := range Clients() {
		m := testMachine(t, "linux")
		p, err := m.Install(c, testServer(m), ConnectOptions{HTTP: true})
		if err != nil {
			continue // TestInstallRefuses
		}
		apply(t, p, nil)
		path, _ := c.file(m)
		if text := string(read(t, path)); !strings.Contains(text, TokenVariable) || strings.Contains(text, tokenPlaceholder+`"`) && !strings.Contains(text, TokenVariable) {
			t.Errorf("%s: %s", c.ID, text)
		}
	}
}

// A file that is kept elsewhere in the home directory stays a link, and what it
// points to is edited, once.
func TestLinkedFile(t *testing.T) {
	m := testMachine(t, "linux")
	c := client(t, "cursor")
	kept := filepath.Join(m.Home, "dotfiles", "mcp.json")
	write(t, kept, []byte("{}\n"), 0o600)
	path, _ := c.file(m)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(kept, path)); err != nil {
		t.Skip(err)
	}
	p, err := m.Install(c, testServer(m), ConnectOptions{})
	apply(t, p, err)
	if !strings.Contains(strings.Join(p.Plan.Risks, "\n"), "is a symbolic link; "+kept+" is edited") {
		t.Errorf("risks %q", p.Plan.Risks)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.Contains(string(read(t, kept)), "lectern") {
		t.Errorf("%v, %v; %s", info, err, read(t, kept))
	}
	p, err = m.Uninstall(t.Context(), testServer(m), "lectern", Service{}, testPlugin(), OwnFiles{})
	apply(t, p, err)
	if got := string(read(t, kept)); got != "{}\n" {
		t.Errorf("after uninstalling: %s", got)
	}
}

func TestProjectFile(t *testing.T) {
	m := testMachine(t, "linux")
	project := filepath.Join(m.Home, "work")
	c := client(t, "cursor")
	p, err := m.Install(c, testServer(m), ConnectOptions{Project: project})
	apply(t, p, err)
	if !strings.Contains(strings.Join(p.Plan.Risks, "\n"), "is often committed") {
		t.Errorf("risks %q", p.Plan.Risks)
	}
	path := filepath.Join(project, ".cursor", "mcp.json")
	if !isFile(path) {
		t.Fatalf("%s is not there", path)
	}
	p, err = m.Uninstall(t.Context(), testServer(m), "lectern", Service{}, testPlugin(), OwnFiles{})
	if err == nil {
		m.Run = recordCalls(new([]string), nil)
		err = p.Apply(t.Context())
	}
	if err != nil || len(filesIn(t, m.Home)) > 0 {
		t.Errorf("uninstall: %v; left %v", err, filesIn(t, m.Home))
	}
}

// opencode's files have one of two layouts, and ours goes where the others are;
// a server that is called servers makes no layout.
func TestLayouts(t *testing.T) {
	for name, c := range map[string]struct{ before, want, not string }{
		"no file":          {"", `"mcp": {`, `"servers"`},
		"older":            {`{"mcp": {"other": {"type": "local"}}}`, `"enabled": true`, `"servers"`},
		"newer":            {`{"mcp": {"servers": {"other": {"type": "local"}}}}`, `"servers": {"other": {"type": "local"}, "lectern": {`, `"enabled"`},
		"newer, empty":     {`{"mcp": {"servers": {}}}`, `"lectern": {`, `"enabled"`},
		"one named so":     {`{"mcp": {"servers": {"type": "local", "command": ["x"]}}}`, `"enabled": true`, `"servers": {"lectern"`},
		"ours is in older": {`{"mcp": {"lectern": {"command": ["/gone/lectern", "serve"]}, "servers": {}}}`, `"servers": {}`, `/gone/`},
	} {
		t.Run(name, func(t *testing.T) {
			m := testMachine(t, "linux")
			server := testServer(m)
			server.Bin = filepath.Join(m.Home, "lectern")
			if err := os.WriteFile(server.Bin, nil, 0o700); err != nil {
				t.Fatal(err)
			}
			cl, err := Find("opencode")
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(m.Home, ".config", "opencode", "opencode.json")
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if c.before != "" {
				if err := os.WriteFile(file, []byte(c.before), 0o600); err != nil {
					t.Fatal(err)
				}
			} else {
				file += "c"
			}
			p, err := m.Install(cl, server, ConnectOptions{})
			apply(t, p, err)
			if got := string(read(t, file)); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
				t.Errorf("the file holds %s", got)
			}
			if f := m.Find(cl, server); f.Condition != Configured {
				t.Errorf("found %+v", f)
			}
			p, err = m.Install(cl, server, ConnectOptions{})
			if err != nil || p.Changes() {
				t.Errorf("again: %+v, %v", p, err)
			}
			p, err = m.Remove(cl, server, ConnectOptions{})
			apply(t, p, err)
			if name != "no file" && name != "ours is in older" && string(read(t, file)) != c.before {
				t.Errorf("removed: %s", read(t, file))
			}
		})
	}
}
