package main

import (
	"strings"
	"testing"

	"github.com/lectern-mcp/lectern/status"
)

func TestConnectedRows(t *testing.T) {
	ready := status.Hub{Component: status.Component{State: status.Ready}}
	for want, snap := range map[string]status.Snapshot{
		"no hub is running": {},
		"is Logseq running": {Hub: ready},
		"notes, Logseq 2.0.1, plugin 1.2.3, over websocket": {Hub: ready, Peers: []status.Peer{
			{Component: status.Component{Name: "notes"}, Facts: []status.Fact{{Name: "Logseq", Value: "2.0.1"}, {Name: "plugin", Value: "1.2.3"}}, Transport: "websocket"},
		}},
	} {
		if rows := connectedPeerRows(snap); len(rows) != 1 || !strings.Contains(rows[0][1], want) {
			t.Errorf("%q, want %s", rows, want)
		}
	}
}
