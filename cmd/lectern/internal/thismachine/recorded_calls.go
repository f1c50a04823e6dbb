package thismachine

import (
	"context"
	"errors"
	"io/fs"
	"time"

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
			found.Calls = append(found.Calls, toStatusCall(c))
		}
	}
	found.Next, found.Reached = page.Next, page.Reached()
	return found, err
}

func (m *Machine) agents(ctx context.Context, _ struct{}) ([]status.Agent, error) {
	return ListAgents(ctx, m.conf.Paths.Audit(), m.conf.Now)
}

// ListAgents reads from the audit in this file which agents have been there, the
// last seen first, with a hub or without.
func ListAgents(ctx context.Context, file string, now func() time.Time) (agents []status.Agent, err error) {
	agents = []status.Agent{}
	r, err := audit.OpenReader(ctx, file, now)
	if errors.Is(err, fs.ErrNotExist) { // no hub has run yet
		return agents, nil
	}
	if err != nil {
		return agents, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	last, err := r.LastOfClients(ctx, status.AgentLeft, status.MaxAgents)
	for _, c := range last {
		if c.Transport != string(status.Stdio) && c.Transport != string(status.HTTP) && c.Outcome != audit.Event {
			continue // a person, or what a source does itself
		}
		a := status.Agent{Client: c.Client, Proven: c.Proven, Session: c.Session, LastSeen: c.Time.Add(c.Waited + c.Worked), Source: c.Source}
		if c.Outcome != audit.Event {
			a.LastTool = c.Tool
		}
		agents = append(agents, a)
	}
	return agents, err
}

// AuditFilter is f as the audit understands it.
func AuditFilter(f status.RecordedCallFilter) audit.Filter {
	outcome := audit.Outcome(f.Outcome)
	if f.Outcome == "changed" {
		outcome = ""
	}
	return audit.Filter{
		Source: f.Source, Effect: f.Effect, Outcome: outcome, Events: f.Events, Since: f.Since, Until: f.Until, Before: f.Before, Limit: f.Limit,
		Search: audit.Search{
			ClientPart: f.ClientPart, SourcePart: f.SourcePart, ToolPart: f.ToolPart, TargetPart: f.TargetPart, Changed: f.Outcome == "changed",
			Words: f.SplitWords(),
		},
	}
}

func toStatusCall(c audit.Record) status.Call {
	if c.Outcome == audit.Event {
		return status.Call{
			ID: c.ID, Time: c.Time, Session: c.Session, Client: c.Client, Proven: c.Proven, Source: c.Source, Targets: c.Targets, Message: c.Message,
			Event: c.Tool,
		}
	}
	known := audit.ReadHubDetail(c)
	return status.Call{
		Found: known.Found, FoundTotal: known.FoundTotal,
		PersonEdit: status.PersonEdit{Edited: known.ChangedByPerson, Hunks: known.Hunks, LeftOut: known.LeftOut},
		ID:         c.ID, Time: c.Time, Session: c.Session, Client: c.Client, Proven: c.Proven, Source: c.Source, Tool: c.Tool, Effect: c.Effect,
		Duration: c.Waited + c.Worked, Waited: c.Waited, RequestBytes: c.Request, ResponseBytes: c.Response,
		Code: c.Code, Message: c.Message, Refused: c.Outcome == audit.Refused, Changes: c.Changes, Targets: c.Targets, Approval: c.Approval,
	}
}
