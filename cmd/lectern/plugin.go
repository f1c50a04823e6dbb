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

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/plugin"
)

func pluginCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "plugin",
		Short: "Put the plugin into Logseq, look after it, pack it",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	token := &cobra.Command{
		Use:   "token",
		Short: "The token by which plugin and hub know each other",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	token.AddCommand(pluginRotateCommand(w))
	c.AddCommand(pluginInstallCommand(w), pluginRemoveCommand(w), pluginStatusCommand(w), pluginAllowCommand(w), pluginPackCommand(w), token)
	return c
}

// pluginFor is the plugin as Logseq's folder home is to have it; empty: the
// usual folder.
func (w *world) pluginFor(home string) (installer.Plugin, error) {
	conf, err := w.config()
	if err != nil {
		return installer.Plugin{}, err
	}
	g := installer.Plugin{ID: plugin.ID, Version: lecternVersion, Port: conf.Hub.Port}
	if home != "" {
		if g.Home, err = filepath.Abs(home); err != nil {
			return g, fmt.Errorf("find Logseq's folder: %w", err)
		}
	}
	file := w.pluginTokenFile()
	g.MakeToken = func() (loopnet.Token, error) { return loopnet.LoadOrCreateToken(file) }
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	g.Token, err = g.MakeToken()
	return g, err
}

// carriedFor is pluginFor with the files that this build carries.
func (w *world) carriedFor(home string) (installer.Plugin, error) {
	files, err := w.plugin()
	if err != nil {
		return installer.Plugin{}, err
	}
	g, err := w.pluginFor(home)
	g.Files = files
	return g, err
}

func homeFlag(c *cobra.Command, home *string) {
	c.Flags().StringVar(home, "dir", "", "Logseq's own folder, where it is not ~/.logseq")
}

func pluginInstallCommand(w *world) *cobra.Command {
	var home string
	c := w.planned(&cobra.Command{
		Use:   "install",
		Short: "Put the plugin into Logseq's folder, with port and token in its settings",
		Args:  noArguments,
	}, func(context.Context, []string) (*installer.Proposal, error) { return w.installPlugin(home) })
	homeFlag(c, &home)
	return c
}

func (w *world) installPlugin(home string) (*installer.Proposal, error) {
	g, err := w.carriedFor(home)
	if err != nil {
		return nil, err
	}
	p, err := w.machine().InstallPlugin(g)
	if err != nil {
		return nil, err
	}
	if conf, err := w.config(); err == nil && !conf.Hub.HTTP {
		p.Plan.Risks = append(p.Plan.Risks, "HTTP is off in the configuration, so the plugin cannot connect; set http = true in [hub]")
	}
	return p, nil
}

func pluginRemoveCommand(w *world) *cobra.Command {
	var home string
	c := w.planned(&cobra.Command{
		Use:   "remove",
		Short: "Remove the plugin from Logseq's folder, and port and token from its settings",
		Args:  noArguments,
	}, func(context.Context, []string) (*installer.Proposal, error) { return w.removePlugin(home) })
	homeFlag(c, &home)
	return c
}

func (w *world) removePlugin(home string) (*installer.Proposal, error) {
	g, err := w.pluginFor(home)
	if err != nil {
		return nil, err
	}
	if g.Files, err = w.plugin(); err != nil {
		g.Files = nil // what is on record can be removed all the same
	}
	return w.machine().RemovePlugin(g)
}

func pluginRotateCommand(w *world) *cobra.Command {
	var home string
	c := w.planned(&cobra.Command{
		Use:   "rotate",
		Short: "Make a new token, here and in the settings of the plugin",
		Args:  noArguments,
	}, func(context.Context, []string) (*installer.Proposal, error) { return w.rotatePluginToken(home) })
	homeFlag(c, &home)
	return c
}

func (w *world) rotatePluginToken(home string) (*installer.Proposal, error) {
	g, err := w.pluginFor(home)
	if err != nil {
		return nil, err
	}
	file := w.pluginTokenFile()
	g.MakeToken = func() (loopnet.Token, error) { return loopnet.RotateToken(file) }
	return w.machine().RotatePluginToken(g, file)
}

func pluginPackCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "pack [FILE]",
		Short: "Write the plugin's zip for Logseq's marketplace, and print its manifest",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%s takes at most a file to write, got %d arguments", c.CommandPath(), len(args))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			files, err := w.plugin()
			if err != nil {
				return err
			}
			version, err := plugin.Version(files)
			if err != nil {
				return err
			}
			manifest, err := plugin.Manifest(files)
			if err != nil {
				return err
			}
			file := fmt.Sprintf("%s-%s.zip", plugin.ID, version)
			if len(args) > 0 {
				file = args[0]
			}
			var zip bytes.Buffer
			if err := plugin.Pack(&zip, files); err != nil {
				return err
			}
			if err := atomicfile.WriteFile(file, zip.Bytes(), 0o644); err != nil {
				return fmt.Errorf("write zip: %w", err)
			}
			w.note("wrote %s (%d bytes); this is the marketplace's manifest.json:\n", line(file), zip.Len())
			w.say("%s", text(string(manifest)))
			return nil
		},
	}
}
