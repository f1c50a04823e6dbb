package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/installer"
)

func skillCommand(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "skill",
		Short: "Print or install SKILL.md, which tells agents how to use the tools",
		Args:  rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			text, err := c.planner().SkillText()
			if err != nil {
				return err
			}
			_, err = c.out.Write(text)
			return err
		},
	}
	p := c.planner()
	cmd.AddCommand(
		newSkillProposalCommand(c, &cobra.Command{Use: "install", Short: "Install the skill where agents look for skills"},
			"for these `CLIENTS`; default: all that are installed", p.ProposeInstallSkill),
		newSkillProposalCommand(c, &cobra.Command{Use: "remove", Short: "Remove the skill from where agents look for skills"},
			"for these `CLIENTS`; default: all", p.ProposeRemoveSkill))
	return cmd
}

func newSkillProposalCommand(
	c *cli, cmd *cobra.Command, clients string, propose func(ids []string) (*installer.Proposal, error),
) *cobra.Command {
	var ids []string
	cmd.Args = rejectArguments
	cmd.Flags().StringSliceVar(&ids, "client", nil, clients)
	return c.newProposalCommand(cmd, func(context.Context, []string) (*installer.Proposal, error) { return propose(ids) })
}
