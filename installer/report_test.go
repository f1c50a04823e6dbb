package installer

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// What the clients printed in November 2026 is understood.
func TestReport(t *testing.T) {
	for _, tt := range []struct {
		name, client, output string
		fails                bool
		want                 ClientReport
	}{
		{"claude", "claude-code", "lectern:\n  Scope: User config (available in all your projects)\n  Status: ✔ Connected\n  Type: stdio\n", false, ClientReport{true, "connected", ""}},
		{
			"claude in one project", "claude-code", "lectern:\n  Scope: Local config (private to you in this project)\n  Status: ✔ Connected\n", false,
			ClientReport{
				true, "by an entry of this folder alone: Local config (private to you in this project)",
				"An entry of that scope hides the one for all folders. To see it, run: claude mcp get lectern.",
			},
		},
		{"claude fails", "claude-code", "lectern:\n  Scope: User config\n  Status: ✘ Failed to connect\n", false, ClientReport{false, "Status: ✘ Failed to connect", "Run: lectern doctor."}},
		{"claude has none", "claude-code", "No MCP server named lectern\nmore\n", true, ClientReport{false, "No MCP server named lectern", "Run it yourself: claude mcp get lectern."}},
		{"codex", "codex", "WARNING: proceeding\nlectern\n  enabled: true\n  transport: stdio\n", false, ClientReport{true, "enabled; Codex connects when it starts", ""}},
		{"codex off", "codex", "lectern\n  enabled: false\n", false, ClientReport{false, "enabled: false", "Run: lectern doctor."}},
		{
			"gemini", "gemini-cli", "Configured MCP servers:\n\n✓ lectern: /bin/lectern serve (stdio) - Connected\n✗ other: x - Disconnected\n", false,
			ClientReport{true, "connected", ""},
		},
		{
			"gemini elsewhere", "gemini-cli",
			"Warning: MCP servers are configured but disabled because this folder is untrusted.\nConfigured MCP servers:\n○ lectern: /bin/lectern serve (stdio) - Disabled\n", false,
			ClientReport{false, "disabled, because Gemini CLI does not trust this folder", "Run `gemini` in the folder that you work in, and tell it that you trust that folder."},
		},
		{"opencode", "opencode", "\x1b[0m\n┌  MCP Servers\n●  ✓ lectern \x1b[90mconnected\n│      \x1b[90m/bin/lectern serve\n", false, ClientReport{true, "connected", ""}},
		{"opencode fails", "opencode", "●  ✗ lectern \x1b[90mfailed\n", false, ClientReport{false, "●  ✗ lectern failed", "Run: lectern doctor."}},
		{"opencode has none", "opencode", "●  ✓ lectern-2 connected\n", false, ClientReport{false, "does not list lectern", "Run: lectern client install opencode."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := testMachine(t, "linux")
			m.LookPath = func(name string) string { return "/bin/" + name }
			m.Run = func(_ context.Context, argv []string) (string, error) {
				if !strings.HasPrefix(argv[0], "/bin/") {
					t.Errorf("ran %q", argv)
				}
				if tt.fails {
					return tt.output, errors.New("exit status 1")
				}
				return tt.output, nil
			}
			if got := m.Report(t.Context(), client(t, tt.client), testServer(m)); got != tt.want {
				t.Errorf("%+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// Gemini starts no MCP server in folders that its user does not trust.
func TestTrustedFolders(t *testing.T) {
	for name, tt := range map[string]struct {
		trusted, settings string
		warns             bool
	}{
		"no file": {warns: true}, "none trusted": {trusted: `{"/a": "DO_NOT_TRUST"}`, warns: true}, "one": {trusted: `{"/a": "TRUST_FOLDER"}`},
		"parent": {trusted: `{"/a": "TRUST_PARENT"}`}, "off": {settings: `, "security": {"folderTrust": {"enabled": false}}`}, "unreadable": {trusted: `[`},
	} {
		t.Run(name, func(t *testing.T) {
			m := testMachine(t, "linux")
			server := testServer(m)
			server.Bin = filepath.Join(m.Home, "lectern")
			write(t, server.Bin, nil, 0o700)
			gemini := filepath.Join(m.Home, ".gemini")
			write(t, filepath.Join(gemini, "settings.json"),
				[]byte(`{"mcpServers": {"lectern": {"command": "`+server.Bin+`", "args": ["serve", "--client", "gemini-cli", "notes,work"]}}`+tt.settings+`}`), 0o600)
			if tt.trusted != "" {
				write(t, filepath.Join(gemini, "trustedFolders.json"), []byte(tt.trusted), 0o600)
			}
			f := m.Find(client(t, "gemini-cli"), server)
			if f.Condition != Configured || strings.Join(f.Sources, " ") != "notes work" {
				t.Errorf("found %+v", f)
			}
			if warns := strings.Contains(f.Note, "only in folders that you trust. ~/.gemini/trustedFolders.json lists none"); warns != tt.warns {
				t.Errorf("note %q", f.Note)
			}
		})
	}
}

// An entry from before clients had tokens says that it proves nothing.
func TestUnprovenEntry(t *testing.T) {
	m := testMachine(t, "linux")
	server := testServer(m)
	server.Bin = filepath.Join(m.Home, "lectern")
	write(t, server.Bin, nil, 0o700)
	file := filepath.Join(m.Home, ".cursor", "mcp.json")
	for env, proven := range map[string]bool{`{}`: false, `{"LECTERN_CLIENT_TOKEN": "x"}`: true} {
		write(t, file, []byte(`{"mcpServers": {"lectern": {"command": "`+server.Bin+`", "args": ["serve"], "env": `+env+`}}}`), 0o600)
		if f := m.Find(client(t, "cursor"), server); f.Condition != Configured || strings.Contains(f.Note, "only claim their name") == proven {
			t.Errorf("%s: %+v", env, f)
		}
	}
}
