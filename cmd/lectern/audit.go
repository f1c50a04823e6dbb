package main

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/audit"
	"github.com/lectern-mcp/lectern/internal/safetext"
)

func auditCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "audit",
		Short: "Check the record of every call",
		Long: "Every call that a hub passes on or refuses is a line in\n  " + w.auditFile() + "\n" +
			"and in audit.jsonl.1 to .7, which are older: who, when, which tool and source, how\n" +
			"long, sizes, the outcome, and a keyed digest of the arguments; never content. Each\n" +
			"line holds the hash of the one before, so that a line that is changed, taken away\n" +
			"or put in shows. A cut at the very end shows only against a hash noted before.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(auditVerifyCommand(w))
	return c
}

func auditVerifyCommand(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify",
		Short: "Say whether the audit trail is as it was written",
		Long: "Say whether the audit trail is as it was written: the first line that does not\n" +
			"fit is named, with what it means, and the exit status is 1. Note the hash that is\n" +
			"printed: a later trail that was cut back does not hold it any more.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			r, err := audit.Verify(w.auditFile())
			if err != nil {
				return err
			}
			if asJSON {
				out := json.NewEncoder(w.out)
				out.SetIndent("", "  ")
				if err := out.Encode(r); err != nil {
					return err
				}
			} else {
				w.sayTrail(r)
			}
			if b := r.Break; b != nil {
				return &exitError{exitFailed, fmt.Errorf("audit trail: %s:%d: %s; %s", b.File, b.Line, b.Reason, b.Meaning)}
			}
			if r.Files == 0 {
				return errors.New("audit trail: there is none yet: it begins when a hub first runs")
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

func (w *world) sayTrail(r audit.Report) {
	if r.Lines > 0 {
		w.say("%d lines in %s fit together: numbers %d to %d\n", r.Lines, count(r.Files, "file"), r.First, r.Last)
		w.say("hash of number %d: %s\n", r.Last, safetext.Line(r.Hash))
	}
	if r.First > 1 {
		w.say("older lines were rotated away\n")
	}
	if r.Torn > 0 {
		w.say("the last line has no end (%d bytes): it is being written, or a crash cut it short; the next hub takes it away and says so\n", r.Torn)
	}
	if r.Cuts > 0 {
		w.say("a crash cut the last line short %s; it was taken away\n", times(r.Cuts))
	}
	if r.Lost > 0 {
		w.say("%s could not be written, as the trail itself says\n", count(r.Lost, "record"))
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
