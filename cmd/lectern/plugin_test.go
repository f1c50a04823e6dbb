package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lectern-mcp/lectern/installer"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
)

// withPlugin is lectern in a build that carries a plugin, for the scripts:
// whether this one does depends on whether npm was there.
func withPlugin() {
	w, err := newWorld(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	if err != nil {
		os.Exit(report(os.Stderr, err))
	}
	w.plugin = smallPlugin
	os.Exit(w.run(context.Background(), os.Args[1:]))
}

// smallPlugin is a plugin that does nothing.
func smallPlugin() (fs.FS, error) { return carrying("1.2.3")() }

// carrying is such a plugin of some version.
func carrying(version string) func() (fs.FS, error) {
	return func() (fs.FS, error) {
		return fstest.MapFS{
			"package.json":  {Data: []byte(`{"name": "` + plugin.ID + `", "version": "` + version + `", "logseq": {"title": "T", "icon": "./dist/icon.svg"}}`)},
			"README.md":     {Data: []byte("# Read\n")},
			"dist/index.js": {Data: []byte("run()\n")},
			"dist/icon.svg": {Data: []byte("<svg/>\n")},
		}, nil
	}
}

// A build without the plugin's script says how to make one.
func TestBuildWithoutPlugin(t *testing.T) {
	for _, verb := range []string{"install", "status", "pack"} {
		var out, said bytes.Buffer
		w, err := newWorld(strings.NewReader(""), &out, &said, []string{"LECTERN_HOME=" + t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		w.plugin = func() (fs.FS, error) { return nil, plugin.ErrNotBuilt }
		code := w.run(t.Context(), []string{"plugin", verb})
		if code != int(exitFailed) || !strings.Contains(said.String(), "this build carries no plugin; build it with `make plugin/dist/index.js`") {
			t.Errorf("plugin %s: %d, %s", verb, code, &said)
		}
	}
}

func TestPluginWords(t *testing.T) {
	good := installer.PluginState{
		Folder: "/f", Settings: "/s", Installed: true, Version: "1", Current: true,
		Port: 7, PortRight: true, HasToken: true, TokenRight: true, Private: true,
	}
	for want, change := range map[string]func(*installer.PluginState){
		"installed by Lectern 1, up to date: /f | port 7 and token are the hub's": func(*installer.PluginState) {},
		"not installed: /f":                func(s *installer.PluginState) { s.Installed = false },
		"other than this build carries":    func(s *installer.PluginState) { s.Current = false },
		"an unknown version":               func(s *installer.PluginState) { s.Version = "" },
		"switched off":                     func(s *installer.PluginState) { s.Disabled = true },
		"no token: /s":                     func(s *installer.PluginState) { s.HasToken = false },
		"not the token that the hub knows": func(s *installer.PluginState) { s.TokenRight = false },
		"port 7, but the hub's is 8":       func(s *installer.PluginState) { s.PortRight = false },
		"others may read the token: /s":    func(s *installer.PluginState) { s.Private = false },
	} {
		s := good
		change(&s)
		if got := pluginWords(s) + " | " + settingsWords(s, 8); !strings.Contains(got, want) {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	ready := status.Hub{Component: status.Component{State: status.Ready}}
	for want, snap := range map[string]status.Snapshot{
		"no hub runs":       {},
		"is Logseq running": {Hub: ready},
		"notes, Logseq 2.0.1, plugin 1.2.3 over websocket": {Hub: ready, Peers: []status.Peer{
			{Component: status.Component{Name: "notes"}, App: "2.0.1", Plugin: "1.2.3", Transport: "websocket"},
		}},
	} {
		var out bytes.Buffer
		table := newTable(&out)
		connectedRows(table, snap)
		if err := table.Flush(); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s %v\nwant %s", &out, err, want)
		}
	}
}
