package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/status"
	"github.com/lectern-mcp/lectern/tools"
)

func limitsOf(l config.Limits) hub.Limits {
	return hub.Limits{
		Deadline: l.Deadline, InFlight: l.InFlight, Approval: l.Approval,
		CallsPerMinute: l.CallsPerMinute, SessionWrites: l.SessionWrites, FuseDeletes: l.FuseDeletes, FuseBytes: l.FuseBytes,
	}
}

// policyOf is what the configuration lets agents do, besides what the sources
// grant.
func policyOf(c config.Config) *policy.Policy {
	var grants []policy.Grant
	for _, s := range c.Sources {
		if len(s.Ask) > 0 {
			grants = append(grants, policy.Grant{Source: s.Name, Ask: effects(s.Ask), Line: s.Line})
		}
	}
	for _, g := range c.Clients {
		grants = append(grants, policy.Grant{
			Client: g.Name, Token: g.Token, Source: g.Source, Effects: effects(g.Effects), Ask: effects(g.Ask), Elicit: g.Elicit, Line: g.Line,
		})
	}
	var rules []policy.Rule
	for _, r := range c.Rules {
		rules = append(rules, policy.Rule{
			Do: policy.Verdict(r.Do), Client: r.Client, Proven: r.Proven, Source: r.Source, Effects: effects(r.Effects),
			Tool: r.Tool, Path: r.Path, Schema: r.Schema, Line: r.Line,
		})
	}
	return policy.New(grants, rules)
}

// ruleOf writes a rule down.
func ruleOf(r policy.Rule) config.Rule {
	var words []string
	for _, e := range r.Effects {
		words = append(words, string(e))
	}
	return config.Rule{
		Do: string(r.Do), Client: r.Client, Proven: r.Proven, Source: r.Source, Effects: words, Tool: r.Tool, Path: r.Path, Schema: r.Schema,
	}
}

// proposeGrant plans what g says.
func (w *world) proposeGrant(c config.Config, g status.Grant) (proposal, error) {
	if err := checkGrant(g); err != nil {
		return proposal{}, err
	}
	who, where := "agents", "every source"
	if g.Client != "" {
		who = g.Client
	}
	if g.Source != "" {
		where = "source " + g.Source
	}
	edit, err := w.editGrant(c, g)
	if err != nil {
		return proposal{}, fmt.Errorf("set grant: %w", err)
	}
	title := fmt.Sprintf("Let %s %s in %s", who, may(g.Effects), where)
	if g.Reset {
		title = fmt.Sprintf("Forget what %s may do in %s; the default holds", who, where)
	}
	p := proposal{edit: edit, plan: planOf(title, edit)}
	if slices.Contains(g.Effects, string(tools.Admin)) {
		p.plan.Risks = append(p.plan.Risks, "admin lets agents change who may do what")
	}
	if g.Client != "" && !g.Reset && !w.hasToken(g.Client) {
		p.plan.Risks = append(p.plan.Risks, fmt.Sprintf(
			"%s is a name that any client may use, so this can only take away; `lectern client token NAME` makes a proof of it", g.Client))
	}
	return p, nil
}

func (w *world) editGrant(c config.Config, g status.Grant) (config.Edit, error) {
	granted, ask := append([]string{}, g.Effects...), g.Ask
	if g.Reset {
		granted, ask = nil, nil
	}
	switch {
	case g.Client != "" && g.Reset:
		return c.ForgetClient(g.Client, g.Source)
	case g.Client != "":
		return c.GrantClient(config.Client{Name: g.Client, Source: g.Source, Token: w.hasToken(g.Client), Effects: granted, Ask: ask})
	case g.Source != "":
		return c.GrantSource(g.Source, granted, ask)
	}
	return c.GrantSources(granted, ask)
}

// checkGrant finds what a grant cannot say.
func checkGrant(g status.Grant) error {
	for _, list := range [][]string{g.Effects, g.Ask} {
		for _, word := range list {
			if !slices.Contains(effectNames(), word) {
				return fmt.Errorf("set grant: %q is no effect; they are %s", word, strings.Join(effectNames(), ", "))
			}
		}
	}
	for _, word := range g.Ask {
		if !slices.Contains(g.Effects, word) {
			return fmt.Errorf("set grant: %s is asked about and not granted; grant it too", word)
		}
	}
	if g.Reset && len(g.Effects)+len(g.Ask) > 0 {
		return errors.New("set grant: either grant effects or forget what was said")
	}
	return nil
}

func may(effects []string) string {
	if len(effects) == 0 {
		return "do nothing"
	}
	return strings.Join(effects, ", ")
}
