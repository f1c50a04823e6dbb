package mcp

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/lectern-mcp/lectern/internal/frame"
	"github.com/lectern-mcp/lectern/tools"
)

// This file tells the relay in front of a client what it may send again when this hub is
// gone: see package frame.

// readOnlyTools names the tools of the scope that only read.
func (ep *endpoint) readOnlyTools() mcp.JSONRPCNotification {
	set, _ := ep.Hub.Toolset(ep.scope, nil)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(set.Tools)), func(name string) bool { return set.Tools[name].Effect != tools.Reads })
	return mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION, Notification: mcp.Notification{
		Method: frame.MethodReadOnlyTools, Params: mcp.NotificationParams{AdditionalFields: map[string]any{"tools": names}},
	}}
}

// announceReadOnlyTools tells the relays of the scope after its tools have changed. Who is not
// told, because so much waits, has an older list: it only sends less again.
func (ep *endpoint) announceReadOnlyTools() {
	ep.mu.Lock()
	defer ep.mu.Unlock()
	for c := range ep.clients {
		if c.session.Relay && c.session.Scope == ep.scope && c.listens == nil {
			select {
			case c.announcements <- ep.readOnlyTools():
			default:
			}
		}
	}
}

// writeReadOnlyTools tells the relay of a stream, before anything else is written.
func (st *stream) writeReadOnlyTools() {
	if !st.session.Relay {
		return
	}
	if b, err := json.Marshal(st.readOnlyTools()); err == nil { // names can be written
		st.respond(b)
	}
}

// writeAllAnswered says that what has no answer has not begun. Nothing runs any more.
func (st *stream) writeAllAnswered() {
	st.mu.Lock()
	lost := st.lost
	st.mu.Unlock()
	if st.session.Relay && !lost {
		st.respond([]byte(`{"jsonrpc":"2.0","method":"` + frame.MethodAllAnswered + `"}`))
	}
}
