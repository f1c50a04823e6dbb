package main

import (
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/tools"
	"github.com/lectern-mcp/lectern/tools/doc"
)

func skillCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "skill",
		Short: "Print SKILL.md, which tells agents how to use the tools",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			var systems []*tools.Manifest
			for _, k := range w.kinds() {
				systems = append(systems, k.Manifest())
			}
			text, err := doc.Skill(systems)
			if err != nil {
				return err
			}
			_, err = w.out.Write(text)
			return err
		},
	}
}
