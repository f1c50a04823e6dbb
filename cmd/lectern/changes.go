package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/problems"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/journal"
	"github.com/lectern-mcp/lectern/status"
)

// filterFlags choose changes.
type filterFlags struct {
	status.Filter

	since string
}

func (f *filterFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.Source, "source", "", "only changes in this `SOURCE`")
	cmd.Flags().StringVar(&f.Client, "client", "", "only changes by the `CLIENT` with this name, proven or not")
	cmd.Flags().StringVar(&f.Session, "session", "", "only changes in this `SESSION`, such as s3")
	cmd.Flags().StringVar(&f.since, "since", "", "only changes since this `TIME`: 90m, 2h or 3d ago, or 2026-11-21 or 2026-11-21T15:04")
}

func (f *filterFlags) parse(ctx context.Context, c *cli) (err error) {
	if f.Since, err = parseTime("--since", f.since, c.Now()); err != nil {
		return err
	}
	return c.checkRecordedSource(ctx, f.Source)
}

func changesCommand(c *cli) *cobra.Command {
	var f filterFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "changes",
		Short: "List what agents changed, or show a change",
		Long: "List what agents changed in your knowledge bases, newest first. `lectern changes\n" +
			"show ID` shows a change as a diff; `lectern undo` undoes changes.",
		Example: "  lectern changes --since 2h\n  lectern changes --source notes --json\n  lectern changes show c7kq20mh1",
		Args:    rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Limit < 0 {
				return usageErrorf("invalid --limit %d (want the number of changes, or 0 for 100)", f.Limit)
			}
			if err := f.parse(cmd.Context(), c); err != nil {
				return err
			}
			return listChanges(cmd.Context(), c, f.Filter, asJSON)
		},
	}
	f.register(cmd)
	cmd.Flags().IntVarP(&f.Limit, "limit", "n", 0, "the `NUMBER` of changes; 0 means 100")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.AddCommand(&cobra.Command{
		Use: "show ID...", Short: "Show changes as diffs", Args: requireArgumentCount(1, 100, "IDs of changes"),
		RunE: func(cmd *cobra.Command, ids []string) error { return showChanges(cmd.Context(), c, ids) },
	}, &cobra.Command{
		Use: "acknowledge", Short: "Dismiss the notices about the journal and about interrupted writes", Args: rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return acknowledgeNotices(cmd.Context(), c) },
	})
	return cmd
}

// parseTime reads a time as people give it to a flag; empty: the zero time.
func parseTime(flag, s string, now time.Time) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := time.ParseDuration(days + "h"); err == nil && n > 0 {
			return now.Add(-24 * n), nil
		}
	}
	if ago, err := time.ParseDuration(s); err == nil && ago > 0 {
		return now.Add(-ago), nil
	}
	for _, layout := range []string{time.DateOnly, "2006-01-02T15:04", "2006-01-02 15:04", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, usageErrorf("invalid %s %q (want a time such as 90m, 2h, 3d, 2026-11-21 or 2026-11-21T15:04)", flag, s)
}

func listChanges(ctx context.Context, c *cli, f status.Filter, asJSON bool) error {
	found, err := status.Ask(ctx, c.hub().API(), status.ChangesQuery, f)
	if err != nil {
		return addStartHubAdvice(err)
	}
	if asJSON {
		return c.writeJSON(found)
	}
	if len(found.Changes) == 0 {
		c.printf("no changes; what agents write is listed here, and `lectern undo` takes it back\n")
		return nil
	}
	rows := table{{"ID", "TIME", "CLIENT", "SESSION", "SOURCE", "TOOL", "CHANGE", "NOTES"}}
	for _, ch := range status.MergeMoves(found.Changes) {
		notes := describeChangeStatus(ch)
		if ch.Reason != "" {
			notes = append(notes, shortReason(ch.Reason))
		}
		rows.add(
			ch.ID, ch.Time.Local().Format(time.DateTime), ch.Client, ch.Session, ch.Source, ch.Tool, ch.Summary(),
			strings.Join(notes, ", "),
		)
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	if found.More {
		c.printf("there are older changes; use --limit to see more\n")
	}
	c.printf("\nto see one: lectern changes show %s\nto undo what can be undone: lectern undo\n", found.Changes[0].ID)
	return nil
}

// describeChangeStatus are what is special about a change.
func describeChangeStatus(ch status.Change) (notes []string) {
	if ch.Outcome != status.Written {
		notes = append(notes, string(ch.Outcome))
	}
	if ch.Outcome == status.OutcomeUnknown && ch.CannotUndo == "" {
		notes = append(notes, "writing it was interrupted, and the target was edited since")
	}
	if ch.Undoes != "" {
		notes = append(notes, "undoes "+ch.Undoes)
	}
	if ch.CannotUndo != "" {
		notes = append(notes, ch.CannotUndo)
	}
	if edited := ch.PersonEdit.Note(); edited != "" {
		notes = append(notes, edited)
	}
	return notes
}

// maxReasonBytes is how much of an agent's reason fits into a list.
const maxReasonBytes = 60

// shortReason is an agent's reason in a list; empty stays empty.
func shortReason(reason string) string {
	if reason == "" {
		return ""
	}
	return "reason: " + safetext.Shorten(reason, maxReasonBytes)
}

func showChanges(ctx context.Context, c *cli, ids []string) error {
	found, err := status.Ask(ctx, c.hub().API(), status.ChangesQuery, status.Filter{IDs: ids})
	if err != nil {
		return addStartHubAdvice(err)
	}
	for _, id := range ids {
		if _, ok := found.Diffs[id]; !ok {
			return usageErrorf("change %.40q not found; `lectern changes` lists the changes", id)
		}
	}
	for _, ch := range found.Changes {
		c.printf("%s: %s\n", ch.ID, strings.Join(append([]string{
			ch.Summary() + " by " + ch.Client + " (" + ch.Session + ") with " + ch.Tool + " in " + ch.Source,
			ch.Time.Local().Format(time.DateTime),
		}, describeChangeStatus(ch)...), ", "))
		if ch.Reason != "" {
			c.printf("the agent's reason: %s\n", ch.Reason)
		}
		c.printDiff(found.Diffs[ch.ID])
	}
	return nil
}

// acknowledgeNotices asks the hub, which then removes the notices at once.
func acknowledgeNotices(ctx context.Context, c *cli) error {
	files, err := journal.QuarantinedFiles(c.Paths.Journal())
	if err != nil {
		return err
	}
	dismissed, err := dismissProblems(ctx, c)
	if err == nil && !slices.Contains(dismissed, problems.JournalDamaged.Code) {
		err = journal.AcknowledgeQuarantined(c.Paths.Journal()) // no hub shows it
	}
	if err != nil {
		return err
	}
	if len(files)+len(dismissed) == 0 {
		c.printf("nothing to acknowledge\n")
	}
	for _, file := range files {
		c.printf("kept as %s\n", file+journal.AcknowledgedSuffix)
	}
	return nil
}

// dismissProblems dismisses what a running hub shows and only has to be read. It
// returns the codes.
func dismissProblems(ctx context.Context, c *cli) (codes []string, err error) {
	snap, err := c.hub().Snapshot(ctx)
	if err != nil || !thismachine.HubRunning(snap) {
		return nil, err
	}
	for _, p := range snap.Problems {
		if p.Action == nil || p.Action.Verb != status.Acknowledge || slices.Contains(codes, p.Code) {
			continue
		}
		if err := c.hub().API().Do(ctx, *p.Action); err != nil {
			return codes, err
		}
		codes = append(codes, p.Code)
		c.printf("dismissed: %s\n", p.Title)
	}
	return codes, nil
}
