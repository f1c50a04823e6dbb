package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app/apptest"
	"github.com/lectern-mcp/lectern/plugin"
	"github.com/lectern-mcp/lectern/status"
)

// runWithPlugin is lectern in a build that carries a plugin, for the scripts:
// whether this one does depends on whether npm was there.
func runWithPlugin() {
	c, err := newCLI(os.Stdin, os.Stdout, os.Stderr, os.Environ())
	if err != nil {
		os.Exit(reportError(os.Stderr, err))
	}
	c.Plugin = apptest.Plugin("1.2.3")
	os.Exit(c.run(context.Background(), os.Args[1:]))
}

// A build without the plugin says how to build it.
func TestBuildWithoutPlugin(t *testing.T) {
	for _, verb := range []string{"install", "status", "pack"} {
		var out, said bytes.Buffer
		c, err := newCLI(strings.NewReader(""), &out, &said, []string{"LECTERN_HOME=" + t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		c.Plugin = func() (fs.FS, error) { return nil, plugin.ErrNotBuilt }
		code := c.run(t.Context(), []string{"plugin", verb})
		if code != int(exitFailed) || !strings.Contains(said.String(), "this build carries no plugin; build it with `make plugin/dist/index.js`") {
			t.Errorf("plugin %s: %d, %s", verb, code, &said)
		}
	}
}

func TestConnectedRows(t *testing.T) {
	ready := status.Hub{Component: status.Component{State: status.Ready}}
	for want, snap := range map[string]status.Snapshot{
		"no hub is running": {},
		"is Logseq running": {Hub: ready},
		"notes, Logseq 2.0.1, plugin 1.2.3, over websocket": {Hub: ready, Peers: []status.Peer{
			{Component: status.Component{Name: "notes"}, Facts: []status.Fact{{Name: "Logseq", Value: "2.0.1"}, {Name: "plugin", Value: "1.2.3"}}, Transport: "websocket"},
		}},
	} {
		if rows := connectedRows(snap); len(rows) != 1 || !strings.Contains(rows[0][1], want) {
			t.Errorf("%q, want %s", rows, want)
		}
	}
}
