package install

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/plugin"
)

// PluginID and PluginTitle are the plugin among the places that Lectern can be
// put into.
const (
	PluginID    = "plugin/" + plugin.System
	PluginTitle = plugin.Application + " plugin"
)

// pluginWithoutFiles is the plugin as Logseq's folder home should have it;
// empty: the usual folder.
func (p Planner) pluginWithoutFiles(home string) (installer.Plugin, error) {
	conf, err := p.Config()
	if err != nil {
		return installer.Plugin{}, err
	}
	g := installer.Plugin{ID: plugin.ID, Version: p.Version, Port: conf.Hub.Port}
	if home != "" {
		if g.Home, err = filepath.Abs(home); err != nil {
			return g, fmt.Errorf("find Logseq's folder: %w", err)
		}
	}
	file := p.Paths.PluginToken()
	g.MakeToken = func() (loopnet.Token, error) { return loopnet.LoadOrCreateToken(file) }
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return g, nil
	}
	g.Token, err = g.MakeToken()
	return g, err
}

// PluginWithFiles is the plugin with the files that this build carries.
func (p Planner) PluginWithFiles(home string) (installer.Plugin, error) {
	g, err := p.pluginWithoutFiles(home)
	g.Files = p.Plugin
	return g, err
}

// PluginApplicationFound reports whether the plugin's application has run here.
func (p Planner) PluginApplicationFound() bool {
	s, _ := p.Machine().PluginState(installer.Plugin{ID: plugin.ID}) // whatever is wrong with the plugin
	return s.ApplicationFound
}

// ProposeInstallPlugin proposes to put the plugin into Logseq's folder.
func (p Planner) ProposeInstallPlugin(home string) (*installer.Proposal, error) {
	g, err := p.PluginWithFiles(home)
	if err != nil {
		return nil, err
	}
	proposal, err := p.Machine().InstallPlugin(g)
	if err != nil {
		return nil, err
	}
	conf, err := p.Config()
	if err == nil && proposal.Changes() && !slices.ContainsFunc(conf.Sources, func(s config.Source) bool { return s.Kind == plugin.System }) {
		proposal.NextSteps = append(proposal.NextSteps,
			"start lectern: when the plugin connects, it offers to add the graph as a source (or: lectern source add "+plugin.System+" graph=NAME)")
	}
	if err == nil && !conf.Hub.HTTP {
		proposal.Plan.Risks = append(proposal.Plan.Risks,
			"HTTP is off in the configuration, so the plugin cannot connect; set http = true in [hub]")
	}
	return proposal, nil
}

// ProposeRemovePlugin proposes to remove the plugin from Logseq's folder.
func (p Planner) ProposeRemovePlugin(home string) (*installer.Proposal, error) {
	g, err := p.PluginWithFiles(home)
	if err != nil {
		return nil, err
	}
	return p.Machine().RemovePlugin(g)
}

// ProposePluginTokenRotation proposes a new token, here and in the plugin's settings.
func (p Planner) ProposePluginTokenRotation(home string) (*installer.Proposal, error) {
	g, err := p.pluginWithoutFiles(home)
	if err != nil {
		return nil, err
	}
	file := p.Paths.PluginToken()
	g.MakeToken = func() (loopnet.Token, error) { return loopnet.RotateToken(file) }
	return p.Machine().RotatePluginToken(g, file)
}

// pluginInstallAdvice is the advice for nearly everything that is wrong with the plugin.
const pluginInstallAdvice = "run `lectern plugin install`"

// PluginSummary describes in words what is installed.
func PluginSummary(s installer.PluginState) string {
	by := "an unknown version of Lectern"
	if s.Version != "" {
		by = "Lectern " + s.Version
	}
	switch {
	case !s.Installed:
		return fmt.Sprintf("not installed in %s; %s", s.Folder, pluginInstallAdvice)
	case !s.Current:
		return fmt.Sprintf("installed by %s; this build carries another version; %s", by, pluginInstallAdvice)
	case s.Disabled:
		return fmt.Sprintf("installed by %s, but disabled in Logseq's list of plugins", by)
	default:
		return fmt.Sprintf("installed by %s, up to date: %s", by, s.Folder)
	}
}

// PluginSettingsSummary describes in words the settings of the plugin. port is
// the hub's.
func PluginSettingsSummary(s installer.PluginState, port int) string {
	switch {
	case !s.HasToken:
		return fmt.Sprintf("no token in %s; %s", s.Settings, pluginInstallAdvice)
	case !s.TokenMatches:
		return "wrong token; " + pluginInstallAdvice
	case !s.PortMatches:
		return fmt.Sprintf("port is %d, but the hub uses %d; %s", s.Port, port, pluginInstallAdvice)
	case !s.Private:
		return fmt.Sprintf("other users can read the token in %s; %s", s.Settings, pluginInstallAdvice)
	default:
		return fmt.Sprintf("port %d and token match the hub", s.Port)
	}
}
