package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

// callFilter says which calls a person wants to see.
type callFilter struct {
	client, source string
	json           bool
}

func callsCommand(w *world) *cobra.Command {
	q, f := status.CallFilter{}, callFilter{}
	c := &cobra.Command{
		Use:   "calls",
		Short: "Show what agents called",
		Long: "Show what agents called: the hub that runs remembers the last 4096 calls, and\n" +
			"never what was asked or answered, but how much.",
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return w.calls(c.Context(), q, f) },
	}
	c.Flags().BoolVarP(&q.Follow, "follow", "f", false, "go on as calls end, also over a restart of the hub")
	c.Flags().BoolVar(&f.json, "json", false, "one JSON object a line")
	c.Flags().StringVar(&f.client, "client", "", "only calls of this client")
	c.Flags().StringVar(&f.source, "source", "", "only calls to this source")
	return c
}

func (w *world) calls(ctx context.Context, q status.CallFilter, f callFilter) error {
	calls, err := status.Open(ctx, w.client(nil), status.CallsQuery, q)
	if err != nil {
		return noHub(err)
	}
	out := json.NewEncoder(w.out)
	for n := range calls {
		if n.Missed > 0 && !f.json {
			_, err = fmt.Fprintf(w.out, "... %d calls are missing here\n", n.Missed)
		}
		if err == nil && (f.client == "" || f.client == n.Client) && (f.source == "" || f.source == n.Source) {
			if f.json {
				err = out.Encode(n)
			} else {
				err = w.printCall(n)
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (w *world) printCall(n status.Call) error {
	outcome := n.Code
	if outcome == "" {
		outcome = fmt.Sprintf("%d bytes", n.ResponseBytes)
	}
	source := n.Source
	if source == "" {
		source = "-"
	}
	_, err := fmt.Fprintf(w.out, "%s %s %s %s %s %s %s\n", n.Time.Local().Format("2006-01-02 15:04:05.000"), safetext.Line(n.Session),
		safetext.Line(n.Client), safetext.Line(source), safetext.Line(n.Tool), n.Duration.Round(10*time.Microsecond), safetext.Line(outcome))
	return err
}
