package doctor

import (
	"context"
	"fmt"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// pluginChecks look at the plugin that this build carries: what is installed of
// it on this machine, and what is connected.
var pluginChecks = []check{
	{name: plugin.System + ".plugin", title: "The plugin is in " + plugin.Application + "'s folder", look: checkPlugin},
	{name: plugin.System + ".settings", title: plugin.Application + " keeps the plugin's settings", look: checkPluginSettings},
	{name: plugin.System + ".versions", title: "Versions match", look: pluginPeerCheck.newEachPeerCheck(checkPluginVersions)},
}

var pluginPeerCheck = peerCheck{system: plugin.System, application: plugin.Application}

// installedPluginState is the plugin in its application's usual folder.
func (r *checkRun) installedPluginState() (installer.PluginState, installer.Plugin, error) {
	g, err := r.PluginWithFiles("")
	if err != nil {
		return installer.PluginState{}, g, err
	}
	state, err := r.Machine().PluginState(g)
	return state, g, err
}

const reinstallPluginFix = "Run: lectern plugin install, then restart " + plugin.Application + "."

func checkPlugin(_ context.Context, r *checkRun) status.Check {
	if !r.isSourceKindUsed(plugin.System) {
		return skipResult("%s has not run here, and no source needs it", plugin.Application)
	}
	s, _, err := r.installedPluginState()
	switch {
	case err != nil:
		return failResult(err.Error(), "Do what the message says, then run: lectern plugin install.")
	case s.Installed && s.Disabled:
		return warnResult(install.PluginSummary(s), "Enable it in "+plugin.Application+"'s list of plugins.")
	case !s.Installed || !s.Current:
		return warnResult(install.PluginSummary(s), reinstallPluginFix)
	}
	return okResult("%s", install.PluginSummary(s))
}

// checkPluginSettings also notices that the application has overwritten the
// settings with older ones when it quit.
func checkPluginSettings(_ context.Context, r *checkRun) status.Check {
	s, g, err := r.installedPluginState()
	switch {
	case err != nil:
		return skipResult("%v", err)
	case !s.Installed:
		return skipResult("the plugin is not installed")
	}
	settings := install.PluginSettingsSummary(s, g.Port)
	if !s.HasToken || !s.TokenMatches || !s.PortMatches || !s.Private {
		return failResult(settings+"; "+plugin.Application+" may have overwritten them with older settings when it quit",
			"Quit "+plugin.Application+", run: lectern plugin install, and start "+plugin.Application+" again.")
	}
	if peers, _ := pluginPeerCheck.peers(r); len(peers) > 0 {
		settings += "; a " + plugin.Application + " has started since and kept them"
	}
	return okResult("%s", settings)
}

// checkPluginVersions compares the versions that a plugin tells with those of this
// build.
func checkPluginVersions(r *checkRun, p status.Peer) status.Check {
	var facts []string
	version := map[string]string{}
	for _, f := range p.Facts {
		facts = append(facts, f.Name+" "+f.Value)
		version[f.Name] = f.Value
	}
	detail := strings.Join(facts, ", ")
	if carried, err := plugin.Version(r.Plugin); err == nil && carried != version["plugin"] {
		return warnResult(fmt.Sprintf("%s; this Lectern carries plugin %s", detail, carried), reinstallPluginFix)
	}
	skill := tools.SkillVersion(r.Systems())
	if semver.Major("v"+version["skill"]) != semver.Major("v"+skill) { // within a major version tools are only added
		return warnResult(fmt.Sprintf("%s; this Lectern has skill %s", detail, skill), reinstallPluginFix)
	}
	return okResult("%s", detail)
}
