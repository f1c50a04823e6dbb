package main

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

func agentsCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents that are connected, and earlier ones",
		Long: "List the agents that are connected, and earlier ones whose calls are still recorded.\n" +
			"`lectern pause AGENT` stops the writes of one, `lectern grant AGENT SOURCE\n" +
			"EFFECT` changes what it may do, `lectern hub disconnect SESSION` ends its connection and\n" +
			"`lectern undo --client AGENT` takes back what it changed.",
		Example: "  lectern agents\n  lectern agents --json",
		Args:    rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return listAllAgents(cmd.Context(), c, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// An agentRow is an agent of `lectern agents`.
type agentRow struct {
	status.Agent

	Connected    bool      `json:"connected"`
	Grants       string    `json:"grants,omitempty"` // what it may do, in a few words; empty: what the sources grant
	Calls        uint64    `json:"calls,omitempty"`  // of the connection
	WritesPaused time.Time `json:"writes_paused,omitzero"`
}

func listAllAgents(ctx context.Context, c *cli, asJSON bool) error {
	snap, err := c.hub().Snapshot(ctx)
	if err != nil {
		return err
	}
	seen, err := thismachine.ListAgents(ctx, c.Paths.Audit(), c.Now)
	if err != nil {
		return err
	}
	all := []agentRow{}
	if thismachine.HubRunning(snap) {
		for _, s := range snap.Sessions {
			all = append(all, agentRow{
				Agent: status.Agent{
					Client: s.Client, Proven: s.Proven, Session: s.Name, LastSeen: cmp.Or(s.LastCall, s.Since), LastTool: s.LastTool,
				},
				Connected: true, Grants: s.Grants, Calls: s.Calls, WritesPaused: s.WritesPaused,
			})
		}
	}
	for _, a := range seen {
		if !slices.ContainsFunc(all, func(r agentRow) bool { return r.Connected && strings.EqualFold(r.Client, a.Client) }) {
			all = append(all, agentRow{Agent: a})
		}
	}
	if asJSON {
		return c.writeJSON(all)
	}
	if len(all) == 0 {
		c.printf("no agent has connected yet\n")
		return nil
	}
	rows := table{{"AGENT", "SESSION", "STATE", "CALLS", "LAST SEEN", "LAST CALL"}}
	for _, r := range all {
		calls, state := "-", "left"
		if r.Connected {
			calls, state = english.Plural(int(r.Calls), "call", ""), describeAgent(r)
		}
		rows.add(status.ClientLabel(r.Client, r.Proven), cmp.Or(r.Session, "-"), state, calls, r.LastSeen.Local().Format("2006-01-02 15:04:05"),
			cmp.Or(r.LastTool, "-"))
	}
	return c.printTable(rows)
}

// describeAgent says of a connected agent what it may do.
func describeAgent(r agentRow) string {
	words := []string{"connected"}
	if r.Grants != "" {
		words = append(words, r.Grants)
	}
	if !r.WritesPaused.IsZero() {
		words = append(words, "writes paused")
	}
	return strings.Join(words, ", ")
}
