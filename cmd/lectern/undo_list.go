package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lectern-mcp/lectern/status"
)

// maxListedUndoCalls is how many calls `lectern undo` lists.
const maxListedUndoCalls = 10

// listUndoable lists the latest calls that can be undone, and says how.
func listUndoable(ctx context.Context, c *cli) error {
	found, err := status.Ask(ctx, c.hub().API(), status.ChangesQuery, status.Filter{})
	if err != nil {
		return addStartHubAdvice(err)
	}
	calls := undoableCalls(found.Changes)
	if len(calls) == 0 {
		c.printNone("nothing to undo: no agent has a change that can be undone now; `lectern changes` lists all\n")
		return nil
	}
	rows := table{{"ID", "TIME", "CLIENT", "SESSION", "SOURCE", "CHANGE"}}
	for _, call := range calls[:min(len(calls), maxListedUndoCalls)] {
		call = status.MergeMoves(call)
		first := call[0]
		if i := slices.IndexFunc(call, func(ch status.Change) bool { return ch.MovedFrom != "" }); i >= 0 {
			first = call[i] // the rest changes with it
		}
		what := first.Summary()
		if more := len(call) - 1; more > 0 {
			what += fmt.Sprintf(" and %d more", more)
		}
		rows.add(first.ID, first.Time.Local().Format(time.DateTime), first.Client, first.Session, first.Source, what)
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	if len(calls) > maxListedUndoCalls || found.More {
		c.printf("there are older ones; `lectern changes` lists them\n")
	}
	first := calls[0][0]
	c.printf("\nto see one: lectern changes show %s\nto undo it: lectern undo %s\nto undo all of its session: lectern undo --session %s\n",
		first.ID, first.ID, first.Session)
	return nil
}

// undoableCalls groups the changes that stand and can be undone by their calls,
// newest first, as they are undone together.
func undoableCalls(changes []status.Change) (calls [][]status.Change) {
	place := map[string]int{}
	for _, ch := range changes {
		if ch.Outcome != status.Written || ch.CannotUndo != "" || ch.Undoes != "" {
			continue
		}
		key := ch.Call
		if ch.Group != "" {
			key = ch.Group
		}
		i, known := place[key]
		if !known {
			i = len(calls)
			place[key], calls = i, append(calls, nil)
		}
		calls[i] = append(calls[i], ch)
	}
	return calls
}
