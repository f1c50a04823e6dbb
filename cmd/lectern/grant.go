package main

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lectern-mcp/lectern/cmd/lectern/internal/app"
	"github.com/lectern-mcp/lectern/cmd/lectern/internal/configedit"
	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

// allArgument stands for every client or every source on the command line.
const allArgument = "all"

// newGrant is a grant for arguments of which "all" means every one.
func newGrant(client, source string) status.Grant {
	name := func(arg string) string {
		if arg == allArgument {
			return ""
		}
		return arg
	}
	return status.Grant{Client: name(client), Source: name(source)}
}

func grantCommand(c *cli) *cobra.Command {
	var ask []string
	var role string
	var reset, isNew, dryRun bool
	effects := strings.Join(app.EffectNames(), ", ")
	cmd := &cobra.Command{
		Use:   "grant CLIENT SOURCE [EFFECT...]",
		Short: "Set what a client may do in a source",
		Long: "Set what a client may do in a source; this replaces its earlier grant. \"all\" stands\n" +
			"for every client or every source. Effects are " + effects + ";\n" +
			"effects that you do not name are not granted. By default agents\n" +
			policy.DescribeDefaultEffects() + ".\n\n" +
			"CLIENT is a client that Lectern can install, that has a token or a grant, or that has\n" +
			"called before; with --new it may be any other.\n\n" +
			"A grant to a client that shows its token applies to that client only. With --role and\n" +
			"without effects, the effects stay as they were.",
		Example: "  lectern grant all notes read write --ask write\n  lectern grant cursor notes read\n  lectern grant alice wiki --role gm",
		Args:    requireArgumentCount(2, 2+len(app.EffectNames()), "a client, a source and effects"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && !reset && role == "" {
				return usageErrorf("grant: missing EFFECT (%s); `lectern revoke` removes all of them", effects)
			}
			g := newGrant(args[0], args[1])
			g.Effects, g.Ask, g.Role, g.Reset = args[2:], ask, role, reset
			return c.setGrant(cmd, g, isNew, dryRun)
		},
	}
	addAllowUnknownClientFlag(cmd, &isNew)
	cmd.Flags().StringSliceVar(&ask, "ask", nil, "the `EFFECTS` among these that need your approval")
	cmd.Flags().StringVar(&role, "role", "", "the client's `ROLE` in the source, if its System has roles")
	cmd.Flags().BoolVar(&reset, "reset", false, "remove the grant, so that the default applies")
	addDryRunFlag(cmd, &dryRun)
	return cmd
}

func revokeCommand(c *cli) *cobra.Command {
	var isNew, dryRun bool
	cmd := &cobra.Command{
		Use:     "revoke CLIENT SOURCE [EFFECT...]",
		Short:   "Revoke what a client may do in a source",
		Long:    "Revoke effects from a client in a source; without EFFECT, all of them. \"all\" stands\nfor every client or every source.",
		Example: "  lectern revoke cursor notes write delete",
		Args:    requireArgumentCount(2, 2+len(app.EffectNames()), "a client, a source and effects"),
		RunE: func(cmd *cobra.Command, args []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			if err := c.checkSourceNames(args[1]); err != nil && !hasGrant(conf, args[0], args[1]) {
				return err
			}
			g := newGrant(args[0], args[1])
			if len(args) > 2 {
				if err := configedit.CheckGrant(status.Grant{Effects: args[2:]}); err != nil {
					return err
				}
				g.Effects, g.Ask = remainingEffects(c.App, conf, g, args[2:])
			}
			return c.setGrant(cmd, g, isNew, dryRun)
		},
	}
	addAllowUnknownClientFlag(cmd, &isNew)
	addDryRunFlag(cmd, &dryRun)
	return cmd
}

// hasGrant reports whether the configuration has a table for a client in a source.
func hasGrant(conf config.Config, client, source string) bool {
	return slices.ContainsFunc(conf.Clients, func(g config.Client) bool { return strings.EqualFold(g.Name, client) && g.Source == source })
}

// remainingEffects are what g's client has in g's source without the revoked
// effects; for every source, what it has in each of them.
func remainingEffects(a *app.App, conf config.Config, g status.Grant, revoked []string) (effects, ask []string) {
	sources := a.Sources(conf)
	p := app.NewPolicy(conf, sources)
	effects, ask = slices.Clone(app.EffectNames()), []string{}
	client := policy.Client{Name: g.Client, Proven: a.Paths.ClientTokens().Has(g.Client)}
	for _, s := range sources {
		if g.Source != "" && s.Name != g.Source {
			continue
		}
		granted, asked, _ := s.GrantedEffects()
		has := p.Effects(client, s.Name, granted, tools.Effects())
		ask = append(ask, effectNames(asked)...)
		effects = slices.DeleteFunc(effects, func(e string) bool { return !slices.Contains(has, tools.Effect(e)) })
	}
	effects = slices.DeleteFunc(effects, func(e string) bool { return slices.Contains(revoked, e) })
	for _, c := range conf.Clients {
		if g.Client != "" && strings.EqualFold(c.Name, g.Client) && c.Source == g.Source && (c.Effects != nil || c.Ask != nil) {
			ask = c.Ask
		}
	}
	return effects, slices.DeleteFunc(slices.Clone(effects), func(e string) bool { return !slices.Contains(ask, e) })
}

// addAllowUnknownClientFlag lets a person name a client that Lectern does not know.
func addAllowUnknownClientFlag(cmd *cobra.Command, isNew *bool) {
	cmd.Flags().BoolVar(isNew, "new", false, "accept a client that Lectern does not know yet")
}

func (c *cli) setGrant(cmd *cobra.Command, g status.Grant, isNew, dryRun bool) error {
	conf, err := c.Config()
	if err != nil {
		return err
	}
	if err := c.checkClientName(cmd.Context(), conf, g.Client, isNew); err != nil {
		return err
	}
	return c.editConfig(cmd.Context(), status.Action{Verb: status.SetGrant, Grant: &g}, dryRun, func(p configedit.Proposal) string {
		if !p.Edit.HasChanges() {
			return p.Plan.Title + ": nothing to change"
		}
		return p.Plan.Title
	})
}

func grantsCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "grants",
		Short: "List grants and approval rules",
		Args:  rejectArguments,
		RunE: func(*cobra.Command, []string) error {
			conf, err := c.Config()
			if err != nil {
				return err
			}
			return c.printGrants(conf, "")
		},
	}
}

// printGrants lists the grants and approval rules that apply to a source; an
// empty name means all.
func (c *cli) printGrants(conf config.Config, source string) error {
	applies := func(pattern string) bool {
		match, _ := path.Match(pattern, source) // the patterns were checked
		return source == "" || pattern == "" || match
	}
	rows := table{{"CLIENT", "SOURCE", "MAY", "ASKS BEFORE", "ROLE", "LINE"}}
	for _, s := range c.Sources(conf) {
		if applies(s.Name) {
			effects, ask, _ := s.GrantedEffects()
			rows.add(allArgument, s.Name, joinEffects(effects), strings.Join(effectNames(ask), ","), s.Role, formatLineNumber(s.Line))
		}
	}
	for _, g := range conf.Clients {
		name, may := cmp.Or(g.Source, allArgument), "as the source"
		if g.Effects != nil {
			may = joinEffects(app.ParseEffects(g.Effects))
		}
		if applies(g.Source) {
			client := g.Name + describeGrantProof(g, c.Paths.ClientTokens().Has(g.Name))
			rows.add(client, name, may, strings.Join(g.Ask, ","), g.Role, formatLineNumber(g.Line))
		}
	}
	if err := c.printTable(rows); err != nil {
		return err
	}
	for _, r := range app.NewPolicy(conf, nil).Rules() {
		if applies(r.Source) {
			c.printf("line %d: %s\n", r.Line, r.String())
		}
	}
	return nil
}

func joinEffects(effects []tools.Effect) string {
	if len(effects) == 0 {
		return "nothing"
	}
	return strings.Join(effectNames(effects), ",")
}

func effectNames(effects []tools.Effect) []string {
	list := make([]string, len(effects))
	for i, e := range effects {
		list[i] = string(e)
	}
	return list
}

// describeGrantProof says by what a grant recognises its client.
func describeGrantProof(g config.Client, tokenExists bool) string {
	switch {
	case tools.IsOwnClient(g.Name):
		return " (the source)"
	case g.Token && tokenExists:
		return " (by token)"
	case g.Token:
		return " (token missing)"
	}
	return " (by name)"
}

func formatLineNumber(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
