package tui

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/status"
)

// fakeApproval has a waiting call do what the plan of allowing it says.
func fakeApproval(queries status.QueryHandlers, hub status.Client) {
	content := func(ctx context.Context, id string) (targets []status.ApprovalTarget, text string, err error) {
		plan, err := hub.Preview(ctx, status.Action{Verb: status.Allow, Target: id})
		for _, step := range plan.Steps {
			action, name, _ := strings.Cut(step.Description, " ")
			body := step.Description + "\n" + step.Diff
			targets = append(targets, status.ApprovalTarget{
				Name: name, Action: action, Offset: len(text), Bytes: len(body),
				Added: strings.Count(step.Diff, "\n+") - strings.Count(step.Diff, "\n+++"), Removed: strings.Count(step.Diff, "\n-"),
			})
			text += body
		}
		return targets, text, err
	}
	status.HandleQuery(queries, status.ApprovalTargetsQuery, func(ctx context.Context, r status.ApprovalRange) (status.ApprovalTargets, error) {
		targets, text, err := content(ctx, r.ID)
		out := status.ApprovalTargets{Total: len(targets), Bytes: len(text)}
		for _, t := range targets {
			out.Added, out.Removed = out.Added+t.Added, out.Removed+t.Removed
		}
		end := min(len(targets), r.From+status.MaxApprovalTargets)
		if out.Targets = targets[r.From:end]; end < len(targets) {
			out.Next = end
		}
		return out, err
	})
	status.HandleQuery(queries, status.ApprovalTextQuery, func(ctx context.Context, r status.ApprovalRange) (status.ApprovalText, error) {
		_, text, err := content(ctx, r.ID)
		end := min(len(text), r.From+status.MaxApprovalText)
		out := status.ApprovalText{Text: text[r.From:end], From: r.From, Bytes: len(text)}
		if end < len(text) {
			out.Next = end
		}
		return out, err
	})
}
