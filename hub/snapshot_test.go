package hub

import "github.com/lectern-mcp/lectern/supervisor"

// The hub draws on the supervisor's picture.
var _ Picture = (*supervisor.State)(nil)
