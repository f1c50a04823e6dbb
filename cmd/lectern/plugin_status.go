package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
)

// A pluginReport is what `lectern plugin status --json` tells.
type pluginReport struct {
	Carried   string        `json:"carried"` // version of the plugin in this build
	Lectern   string        `json:"lectern"`
	Folder    string        `json:"folder"`   // of the plugin, which may not be there
	Settings  string        `json:"settings"` // its settings file, likewise
	Installed bool          `json:"installed"`
	By        string        `json:"installed_by,omitempty"` // the Lectern that put it there; empty: unknown
	Current   bool          `json:"current"`                // every file is as this build carries it
	Disabled  bool          `json:"disabled"`               // switched off in Logseq
	Port      int           `json:"port"`                   // in its settings; 0: none
	HubPort   int           `json:"hub_port"`
	Token     string        `json:"token"`   // "right", "wrong" or "none"
	Private   bool          `json:"private"` // nobody else may read its settings
	Hub       bool          `json:"hub"`     // one runs
	Connected []status.Peer `json:"connected"`
}

func pluginStatusCommand(w *world) *cobra.Command {
	var home string
	var asJSON bool
	c := &cobra.Command{
		Use:   "status",
		Short: "Say how the plugin is: what is installed, its settings, who is connected",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			g, err := w.carriedFor(home)
			if err != nil {
				return err
			}
			version, err := plugin.Version(g.Files)
			if err != nil {
				return err
			}
			state, err := w.machine().PluginState(g)
			if err != nil {
				return err
			}
			snap, err := w.snapshot(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(w.out, reportPlugin(version, state, g.Port, snap))
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
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, for scripts")
	return c
}

func reportPlugin(version string, s installer.PluginState, port int, snap status.Snapshot) pluginReport {
	token := "none"
	switch {
	case s.TokenRight:
		token = "right"
	case s.HasToken:
		token = "wrong"
	}
	return pluginReport{
		Carried: version, Lectern: lecternVersion, Folder: s.Folder, Settings: s.Settings, Installed: s.Installed, By: s.Version,
		Current: s.Current, Disabled: s.Disabled, Port: s.Port, HubPort: port, Token: token, Private: s.Private,
		Hub: runs(snap), Connected: snap.Peers,
	}
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
