package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

// callsFlags say which calls to show, and how.
type callsFlags struct {
	audit.Filter

	outcome, since, until string
	follow, json          bool

	search status.CallSearch
}

func callsCommand(c *cli) *cobra.Command {
	var f callsFlags
	cmd := &cobra.Command{
		Use:   "calls [WORD ...]",
		Short: "Show the calls of agents",
		Long: "Show the calls of agents, newest first: who called what on which targets, how it\n" +
			"ended, how long it took and how large the answer was; never content. A word\n" +
			"finds the calls with that word in a name, a target or an error; client:, source:,\n" +
			"tool:, target:, effect:, is:, on:, since: and until: before it say where to look, as\n" +
			"in the panel's filter, with OR, -word, parentheses and \"quotes\". Calls are recorded in\n  " +
			c.Paths.Audit() + "\nand kept for 90 days, as long as that file is below 512 MB.",
		Example: "  lectern calls --follow\n  lectern calls --client claude --outcome refused --since 2d\n  lectern calls --target " +
			"projects/plan.md --json\n  lectern calls is:refused target:private on:2026-11-21",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(c.Now(), args); err != nil {
				return err
			}
			if err := c.checkRecordedSource(cmd.Context(), f.Source); err != nil {
				return err
			}
			warnUnknownFilter(c, args)
			if f.follow {
				return followCalls(cmd.Context(), c, f)
			}
			return listCalls(cmd.Context(), c, f)
		},
	}
	cmd.Flags().BoolVarP(&f.follow, "follow", "f", false, "print the latest calls, then each call as it ends, also after the hub "+
		"restarts")
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON; with --follow, one object per line")
	cmd.Flags().StringVar(&f.Client, "client", "", "only calls by this `CLIENT`")
	cmd.Flags().StringVar(&f.Source, "source", "", "only calls to this `SOURCE`")
	cmd.Flags().StringVar(&f.Tool, "tool", "", "only calls of this `TOOL`")
	cmd.Flags().StringVar(&f.Effect, "effect", "", "only calls with this `EFFECT`: read, write, delete, run or admin")
	cmd.Flags().StringVar(&f.outcome, "outcome", "", "only calls with this `OUTCOME`: ok, error, refused or asked; dropped, for calls that "+
		"were not recorded; or event, for what is not a call")
	cmd.Flags().StringVar(&f.Target, "target", "", "only calls that changed, or were to change, this `TARGET`")
	cmd.Flags().StringVar(&f.since, "since", "", "only calls since this `TIME`: 90m, 2h or 3d ago, or 2026-11-21 or 2026-11-21T15:04")
	cmd.Flags().StringVar(&f.until, "until", "", "only calls before this `TIME`")
	cmd.Flags().Int64Var(&f.Before, "before", 0, "only calls older than the one with this `ID`")
	cmd.Flags().IntVarP(&f.Limit, "limit", "n", 0, "the `NUMBER` of calls, at most 1000; 0 means 100")
	return cmd
}

func (f *callsFlags) parse(now time.Time, words []string) (err error) {
	if f.search, err = status.ParseCallSearch(strings.Join(words, " "), time.Local); err != nil {
		return usageErrorf("%s", err)
	}
	selected := thismachine.AuditFilter(status.RecordedCallFilter{CallSearch: f.search})
	f.Search = selected.Search
	f.Outcome = audit.Outcome(f.outcome)
	if f.outcome != "" && !slices.Contains(audit.Outcomes(), f.Outcome) {
		return usageErrorf("invalid --outcome %q (want ok, error, refused, asked, dropped or event)", f.outcome)
	}
	if f.Limit < 0 || f.Limit > 1000 {
		return usageErrorf("invalid --limit %d (want 1 to 1000 calls, or 0 for 100)", f.Limit)
	}
	if f.Since, err = parseTime("--since", f.since, now); err != nil {
		return err
	}
	if f.Until, err = parseTime("--until", f.until, now); err != nil {
		return err
	}
	if f.Since.Before(selected.Since) {
		f.Since = selected.Since
	}
	if f.Until.IsZero() || !selected.Until.IsZero() && selected.Until.Before(f.Until) {
		f.Until = selected.Until
	}
	if f.follow && (f.outcome != "" || f.Target != "" || f.since != "" || f.until != "" || f.Before != 0 || f.Limit != 0) {
		return usageErrorf("--follow takes only words, --client, --source, --tool, --effect and --json")
	}
	return nil
}

// printRecordsAsJSON prints an array with a record a line.
func printRecordsAsJSON(c *cli, records []audit.Record) error {
	lines := make([][]byte, len(records))
	for i, r := range records {
		var err error
		if lines[i], err = json.Marshal(r); err != nil {
			return err
		}
	}
	c.json.wrote = true
	_, err := fmt.Fprintf(c.out, "[%s]\n", bytes.Join(lines, []byte(",\n ")))
	return err
}

// listCalls shows recorded calls, with a hub or without.
func listCalls(ctx context.Context, c *cli, f callsFlags) error {
	page, err := readAuditRecords(ctx, c, f.Filter)
	if err != nil {
		return err
	}
	if f.json {
		return printRecordsAsJSON(c, page.Calls)
	}
	if len(page.Calls) == 0 {
		c.printf("no calls\n")
		return nil
	}
	rows := table{{"TIME", "CLIENT", "SESSION", "SOURCE", "TOOL", "OUTCOME", "TIME TAKEN", "BYTES", "TARGETS"}}
	for _, r := range page.Calls {
		rows.add(
			r.Time.Local().Format("2006-01-02 15:04:05.000"), r.Client, r.Session, cmp.Or(r.Source, "-"), cmp.Or(r.Tool, "-"), describeOutcome(r),
			describeCallDuration(r), fmt.Sprint(r.Response), strings.Join(r.Targets, ", "),
		)
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	if page.More {
		c.printf("there are older calls; use --limit, or --before %d\n", page.Next)
	}
	return nil
}

func readAuditRecords(ctx context.Context, c *cli, f audit.Filter) (page audit.Page, err error) {
	r, err := audit.OpenReader(ctx, c.Paths.Audit(), c.Now)
	if errors.Is(err, fs.ErrNotExist) {
		return audit.Page{}, nil // no hub has run yet
	}
	if err != nil {
		return audit.Page{}, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	limit := cmp.Or(f.Limit, 100)
	for f.Limit, page.More = limit, true; page.More && f.Limit > 0; f.Limit = limit - len(page.Calls) {
		part, err := r.Calls(ctx, f)
		if err != nil {
			return page, err
		}
		page.Calls, page.More, page.Next, f.Before = append(page.Calls, part.Calls...), part.More, part.Next, part.Next
	}
	return page, nil
}

func describeOutcome(r audit.Record) string {
	switch {
	case r.Outcome == audit.Dropped:
		return string(r.Outcome) + ": " + r.Message
	case r.Code == "" || r.Outcome == audit.Asked:
		return string(r.Outcome)
	default:
		return string(r.Outcome) + ": " + r.Code
	}
}

func describeCallDuration(r audit.Record) string {
	text := r.Worked.Round(10 * time.Microsecond).String()
	if r.Waited > 0 {
		text += fmt.Sprintf(" + %s waiting", r.Waited.Round(100*time.Millisecond))
	}
	return text
}

// followCalls shows calls as they end, beginning with those that the hub
// remembers.
func followCalls(ctx context.Context, c *cli, f callsFlags) error {
	if _, err := daemon.GetHealth(ctx, c.Paths.Daemon()); err != nil {
		return addStartHubAdvice(err)
	}
	calls, err := status.Open(ctx, c.hub().API(), status.CallsQuery, status.CallFilter{Follow: true})
	if err != nil {
		return err
	}
	out := json.NewEncoder(c.out)
	for n := range calls {
		if n.Missed > 0 && !f.json {
			c.printf("... %s missing here\n", english.Plural(int(n.Missed), "call", ""))
		}
		switch {
		case !f.selects(n):
		case f.json:
			if err := out.Encode(n); err != nil {
				return err
			}
		default:
			c.printf("%s %s %s %s %s %s %s\n", n.Time.Local().Format("2006-01-02 15:04:05.000"), n.Session, n.Client,
				cmp.Or(n.Source, "-"), n.Tool, n.Duration.Round(10*time.Microsecond), cmp.Or(n.Code, fmt.Sprintf("%d bytes", n.ResponseBytes)))
		}
	}
	return nil
}

func (f *callsFlags) selects(n status.Call) bool {
	if !f.search.Matches(&n) {
		return false
	}
	for want, is := range map[*string]string{&f.Client: n.Client, &f.Source: n.Source, &f.Tool: n.Tool, &f.Effect: n.Effect} {
		if *want != "" && *want != is {
			return false
		}
	}
	return true
}
