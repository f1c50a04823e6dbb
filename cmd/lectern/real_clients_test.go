package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The real clients that are on PATH list Lectern, and those that connect report
// that it answers. Each has a home directory of its own.
func TestRealClients(t *testing.T) {
	if testing.Short() {
		t.Skip("starts other programs")
	}
	for _, c := range []struct {
		id, program string
		look        []string
		want        string
	}{
		{"claude-code", "claude", []string{"mcp", "list"}, "Connected"},
		{"codex", "codex", []string{"mcp", "get", "lectern"}, "enabled: true"},
		{"gemini-cli", "gemini", []string{"mcp", "list"}, "Connected"},
		{"opencode", "opencode", []string{"mcp", "list"}, "connected"},
	} {
		t.Run(c.id, func(t *testing.T) {
			if _, err := exec.LookPath(c.program); err != nil {
				t.Skipf("%s is not on PATH", c.program)
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
