package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

// Of a longer text only so many bytes of its beginning and of its end are shown,
// in whole lines.
const (
	maxShownHeadBytes = 12 << 10
	maxShownTailBytes = 4 << 10
)

func approveShowCommand(c *cli) *cobra.Command {
	var all, asJSON bool
	cmd := &cobra.Command{
		Use:   "show ID",
		Short: "Show what a call that waits would change",
		Long: "Show every target of a call that waits, how many lines it adds and removes there, and\n" +
			"the changes themselves. Only the beginning and the end of a long change are\n" +
			"shown; --all shows everything. Once you have seen all of a call, you can allow it with\n" +
			"`lectern approve ID`, even without a terminal.",
		Example: "  lectern approve show k3v9q2xw\n  lectern approve show k3v9q2xw --all | less",
		Args:    requireArgumentCount(1, 1, "the ID of one call"),
		RunE: func(cmd *cobra.Command, args []string) error {
			a, err := c.pendingApproval(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			view := approvalView{console: c.console, now: c.Now, client: c.hub().API(), approval: a}
			if asJSON {
				return view.printJSON(cmd.Context(), all)
			}
			complete, err := view.printAndMarkShown(cmd.Context(), all)
			if err == nil && !complete {
				c.printf("not everything is shown: `lectern approve show %s --all` shows it\n", a.ID)
			}
			return addStartHubAdvice(err)
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "show everything, however long it is")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// pendingApproval is the call that waits as id.
func (c *cli) pendingApproval(ctx context.Context, id string) (status.Approval, error) {
	snap, err := c.hub().Snapshot(ctx)
	if err != nil {
		return status.Approval{}, err
	}
	if !thismachine.HubRunning(snap) {
		c.warnf("no hub is running, so no call waits\n")
		return status.Approval{}, &exitError{code: exitNoHub}
	}
	i := slices.IndexFunc(snap.Approvals, func(a status.Approval) bool { return a.ID == id })
	if i < 0 {
		return status.Approval{}, fmt.Errorf("no call waits as %s; it was answered, timed out or never existed. `lectern approve` lists those "+
			"that wait", id)
	}
	return snap.Approvals[i], nil
}

// An approvalView prints what one call would do.
type approvalView struct {
	console

	now      func() time.Time
	client   status.Client
	approval status.Approval
}

// printAndMarkShown prints who wants what, every target with its lines, and the text of the
// change: of a long one the beginning and the end, unless all is wanted. What was
// printed completely counts as shown from then on.
func (v approvalView) printAndMarkShown(ctx context.Context, all bool) (complete bool, err error) {
	if err := v.printTargets(ctx); err != nil {
		return false, err
	}
	complete = all || v.approval.Bytes <= maxShownHeadBytes+maxShownTailBytes
	if complete {
		err = v.printWholeDiff(ctx, v.approval.Bytes)
	} else {
		err = v.printHeadAndTail(ctx)
	}
	if err != nil || !complete {
		return false, err
	}
	return true, v.client.Do(ctx, status.Action{Verb: status.MarkShown, Target: v.approval.ID})
}

// printTargets prints who wants what, and then every target.
func (v approvalView) printTargets(ctx context.Context) error {
	a := v.approval
	v.printf("%s: %s wants to call %s in source %s\n", a.ID, status.ClientLabel(a.Client, a.Proven), a.Tool, a.Source)
	if a.Move != nil {
		v.printf("it would %s\n", a.Move.Describe(func(name string) string { return name }))
	}
	if a.AskReason != "" {
		v.printf("asked because %s\n", a.AskReason)
	}
	if a.Reason != "" {
		v.printf("the agent's reason: %s\n", a.Reason)
	}
	if left := a.Until.Sub(v.now()); left > 0 && !a.Until.IsZero() {
		v.printf("time left: %s\n", left.Round(time.Second).String())
	}
	for from := 0; ; {
		part, err := status.Ask(ctx, v.client, status.ApprovalTargetsQuery, status.ApprovalRange{ID: a.ID, From: from})
		if err != nil {
			return err
		}
		if from == 0 && part.Total > 0 {
			v.printf("%s, %s:\n", english.Plural(part.Total, "target", ""), formatLineChanges(part.Added, part.Removed))
		}
		for _, t := range part.Targets {
			v.printf("  %-7s%s  %s\n", t.Action, t.FullName(), formatLineChanges(t.Added, t.Removed))
		}
		if from = part.Next; from == 0 {
			break
		}
	}
	v.printf("\n")
	return nil
}

// formatLineChanges says how many lines are added and removed: "+4001 −1".
func formatLineChanges(added, removed int) string {
	if added+removed == 0 {
		return "no lines"
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// printWholeDiff prints the text, which has so many bytes; it holds one part of it at a
// time.
func (v approvalView) printWholeDiff(ctx context.Context, to int) error {
	lines := diffPrinter{console: v.console, hunks: v.approval.Hunks}
	defer lines.closeOpenLine()
	for from := 0; from < to; {
		part, err := v.fetchDiffPart(ctx, from)
		if err != nil {
			return err
		}
		text := part.Text[:min(len(part.Text), to-part.From)]
		lines.write(text)
		from = part.From + len(text)
		if text == "" {
			return nil
		}
	}
	return nil
}

func (v approvalView) fetchDiffPart(ctx context.Context, from int) (status.ApprovalText, error) {
	return status.Ask(ctx, v.client, status.ApprovalTextQuery, status.ApprovalRange{ID: v.approval.ID, From: from})
}

// fetchHeadAndTail are the first and the last lines of a long text, and how many bytes lie
// between them.
func (v approvalView) fetchHeadAndTail(ctx context.Context) (head, tail string, between int, err error) {
	first, err := v.fetchDiffPart(ctx, 0)
	if err != nil {
		return "", "", 0, err
	}
	last, err := v.fetchDiffPart(ctx, max(0, v.approval.Bytes-maxShownTailBytes))
	if err != nil {
		return "", "", 0, err
	}
	head = first.Text[:min(len(first.Text), maxShownHeadBytes)]
	head = head[:strings.LastIndexByte(head, '\n')+1] // a line longer than that is left out
	if _, rest, ok := strings.Cut(last.Text, "\n"); ok && last.From > 0 {
		tail = rest
	}
	return head, tail, v.approval.Bytes - len(head) - len(tail), nil
}

func (v approvalView) printHeadAndTail(ctx context.Context) error {
	head, tail, between, err := v.fetchHeadAndTail(ctx)
	if err != nil {
		return err
	}
	v.printDiff(head)
	v.printf("… %s are not shown …\n", formatFileSize(between))
	v.printDiff(tail)
	return nil
}

func formatFileSize(n int) string {
	switch {
	case n < 1<<10:
		return english.Plural(n, "byte", "")
	case n < 1<<20:
		return fmt.Sprintf("%.1f KB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}

// An approvalJSON is what `lectern approve show --json` prints.
type approvalJSON struct {
	status.Approval

	AllTargets []status.ApprovalTarget `json:"all_targets"`
	Text       string                  `json:"text"`      // what would change
	Tail       string                  `json:"tail"`      // its end, unless Text is all of it
	NotShown   int                     `json:"not_shown"` // bytes between Text and Tail
}

func (v approvalView) printJSON(ctx context.Context, all bool) error {
	out := approvalJSON{Approval: v.approval, AllTargets: []status.ApprovalTarget{}}
	for from := 0; ; {
		part, err := status.Ask(ctx, v.client, status.ApprovalTargetsQuery, status.ApprovalRange{ID: v.approval.ID, From: from})
		if err != nil {
			return err
		}
		out.AllTargets = append(out.AllTargets, part.Targets...)
		if from = part.Next; from == 0 {
			break
		}
	}
	if !all && v.approval.Bytes > maxShownHeadBytes+maxShownTailBytes {
		var err error
		if out.Text, out.Tail, out.NotShown, err = v.fetchHeadAndTail(ctx); err != nil {
			return err
		}
		return v.writeJSON(out)
	}
	var b strings.Builder
	for b.Len() < v.approval.Bytes {
		part, err := v.fetchDiffPart(ctx, b.Len())
		if err != nil {
			return err
		}
		if part.Text == "" {
			break
		}
		b.WriteString(part.Text)
	}
	out.Text = b.String()
	return v.writeJSON(out)
}
