package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/lectern-mcp/lectern/internal/runtest"
)

// realClients are clients that list their servers in a terminal.
var realClients = []struct {
	id, program string
	look        []string // its command that lists or checks
	want        string
	config      string   // below HOME
	entry       []string // the path to our entry in it
}{
	{"claude-code", "claude", []string{"mcp", "list"}, "Connected", ".claude.json", []string{"mcpServers", "lectern"}},
	{"codex", "codex", []string{"mcp", "get", "lectern"}, "enabled: true", ".codex/config.toml", []string{"mcp_servers", "lectern"}},
	{"gemini-cli", "gemini", []string{"mcp", "list"}, "Connected", ".gemini/settings.json", []string{"mcpServers", "lectern"}},
	{"opencode", "opencode", []string{"mcp", "list"}, "connected", ".config/opencode/opencode.jsonc", []string{"mcp", "lectern"}},
}

// needRealClients skips a test unless LECTERN_CLIENTS says where real clients are: those that the user of this
// machine has are left alone.
func needRealClients(t *testing.T) {
	t.Helper()
	if os.Getenv("LECTERN_CLIENTS") == "" {
		t.Skip("real clients are tried by make soak PART=clients")
	}
}

// Real clients list Lectern, and those that connect report that it answers. Each has
// a home directory of its own.
func TestRealClients(t *testing.T) {
	needRealClients(t)
	for _, c := range realClients {
		t.Run(c.id, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not in LECTERN_CLIENTS", c.program)
			}
			lectern, err := exec.LookPath("lectern") // this binary, under that name
			if err != nil {
				t.Fatal(err)
			}
			home := newHome(t)
			run := func(program string, args ...string) string {
				t.Helper()
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, program, args...)
				cmd.Dir = filepath.Join(home, "notes")
				cmd.Env = append(os.Environ(), "LECTERN_HOME="+home, "HOME="+home, "USERPROFILE="+home, "XDG_CONFIG_HOME=", "CODEX_HOME=",
					"CLAUDE_CONFIG_DIR=", "GEMINI_CLI_TRUST_WORKSPACE=true")
				said, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said)
				}
				return string(said)
			}
			run(lectern, "client", "install", c.id, "--yes")
			if said := run(c.program, c.look...); !strings.Contains(said, "lectern") || !strings.Contains(said, c.want) {
				t.Errorf("%s %s said:\n%s", c.program, strings.Join(c.look, " "), said)
			}
			if said := run(lectern, "client", "check", c.id); !strings.Contains(said, "connected") && !strings.Contains(said, "enabled") {
				t.Errorf("client check said:\n%s", said)
			}
			run(lectern, "client", "remove", c.id, "--yes")
			if said := run(lectern, "client", "check"); strings.Contains(said, c.id) {
				t.Errorf("after removing:\n%s", said)
			}
		})
	}
}

// TestReadmeWithRealClients pastes the README's commands into a clean home folder,
// connects each real client, and then does what its agent would, through the
// command that the client's own configuration holds: reads, writes after a
// person's yes, is refused what is hidden; and the person takes the write back.
func TestReadmeWithRealClients(t *testing.T) {
	needRealClients(t)
	home, environ := newGuideHome(t)
	environ = append(environ, "GEMINI_CLI_TRUST_WORKSPACE=true")
	run := func(t *testing.T, program string, args ...string) string {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.Env = filepath.Join(home, "notes"), environ
		said, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said)
		}
		return string(said)
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	begun, commands, read := time.Now(), 0, false
	for _, block := range shellBlocks(string(readme)) {
		for line := range strings.Lines(block) {
			if reasonNotToRun(line) == "" && strings.TrimSpace(line) != "" && !read {
				commands++
			}
		}
		runBlock(t, home, environ, block)
		if !read && strings.Contains(block, "client install") {
			a := startClientEntry(t, environ, home, "claude-code", ".claude.json", []string{"mcpServers", "lectern"})
			a.mustSay(t, "read_page", `{"path":"Home.md"}`, "Greenhouse")
			a.disconnect(t)
			t.Logf("from the first command to the first page: %d commands, %v", commands, time.Since(begun).Round(time.Millisecond))
			read = true
		}
	}
	for _, c := range realClients {
		t.Run(c.id, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not in LECTERN_CLIENTS", c.program)
			}
			run(t, "lectern", "client", "install", c.id, "--yes")
			if said := run(t, c.program, c.look...); !strings.Contains(said, "lectern") || !strings.Contains(said, c.want) {
				t.Errorf("%s %s said:\n%s", c.program, strings.Join(c.look, " "), said)
			}
			page := filepath.Join(home, "notes", "Projects", "Greenhouse.md")
			before, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			a := startClientEntry(t, environ, home, c.id, c.config, c.entry)
			a.mustSay(t, "read_page", `{"path":"Projects/Greenhouse.md"}`, "The glass is ordered")
			a.mustSay(t, "read_page", `{"path":"Private/Diary.md"}`, "NOT_FOUND")
			a.mustSay(t, "search_pages", `{"query":"Nobody reads this"}`, `"matches":[]`)
			a.call("edit_page", fmt.Sprintf(`{"path":"Projects/Greenhouse.md","action":"append","content":"From %s."}`, c.id))
			id := awaitApproval(t, func() string { return run(t, "lectern", "approve") })
			if shown := run(t, "lectern", "approve", "show", id); !strings.Contains(shown, "+From "+c.id) {
				t.Errorf("the change that waits:\n%s", shown)
			}
			run(t, "lectern", "approve", id)
			if got := string(a.nextAnswer(t).Result); !strings.Contains(got, "etag") {
				t.Errorf("the approved write answers %s", got)
			}
			if after, err := os.ReadFile(page); err != nil || !strings.Contains(string(after), "From "+c.id) {
				t.Errorf("after the write: %v\n%s", err, after)
			}
			run(t, "lectern", "undo", "--client", c.id, "--yes")
			if after, err := os.ReadFile(page); err != nil || string(after) != string(before) {
				t.Errorf("after the undo: %v\n%s", err, after)
			}
			a.disconnect(t)
		})
	}
}

// startClientEntry runs what the configuration of a client says, and reads the
// answer to initialize.
func startClientEntry(t *testing.T, environ []string, home, name, file string, path []string) *agent {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	var at any
	if strings.HasSuffix(file, ".toml") {
		err = toml.Unmarshal(text, &at)
	} else {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", file, err, text)
	}
	for _, key := range path {
		at = at.(map[string]any)[key]
	}
	entry := at.(map[string]any)
	var argv []string
	for _, key := range []string{"command", "args"} {
		switch v := entry[key].(type) {
		case string:
			argv = append(argv, v)
		case []any:
			for _, word := range v {
				argv = append(argv, word.(string))
			}
		}
	}
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = home, environ
	for _, key := range []string{"env", "environment"} {
		variables, _ := entry[key].(map[string]any)
		for name, value := range variables {
			cmd.Env = append(cmd.Env, name+"="+value.(string))
		}
	}
	a := startAgent(t, cmd, name)
	a.nextAnswer(t)
	return a
}

// call calls a tool.
func (a *agent) call(tool, arguments string) {
	a.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
}

// mustSay calls a tool whose answer must hold want.
func (a *agent) mustSay(t *testing.T, tool, arguments, want string) {
	t.Helper()
	a.call(tool, arguments)
	if got := string(a.nextAnswer(t).Result); !strings.Contains(got, want) {
		t.Errorf("%s %s answers %s, want %s", tool, arguments, got, want)
	}
}

// awaitApproval is the ID of the one call that waits, as `lectern approve` lists it.
func awaitApproval(t *testing.T, list func() string) string {
	t.Helper()
	var lines []string
	runtest.Eventually(t, "a call waits", func() bool {
		lines = strings.Split(strings.TrimSpace(list()), "\n")
		return len(lines) > 1
	})
	return strings.Fields(lines[1])[0]
}
