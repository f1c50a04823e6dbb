package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
)

func configEditCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "edit",
		Short: "Edit the configuration file in your editor",
		Long: "Edit the configuration file in the editor of $VISUAL or $EDITOR. You edit a copy, which\n" +
			"is checked when the editor ends: errors are listed, and you may edit again.\n" +
			"The file is replaced only if the copy has no errors; a running hub applies it.",
		Args: rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return editConfigFile(cmd.Context(), c) },
	}
}

func editConfigFile(ctx context.Context, c *cli) (err error) {
	path := c.Paths.File()
	before, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("edit configuration: %w", err)
	}
	draft, err := newEditorFile(filepath.Base(path), before)
	if err != nil {
		return fmt.Errorf("edit configuration: %w", err)
	}
	defer func() { err = errors.Join(err, draft.remove()) }()
	for {
		after, err := c.runEditor(ctx, draft)
		if err != nil {
			return fmt.Errorf("edit configuration: %w", err)
		}
		if bytes.Equal(before, after) {
			c.printf("nothing changed\n")
			return nil
		}
		_, err = config.Parse(path, after, c.ConfigSchema())
		if err == nil {
			return c.saveConfigAndReload(ctx, config.Edit{Path: path, Before: before, After: after})
		}
		c.warnf("%s\n", sanitizeText(err.Error()))
		again, asked := c.confirm("Edit again?")
		if asked != nil || !again {
			return errors.New("edit configuration: what you wrote has errors and was dropped; the file is unchanged")
		}
	}
}

// saveConfigAndReload replaces the file if nobody else did meanwhile.
func (c *cli) saveConfigAndReload(ctx context.Context, edit config.Edit) (err error) {
	unlock, err := config.Lock(edit.Path)
	if err != nil {
		return err
	}
	err = errors.Join(edit.Save(), unlock())
	if errors.Is(err, atomicfile.ErrChanged) || errors.Is(err, atomicfile.ErrExists) {
		return fmt.Errorf("edit configuration: %s was changed meanwhile; nothing was overwritten. Run it again", edit.Path)
	}
	if err != nil {
		return err
	}
	c.printDiff(edit.Diff())
	return c.hub().Reload(ctx)
}
