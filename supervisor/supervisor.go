// Package supervisor keeps things running and knows how they are: it starts
// and restarts child processes ([Process]) and holds the live picture of the
// hub ([SnapshotStore]), which [HubAPI] serves as a status.Client.
//
// It does not know what the things it watches do: neither MCP nor knowledge
// bases appear here. How processes find each other is supervisor/daemon's. The
// hub fills the store; cmd wires the rest. Start reading at [SnapshotStore].
package supervisor
