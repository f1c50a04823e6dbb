package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/status"
)

func pluginAllowCommand(w *world) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "allow ORIGIN",
		Short: "Let plugins connect from an origin that is not known, such as file://",
		Long: "Writes an origin into the configuration, for a plugin that was refused because its\n" +
			"page has another one than Logseq's own. `lectern status` names those that asked.\n" +
			"Whoever comes from it must still prove the plugins' token.",
		Args: needs(1, 1, "an origin"),
		RunE: func(c *cobra.Command, args []string) error {
			a := status.Action{Verb: status.AllowOrigin, Target: args[0]}
			if dry {
				return w.showPlan(a)
			}
			p, err := w.carryOut(c.Context(), a)
			if err != nil {
				return err
			}
			if !p.edit.HasChanges() {
				w.say("%s is let in already; nothing changed\n", line(args[0]))
				return nil
			}
			w.say("plugins from %s may connect\n", line(args[0]))
			for _, risk := range p.plan.Risks {
				w.say("note: %s\n", line(risk))
			}
			return w.tellHub(c.Context())
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and do not make it")
	return c
}

// proposeOrigin plans to let an origin in.
func (w *world) proposeOrigin(c config.Config, origin string) (proposal, error) {
	edit, err := c.AllowOrigin(origin)
	if err != nil {
		return proposal{}, fmt.Errorf("allow origin: %w", err)
	}
	p := proposal{edit: edit, plan: planOf("Let plugins from "+origin+" connect", edit)}
	who := "every page of " + origin + " may try to connect"
	switch {
	case origin == "null":
		who = "every page in a sandbox, of any web site, has this origin and may try to connect"
	case origin == "file://":
		who = "every page that is opened from a file may try to connect"
	case strings.HasPrefix(origin, "http"):
		who = "every page of that web site may try to connect"
	}
	p.plan.Risks = append(p.plan.Risks, who+"; without the plugins' token it gets nowhere")
	return p, nil
}
