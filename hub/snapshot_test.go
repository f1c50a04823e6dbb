package hub

import "github.com/lectern-mcp/lectern/supervisor"

var _ SnapshotStore = (*supervisor.SnapshotStore)(nil)
