package machine

import (
	"context"
	"errors"
	"io/fs"

	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/status"
)

// recordedCalls reads the audit itself: it is there when no hub is running, and
// holds what a hub has forgotten.
func (m *Machine) recordedCalls(ctx context.Context, f status.RecordedCallFilter) (found status.RecordedCalls, err error) {
	found.Calls = []status.Call{}
	r, err := audit.OpenReader(ctx, m.conf.Paths.Audit(), m.conf.Now)
	if errors.Is(err, fs.ErrNotExist) { // no hub has run yet
		return found, nil
	}
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	page, err := r.Calls(ctx, AuditFilter(f))
	for _, c := range page.Calls {
		if c.Outcome != audit.Dropped {
			found.Calls = append(found.Calls, statusCall(c))
		}
	}
	found.Next = page.Next
	return found, err
}

// AuditFilter is f as the audit understands it.
func AuditFilter(f status.RecordedCallFilter) audit.Filter {
	return audit.Filter{
		Source: f.Source, Effect: f.Effect, Outcome: audit.Outcome(f.Outcome), Since: f.Since, Until: f.Until, Before: f.Before, Limit: f.Limit,
		Search: audit.Search{ClientPart: f.ClientPart, SourcePart: f.SourcePart, ToolPart: f.ToolPart, TargetPart: f.TargetPart, Words: f.SplitWords()},
	}
}

func statusCall(c audit.Record) status.Call {
	return status.Call{
		ID: c.ID, Time: c.Time, Session: c.Session, Client: c.Client, Proven: c.Proven, Source: c.Source, Tool: c.Tool, Effect: c.Effect,
		Duration: c.Waited + c.Worked, Waited: c.Waited, RequestBytes: c.Request, ResponseBytes: c.Response,
		Code: c.Code, Message: c.Message, Refused: c.Outcome == audit.Refused, Changes: c.Changes, Targets: c.Targets,
	}
}
