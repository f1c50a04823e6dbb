package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/thismachine"
	"github.com/lectern-mcp/lectern/internal/pauses"
	"github.com/lectern-mcp/lectern/status"
)

func pauseCommand(c *cli) *cobra.Command {
	var allowNew bool
	cmd := &cobra.Command{
		Use:   "pause [CLIENT]",
		Short: "Stop the writes of all agents, or of one",
		Long: "Stop the writes of all agents, or of one, until `lectern resume`. Reading goes on.\n" +
			"The pause takes effect at once, even for calls under way and for approved ones, and\n" +
			"lasts through a restart. An agent that has not proved its name can take another one;\n" +
			"if an agent does that, pause all.",
		Example: "  lectern pause\n  lectern pause codex",
		Args:    requireArgumentCount(0, 1, "at most one client"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			if err := c.checkClientName(cmd.Context(), conf, optionalArgument(args), allowNew); err != nil {
				return err
			}
			return pauseOrResumeWrites(cmd.Context(), c, status.PauseWrites, optionalArgument(args))
		},
	}
	cmd.Flags().BoolVar(&allowNew, "new", false, "accept a client that Lectern does not know yet")
	return cmd
}

func resumeCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "resume [CLIENT]",
		Short:   "Let agents write again after a pause",
		Long:    "Let one agent write again after `lectern pause`, or all of them, also those paused by name.",
		Example: "  lectern resume\n  lectern resume codex",
		Args:    requireArgumentCount(0, 1, "at most one client"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return pauseOrResumeWrites(cmd.Context(), c, status.ResumeWrites, optionalArgument(args))
		},
	}
}

// optionalArgument is the one argument of a command, or "".
func optionalArgument(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

// pauseOrResumeWrites asks the hub, so that everybody sees it at once, or writes the file
// that the next one reads.
func pauseOrResumeWrites(ctx context.Context, c *cli, verb status.Verb, client string) error {
	act := status.Action{Verb: verb, Target: client}
	file := pauses.Open(c.Paths.Pauses(), c.Now)
	before, unreadable := file.State()
	if verb == status.ResumeWrites && unreadable == nil && before.Since(client).IsZero() && len(before.Clients) == 0 {
		c.printf("nothing was paused\n") // and nothing is recorded: nobody decided anything
		return nil
	}
	snap, err := c.hub().Snapshot(ctx)
	switch {
	case err == nil && thismachine.HubRunning(snap):
		err = c.hub().API().Do(ctx, act)
	case verb == status.PauseWrites:
		err = file.Pause(client)
	default:
		err = file.Resume(client)
	}
	if err != nil {
		return err
	}
	after, err := file.State()
	if err != nil {
		return err
	}
	who, may := "all agents", after.All.IsZero() && len(after.Clients) == 0
	if client != "" {
		who, may = client, after.Since(client).IsZero()
	}
	switch {
	case verb == status.PauseWrites:
		c.printf("the writes of %s are paused since %s; to end that: %s\n", who, after.Since(client).Local().Format("2 Jan 15:04"),
			"lectern resume"+prependSpace(client))
	case !may:
		c.printf("%s still may not write: the writes of all agents are paused; to end that: lectern resume\n", who)
	default:
		c.printf("%s may write again, within its permissions\n", who)
	}
	return nil
}

func prependSpace(word string) string {
	if word == "" {
		return ""
	}
	return " " + word
}
