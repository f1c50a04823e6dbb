package main

import (
	"bytes"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/atomicfile"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
)

func pluginCommand(c *cli) *cobra.Command {
	p := c.planner()
	return newParentCommand(&cobra.Command{Use: "plugin", Short: "Install and check the Logseq plugin"},
		newPluginProposalCommand(c, &cobra.Command{
			Use: "install", Short: "Install the plugin into Logseq's folder, with port and token in its settings",
		}, p.ProposeInstallPlugin),
		newPluginProposalCommand(c, &cobra.Command{
			Use: "remove", Short: "Remove the plugin from Logseq's folder, and port and token from its settings",
		}, p.ProposeRemovePlugin),
		pluginStatusCommand(c), pluginAllowCommand(c), pluginPackCommand(c),
		newParentCommand(&cobra.Command{Use: "token", Short: "Manage the token that the plugin and the hub share"},
			pluginTokenShowCommand(c),
			newPluginProposalCommand(c, &cobra.Command{Use: "rotate", Short: "Create a new token, here and in the plugin's settings"},
				p.ProposePluginTokenRotation)))
}

func pluginTokenShowCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Print the token, for a plugin that was not installed by Lectern",
		Long: "Print the token that the plugin must have in its settings in Logseq, and create it if\n" +
			"there is none. `lectern plugin install` writes it there itself.",
		Args: rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			token, err := loopnet.LoadOrCreateToken(c.Paths.PluginToken())
			if err != nil {
				return err
			}
			c.warnf("token of plugins, stored in %s:\n", c.Paths.PluginToken())
			c.printf("%s\n", token.Reveal())
			return nil
		},
	}
}

func newPluginProposalCommand(c *cli, cmd *cobra.Command, propose func(home string) (*installer.Proposal, error)) *cobra.Command {
	var home string
	cmd.Args = rejectArguments
	addLogseqFolderFlag(cmd, &home)
	return c.newProposalCommand(cmd, func(context.Context, []string) (*installer.Proposal, error) { return propose(home) })
}

func addLogseqFolderFlag(cmd *cobra.Command, home *string) {
	cmd.Flags().StringVar(home, "dir", "", "Logseq's `FOLDER`, if it is not ~/.logseq")
}

func pluginAllowCommand(c *cli) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "allow ORIGIN",
		Short: "Let plugins connect from an unknown origin, such as file://",
		Long: "Add an origin to the configuration, for a plugin that was refused because its page\n" +
			"has another origin than Logseq's own. `lectern status` names the refused origins.\n" +
			"A plugin must still prove that it has the plugins' token.",
		Args: requireArgumentCount(1, 1, "an origin"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a := status.Action{Verb: status.AllowOrigin, Target: args[0]}
			return c.editConfig(cmd.Context(), a, dryRun, func(p configedit.Proposal) string {
				if !p.Edit.HasChanges() {
					return args[0] + " is already allowed; nothing changed"
				}
				return "plugins from " + args[0] + " may connect"
			})
		},
	}
	addDryRunFlag(cmd, &dryRun)
	return cmd
}

func pluginPackCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "pack [FILE]",
		Short: "Write the plugin's zip for Logseq's marketplace, and print its manifest",
		Args:  requireArgumentCount(0, 1, "at most one file to write"),
		RunE: func(_ *cobra.Command, args []string) error {
			version, err := plugin.Version(c.Plugin)
			if err != nil {
				return err
			}
			manifest, err := plugin.Manifest(c.Plugin)
			if err != nil {
				return err
			}
			file := fmt.Sprintf("%s-%s.zip", plugin.ID, version)
			if len(args) > 0 {
				file = args[0]
			}
			var zip bytes.Buffer
			if err := plugin.Pack(&zip, c.Plugin); err != nil {
				return err
			}
			if err := atomicfile.WriteFile(file, zip.Bytes(), 0o644); err != nil {
				return fmt.Errorf("write zip: %w", err)
			}
			c.warnf("wrote %s (%d bytes); this is the manifest.json for the marketplace:\n", file, zip.Len())
			c.printf("%s", sanitizeText(string(manifest)))
			return nil
		},
	}
}
