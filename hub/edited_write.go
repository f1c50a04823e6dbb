package hub

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/tools"
)

// isTextChange reports whether a call changes the text of one page, so that a person
// may write another text in its place. What a call of a client answers may then be
// told to it; a call that another one makes owes that one its own answer.
func (c *call) isTextChange(changes []tools.Change) bool {
	text := c.source.kind.Manifest().TextTarget
	return text != nil && len(changes) == 1 && text(changes[0].Target) && c.outer == nil && c.decided.group == nil && c.tool.ownChanges == nil
}

// writeEdited writes what a person has made of the only Change of a call, in place of
// running its tool. The write passes all that one of a tool passes, and fails if the
// page is no longer as the person was shown it.
func writeEdited(ctx context.Context, h *Hub, c *call, open *sourceRef, auth authorization) (tools.Result, error) {
	shown, why := mayAgentSeeEdit(ctx, h.policy.Load(), c, open, *auth.edited)
	reported, check := false, auth.check
	auth.check = func(ctx context.Context, restorer tools.Restorer, changes []tools.Change) error {
		reported = true
		return check(ctx, restorer, changes)
	}
	if err := open.Restorer().Restore(ctx, newCallContext(h, c, open.Restorer(), auth), []tools.Change{*auth.edited}); err != nil {
		if !reported && tools.AsError(err).Code == tools.Conflict {
			auth.grant.SetOutdated() // the text was made from what the page held before
		}
		return tools.Result{}, err
	}
	return editedWriteResult(*auth.edited, shown, why)
}

// mayAgentSeeEdit reports whether the agent may see what the person has written, or why not.
// It is asked before anything is written, when what is visible to the agent is what it
// has asked about.
func mayAgentSeeEdit(ctx context.Context, p *policy.Policy, c *call, open *sourceRef, edited tools.Change) (shown bool, why string) {
	const mayNotRead = "you may not read the page, so the difference is not shown"
	if !c.toolset.grantsEffectInSource(c.source, tools.Reads) {
		return false, mayNotRead
	}
	q := sourceRead{what: "resources/read"}.policyRequest(c.client, c.source)
	q.Targets = []string{edited.Target}
	if err := checkRead(p, q); err != nil {
		return false, mayNotRead
	}
	if hidden, err := open.HidesChange(ctx, edited); err != nil || hidden {
		return false, "the difference is not shown"
	}
	return true, ""
}

// maxEditDiffBytes bounds the diff in the answer to a call that a person has changed.
const maxEditDiffBytes = 16 << 10

// An editedWriteAnswer is what the agent is told in place of its tool's answer.
type editedWriteAnswer struct {
	ChangedByPerson bool   `json:"changed_by_person"`
	Message         string `json:"message"`
	Target          string `json:"target"`
	Diff            string `json:"diff,omitempty"` // from the page before to what was written
}

func editedWriteResult(edited tools.Change, shown bool, why string) (tools.Result, error) {
	answer := editedWriteAnswer{
		ChangedByPerson: true, Target: edited.Target,
		Message: "The user changed what you asked for before they allowed it: diff is what was written, " +
			"and nothing else of your call was. Read the page before you write to it again, and do not write again what the user left out.",
	}
	if shown {
		answer.Diff = udiff.Unified("before", "after", string(edited.Before.Data), string(edited.After.Data))
		if n := len(answer.Diff); n > maxEditDiffBytes {
			answer.Diff = safetext.Shorten(answer.Diff, maxEditDiffBytes) +
				fmt.Sprintf("\n… of a diff of %d bytes; read the page for all of it\n", n)
		}
	} else {
		answer.Message = "The user edited your change before they allowed it, and that was written; " + why +
			". Do not write again what the user left out."
	}
	text, err := json.Marshal(answer)
	if err != nil { // strings and booleans marshal
		return tools.Result{}, err
	}
	return tools.Result{JSON: text, Targets: []string{edited.Target}}, nil
}
