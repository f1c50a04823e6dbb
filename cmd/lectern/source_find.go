package main

import (
	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/discover"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

func sourceFindCommand(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "find",
		Short: "Find knowledge bases on this machine that are not sources yet",
		Long: "Find knowledge bases on this machine that are not sources yet: the vaults that\n" +
			"Obsidian lists, the graphs that Logseq has opened, and folders where people\n" +
			"usually keep notes. Only file names are looked at; no note is read.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if _, err := w.config(); err != nil {
				return err
			}
			list := w.discovered()
			if asJSON {
				return writeJSON(w.out, list)
			}
			if len(list) == 0 {
				w.say("no other knowledge bases found; `lectern source add PATH` opens any folder\n")
				return nil
			}
			t := newTable(w.out)
			t.row("NAME", "KIND", "PLACE", "WHY")
			for _, f := range list {
				t.row(f.Name, f.Kind, f.Place, f.Reason)
			}
			if err := t.Flush(); err != nil {
				return err
			}
			w.say("\nTo open one:   lectern source add %s\n", safetext.Line(list[0].Place))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// discovered are the knowledge bases of this machine that are no sources yet;
// none while the configuration cannot be read.
func (w *world) discovered() []status.Discovered {
	conf, err := w.config()
	if err != nil {
		return []status.Discovered{}
	}
	return discover.Search{Home: w.home, Env: w.env, Kinds: w.kinds()}.Run(conf.Sources)
}
