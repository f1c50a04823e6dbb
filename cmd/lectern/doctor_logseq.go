package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools/doc"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// logseqChecks are what can be said of Logseq from here: what is installed, who
// is connected, and how a live Logseq behaves where none could be tried. Where
// nobody uses Logseq and nobody asks about it, one line says so.
func (v *visit) logseqChecks(asked bool) []check {
	all := []check{
		{name: "logseq.plugin", title: "The plugin is in Logseq's folder", look: lookAtPlugin},
		{name: "logseq.settings", title: "Logseq keeps the plugin's settings", look: lookAtPluginSettings},
		{name: "logseq.connected", title: "A Logseq is connected", look: lookAtPeers},
		{name: "logseq.origin", title: "The plugin's origin is known", look: lookAtOrigin},
		{name: "logseq.versions", title: "Versions fit together", look: ofEachPeer(lookAtVersions)},
		{name: "logseq.transport", title: "How the plugin gets through", look: ofEachPeer(lookAtTransport)},
		{name: "logseq.methods", title: "This Logseq offers what its kind should", look: ofEachPeer(lookAtMethods), within: askWithin},
		{name: "logseq.window", title: "Writes go on while the window is hidden", look: ofEachPeer(lookAtWindow), within: windowWithin},
		{name: "logseq.properties", title: "Properties are in the namespaces of people", look: ofEachPeer(lookAtNamespaces), within: askWithin},
	}
	if !asked && !v.usesLogseq() {
		return all[:1]
	}
	return all
}

// usesLogseq is true when the configuration names Logseq, it has run here, or
// one is connected.
func (v *visit) usesLogseq() bool {
	if conf, err := v.conf(); err == nil {
		for _, s := range conf.Sources {
			if s.Kind == "logseq" {
				return true
			}
		}
	}
	if isFolder(filepath.Join(v.home, ".logseq")) {
		return true
	}
	snap, err := v.picture()
	return err == nil && len(snap.Peers) > 0
}

// pluginState is what is in Logseq's usual folder.
func (v *visit) pluginState() (installer.PluginState, installer.Plugin, error) {
	g, err := v.carriedFor("")
	if err != nil {
		return installer.PluginState{}, g, err
	}
	state, err := v.machine().PluginState(g)
	return state, g, err
}

func lookAtPlugin(_ context.Context, v *visit) status.Check {
	if !v.usesLogseq() {
		return skipped("Logseq has not run here, and no source is one")
	}
	s, _, err := v.pluginState()
	switch {
	case errors.Is(err, plugin.ErrNotBuilt):
		return skipped("%v", err)
	case err != nil:
		return bad(err.Error(), "Do what the message says, then run: lectern plugin install.")
	}
	c := good("%s", pluginWords(s))
	if !s.Installed || !s.Current || s.Disabled {
		c = doubt(pluginWords(s), "Run: lectern plugin install, then restart Logseq.")
	}
	if s.Installed && s.Disabled {
		c.Fix = "Switch it on in Logseq's list of plugins."
	}
	return c
}

// lookAtPluginSettings also notices a Logseq that has written older settings
// back when it quit.
func lookAtPluginSettings(_ context.Context, v *visit) status.Check {
	s, g, err := v.pluginState()
	switch {
	case err != nil:
		return skipped("%v", err)
	case !s.Installed:
		return skipped("the plugin is not installed")
	case s.HasToken && s.TokenRight && s.PortRight && s.Private:
		if snap, err := v.picture(); err == nil && len(snap.Peers) > 0 {
			return good("%s; a Logseq has started since and kept them", settingsWords(s, g.Port))
		}
		return good("%s", settingsWords(s, g.Port))
	}
	return bad(settingsWords(s, g.Port)+"; Logseq may have written older settings back when it quit",
		"Quit Logseq, run: lectern plugin install, and start Logseq again.")
}

func lookAtPeers(_ context.Context, v *visit) status.Check {
	snap, err := v.picture()
	if err != nil {
		return skipped("no hub runs, so nobody can be connected")
	}
	for _, p := range snap.Problems {
		if p.Code == pluginToken.Code {
			return from(p)
		}
	}
	if len(snap.Peers) == 0 {
		return doubt("no Logseq is connected",
			"Start Logseq, or restart it if the plugin was installed since; its toolbar shows how the plugin is.")
	}
	names := make([]string, len(snap.Peers))
	for i, p := range snap.Peers {
		names[i] = fmt.Sprintf("%s (%s graph)", p.Name, p.Kind)
	}
	return good("%s", strings.Join(names, ", "))
}

func lookAtOrigin(_ context.Context, v *visit) status.Check {
	snap, err := v.picture()
	if err != nil {
		return skipped("no hub runs")
	}
	for _, p := range snap.Problems {
		if p.Code == pluginOrigin.Code {
			return from(p)
		}
	}
	if len(snap.Peers) == 0 {
		return skipped("no Logseq is connected")
	}
	var seen []string
	for _, p := range snap.Peers {
		origin := p.Origin
		if origin == "" {
			origin = "no page's: Logseq's own process asks"
		}
		seen = append(seen, p.Name+": "+origin)
	}
	return good("%s", strings.Join(seen, "; "))
}

// ofEachPeer looks at every Logseq that is connected and answers the worst
// result, with what was found of each.
func ofEachPeer(look func(context.Context, *visit, status.Peer) status.Check) func(context.Context, *visit) status.Check {
	return func(ctx context.Context, v *visit) status.Check {
		snap, err := v.picture()
		switch {
		case err != nil:
			return skipped("no hub runs")
		case len(snap.Peers) == 0:
			return skipped("no Logseq is connected")
		}
		grave := []status.CheckResult{status.CheckSkipped, status.CheckOK, status.CheckWarn, status.CheckFail}
		worst := status.Check{Result: status.CheckSkipped}
		var details []string
		for _, p := range snap.Peers {
			c := look(ctx, v, p)
			details = append(details, p.Name+": "+c.Detail)
			if slices.Index(grave, c.Result) > slices.Index(grave, worst.Result) {
				worst = c
			}
		}
		worst.Detail = strings.Join(details, "; ")
		return worst
	}
}

func lookAtVersions(_ context.Context, v *visit, p status.Peer) status.Check {
	found := fmt.Sprintf("Logseq %s, plugin %s, SDK %s, skill %s", p.App, p.Plugin, p.SDK, p.Skill)
	if files, err := v.plugin(); err == nil {
		if carried, err := plugin.Version(files); err == nil && carried != p.Plugin {
			return doubt(fmt.Sprintf("%s; this Lectern carries plugin %s", found, carried), "Run: lectern plugin install, then restart Logseq.")
		}
	}
	if p.Skill != doc.SkillVersion {
		return doubt(fmt.Sprintf("%s; this Lectern speaks skill %s", found, doc.SkillVersion), "Run: lectern plugin install, then restart Logseq.")
	}
	if !logseq.Known(p.App) {
		return doubt(found+"; a Logseq of this version was not tried", "See what logseq.methods says, and tell us how it goes.")
	}
	return good("%s", found)
}

func lookAtTransport(_ context.Context, _ *visit, p status.Peer) status.Check {
	took := "no ping was answered yet"
	if p.Latency > 0 {
		took = fmt.Sprintf("a ping takes %.1f ms", float64(p.Latency.Microseconds())/1000)
	}
	if p.Transport == "poll" {
		return doubt("long polling through Logseq's own process, so WebSockets to this machine are blocked or switched off; "+took,
			"All works, a little slower. If the plugin's settings say poll, auto would try a WebSocket first.")
	}
	return good("a WebSocket gets through; %s", took)
}

// lookAtMethods compares what a Logseq offers with the table.
func lookAtMethods(ctx context.Context, v *visit, p status.Peer) status.Check {
	var lacking, beyond []string
	all := logseq.Capabilities()
	for _, c := range all {
		switch there := slices.Contains(p.Capabilities, c.Key); {
		case there && !c.Has(p.Kind):
			beyond = append(beyond, c.Key)
		case !there && c.Has(p.Kind):
			lacking = append(lacking, c.Key)
		}
	}
	said := fmt.Sprintf("%d of %d capabilities", len(p.Capabilities), len(all))
	if len(beyond) > 0 {
		said += "; more than the table has: " + strings.Join(beyond, ", ")
	}
	if len(lacking) == 0 && len(beyond) == 0 {
		return good("%s, as the table says for a %s graph", said, p.Kind)
	}
	if len(lacking) > 0 {
		said += "; lacking: " + strings.Join(lacking, ", ")
	}
	d, err := v.diagnosis(ctx, p)
	switch {
	case err != nil:
		return doubt(said, "See docs/logseq-compatibility.md for what each needs.")
	case len(d.Missing) > 0:
		return doubt(said+"; this Logseq has not "+strings.Join(d.Missing, ", "), "Update Logseq; see docs/logseq-compatibility.md for what each needs.")
	case len(d.Settings) > 0:
		return good("%s; taken away by the plugin's settings: %s", said, strings.Join(d.Settings, ", "))
	}
	return doubt(said, "See docs/logseq-compatibility.md for what each needs.")
}
