package approval

import (
	"context"
	"fmt"
	"strings"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

// A FormAnswer is what a client says its user answered.
type FormAnswer struct {
	Valid      bool // false: the form was closed, or holds no valid answer
	Allow      bool
	ForSession bool   // the user allows it for the whole session
	Reason     string // for a refusal, at most [MaxReason] characters
}

// A Prompter shows a message to the user of a client in that client, and stops
// when ctx ends.
type Prompter func(ctx context.Context, message string) (FormAnswer, error)

// maxPromptDiff bounds the diffs that are shown in a client, in bytes.
const maxPromptDiff = 3 << 10

// prompt asks in the client too. Closing the form decides nothing; the call goes
// on to wait.
func (q *Queue) prompt(ctx context.Context, ask Prompter, p *pending) {
	answer, err := ask(ctx, p.message())
	if err != nil {
		if ctx.Err() == nil {
			q.conf.Log.Debug("elicit approval", "component", "hub", "session", p.view.Session, "err", err)
		}
		return
	}
	q.answerForm(p, answer)
}

// answerForm takes an answer that came by a client. An approval that reaches
// beyond the session is given in Lectern only. Of a call that makes others only
// this one is approved, whatever the answer.
func (q *Queue) answerForm(p *pending, a FormAnswer) {
	if !a.Valid {
		return
	}
	d := decision{allow: a.Allow, scope: status.Once, reason: a.Reason, by: status.ByClient}
	if a.ForSession && !p.view.OnlyOnce {
		d.scope = status.ForSession
	}
	_ = q.answer(p.view.ID, d) // an error says that another answer was first
}

// message holds text of agents and of notes, and the client may be a terminal:
// characters that it would obey or hide are made visible.
func (p *pending) message() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", safetext.Line(p.plan.Title), safetext.Line(p.view.AskReason))
	if p.view.Reason != "" {
		fmt.Fprintf(&b, "The agent says why: %s\n", safetext.Line(p.view.Reason))
	}
	if p.view.OnlyOnce {
		b.WriteString("It makes other calls, so it can be allowed only once at a time.\n")
	}
	left := maxPromptDiff
	for _, step := range p.plan.Steps {
		diff := clip(string(safetext.Of(step.Diff)), left)
		left = max(0, left-len(diff))
		fmt.Fprintf(&b, "\n%s\n%s", safetext.Line(step.Description), diff)
	}
	return b.String()
}
