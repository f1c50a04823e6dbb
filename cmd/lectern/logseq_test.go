package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/lectern-mcp/lectern/bridge/bridgetest"
	"github.com/lectern-mcp/lectern/internal/loopnet"
	"github.com/lectern-mcp/lectern/tools/logseq"
)

// runFakeLogseq is a Logseq with the plugin, for the scripts: `logseq PORT GRAPH
// [ANSWER]`. ANSWER is what it says to diagnose. It connects when the hub is
// there and ends with it.
func runFakeLogseq() {
	home, port, graph := os.Getenv("LECTERN_HOME"), os.Args[1], os.Args[2]
	token, err := loopnet.LoadOrCreateToken(filepath.Join(home, "state", "plugin.token"))
	if err != nil {
		panic(err)
	}
	hello := map[string]any{
		"logseq_version": "2.0.1", "plugin_version": "0.1.0", "sdk_version": "0.2.12", "skill_version": logseq.System().Peer().Skill,
		"api_capabilities": capabilities("db"), "graph": map[string]string{"name": "logseq_db_" + graph, "url": "logseq_db_" + graph, "kind": "db"},
	}
	p, err := bridgetest.Connect(context.Background(), bridgetest.Options{
		Dial: bridgetest.Dial{URL: "http://127.0.0.1:" + port, Origin: "lsp://logseq.io"}, Token: token, Hello: hello,
		Answer: func(_ context.Context, method string, _ json.RawMessage) (any, error) {
			if method == "diagnose" && len(os.Args) > 3 {
				return json.RawMessage(os.Args[3]), nil
			}
			return nil, &bridgetest.Fault{Code: "CAPABILITY_MISSING", Message: "this plugin has no method " + method}
		},
	})
	if err != nil {
		panic(err)
	}
	p.Wait()
}

// capabilities are the capabilities of a kind of graph.
func capabilities(kind string) []string {
	var list []string
	for _, c := range logseq.Capabilities() {
		if c.Has(kind) {
			list = append(list, c.Key)
		}
	}
	return list
}
