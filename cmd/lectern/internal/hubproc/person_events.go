package hubproc

import (
	"slices"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
)

// personEvent describes an action before it is carried out, while what it is about
// is still there. Actions that decide nothing are not worth a record.
func (a actions) personEvent(act status.Action) (e status.Call, worth bool) {
	e = status.Call{Event: string(act.Verb), Message: act.Title()}
	switch act.Verb {
	case status.MarkShown, status.PinHub, status.UnpinHub, status.Reload, status.ReopenSource, status.Acknowledge:
		return e, false
	case status.Allow, status.Refuse:
		waiting, _, _, ok := a.hub.Approvals().Get(act.Target)
		if !ok {
			return e, false
		}
		e.Client, e.Proven, e.Session, e.Source, e.Targets = waiting.Client, waiting.Proven, waiting.Session, waiting.Source, waiting.Targets
		e.Message = "allowed " + waiting.Tool
		if act.Verb == status.Refuse {
			e.Message = "refused " + waiting.Tool
		}
	case status.Disconnect:
		all := a.hub.MCP().Sessions()
		if i := slices.IndexFunc(all, func(s *mcp.Session) bool { return s.ID == act.Target }); i >= 0 {
			e.Client, e.Proven, e.Session = all[i].ClientName(), all[i].Proven != "", act.Target
		}
	case status.PauseWrites, status.ResumeWrites, status.ResetCircuitBreaker:
		e.Client = act.Target
	case status.SetGrant:
		if act.Grant != nil {
			e.Client, e.Source = act.Grant.Client, act.Grant.Source
		}
	case status.UndoChanges:
		e.Client, e.Source, e.Session = filterFromAction(act).Client, filterFromAction(act).Source, filterFromAction(act).Session
	case status.AddSource, status.SetSource, status.RemoveSource:
		e.Source = act.Target
	default: // its title says all
	}
	return e, true
}
