package approval

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	maxTargets   = 10        // named in an Approval
	maxArgs      = 2 << 10   // bytes shown of the arguments
	maxSteps     = 50        // of a Plan
	maxDiff      = 16 << 10  // bytes of one diff
	maxDiffs     = 128 << 10 // and of all
	maxDiffInput = 1 << 20   // bytes before and after; longer texts are not compared
)

// view is the request as people see it in a list.
func (r Request) view(id string, now time.Time, limit time.Duration) status.Approval {
	shown := min(len(r.Changes), maxTargets)
	targets := make([]string, shown)
	for i := range targets {
		targets[i] = r.targetName(i)
	}
	return status.Approval{
		ID: id, Since: now, Until: now.Add(limit),
		Session: r.Session, Client: r.Call.Client.Name, Proven: r.Call.Client.Proven,
		Source: r.Call.Source, Tool: r.Call.Tool, Effect: string(r.Call.Effect),
		OnlyOnce: r.OnlyOnce, Targets: targets, More: len(r.Changes) - shown, AskReason: r.AskReason, Reason: r.Reason, Args: clip(string(r.Args), maxArgs),
	}
}

// alwaysRule is what the answer "always" writes: this client may use this tool
// of this source, as the tool is declared today.
func (r Request) alwaysRule() policy.Rule {
	return policy.Rule{
		Do: policy.Always, Client: literal(r.Call.Client.Name), Proven: r.Call.Client.Proven,
		Source: literal(r.Call.Source), Tool: literal(r.Call.Tool), ToolDigest: r.Call.ToolDigest,
	}
}

// literal is a glob that matches only name.
func literal(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// plan is what the person approves.
func (r Request) plan() status.Plan {
	client := r.Call.Client.Name
	if client == "" {
		client = "a client without a name"
	}
	plan := status.Plan{
		Title: fmt.Sprintf("Let %s call %s in source %s", client, r.Call.Tool, r.Call.Source),
		Steps: []status.Step{}, Risks: []string{},
	}
	left := maxDiffs
	for i, change := range r.Changes {
		if i == maxSteps {
			plan.Risks = append(plan.Risks, fmt.Sprintf("%d more targets change that are not shown", len(r.Changes)-maxSteps))
			break
		}
		step := status.Step{Description: action(change) + " " + r.targetName(i), Diff: clip(diff(change), min(maxDiff, left))}
		left -= len(step.Diff)
		plan.Steps = append(plan.Steps, step)
	}
	for _, read := range r.Reads {
		plan.Steps = append(plan.Steps, status.Step{Description: read})
	}
	if !r.ChangesKnown {
		plan.Steps = append(plan.Steps, status.Step{Description: fmt.Sprintf("%s with %s", r.Call.Tool, clip(string(r.Args), maxArgs))})
		if r.Call.Effect != tools.Reads {
			plan.Risks = append(plan.Risks, "what it would change is not known in advance; you see only its arguments")
		}
	}
	if !r.Call.Client.Proven {
		plan.Risks = append(plan.Risks, "the client has not proved its name")
	}
	return plan
}

// targetName names a target as people find it: with its source, if there are
// several.
func (r Request) targetName(i int) string {
	if i < len(r.Sources) && len(slices.Compact(slices.Sorted(slices.Values(r.Sources)))) > 1 {
		return r.Changes[i].Target + " in " + r.Sources[i]
	}
	return r.Changes[i].Target
}

func action(c tools.Change) string {
	switch {
	case !c.Before.Exists:
		return "create"
	case !c.After.Exists && !c.AfterUnknown:
		return "delete"
	}
	return "change"
}

// diff is a Change as a unified diff, or a line that says why there is none.
func diff(c tools.Change) string {
	before, after := c.Before.Data, c.After.Data
	switch {
	case c.AfterUnknown && !c.After.Exists:
		return "the application decides what it holds afterwards\n"
	case len(before)+len(after) > maxDiffInput || !isText(before) || !isText(after):
		return fmt.Sprintf("%d bytes become %d bytes; they are not text, or too long to show\n", len(before), len(after))
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

// clip cuts s to at most limit bytes, between characters, and says how many are
// missing.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := max(limit, 0)
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return fmt.Sprintf("%s… (%d more bytes)", s[:cut], len(s)-cut)
}
