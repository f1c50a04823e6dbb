package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
)

// A pluginReport is what `lectern plugin status --json` prints.
type pluginReport struct {
	Carried   string        `json:"carried"` // version of the plugin in this build
	Lectern   string        `json:"lectern"`
	Folder    string        `json:"folder"`   // of the plugin; it may not exist
	Settings  string        `json:"settings"` // its settings file; it may not exist
	Installed bool          `json:"installed"`
	By        string        `json:"installed_by,omitempty"` // the Lectern that installed it; empty: unknown
	Current   bool          `json:"current"`                // every file is the same as in this build
	Disabled  bool          `json:"disabled"`               // in Logseq
	Port      int           `json:"port"`                   // in its settings; 0: none
	HubPort   int           `json:"hub_port"`
	Token     string        `json:"token"`   // "right", "wrong" or "none"
	Private   bool          `json:"private"` // other users cannot read its settings
	Hub       bool          `json:"hub"`     // one is running
	Connected []status.Peer `json:"connected"`
}

func pluginStatusCommand(c *cli) *cobra.Command {
	var home string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the installed plugin, its settings and who is connected",
		Args:  rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			g, err := c.planner().PluginWithFiles(home)
			if err != nil {
				return err
			}
			version, err := plugin.Version(g.Files)
			if err != nil {
				return err
			}
			state, err := c.planner().Machine().PluginState(g)
			if err != nil {
				return err
			}
			snap, err := c.hub().Snapshot(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return c.writeJSON(newPluginReport(version, c.Version, state, g.Port, snap))
			}
			return c.printTable(append(table{
				{"carried", fmt.Sprintf("plugin %s, in Lectern %s", version, c.Version)},
				{"plugin", install.PluginSummary(state)},
				{"settings", install.PluginSettingsSummary(state, g.Port)},
			}, connectedPeerRows(snap)...))
		},
	}
	addLogseqFolderFlag(cmd, &home)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newPluginReport(version, lectern string, s installer.PluginState, port int, snap status.Snapshot) pluginReport {
	token := "none"
	switch {
	case s.TokenMatches:
		token = "right"
	case s.HasToken:
		token = "wrong"
	}
	return pluginReport{
		Carried: version, Lectern: lectern, Folder: s.Folder, Settings: s.Settings, Installed: s.Installed, By: s.Version,
		Current: s.Current, Disabled: s.Disabled, Port: s.Port, HubPort: port, Token: token, Private: s.Private,
		Hub: thismachine.HubRunning(snap), Connected: snap.Peers,
	}
}

// describePlugin is what a connected plugin says about itself and how it is connected.
func describePlugin(p status.Peer) string {
	var words []string
	for _, f := range p.Facts {
		words = append(words, f.Name+" "+f.Value)
	}
	return strings.Join(append(words, "over "+p.Transport), ", ")
}

func connectedPeerRows(snap status.Snapshot) (rows table) {
	switch {
	case !thismachine.HubRunning(snap):
		return table{{"connected", "no hub is running"}}
	case len(snap.Peers) == 0:
		return table{{"connected", "no; is Logseq running, and was it restarted after the plugin was installed?"}}
	}
	for _, p := range snap.Peers {
		rows.add("connected", p.Name+", "+describePlugin(p))
	}
	return rows
}
