package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/supervisor/daemon"
)

func configListCommand(w *world) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "Show every key that is there once, with its value and meaning",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			list, err := w.keys()
			if err != nil {
				return err
			}
			if asJSON {
				out := json.NewEncoder(w.out)
				out.SetIndent("", "  ")
				return out.Encode(list)
			}
			for _, s := range list {
				mark := ""
				if s.Set {
					mark = fmt.Sprintf(" (line %d; default %s)", s.Line, shown(s.Default))
				}
				w.say("%s = %s%s\n    %s\n", s.Key, shown(s.Value), mark, s.Description)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON")
	return c
}

// shown is a value for a terminal.
func shown(value string) string {
	if value == "" {
		return `""`
	}
	return string(safetext.Line(value))
}

func configGetCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use: "get KEY", Short: "Print the value of one key", Args: needs(1, 1, "a key"), ValidArgsFunction: w.completeKey,
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := w.config()
			if err != nil {
				return err
			}
			s, err := c.Setting(args[0])
			if err != nil {
				return usagef("%v", err)
			}
			w.say("%s\n", safetext.Line(s.Value))
			return nil
		},
	}
}

func configSetCommand(w *world) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:   "set KEY VALUE",
		Short: "Set one key; an empty value brings its default back",
		Long: "Set one key of the configuration; what else is in the file stays as it is. An\n" +
			"empty value brings the default back. A hub that runs takes it over.",
		Example: "  lectern config set limits.deadline 45s\n  lectern config set hub.port \"\"",
		Args:    needs(2, 2, "a key and its value"), ValidArgsFunction: w.completeKey,
		RunE: func(c *cobra.Command, args []string) error { return w.setKey(c.Context(), args[0], args[1], dry) },
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and make none")
	return c
}

func (w *world) setKey(ctx context.Context, key, value string, dry bool) error {
	a := status.Action{Verb: status.SetOption, Option: &status.Option{Key: key, Value: value}}
	do := func() (proposal, error) { return w.carryOut(ctx, a) }
	if dry {
		do = func() (proposal, error) { return w.propose(a) }
	}
	p, err := do()
	if err != nil {
		return err
	}
	if !p.edit.HasChanges() {
		w.note("nothing to change\n")
		return nil
	}
	w.say("%s", safetext.Of(p.edit.Diff()))
	for _, risk := range p.plan.Risks {
		w.note("%s\n", safetext.Line(risk))
	}
	if dry {
		return nil
	}
	if err := w.client(nil).Do(ctx, status.Action{Verb: status.Reload}); err != nil && !errors.Is(err, daemon.ErrNoHub) {
		return err
	}
	return nil
}

// proposeOption plans to set one key.
func (w *world) proposeOption(c config.Config, o *status.Option) (proposal, error) {
	if o == nil {
		return proposal{}, errors.New("set option: which one is not said")
	}
	s, err := c.Setting(o.Key)
	if err != nil {
		return proposal{}, err
	}
	edit, err := c.SetOption(o.Key, o.Value)
	if err != nil {
		return proposal{}, err
	}
	title := "Set " + o.Key + " to " + o.Value
	if o.Value == "" {
		title = "Set " + o.Key + " back to " + shown(s.Default)
	}
	p := proposal{edit: edit, plan: planOf(title, edit)}
	if s.Restart && edit.HasChanges() {
		p.plan.Risks = append(p.plan.Risks, "it counts once the hub is restarted: `lectern hub restart`")
	}
	return p, nil
}

// completeKey proposes keys, and the values of one that has a few.
func (w *world) completeKey(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	list, err := w.keys()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var words []string
	for _, s := range list {
		switch {
		case len(args) == 0:
			words = append(words, s.Key)
		case s.Key == args[0]:
			words = s.Choices
		}
	}
	return words, cobra.ShellCompDirectiveNoFileComp
}
