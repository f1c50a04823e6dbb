package approval

import (
	"context"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

// A Question is what a client asks its user.
type Question struct {
	Message string
	Schema  map[string]any // JSON Schema of the answer
}

// A Reply is what a client reports of its user.
type Reply struct {
	Accepted bool // the form was filled in
	Declined bool // the form was refused; neither: it was closed
	Content  any  // of the form
}

// A Prompter asks the user of a client in that client, and stops when ctx ends.
type Prompter func(ctx context.Context, q Question) (Reply, error)

// The choices of a Question. An approval that reaches beyond the session is
// given in Lectern only.
const (
	allowOnce       = "allow once"
	allowForSession = "allow for this session"
	refuse          = "refuse"
)

// maxPromptDiff bounds the diffs that are shown in a client, in bytes.
const maxPromptDiff = 3 << 10

// prompt asks in the client too. Closing the form decides nothing; the call goes
// on to wait.
func (q *Queue) prompt(ctx context.Context, ask Prompter, p *pending) {
	reply, err := ask(ctx, p.question())
	if err != nil {
		if ctx.Err() == nil {
			q.conf.Log.Debug("elicit approval", "part", "hub", "session", p.view.Session, "err", err)
		}
		return
	}
	if d, ok := reply.decision(); ok {
		_ = q.answer(p.view.ID, d) // an error says that another answer was first
	}
}

// question holds text of agents and of notes, and the client may be a terminal:
// characters that it would obey or hide are made visible.
func (p *pending) question() Question {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", safetext.Line(p.plan.Title), safetext.Line(p.view.Why))
	if p.view.Reason != "" {
		fmt.Fprintf(&b, "The agent says why: %s\n", safetext.Line(p.view.Reason))
	}
	left := maxPromptDiff
	for _, step := range p.plan.Steps {
		diff := clip(string(safetext.Of(step.Diff)), left)
		left = max(0, left-len(diff))
		fmt.Fprintf(&b, "\n%s\n%s", safetext.Line(step.What), diff)
	}
	return Question{b.String(), map[string]any{
		"type": "object",
		"properties": map[string]any{
			"answer": map[string]any{"type": "string", "title": "Allow it?", "enum": []string{allowOnce, allowForSession, refuse}},
			"reason": map[string]any{"type": "string", "title": "If not, why (the agent reads it)", "maxLength": maxReason},
		},
		"required": []string{"answer"},
	}}
}

// decision reads a reply; false: it decides nothing.
func (r Reply) decision() (decision, bool) {
	d := decision{scope: status.Once, by: status.ByClient}
	content, _ := r.Content.(map[string]any)
	reason, _ := content["reason"].(string)
	d.reason = string([]rune(reason)[:min(len([]rune(reason)), maxReason)])
	switch {
	case r.Declined:
		return d, true
	case !r.Accepted:
		return d, false
	}
	switch content["answer"] {
	case allowOnce:
		d.allow = true
	case allowForSession:
		d.allow, d.scope = true, status.ForSession
	case refuse:
	default:
		return d, false // a form that was not filled in neither allows nor refuses
	}
	return d, true
}
