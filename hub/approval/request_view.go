package approval

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

const (
	maxShownTargets   = 10        // named in an Approval
	maxShownArgsBytes = 2 << 10   // bytes shown of the arguments
	maxSteps          = 50        // of a Plan
	maxStepDiffBytes  = 16 << 10  // bytes of one diff
	maxPlanDiffBytes  = 128 << 10 // and of all
)

// view is the request as people see it in a list.
func (r Request) view(id string, now time.Time, limit time.Duration, full changeDescription) status.Approval {
	total := len(full.targets) - len(r.Reads) // a move is one of them
	targets := make([]string, min(total, maxShownTargets))
	for i := range targets {
		targets[i] = full.targets[i].FullName()
	}
	plan, hunks := "", 0
	if full.edit != nil {
		plan, hunks = full.edit.plan, len(full.edit.hunks)
	}
	return status.Approval{
		ID: id, Since: now, Until: now.Add(limit),
		Session: r.Session, Client: r.Call.Client.Name, Proven: r.Call.Client.Proven,
		Source: r.Call.Source, Tool: r.Call.Tool, Effect: string(r.Call.Effect),
		OnlyOnce: r.OnlyOnce || !r.Call.Client.Proven, Targets: targets, More: total - len(targets), Added: full.added, Removed: full.removed,
		Bytes: len(full.text), Move: r.targetMove(),
		Within: r.permitPatterns(), AskReason: r.AskReason, Reason: r.Reason, Plan: plan, Hunks: hunks,
		Args: truncateWithNote(string(r.Args), maxShownArgsBytes),
	}
}

// alwaysRule is what the answer "always" writes: this client may use this tool
// of this source, as the tool is declared today.
func (r Request) alwaysRule() policy.Rule {
	return policy.Rule{
		Do: policy.Always, Client: escapeGlob(r.Call.Client.Name), Proven: r.Call.Client.Proven,
		Source: escapeGlob(r.Call.Source), Tool: escapeGlob(r.Call.Tool), ToolDigest: r.Call.ToolDigest,
	}
}

// escapeGlob is a glob that matches only name.
func escapeGlob(name string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(name)
}

// plan is what the person approves, with the beginning and the end of what is
// long.
func (r Request) plan(full changeDescription) status.Plan {
	plan := status.Plan{Title: r.title(), Steps: []status.Step{}, Risks: r.risks(), Cut: full.cut}
	left := maxPlanDiffBytes
	for i, target := range full.targets {
		if i == maxSteps {
			plan.Cut = true
			plan.Risks = append(plan.Risks, fmt.Sprintf("%d more targets change that are not shown", len(full.targets)-maxSteps))
			break
		}
		diff, cut := headAndTail(full.targetBody(target), min(maxStepDiffBytes, left))
		left -= len(diff)
		plan.Cut = plan.Cut || cut
		plan.Steps = append(plan.Steps, status.Step{Description: headline(target), Diff: diff})
	}
	if !r.ChangesKnown {
		plan.Cut = plan.Cut || len(r.Args) > maxShownArgsBytes
		args := truncateWithNote(string(r.Args), maxShownArgsBytes)
		plan.Steps = append(plan.Steps, status.Step{Description: fmt.Sprintf("%s with %s", r.Call.Tool, args)})
	}
	if plan.Cut {
		plan.Risks = append(plan.Risks, "not everything is shown here; `lectern approve show` shows all")
	}
	return plan
}

func (r Request) title() string {
	return fmt.Sprintf("Let %s call %s in source %s", status.ClientLabel(r.Call.Client.Name, r.Call.Client.Proven), r.Call.Tool, r.Call.Source)
}

// risks are those of the call, however much of it is shown.
func (r Request) risks() []string {
	risks := []string{}
	if !r.ChangesKnown && r.Call.Effect != tools.Reads {
		risks = append(risks, "what it would change is not known in advance; you see only its arguments")
	}
	if !r.Call.Client.Proven {
		risks = append(risks, "the client has not proved its name")
	}
	return risks
}

// targetName names a target as people find it: with its source, if there are
// several.
func (r Request) targetName(i int) string {
	if i < len(r.Sources) && len(slices.Compact(slices.Sorted(slices.Values(r.Sources)))) > 1 {
		return r.Changes[i].Target + " in " + r.Sources[i]
	}
	return r.Changes[i].Target
}
