package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
)

func toolsCommand(c *cli) *cobra.Command {
	var asJSON, isNew bool
	var client string
	cmd := &cobra.Command{
		Use:   "tools [SOURCE]",
		Short: "List the tools that agents see in your sources",
		Long: "List the tools that agents see in a source, or in each of them. With --client, what\n" +
			"that client sees while it is connected. The hub is started if none is running.",
		Example: "  lectern tools notes\n  lectern call notes read_page '{\"path\": \"a.md\"}'",
		Args:    requireArgumentCount(0, 1, "at most one source"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			if err := c.checkClientName(cmd.Context(), conf, client, isNew); err != nil {
				return err
			}
			if err := c.checkSourceNames(args...); err != nil {
				return err
			}
			if len(args) == 0 {
				args = c.sourceNames(conf)
			}
			return c.listTools(cmd.Context(), args, client, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON, with descriptions and schemas")
	cmd.Flags().StringVar(&client, "client", "", "what this `CLIENT` sees; default: a client without a grant")
	addAllowUnknownClientFlag(cmd, &isNew)
	return cmd
}

// listTools asks the hub what agents see, source by source: in a session with
// several, names may have a prefix.
func (c *cli) listTools(ctx context.Context, sources []string, client string, asJSON bool) error {
	conn, _, err := c.connectToHub(ctx)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // nothing was written to it
	bySource := map[string][]status.Tool{}
	for _, source := range sources {
		seen := status.ToolFilter{Source: source, Client: client}
		if bySource[source], err = status.Ask(ctx, c.hub().API(), status.ToolsQuery, seen); err != nil {
			return err
		}
	}
	if asJSON {
		return c.writeJSON(bySource)
	}
	rows := table{{"SOURCE", "TOOL", "EFFECT", "TITLE"}}
	for _, source := range sources {
		for _, t := range bySource[source] {
			rows.add(source, t.Name, t.Effect, t.Title)
		}
		if len(bySource[source]) == 0 {
			rows.add(source, "-", "", "none; `lectern grants` shows what is granted")
		}
	}
	return c.printTable(rows)
}
