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
	var search audit.Search
	for _, e := range f.Where.Conjuncts() {
		search = append(search, auditCondition(e))
	}
	return audit.Filter{
		Source: f.Source, Events: f.Events, Since: f.Since, Until: f.Until, Before: f.Before, Limit: f.Limit, Search: search,
	}
}

func auditCondition(e status.SearchExpr) audit.Condition {
	switch e.Op {
	case status.SearchAll, status.SearchAny, status.SearchNot:
		c := audit.Condition{Op: map[status.SearchOp]audit.Op{
			status.SearchAll: audit.All, status.SearchAny: audit.Any, status.SearchNot: audit.Not,
		}[e.Op]}
		for _, part := range e.Of {
			c.Of = append(c.Of, auditCondition(part))
		}
		return c
	case status.SearchWord, status.SearchPhrase:
		return audit.Condition{Text: e.Text}
	case status.SearchCondition:
	}
	switch e.Key {
	case "target":
		return audit.Condition{Field: "targets", Text: e.Value}
	case "since", "until":
		return audit.Condition{Field: e.Key, Time: e.Time()}
	case "is":
		if e.Value == "changed" {
			return audit.Condition{Field: "changes"}
		}
		return audit.Condition{Field: "outcome", Text: e.Value}
	}
	return audit.Condition{Field: e.Key, Text: e.Value}
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
