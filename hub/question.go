package hub

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	mostTargets = 10        // named in an Approval
	mostArgs    = 2 << 10   // bytes shown of the arguments
	mostSteps   = 50        // of a Plan
	mostDiff    = 16 << 10  // bytes of one diff
	mostDiffs   = 128 << 10 // and of all
	mostDiffed  = 1 << 20   // bytes of a text that is still compared
)

func (q question) shown(c *call, now time.Time, within time.Duration) status.Approval {
	names := targets(q.rehearsal.changes)
	some := names[:min(len(names), mostTargets)]
	return status.Approval{
		ID: newApprovalID(), Since: now, Until: now.Add(within),
		Session: c.session.ID, Client: c.client.Name, Proven: c.client.Proven,
		Source: q.source.conf.Name, Tool: q.tool.info.Name, Effect: string(q.request.Effect),
		Targets: some, More: len(names) - len(some), Why: q.why, Reason: c.reason, Args: clip(string(q.args), mostArgs),
	}
}

// rule is what an answer for good says: this client, this tool of this source,
// as it is declared today.
func (q question) rule(c *call) policy.Rule {
	return policy.Rule{
		Do: policy.Always, Client: literal(c.client.Name), Proven: c.client.Proven,
		Source: literal(q.source.conf.Name), Tool: literal(q.tool.info.Name), Schema: q.tool.digest,
	}
}

// literal is a glob that fits name alone.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// plan is what a person agrees to.
func (q question) plan(c *call) status.Plan {
	plan := status.Plan{
		Title: fmt.Sprintf("Let %s call %s in source %s", nameFor(c.client), q.tool.info.Name, q.source.conf.Name),
		Steps: []status.Step{}, Risks: []string{},
	}
	left := mostDiffs
	for i, change := range q.rehearsal.changes {
		if i == mostSteps {
			plan.Risks = append(plan.Risks, fmt.Sprintf("%d more targets change that are not shown", len(q.rehearsal.changes)-mostSteps))
			break
		}
		step := status.Step{What: deed(change) + " " + change.Target, Diff: clip(diff(change), min(mostDiff, left))}
		left -= len(step.Diff)
		plan.Steps = append(plan.Steps, step)
	}
	if !q.rehearsal.known {
		plan.Steps = append(plan.Steps, status.Step{What: fmt.Sprintf("%s with %s", q.tool.info.Name, clip(string(q.args), mostArgs))})
		if q.tool.info.Effect != tools.Reads {
			plan.Risks = append(plan.Risks, "what it would change is not known before; its arguments are all there is to see")
		}
	}
	if !c.client.Proven {
		plan.Risks = append(plan.Risks, "the client's name is what it calls itself; it has not proved it")
	}
	return plan
}

func nameFor(c policy.Client) string {
	if c.Name == "" {
		return "a client without a name"
	}
	return c.Name
}

func deed(c tools.Change) string {
	switch {
	case !c.Before.Exists:
		return "create"
	case !c.After.Exists && !c.AfterUnknown:
		return "delete"
	}
	return "change"
}

// diff is a Change as a unified diff, or what can be said of it in a line.
func diff(c tools.Change) string {
	before, after := c.Before.Data, c.After.Data
	switch {
	case c.AfterUnknown && !c.After.Exists:
		return "what it holds afterwards is decided by the application\n"
	case len(before)+len(after) > mostDiffed || !isText(before) || !isText(after):
		return fmt.Sprintf("%d bytes become %d bytes; they are no text, or too long to show\n", len(before), len(after))
	}
	d := udiff.Unified("before", "after", string(before), string(after))
	if c.AfterUnknown {
		d += "this is expected; the application decides what it holds afterwards\n"
	}
	if d == "" && c.Before.Mode != c.After.Mode {
		return fmt.Sprintf("mode %04o becomes %04o\n", c.Before.Mode, c.After.Mode)
	}
	return d
}

func isText(b []byte) bool { return utf8.Valid(b) && !strings.ContainsRune(string(b), 0) }

// clip cuts s to most bytes, between characters, and says how much is missing.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	cut := max(most, 0)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d more bytes)", s[:cut], len(s)-cut)
}
