package supervisor

import (
	"maps"
	"slices"

	"github.com/lectern-mcp/lectern/status"
)

// cloneSnapshot returns a copy of s that shares nothing with it. The slices that a hub
// fills are never nil, so that they are lists in JSON too.
func cloneSnapshot(s status.Snapshot) status.Snapshot {
	s.Hub.Stderr, s.Hub.PendingSettings = slices.Clone(s.Hub.Stderr), slices.Clone(s.Hub.PendingSettings)
	s.Sources = append([]status.Source{}, s.Sources...)
	for i, src := range s.Sources {
		s.Sources[i].Effects = append([]string{}, src.Effects...)
		s.Sources[i].Ask = slices.Clone(src.Ask)
		s.Sources[i].Tasks, s.Sources[i].Holds = slices.Clone(src.Tasks), slices.Clone(src.Holds)
		s.Sources[i].Commands, s.Sources[i].Grants = slices.Clone(src.Commands), slices.Clone(src.Grants)
		for k, g := range src.Grants {
			s.Sources[i].Grants[k].Effects, s.Sources[i].Grants[k].Ask = slices.Clone(g.Effects), slices.Clone(g.Ask)
		}
		if s.Sources[i].Hidden = clonePointer(src.Hidden); src.Hidden != nil {
			s.Sources[i].Hidden.Unmatched = slices.Clone(src.Hidden.Unmatched)
			s.Sources[i].Hidden.LeftOut = slices.Clone(src.Hidden.LeftOut)
		}
	}
	s.Sessions = append([]status.Session{}, s.Sessions...)
	s.Running = append([]status.RunningCall{}, s.Running...)
	for i, r := range s.Running {
		s.Running[i].Targets = slices.Clone(r.Targets)
	}
	s.Peers = append([]status.Peer{}, s.Peers...)
	for i, p := range s.Peers {
		s.Peers[i].Facts = append([]status.Fact{}, p.Facts...)
		s.Peers[i].Capabilities = append([]status.Capability{}, p.Capabilities...)
	}
	s.Snippets = append([]status.Snippet{}, s.Snippets...)
	s.Problems = append([]status.Problem{}, s.Problems...)
	for i, p := range s.Problems {
		s.Problems[i].Action = cloneAction(p.Action)
	}
	s.Approvals = append([]status.Approval{}, s.Approvals...)
	for i, a := range s.Approvals {
		s.Approvals[i].Targets = append([]string{}, a.Targets...)
		s.Approvals[i].Within, s.Approvals[i].Move = slices.Clone(a.Within), clonePointer(a.Move)
	}
	s.Permits = slices.Clone(s.Permits)
	s.Outcomes = append([]status.ApprovalOutcome{}, s.Outcomes...)
	for i, o := range s.Outcomes {
		if s.Outcomes[i].Call = clonePointer(o.Call); o.Call != nil {
			s.Outcomes[i].Call.Changes = slices.Clone(o.Call.Changes)
		}
	}
	s.Installations, s.Discovered = slices.Clone(s.Installations), slices.Clone(s.Discovered)
	s.Update.Steps = slices.Clone(s.Update.Steps)
	for i, step := range s.Update.Steps {
		s.Update.Steps[i].Action = cloneAction(step.Action)
	}
	return s
}

func cloneAction(a *status.Action) *status.Action {
	a = clonePointer(a)
	if a == nil {
		return nil
	}
	a.Source, a.Answer, a.Filter = clonePointer(a.Source), clonePointer(a.Answer), clonePointer(a.Filter)
	if a.Answer != nil && a.Answer.Edit != nil {
		edit := *a.Answer.Edit
		edit.Hunks, edit.Replace = slices.Clone(edit.Hunks), clonePointer(edit.Replace)
		a.Answer.Edit = &edit
	}
	a.Grant, a.Option = clonePointer(a.Grant), clonePointer(a.Option)
	if a.Change = clonePointer(a.Change); a.Change != nil {
		c := a.Change
		c.ReadOnly, c.Ask, c.Keys, c.Tools = clonePointer(c.ReadOnly), clonePointer(c.Ask), maps.Clone(c.Keys), slices.Clone(c.Tools)
		c.Exclude.Add, c.Exclude.Remove = slices.Clone(c.Exclude.Add), slices.Clone(c.Exclude.Remove)
		c.Only.Add, c.Only.Remove = slices.Clone(c.Only.Add), slices.Clone(c.Only.Remove)
	}
	if a.Source != nil {
		a.Source.Exclude, a.Source.Only, a.Source.Keys = slices.Clone(a.Source.Exclude), slices.Clone(a.Source.Only), maps.Clone(a.Source.Keys)
	}
	if a.Filter != nil {
		a.Filter.IDs = slices.Clone(a.Filter.IDs)
	}
	if a.Grant != nil {
		a.Grant.Effects, a.Grant.Ask = slices.Clone(a.Grant.Effects), slices.Clone(a.Grant.Ask)
	}
	return a
}

// clonePointer returns a pointer to a copy of *p, or nil for nil.
func clonePointer[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}
