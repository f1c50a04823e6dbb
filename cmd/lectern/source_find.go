package main

import (
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
)

func sourceFindCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "find",
		Short: "Find knowledge bases on this machine that are not sources yet",
		Long: "Find knowledge bases on this machine that are not sources yet: the folders that\n" +
			"other programs for notes have opened, and those where people usually keep notes.\n" +
			"Only file names are looked at; no note is read.",
		Args: rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			if _, err := c.Config(); err != nil {
				return err
			}
			list := thismachine.DiscoverSources(c.App)
			if asJSON {
				return c.writeJSON(list)
			}
			if len(list) == 0 {
				c.printf("no other knowledge bases found; `lectern source add PATH` opens any folder\n")
				return nil
			}
			rows := table{{"NAME", "KIND", "PLACE", "REASON"}}
			for _, f := range list {
				rows.add(f.Name, f.Kind, f.Location, f.Reason)
			}
			if err := c.printTable(rows); err != nil {
				return err
			}
			first, kind := list[0], ""
			if len(list) > 1 && list[1].Location == first.Location {
				kind = " --kind " + first.Kind
			}
			c.printf("\nTo open one:   lectern source add %s%s\n", first.Location, kind)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
