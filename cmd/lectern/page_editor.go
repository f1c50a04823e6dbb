package main

import (
	"context"
	"path/filepath"

	tea "charm.land/bubbletea/v2"
)

// editFileInPanel has a person edit a file of theirs while the panel stands back from
// the terminal.
func editFileInPanel(ctx context.Context, c *cli, file string, done func(error) tea.Msg) tea.Cmd {
	cmd := c.editorCommand(ctx, editorFile{filepath.Dir(file), filepath.Base(file)})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.in, c.out, c.err // the terminal itself, and not the panel's end of it
	return tea.ExecProcess(cmd, done)
}
