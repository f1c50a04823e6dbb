package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/status"
)

func undoCommand(w *world) *cobra.Command {
	var p status.Filter
	var since string
	var agreed agreement
	c := &cobra.Command{
		Use:   "undo [ID...]",
		Short: "Take back what agents changed",
		Long: "Take changes back: those with the given IDs, or all that fit the flags. A change is\n" +
			"taken back together with the others of its call, exactly, newest first, and the undo\n" +
			"is a change that can be taken back. Nothing is changed when one of them was edited\n" +
			"later; --merge keeps such edits where they are on other lines.",
		Example: "  lectern undo c12\n  lectern undo --session s3\n  lectern undo --since 2h --source notes",
		Args:    needs(0, 100, "IDs of changes"),
		RunE: func(c *cobra.Command, ids []string) error {
			p.IDs = ids
			var err error
			if p.Since, err = w.moment(since); err != nil {
				return err
			}
			if len(ids) == 0 && p.Source == "" && p.Client == "" && p.Session == "" && since == "" {
				return usagef("undo: what? give IDs that `lectern changes` shows, or --session, --since, --source or --client")
			}
			return w.undo(c.Context(), p, agreed)
		},
	}
	pickFlags(c, &p, &since)
	c.Flags().BoolVar(&p.Merge, "merge", false, "keep later edits of text by merging")
	agreed.flags(c)
	return c
}

// undo shows what would be taken back, asks, and does it.
func (w *world) undo(ctx context.Context, p status.Filter, agreed agreement) error {
	act := status.Action{Verb: status.UndoChanges, Filter: &p}
	client := w.client(nil)
	plan, err := client.Preview(ctx, act)
	if err != nil {
		return noHub(err)
	}
	w.say("%s\n", line(plan.Title))
	for _, step := range plan.Steps {
		w.say("%s\n%s", line(step.What), w.diff(step.Diff))
	}
	for _, risk := range plan.Risks {
		w.say("note: %s\n", line(risk))
	}
	if agreed.dry {
		return nil
	}
	if !agreed.yes {
		ok, err := w.ask("Do this?")
		if err != nil {
			return err
		}
		if !ok {
			return &exitError{exitDenied, errors.New("nothing was changed")}
		}
	}
	if err := client.Do(ctx, act); err != nil {
		return noHub(err)
	}
	w.say("done\n")
	return nil
}

// pickOf is the Pick of an Action, which may have none.
func pickOf(a status.Action) status.Filter {
	if a.Filter == nil {
		return status.Filter{}
	}
	return *a.Filter
}
