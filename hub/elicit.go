package hub

import (
	"context"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/hub/mcp"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

// An elicitor asks the user of a client in that client; its answer is the
// client's word for what they said.
type elicitor func(ctx context.Context, message string) (mcp.FormAnswer, error)

// mostElicited bounds the diff that is shown in a client, in bytes.
const mostElicited = 3 << 10

// elicit asks for an approval in the client too, where it can and its word is
// trusted. Closing the form answers nothing; the call goes on to wait.
func (h *Hub) elicit(ctx context.Context, c *call, w *waiting) {
	if c.elicit == nil || !h.policy.Load().Elicits(c.client, w.shown.Source) {
		return
	}
	go func() {
		a, err := c.elicit(ctx, elicitation(w))
		if err != nil {
			if ctx.Err() == nil {
				h.log.Debug("elicit approval", "part", "hub", "session", c.session.ID, "err", err)
			}
			return
		}
		if a.Given {
			_ = h.answer(w.shown.ID, rulingOf(a)) // somebody else was first
		}
	}()
}

// elicitation is what the user reads. It holds text of agents and of notes, and
// the client may be a terminal: what would be hidden there is shown.
func elicitation(w *waiting) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", safetext.Line(w.plan.Title), safetext.Line(w.shown.Why))
	if w.shown.Reason != "" {
		fmt.Fprintf(&b, "The agent says why: %s\n", safetext.Line(w.shown.Reason))
	}
	left := mostElicited
	for _, step := range w.plan.Steps {
		diff := clip(string(safetext.Of(step.Diff)), left)
		left = max(0, left-len(diff))
		fmt.Fprintf(&b, "\n%s\n%s", safetext.Line(step.What), diff)
	}
	return b.String()
}

// rulingOf is what a client says that its user said.
func rulingOf(a mcp.FormAnswer) ruling {
	r := ruling{allow: a.Allow, scope: status.Once, reason: a.Reason, by: status.ByClient}
	if a.ForSession {
		r.scope = status.ForSession
	}
	return r
}
