package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
)

// callsFlags say which calls to show, and how.
type callsFlags struct {
	status.CallFilter

	client, source string
	json           bool
}

func callsCommand(c *cli) *cobra.Command {
	var f callsFlags
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "Show recent calls by agents",
		Long: "Show recent calls by agents. The running hub remembers the last 4096 calls, with the\n" +
			"sizes of arguments and results but without their content.",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return showCalls(cmd.Context(), c, f) },
	}
	cmd.Flags().BoolVarP(&f.Follow, "follow", "f", false, "keep printing calls as they end, even when the hub restarts")
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object per line")
	cmd.Flags().StringVar(&f.client, "client", "", "only calls by this `CLIENT`")
	cmd.Flags().StringVar(&f.source, "source", "", "only calls to this `SOURCE`")
	return cmd
}

func showCalls(ctx context.Context, c *cli, f callsFlags) error {
	calls, err := status.Open(ctx, c.hub().API(), status.CallsQuery, f.CallFilter)
	if err != nil {
		return noHub(err)
	}
	out := json.NewEncoder(c.out)
	for n := range calls {
		if n.Missed > 0 && !f.json {
			c.printf("... %s missing here\n", count(int(n.Missed), "call"))
		}
		switch {
		case f.client != "" && f.client != n.Client || f.source != "" && f.source != n.Source:
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
