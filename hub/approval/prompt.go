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
	Reason     string // for a refusal, at most [MaxReasonCharacters] characters
}

// A FormContent is what a client shows to its user.
type FormContent struct {
	Message    string
	MayAllow   bool // false: the user can only refuse, because not everything fits into a form
	ForSession bool // the user may allow it for the whole session too
}

// A Prompter shows a form to the user of a client in that client, and stops when
// ctx ends.
type Prompter func(context.Context, FormContent) (FormAnswer, error)

// Bounds of what is shown in a client.
const (
	maxFormTargets         = 50
	maxFormTargetListBytes = 4 << 10 // bytes of the list of targets
	maxFormDiffBytes       = 8 << 10 // bytes of the diffs
)

// prompt asks in the client too. Closing the form decides nothing; the call goes
// on to wait.
func (q *Queue) prompt(ctx context.Context, ask Prompter, p *pendingApproval) {
	answer, err := ask(ctx, p.form)
	if err != nil {
		if ctx.Err() == nil {
			q.conf.Log.Debug("elicit approval", "component", "hub", "session", p.view.Session, "err", err)
		}
		return
	}
	q.answerForm(p, answer)
}

// answerForm takes an answer that came by a client. An approval that reaches
// beyond the session is given in Lectern only, and so is one of what the form did
// not show. Of a call that can be allowed only once nothing else is allowed,
// whatever the answer.
func (q *Queue) answerForm(p *pendingApproval, a FormAnswer) {
	if !a.Valid || a.Allow && !p.form.MayAllow {
		return
	}
	d := decision{allow: a.Allow, scope: status.Once, reason: a.Reason, by: status.ByClient}
	if a.ForSession && p.form.ForSession {
		d.scope = status.ForSession
	}
	_ = q.answer(p.view.ID, d) // an error says that another answer was first
}

// formContent names all targets first, so that none hides behind the text of
// another, and offers no yes if something had to be left out. It holds text of
// agents and of notes, and the client may be a terminal: characters that it would
// obey or hide are made visible.
func (r Request) formContent(view status.Approval, full changeDescription) FormContent {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", safetext.Line(r.title()), safetext.Line(r.AskReason))
	if r.Reason != "" {
		fmt.Fprintf(&b, "The agent says why: %s\n", safetext.Line(r.Reason))
	}
	for _, risk := range r.risks() {
		fmt.Fprintf(&b, "Risk: %s\n", risk)
	}
	if view.OnlyOnce {
		b.WriteString("It can be allowed only once at a time.\n")
	}
	list, listed := full.listTargets(maxFormTargets, maxFormTargetListBytes)
	b.WriteString(list)
	text, cut := headAndTail(string(safetext.Of(full.text)), maxFormDiffBytes)
	fmt.Fprintf(&b, "\n%s", text)
	cut = cut || full.cut || listed < len(full.targets)
	if cut {
		fmt.Fprintf(&b, "\nNot everything is shown here (%d bytes in all, %d targets), so it cannot be allowed here.\n"+
			"To see all: lectern approve show %s. To allow it: Lectern's panel, or lectern approve %s.\n", len(full.text), len(full.targets),
			view.ID, view.ID)
	}
	return FormContent{Message: b.String(), MayAllow: !cut, ForSession: !view.OnlyOnce}
}

// listTargets is a list of the targets, if there are several, and how many of
// them it names; the others are counted.
func (c *changeDescription) listTargets(most, bytes int) (list string, listed int) {
	if len(c.targets) < 2 {
		return "", len(c.targets)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(fmt.Sprintf("%d targets %s", len(c.targets), formatLineCounts(c.added, c.removed))))
	for _, t := range c.targets {
		line := "  " + string(safetext.Line(headline(t))) + "\n"
		if listed == most || b.Len()+len(line) > bytes {
			fmt.Fprintf(&b, "  … and %d more that are not shown\n", len(c.targets)-listed)
			break
		}
		b.WriteString(line)
		listed++
	}
	return b.String(), listed
}
