package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// everyone is what stands for every client or source on the command line.
const everyone = "all"

func named(arg string) string {
	if arg == everyone {
		return ""
	}
	return arg
}

func grantCommand(w *world) *cobra.Command {
	var ask []string
	var reset, dry bool
	c := &cobra.Command{
		Use:   "grant CLIENT SOURCE EFFECT...",
		Short: "Say what a client may do in a source",
		Long: "Say what a client may do in a source, in place of what was said before. The word\n" +
			"all stands for every client, or every source. Effects are " + strings.Join(effectNames(), ", ") + ";\n" +
			"what is not named is not granted. Without a word of yours all but admin are.",
		Example: "  lectern grant all notes read write --ask write\n  lectern grant cursor notes read",
		Args:    needs(2, 2+len(effectNames()), "a client, a source and effects"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 2 && !reset {
				return usagef("grant: name at least one of %s; `lectern revoke` takes all away", strings.Join(effectNames(), ", "))
			}
			return w.grant(c, status.Grant{Client: named(args[0]), Source: named(args[1]), Effects: args[2:], Ask: ask, Reset: reset}, dry)
		},
	}
	c.Flags().StringSliceVar(&ask, "ask", nil, "of these effects, what you are asked about first")
	c.Flags().BoolVar(&reset, "reset", false, "forget what was said; the default holds")
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and do not make it")
	return c
}

func revokeCommand(w *world) *cobra.Command {
	var dry bool
	c := &cobra.Command{
		Use:     "revoke CLIENT SOURCE [EFFECT...]",
		Short:   "Take away what a client may do in a source",
		Long:    "Take effects away from a client in a source, or all of them. The word all stands\nfor every client, or every source.",
		Example: "  lectern revoke cursor notes write delete",
		Args:    needs(2, 2+len(effectNames()), "a client, a source and effects"),
		RunE: func(c *cobra.Command, args []string) error {
			conf, err := w.config()
			if err != nil {
				return err
			}
			g := status.Grant{Client: named(args[0]), Source: named(args[1])}
			if len(args) == 2 {
				return w.grant(c, g, dry)
			}
			if err := checkGrant(status.Grant{Effects: args[2:]}); err != nil {
				return err
			}
			g.Effects, g.Ask = w.left(conf, g, args[2:])
			return w.grant(c, g, dry)
		},
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "show the change and do not make it")
	return c
}

// left is what g's client keeps in g's source, or in all of them what it has
// in each, when gone is taken away.
func (w *world) left(conf config.Config, g status.Grant, gone []string) (keeps, ask []string) {
	p := policyOf(conf)
	keeps, ask = slices.Clone(effectNames()), []string{}
	for _, s := range w.sources(conf) {
		if g.Source != "" && s.Name != g.Source {
			continue
		}
		base := baseOf(s)
		has := p.Effects(policy.Client{Name: g.Client, Proven: w.hasToken(g.Client)}, s.Name, base, tools.Effects())
		keeps = slices.DeleteFunc(keeps, func(e string) bool { return !slices.Contains(has, tools.Effect(e)) })
	}
	keeps = slices.DeleteFunc(keeps, func(e string) bool { return slices.Contains(gone, e) })
	for _, c := range conf.Clients {
		if g.Client != "" && strings.EqualFold(c.Name, g.Client) && c.Source == g.Source {
			ask = append(ask, c.Ask...)
		}
	}
	if s, ok := conf.Source(g.Source); ok && g.Client == "" {
		ask = append(ask, s.Ask...)
	}
	return keeps, slices.DeleteFunc(ask, func(e string) bool { return !slices.Contains(keeps, e) })
}

// baseOf is what a source grants to everybody.
func baseOf(s hub.Source) []tools.Effect {
	switch {
	case s.ReadOnly:
		return []tools.Effect{tools.Reads}
	case s.Effects == nil:
		return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool { return e == tools.Admin })
	}
	return s.Effects
}

func (w *world) grant(c *cobra.Command, g status.Grant, dry bool) error {
	a := status.Action{Verb: status.SetGrant, Grant: &g}
	if dry {
		return w.showPlan(a)
	}
	p, err := w.carryOut(c.Context(), a)
	if err != nil {
		return err
	}
	w.say("%s\n", line(p.plan.Title))
	if !p.edit.HasChanges() {
		w.say("nothing changed: it was so already\n")
		return nil
	}
	for _, risk := range p.plan.Risks {
		w.say("note: %s\n", line(risk))
	}
	return w.tellHub(c.Context())
}

func grantsCommand(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "grants",
		Short: "List what agents may do, and the rules about it",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			conf, err := w.config()
			if err != nil {
				return err
			}
			t := newTable(w.out)
			t.row("CLIENT", "SOURCE", "MAY", "ASKS BEFORE", "LINE")
			for _, s := range w.sources(conf) {
				in, _ := conf.Source(s.Name)
				t.row(everyone, s.Name, words(baseOf(s)), strings.Join(in.Ask, ","), lineNumber(in.Line))
			}
			for _, g := range conf.Clients {
				t.row(g.Name+proof(g.Token, w.hasToken(g.Name)), orAll(g.Source), clientMay(g), strings.Join(g.Ask, ","), lineNumber(g.Line))
			}
			if err := t.Flush(); err != nil {
				return err
			}
			for _, r := range policyOf(conf).Rules() {
				w.say("line %d: %s\n", r.Line, line(r.String()))
			}
			return nil
		},
	}
}

func words(effects []tools.Effect) string {
	list := make([]string, len(effects))
	for i, e := range effects {
		list[i] = string(e)
	}
	return orNothing(strings.Join(list, ","))
}

func clientMay(g config.Client) string {
	if g.Effects == nil {
		return "as the source"
	}
	return orNothing(strings.Join(g.Effects, ","))
}

func orAll(s string) string {
	if s == "" {
		return everyone
	}
	return s
}

func proof(needed, there bool) string {
	switch {
	case needed && there:
		return " (by its token)"
	case needed:
		return " (has no token)"
	}
	return " (by its name)"
}

func lineNumber(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
