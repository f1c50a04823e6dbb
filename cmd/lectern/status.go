package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/status"
)

func statusCommand(c *cli) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the hub, its sources, agents and problems",
		Long: "Show the hub, its sources, agents and problems. The exit status is 3 if no hub is\n" +
			"running, and 1 if a problem is an error: something is not served, or not protected.",
		Args: rejectArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			snap, err := c.hub().Snapshot(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				err = c.writeJSON(snap)
			} else {
				err = c.printStatus(snap)
			}
			failed := slices.ContainsFunc(snap.Problems, func(p status.Problem) bool { return p.Severity == status.Error })
			switch {
			case err != nil:
				return err
			case !thismachine.HubRunning(snap):
				return &exitError{code: exitNoHub}
			case failed:
				return &exitError{code: exitFailed}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the snapshot as JSON")
	return cmd
}

func addSource(rows *table, src status.Source) {
	state := string(src.State)
	if src.State == status.Waiting {
		state = src.Note
	}
	rows.add("source "+src.Name, fmt.Sprintf("%s, %s, %s, %s", state, src.Kind, english.Plural(src.Tools, "tool", ""), src.Location))
	for _, t := range src.Tasks {
		rows.add("  in the background", t.String())
	}
	for _, why := range src.Holds {
		rows.add("  keeps the hub", why)
	}
}

// printStatus is the panel as text.
func (c console) printStatus(s status.Snapshot) error {
	hub := string(s.Hub.State)
	if thismachine.HubRunning(s) {
		hub += fmt.Sprintf(", version %s, pid %d, %s", s.Hub.Version, s.Hub.PID, english.Plural(int(s.Hub.Calls), "call", ""))
	}
	if s.Hub.Note != "" {
		hub += ": " + s.Hub.Note
	}
	rows := table{{"hub", hub}}
	if s.Hub.Endpoint != "" {
		rows.add("http", s.Hub.Endpoint)
	}
	if s.Hub.Remote != "" {
		rows.add("other machines", s.Hub.Remote)
	}
	rows.add("config", s.Hub.Config)
	for _, src := range s.Sources {
		addSource(&rows, src)
	}
	for _, a := range s.Sessions {
		client := cmp.Or(strings.TrimSpace(a.Client+" "+a.Version), "no name yet")
		if a.Proven {
			client += " (by token)"
		}
		if a.Grants != "" {
			client += ", may " + a.Grants
		}
		rows.add("agent "+a.Name, fmt.Sprintf("%s, over %s, %s", client, a.Transport, english.Plural(int(a.Calls), "call", "")))
	}
	for _, r := range s.Running {
		rows.add("call "+r.Name, describeRunningCall(r, s.Time))
	}
	for _, p := range s.Peers {
		rows.add("peer "+p.Name, describePlugin(p)+", "+english.Plural(int(p.Calls), "call", ""))
	}
	if n := len(s.Approvals); n > 0 {
		rows.add("waiting", english.Plural(n, "call", "")+" for your approval; see: lectern approve")
	}
	for _, p := range s.Permits {
		rows.add("allowed "+p.ID, fmt.Sprintf("%s may %s without asking until %s; to end that: lectern approve end %s",
			status.ClientLabel(p.Client, p.Proven), p.ScopeText(), p.Until.Local().Format("15:04:05"), p.ID))
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	for _, p := range s.Problems {
		c.printf("\n%s: %s\n%s\n", string(p.Severity), sanitizeText(p.Title), sanitizeText(indent(p.Fix)))
	}
	return nil
}
