package hub

import (
	"fmt"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/status"
)

// recordConnectedAgents records the agents that have said who they are since the last
// time. An agent connects before it says that.
func recordConnectedAgents(h *Hub) {
	for _, s := range h.sessions.list() {
		if s.ClientName() != "" && h.sessions.markConnectionRecorded(s) {
			h.calls.RecordEvent(connectedEvent(s))
		}
	}
}

func connectedEvent(s *mcp.Session) status.Call {
	e := sessionEvent(s, status.AgentConnected)
	e.Time = s.Since
	e.Message = "connected over " + string(s.Transport)
	if s.Scope != "" {
		e.Message += ", for " + s.Scope
	}
	return e
}

// recordAgentLeft records that a session is over. One that has neither said who it is
// nor called anything was no agent's.
func recordAgentLeft(h *Hub, s *mcp.Session) {
	shown := s.Status()
	if shown.Client == "" && shown.Calls == 0 {
		return
	}
	if h.sessions.markConnectionRecorded(s) {
		h.calls.RecordEvent(connectedEvent(s))
	}
	h.sessions.unmarkConnectionRecorded(s)
	e := sessionEvent(s, status.AgentLeft)
	e.Message = fmt.Sprintf("left after %d calls", shown.Calls)
	if shown.Calls == 1 {
		e.Message = "left after 1 call"
	}
	h.calls.RecordEvent(e)
}

func sessionEvent(s *mcp.Session, what string) status.Call {
	shown := s.Status()
	return status.Call{Event: what, Session: s.ID, Client: shown.Client, Proven: shown.Proven}
}

// markConnectionRecorded reports whether this is the first time that it is asked about s. Shared
// sessions, which have no connection, are never named.
func (r *sessionRegistry) markConnectionRecorded(s *mcp.Session) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.named[s] || s.Transport == status.Route || s.Transport == status.Own {
		return false
	}
	r.named[s] = true
	return true
}

func (r *sessionRegistry) unmarkConnectionRecorded(s *mcp.Session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.named, s)
}
