package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
)

func pluginStatusCommand(w *world) *cobra.Command {
	var home string
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how the plugin is: what is installed, its settings, who is connected",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			files, err := w.plugin()
			if err != nil {
				return err
			}
			version, err := plugin.Version(files)
			if err != nil {
				return err
			}
			g, err := w.pluginFor(home)
			if err != nil {
				return err
			}
			g.Files = files
			state, err := w.machine().PluginState(g)
			if err != nil {
				return err
			}
			snap, err := w.snapshot(c.Context())
			if err != nil {
				return err
			}
			t := newTable(w.out)
			t.row("carried", fmt.Sprintf("plugin %s, in Lectern %s", version, lecternVersion))
			t.row("plugin", pluginWords(state))
			t.row("settings", settingsWords(state, g.Port))
			connectedRows(t, snap)
			return t.Flush()
		},
	}
	homeFlag(c, &home)
	return c
}

// mend is what to do about nearly everything.
const mend = "run `lectern plugin install`"

func pluginWords(s installer.PluginState) string {
	by := "an unknown version of Lectern"
	if s.Version != "" {
		by = "Lectern " + s.Version
	}
	switch {
	case !s.Installed:
		return fmt.Sprintf("not installed: %s; %s", s.Folder, mend)
	case !s.Current:
		return fmt.Sprintf("installed by %s, other than this build carries; %s", by, mend)
	case s.Disabled:
		return fmt.Sprintf("installed by %s, but switched off in Logseq's list of plugins", by)
	default:
		return fmt.Sprintf("installed by %s, up to date: %s", by, s.Folder)
	}
}

func settingsWords(s installer.PluginState, port int) string {
	switch {
	case !s.HasToken:
		return fmt.Sprintf("no token: %s; %s", s.Settings, mend)
	case !s.TokenRight:
		return "not the token that the hub knows; " + mend
	case !s.PortRight:
		return fmt.Sprintf("port %d, but the hub's is %d; %s", s.Port, port, mend)
	case !s.Private:
		return fmt.Sprintf("others may read the token: %s; %s", s.Settings, mend)
	default:
		return fmt.Sprintf("port %d and token are the hub's", s.Port)
	}
}

func connectedRows(t table, snap status.Snapshot) {
	switch {
	case !runs(snap):
		t.row("connected", "no hub runs")
	case len(snap.Peers) == 0:
		t.row("connected", "no; is Logseq running, and was it restarted since the plugin was installed?")
	}
	for _, p := range snap.Peers {
		t.row("connected", fmt.Sprintf("%s, Logseq %s, plugin %s over %s", p.Name, p.App, p.Plugin, p.Transport))
	}
}
