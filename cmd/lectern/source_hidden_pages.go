package main

import (
	"context"
	"errors"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

// printHiddenPageCount says what the privacy rules of a source hide, and which of them match
// nothing. It starts the hub, which counts, if none runs: a person who has just
// written a rule wants to know at once whether it protects anything.
func (c *cli) printHiddenPageCount(ctx context.Context, s config.Source) (err error) {
	if len(s.Exclude)+len(s.Only) == 0 {
		return nil
	}
	conn, _, err := c.connectToHub(ctx)
	if err != nil {
		c.printf("note: what the privacy rules hide is counted while the hub runs: %v\n", err)
		return nil
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	hidden, err := status.Ask(ctx, c.hub().API(), status.HiddenPagesQuery, s.Name)
	if err != nil {
		c.printf("note: what the privacy rules hide could not be counted: %v; `lectern source show %s` counts again\n", err, s.Name)
		return nil
	}
	c.printf("privacy: %s\n", hidden.String())
	if len(hidden.Unmatched) > 0 {
		c.printf("warning: %s\n", unmatchedRulesWarning(hidden))
	}
	return nil
}

func unmatchedRulesWarning(h status.HiddenPages) string {
	return "these privacy rules match nothing: " + strings.Join(h.Unmatched, ", ") + "; compare them with the names in the source"
}
