package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/audit"
)

func auditCommand(c *cli) *cobra.Command {
	cmd := groupCommand(&cobra.Command{Use: "audit", Short: "Verify the record of every call"}, auditVerifyCommand(c))
	cmd.Long = "Every call that a hub passes on or refuses is a line in\n  " + c.Paths.Audit() + "\n" +
		"and the older files audit.jsonl.1 to .7: who, when, which tool and source, how long,\n" +
		"sizes, the outcome, and a keyed digest of the arguments; never content. Each line\n" +
		"contains the hash of the line before, so that changed, removed and inserted lines\n" +
		"are detected. A cut at the very end is only detected with a hash noted earlier."
	return cmd
}

func auditVerifyCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "Verify that the audit trail was not changed",
		Long: "Verify that the audit trail was not changed. The first line that does not fit is\n" +
			"reported with what it means, and the exit status is 1. Note the printed hash: if\n" +
			"the trail is cut back later, the hash is no longer in it.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			r, err := audit.Verify(c.Paths.Audit())
			if err != nil {
				return err
			}
			if asJSON {
				err = c.json(r)
			} else {
				c.printAuditReport(r)
			}
			if b := r.Break; err == nil && b != nil {
				err = fmt.Errorf("audit trail: %s:%d: %s; %s", b.File, b.Line, b.Reason, b.Meaning)
			}
			if err == nil && r.Files == 0 {
				err = errors.New("audit trail: not found; the hub creates it when it first runs")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (c console) printAuditReport(r audit.Report) {
	if r.Lines > 0 {
		c.printf("%d lines in %s verified: numbers %d to %d\n", r.Lines, count(r.Files, "file"), r.First, r.Last)
		c.printf("hash of number %d: %s\n", r.Last, r.Hash)
	}
	if r.First > 1 {
		c.printf("older lines were rotated away\n")
	}
	if r.Torn > 0 {
		c.printf("the last line is incomplete (%d bytes): it is being written, or a crash cut it short; the next hub removes it and says so\n", r.Torn)
	}
	if r.Cuts > 0 {
		c.printf("a crash left the last line incomplete (%s); it was removed\n", count(r.Cuts, "time"))
	}
	if r.Lost > 0 {
		c.printf("%s could not be written, according to the trail itself\n", count(r.Lost, "record"))
	}
}
