package hub

import (
	"context"
	"testing"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/status/statustest"
)

func TestCallRing(t *testing.T) {
	statustest.RunCalls(t, func(_ *testing.T, tee func(func(status.Call))) func(context.Context, status.CallFilter) (<-chan status.Call, error) {
		l := &CallLog{history: callHistory{size: statustest.LinesKept}}
		tee(l.history.add)
		return l.Stream
	})
}
