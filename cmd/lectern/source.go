package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/internal/nearest"
	"github.com/lectern-mcp/lectern/internal/safetext"
	"github.com/lectern-mcp/lectern/status"
)

func sourceCommand(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "source",
		Short: "Say which knowledge bases are open to agents",
		Args:  noArguments,
		RunE:  func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(sourceFindCommand(w), sourceAddCommand(w), sourceListCommand(w), sourceShowCommand(w), sourceRemoveCommand(w))
	return c
}

func sourceAddCommand(w *world) *cobra.Command {
	var s status.NewSource
	var dry bool
	c := &cobra.Command{
		Use:   "add PATH",
		Short: "Open a folder to agents",
		Long: "Open a folder to agents. Its kind is detected, and its name made from the\n" +
			"folder's. The configuration file is edited in place; adding what is there\n" +
			"already changes nothing.",
		Example: "  lectern source add ~/notes --read-only\n" +
			"  lectern source add ~/notes --exclude 'Private/**' --exclude '#secret'",
		Args: needs(1, 1, "the path of a folder"),
		RunE: func(c *cobra.Command, args []string) error {
			s.Place = args[0]
			return w.addSource(c, s, dry)
		},
	}
	c.Flags().StringVar(&s.Kind, "kind", "", "what the folder is; detected when absent")
	c.Flags().StringVar(&s.Name, "name", "", "what agents call it: small letters, digits, hyphens")
	c.Flags().BoolVar(&s.ReadOnly, "read-only", false, "agents may read and nothing else")
	c.Flags().BoolVar(&s.Ask, "ask", false, "ask a person before agents write or delete")
	c.Flags().StringArrayVar(&s.Exclude, "exclude", nil, "what agents must not see: a path like Private/**, #tag, property:key=value or namespace:Page; may be repeated")
	c.Flags().StringArrayVar(&s.Only, "only", nil, "agents see only what such a mark fits; may be repeated")
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and do not make it")
	return c
}

func (w *world) addSource(c *cobra.Command, s status.NewSource, dry bool) error {
	a := status.Action{Verb: status.AddSource, Source: &s}
	if dry {
		return w.showPlan(a)
	}
	p, err := w.carryOut(c.Context(), a)
	if err != nil {
		return err
	}
	why := ""
	if p.folder.why != "" {
		why = ": " + p.folder.why
	}
	if !p.edit.HasChanges() {
		w.say("source %s opens %s already; nothing changed\n", p.source.Name, safetext.Line(p.folder.place))
		return nil
	}
	w.say("added source %s: %s (%s%s)\n", p.source.Name, safetext.Line(p.folder.place), p.folder.kind, safetext.Line(why))
	for _, risk := range p.plan.Risks {
		w.say("note: %s\n", safetext.Line(risk))
	}
	return w.tellHub(c.Context())
}

func sourceRemoveCommand(w *world) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:               "remove NAME",
		Short:             "Close a source to agents; its files stay",
		Args:              needs(1, 1, "the name of a source"),
		ValidArgsFunction: w.completeSource,
		RunE: func(c *cobra.Command, args []string) error {
			a := status.Action{Verb: status.RemoveSource, Target: args[0]}
			if dry {
				return w.showPlan(a)
			}
			p, err := w.carryOut(c.Context(), a)
			if err != nil {
				return err
			}
			w.say("removed source %s; its files stay in %s\n", p.source.Name, safetext.Line(p.source.Path))
			return w.tellHub(c.Context())
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and do not make it")
	return c
}

func (w *world) showPlan(a status.Action) error {
	p, err := w.propose(a)
	if err != nil {
		return err
	}
	w.say("%s\n", safetext.Line(p.plan.Title))
	for _, step := range p.plan.Steps {
		w.say("%s\n%s", safetext.Line(step.What), safetext.Of(step.Diff))
	}
	for _, risk := range p.plan.Risks {
		w.say("note: %s\n", safetext.Line(risk))
	}
	return nil
}

func sourceListCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the sources",
		Args:  noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			conf, err := w.config()
			if err != nil {
				return err
			}
			states := w.states(c.Context())
			t := newTable(w.out)
			t.row("NAME", "KIND", "ACCESS", "STATE", "PLACE")
			for _, s := range w.sources(conf) {
				t.row(s.Name, s.Kind, access(s), states[s.Name].word(), s.Place)
			}
			return t.Flush()
		},
	}
}

func sourceShowCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:               "show NAME",
		Short:             "Show one source: what it opens and how it is",
		Args:              needs(1, 1, "the name of a source"),
		ValidArgsFunction: w.completeSource,
		RunE: func(c *cobra.Command, args []string) error {
			conf, err := w.config()
			if err != nil {
				return err
			}
			var names []string
			for _, s := range w.sources(conf) {
				if s.Name == args[0] {
					return w.showSource(c, conf, s)
				}
				names = append(names, s.Name)
			}
			msg := fmt.Sprintf("show source: there is no source %s", args[0])
			if near := nearest.Word(args[0], names); near != "" {
				msg += ", did you mean " + near + "?"
			}
			return fmt.Errorf("%s (there are: %s)", msg, strings.Join(names, ", "))
		},
	}
}

func (w *world) showSource(c *cobra.Command, conf config.Config, s hub.Source) error {
	t := newTable(w.out)
	from := "the environment (MIRROR_DIR)"
	in, ok := conf.Source(s.Name)
	if ok {
		from = fmt.Sprintf("%s, line %d", conf.Path, in.Line)
	} else if s.Sample {
		from = "Lectern itself, until you add a source of your own"
	}
	state := w.states(c.Context())[s.Name]
	t.row("name", s.Name)
	t.row("kind", s.Kind)
	if s.Place != "" {
		t.row("place", s.Place)
	}
	t.row("access", access(s))
	for _, mark := range in.Exclude {
		t.row("exclude", mark)
	}
	for _, mark := range in.Only {
		t.row("only", mark)
	}
	t.row("from", from)
	t.row("state", state.word())
	for _, p := range state.problems {
		t.row("problem", p.Title)
		t.row("fix", p.Fix)
	}
	return t.Flush()
}

// access is what agents may do, in words.
func access(s hub.Source) string {
	switch {
	case s.ReadOnly:
		return "read"
	case s.Effects == nil:
		return "default"
	case len(s.Effects) == 0:
		return "none"
	}
	words := make([]string, len(s.Effects))
	for i, e := range s.Effects {
		words[i] = string(e)
	}
	return strings.Join(words, ",")
}

// completeSource proposes names of sources to a shell.
func (w *world) completeSource(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	conf, err := w.config()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, s := range w.sources(conf) {
		names = append(names, s.Name)
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
