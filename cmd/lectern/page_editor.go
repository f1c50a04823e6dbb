package main

import (
	"context"
	"os/exec"
	"runtime"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// editFileInPanel has a person edit a file while the panel stands back from the
// terminal.
func editFileInPanel(ctx context.Context, c *cli, file string, done func(error) tea.Msg) tea.Cmd {
	words := editorWords(c.Getenv)
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], file)...) //nolint:gosec // the person's own editor
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Environ, c.in, c.out, c.err
	return tea.ExecProcess(cmd, done)
}

// editorWords are the person's editor with its arguments, such as "code --wait".
func editorWords(getenv func(string) string) []string {
	usual := "vi"
	if runtime.GOOS == "windows" {
		usual = "notepad"
	}
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{usual}
}
