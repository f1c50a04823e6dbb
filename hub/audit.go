package hub

import (
	"time"

	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/status"
)

// SetTrail has every call from now on recorded in t, refused ones too. The hub
// does not close it.
func (h *Hub) SetTrail(t *audit.Trail) { h.trail.Store(t) }

// record writes a call down where nobody changes it unseen. A tool that is not
// there is not named: an agent could write anything into its name.
func (h *Hub) record(c call, t *tool, done status.Call) {
	trail := h.trail.Load()
	if trail == nil {
		return
	}
	r := audit.Record{
		Time: done.Time, Session: done.Session, Client: done.Client, Proven: c.client.Proven, Source: done.Source, Effect: done.Effect,
		Duration: done.Duration.Round(time.Microsecond), Asked: done.RequestBytes, Answered: done.ResponseBytes, Code: done.Code,
	}
	if t != nil {
		r.Tool = t.info.Name
	}
	if len(c.args) > 0 {
		r.Args = trail.Digest(c.args)
	}
	trail.Add(r)
}
