package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/install"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/doc"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// logseqGroup is what the names of these checks begin with.
const logseqGroup = "logseq"

const (
	// pluginTimeout bounds a check that asks plugins, each of which may wait for
	// its Logseq.
	pluginTimeout = 2 * time.Minute
	// personTimeout leaves a person time to hide a window.
	personTimeout = 10 * time.Minute
)

// logseqChecks look at what is installed, who is connected, and how a running
// Logseq behaves. Where Logseq is not used and was not asked about, only the
// first of them is run, which says so.
func (r *run) logseqChecks() []check {
	list := []check{
		{name: "logseq.plugin", title: "The plugin is in Logseq's folder", look: checkPlugin},
		{name: "logseq.settings", title: "Logseq keeps the plugin's settings", look: checkPluginSettings},
		{name: "logseq.connected", title: "A Logseq is connected", look: checkPeers},
		{name: "logseq.origin", title: "The plugin's origin is known", look: checkOrigins},
		{name: "logseq.versions", title: "Versions match", look: forEachPeer(checkVersions)},
		{name: "logseq.transport", title: "How the plugin connects", look: forEachPeer(checkTransport)},
		{name: "logseq.methods", title: "This Logseq has the expected capabilities", look: forEachPeer(checkMethods), timeout: pluginTimeout},
		{name: "logseq.window", title: "Writes work while the window is hidden", look: forEachPeer(checkWindow), timeout: personTimeout},
		{name: "logseq.properties", title: "The namespaces of properties", look: forEachPeer(checkProperties), timeout: pluginTimeout},
	}
	if !strings.HasPrefix(r.prefix, logseqGroup) && !r.usesLogseq() {
		return list[:1]
	}
	return list
}

// usesLogseq is true when the configuration names Logseq, it has run here, or
// one is connected.
func (r *run) usesLogseq() bool {
	conf, err := r.conf()
	if err == nil && slices.ContainsFunc(conf.Sources, func(s config.Source) bool { return s.Kind == "logseq" }) {
		return true
	}
	if isFolder(filepath.Join(r.Home, ".logseq")) {
		return true
	}
	snap, err := r.snapshot()
	return err == nil && len(snap.Peers) > 0
}

// pluginState is the plugin in Logseq's usual folder.
func (r *run) pluginState() (installer.PluginState, installer.Plugin, error) {
	g, err := r.LogseqPlugin("")
	if err != nil {
		return installer.PluginState{}, g, err
	}
	state, err := r.Machine().PluginState(g)
	return state, g, err
}

const reinstallPlugin = "Run: lectern plugin install, then restart Logseq."

func checkPlugin(_ context.Context, r *run) status.Check {
	if !r.usesLogseq() {
		return skip("Logseq has not run here, and no source needs it")
	}
	s, _, err := r.pluginState()
	switch {
	case errors.Is(err, plugin.ErrNotBuilt):
		return skip("%v", err)
	case err != nil:
		return fail(err.Error(), "Do what the message says, then run: lectern plugin install.")
	case s.Installed && s.Disabled:
		return warn(install.PluginSummary(s), "Enable it in Logseq's list of plugins.")
	case !s.Installed || !s.Current:
		return warn(install.PluginSummary(s), reinstallPlugin)
	}
	return ok("%s", install.PluginSummary(s))
}

// checkPluginSettings also notices that Logseq has overwritten the settings
// with older ones when it quit.
func checkPluginSettings(_ context.Context, r *run) status.Check {
	s, g, err := r.pluginState()
	switch {
	case err != nil:
		return skip("%v", err)
	case !s.Installed:
		return skip("the plugin is not installed")
	}
	settings := install.PluginSettingsSummary(s, g.Port)
	if !s.HasToken || !s.TokenMatches || !s.PortMatches || !s.Private {
		return fail(settings+"; Logseq may have overwritten them with older settings when it quit",
			"Quit Logseq, run: lectern plugin install, and start Logseq again.")
	}
	if snap, err := r.snapshot(); err == nil && len(snap.Peers) > 0 {
		settings += "; a Logseq has started since and kept them"
	}
	return ok("%s", settings)
}

func checkPeers(_ context.Context, r *run) status.Check {
	snap, err := r.snapshot()
	if err != nil {
		return skip(noHub)
	}
	if p, found := r.hubProblem(problems.PluginToken); found {
		return fromProblem(p)
	}
	if len(snap.Peers) == 0 {
		return warn(noPeer, "Start Logseq, or restart it if the plugin was installed since; its toolbar shows the plugin's status.")
	}
	var names []string
	for _, p := range snap.Peers {
		names = append(names, fmt.Sprintf("%s (%s graph)", p.Name, graphKind(p)))
	}
	return ok("%s", strings.Join(names, ", "))
}

const noPeer = "no Logseq is connected"

func checkOrigins(_ context.Context, r *run) status.Check {
	snap, err := r.snapshot()
	if err != nil {
		return skip(noHub)
	}
	if p, found := r.hubProblem(problems.PluginOrigin); found {
		return fromProblem(p)
	}
	if len(snap.Peers) == 0 {
		return skip(noPeer)
	}
	var origins []string
	for _, p := range snap.Peers {
		origins = append(origins, p.Name+": "+cmp.Or(p.Origin, "not a page: Logseq's own process connects"))
	}
	return ok("%s", strings.Join(origins, "; "))
}

// forEachPeer runs a check for every connected Logseq and returns the worst
// result, with the details of all.
func forEachPeer(look func(context.Context, *run, status.Peer) status.Check) func(context.Context, *run) status.Check {
	return func(ctx context.Context, r *run) status.Check {
		snap, err := r.snapshot()
		switch {
		case err != nil:
			return skip(noHub)
		case len(snap.Peers) == 0:
			return skip(noPeer)
		}
		bySeverity := []status.CheckResult{status.CheckSkipped, status.CheckOK, status.CheckWarn, status.CheckFail}
		worst := status.Check{Result: status.CheckSkipped}
		var details []string
		for _, p := range snap.Peers {
			c := look(ctx, r, p)
			details = append(details, p.Name+": "+c.Detail)
			if slices.Index(bySeverity, c.Result) > slices.Index(bySeverity, worst.Result) {
				worst = c
			}
		}
		worst.Detail = strings.Join(details, "; ")
		return worst
	}
}

func checkVersions(_ context.Context, r *run, p status.Peer) status.Check {
	version, installed, skill := fact(p, "Logseq"), fact(p, "plugin"), fact(p, "skill")
	detail := fmt.Sprintf("Logseq %s, plugin %s, SDK %s, skill %s", version, installed, fact(p, "SDK"), skill)
	if files, err := r.Plugin(); err == nil {
		if carried, err := plugin.Version(files); err == nil && carried != installed {
			return warn(fmt.Sprintf("%s; this Lectern carries plugin %s", detail, carried), reinstallPlugin)
		}
	}
	switch {
	case skill != doc.SkillVersion:
		return warn(fmt.Sprintf("%s; this Lectern has skill %s", detail, doc.SkillVersion), reinstallPlugin)
	case !logseq.Known(version):
		return warn(detail+"; this version of Logseq has not been tested", "See the result of logseq.methods, and tell us how it works.")
	}
	return ok("%s", detail)
}

// fact is what a Peer says about itself; "?" if it does not.
func fact(p status.Peer, name string) string {
	for _, f := range p.Facts {
		if f.Name == name {
			return f.Value
		}
	}
	return "?"
}

func graphKind(p status.Peer) string { return strings.ToLower(fact(p, "graph")) }

func checkTransport(_ context.Context, _ *run, p status.Peer) status.Check {
	ping := "no ping answered yet"
	if p.Latency > 0 {
		ping = fmt.Sprintf("a ping takes %.1f ms", float64(p.Latency.Microseconds())/1000)
	}
	if p.Transport == "poll" {
		return warn("long polling through Logseq's own process, because WebSockets to this machine are blocked or turned off; "+ping,
			"Everything works, but a little slower. If the plugin's settings say poll, auto would try a WebSocket first.")
	}
	return ok("WebSocket; %s", ping)
}

// checkMethods compares what a Logseq offers with what its kind should.
func checkMethods(ctx context.Context, r *run, p status.Peer) status.Check {
	var missing []string
	for _, c := range p.Capabilities {
		if c.Reason != "" {
			missing = append(missing, c.Key)
		}
	}
	detail := fmt.Sprintf("%d of %d capabilities", len(p.Capabilities)-len(missing), len(logseq.Capabilities()))
	if len(missing) == 0 {
		return ok("%s, as expected of a %s graph", detail, graphKind(p))
	}
	detail += "; missing: " + strings.Join(missing, ", ")
	const see = "See docs/logseq-compatibility.md for what each capability needs."
	d, err := r.askDiagnosis(ctx, p)
	switch {
	case err == nil && len(d.Missing) > 0:
		return warn(detail+"; this Logseq lacks "+strings.Join(d.Missing, ", "), "Update Logseq. "+see)
	case err == nil && len(d.Settings) > 0:
		return ok("%s; turned off by the plugin's settings: %s", detail, strings.Join(d.Settings, ", "))
	}
	return warn(detail, see)
}
