package tui

import (
	"context"
	"strings"

	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tui/pane"
)

// How much of a waiting call the panel loads, in bytes and targets: at first, and
// when all of it is wanted. `lectern approve show` has no such bounds.
const (
	approvalHeadBytes    = 24 << 10
	approvalTailBytes    = 8 << 10
	maxApprovalTextBytes = 8 << 20
	maxApprovalTargets   = 10_000
)

// loadApproval loads what a waiting call would do.
func (fx effects) loadApproval(ctx context.Context, q pane.ApprovalQuery) (c pane.ApprovalContent, err error) {
	size := 0
	for from := 0; len(c.Targets) < maxApprovalTargets; {
		part, err := status.Ask(ctx, fx.cfg.Client, status.ApprovalTargetsQuery, status.ApprovalRange{ID: q.Approval, From: from})
		if err != nil {
			return c, err
		}
		c.Targets = append(c.Targets, part.Targets...)
		c.Total, c.Added, c.Removed, size = part.Total, part.Added, part.Removed, part.Bytes
		if from = part.Next; from == 0 {
			break
		}
	}
	most := approvalHeadBytes + approvalTailBytes
	if q.All {
		most = maxApprovalTextBytes
	}
	if size <= most {
		c.Head, err = fx.loadApprovalText(ctx, q.Approval, 0, size)
		return c, err
	}
	if c.Head, err = fx.loadApprovalText(ctx, q.Approval, 0, most-approvalTailBytes); err != nil {
		return c, err
	}
	if end := strings.LastIndexByte(c.Head, '\n'); end >= 0 {
		c.Head = c.Head[:end+1]
	}
	if c.Tail, err = fx.loadApprovalText(ctx, q.Approval, size-approvalTailBytes, size); err != nil {
		return c, err
	}
	_, c.Tail, _ = strings.Cut(c.Tail, "\n") // a line longer than the tail is left out
	c.Hidden = size - len(c.Head) - len(c.Tail)
	return c, nil
}

// loadApprovalText is the text from one byte to another, but for the rest of a
// character that they cut.
func (fx effects) loadApprovalText(ctx context.Context, id string, from, to int) (string, error) {
	var b strings.Builder
	for from < to {
		part, err := status.Ask(ctx, fx.cfg.Client, status.ApprovalTextQuery, status.ApprovalRange{ID: id, From: from})
		if err != nil {
			return "", err
		}
		text := part.Text[:min(len(part.Text), to-part.From)]
		if text == "" {
			break
		}
		b.WriteString(text)
		from = part.From + len(text)
	}
	return b.String(), nil
}
