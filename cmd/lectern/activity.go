package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/status"
)

func activityCommand(c *cli) *cobra.Command {
	var limit int
	var before int64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "activity [WORD ...]",
		Short: "Show what agents did, and what was decided about them",
		Long: "Show what agents did, newest first: calls and what they touched, changes, refusals,\n" +
			"when agents connected and left, and what a person allowed, refused, paused or undid.\n" +
			"This is the panel's Activity as text, and needs no hub. A word finds the rows with that\n" +
			"word in a name, a target or an error; client:, source:, tool:, target:, effect:, is:,\n" +
			"on:, since: and until: before it say where to look. is:changed finds calls that changed\n" +
			"something, is:event everything that was not a call. OR, a - before what must not\n" +
			"match, parentheses and \"quoted words\" work as in search engines. `lectern calls`\n" +
			"shows only calls, with their sizes and times.",
		Example: "  lectern activity on:2026-11-21\n  lectern activity is:changed client:codex\n  lectern activity is:refused target:private " +
			"--json",
		RunE: func(cmd *cobra.Command, words []string) error {
			search, err := status.ParseCallSearch(strings.Join(words, " "), time.Local)
			switch {
			case err != nil:
				return usageErrorf("%s", err)
			case limit < 0 || limit > 1000:
				return usageErrorf("invalid --limit %d (want 1 to 1000 rows, or 0 for 100)", limit)
			}
			f := thismachine.AuditFilter(status.RecordedCallFilter{CallSearch: search, Before: before, Limit: limit, Events: true})
			warnUnknownFilter(c, words)
			return listActivity(cmd.Context(), c, f, asJSON, len(words) > 0 || before != 0)
		},
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", 0, "the `NUMBER` of rows, at most 1000; 0 means 100")
	cmd.Flags().Int64Var(&before, "before", 0, "only rows older than the one with this `ID`")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// warnUnknownFilter says that a word which looks like a condition is none.
func warnUnknownFilter(c *cli, words []string) {
	if note := status.UnknownFilterNote(strings.Join(words, " ")); note != "" {
		c.warnf("%s\n", note)
	}
}

func listActivity(ctx context.Context, c *cli, f audit.Filter, asJSON, filtered bool) error {
	page, err := readAuditRecords(ctx, c, f)
	if err != nil {
		return err
	}
	if asJSON {
		return printRecordsAsJSON(c, page.Calls)
	}
	switch {
	case len(page.Calls) > 0:
	case filtered:
		c.printf("nothing that is recorded matches\n")
		return nil
	default:
		c.printf("nothing is recorded yet: no agent has called a tool, and nobody has decided anything\n")
		return nil
	}
	rows := table{{"TIME", "AGENT", "WHAT", "TARGET", "SOURCE", "RESULT"}}
	for _, r := range page.Calls {
		what, target, result := describeActivity(r)
		rows.add(r.Time.Local().Format("2006-01-02 15:04:05"), cmp.Or(r.Client, "-"), what, cmp.Or(target, "-"), cmp.Or(r.Source, "-"), result)
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	if page.More {
		c.printf("there is more before that; use --limit, or --before %d\n", page.Next)
	}
	return nil
}

// describeActivity is what a record says in three cells.
func describeActivity(r audit.Record) (what, target, result string) {
	target = strings.Join(r.Targets, ", ")
	switch {
	case r.Outcome == audit.Event:
		return eventLabel(r.Tool), target, r.Message
	case r.Outcome == audit.Dropped:
		return "lost", "", r.Message
	}
	result = describeOutcome(r)
	if r.Message != "" {
		result += ": " + r.Message
	}
	switch known := audit.ReadHubDetail(r); {
	case known.Found != nil && known.FoundTotal > *known.Found:
		result += fmt.Sprintf(", %d of %d found", *known.Found, known.FoundTotal)
	case known.Found != nil:
		result += fmt.Sprintf(", %d found", *known.Found)
	case known.ChangedByPerson:
		result += ", " + (status.PersonEdit{Edited: true, Hunks: known.Hunks, LeftOut: known.LeftOut}).Note()
	}
	if n := len(r.Changes); n > 0 {
		result = fmt.Sprintf("%s, %s", result, english.Plural(n, "change", ""))
	}
	if r.Waited > 0 {
		result += fmt.Sprintf(", after %s for a person", r.Waited.Round(100*time.Millisecond))
	}
	return r.Tool, target, result
}

// eventLabel is who or what an event is about, in a word: the message has the rest.
func eventLabel(event string) string {
	switch event {
	case status.AgentConnected:
		return "connected"
	case status.AgentLeft:
		return "left"
	case status.HubStarted:
		return "hub"
	default:
		return "you"
	}
}
