package main

import (
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
)

func sourceKindsCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "kinds",
		Short: "List the kinds of sources and their keys",
		Long: "List the kinds of sources that this build opens, and the keys of each: for\n" +
			"`lectern source add KIND KEY=VALUE` and for [[source]] tables. A key in the table\n" +
			"[system.KIND] applies to all sources of the kind that do not set it.",
		Args: rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			kinds := c.SourceKinds()
			if asJSON {
				return c.writeJSON(kinds)
			}
			for i, k := range kinds {
				if i > 0 {
					c.printf("\n")
				}
				c.printf("%s: %s\n", k.Kind, k.Title)
				rows := table{}
				for _, key := range k.Keys {
					rows.add("  "+key.Name, describeKeyType(key), key.Description)
				}
				if err := c.printTable(rows); err != nil {
					return err
				}
				if k.Sample != "" {
					c.printf("  Sample: lectern source add %s --sample\n", k.Kind)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// describeKeyType is the type of a key as it is typed on the command line.
func describeKeyType(k status.ConfigKey) string {
	text := k.Type
	switch k.Type {
	case "list":
		text = "list, with commas"
	case "map":
		text = "a=b, with commas"
	case "secret":
		text = "env:NAME or file:PATH"
	}
	if k.Required {
		text += ", required"
	}
	return text
}
