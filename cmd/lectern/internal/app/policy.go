package app

import (
	"slices"
	"strings"

	"github.com/lectern-mcp/lectern/config"
	"github.com/lectern-mcp/lectern/hub/policy"
	"github.com/lectern-mcp/lectern/tools"
)

// NewPolicy is what the configuration lets agents do with sources, besides what
// these grant.
func NewPolicy(c config.Config, sources []Source) *policy.Policy {
	var grants []policy.Grant
	for _, s := range sources {
		_, ask, byDefault := s.GrantedEffects()
		switch {
		case len(ask) == 0:
		case byDefault:
			grants = append(grants, policy.Grant{Source: s.Name, Ask: ask, Default: true})
		default:
			grants = append(grants, policy.Grant{Source: s.Name, Ask: ask, Line: s.Line})
		}
	}
	for _, g := range c.Clients {
		grants = append(grants, policy.Grant{
			Client: g.Name, Token: g.Token, Source: g.Source, Effects: ParseEffects(g.Effects), Ask: ParseEffects(g.Ask),
			Role: g.Role, Elicit: g.Elicit, Line: g.Line,
		})
	}
	var rules []policy.Rule
	for _, r := range c.Rules {
		rules = append(rules, policy.Rule{
			Do: policy.Verdict(r.Do), Client: r.Client, Proven: r.Proven, Source: r.Source, Effects: ParseEffects(r.Effects),
			Tool: r.Tool, Path: r.Path, ToolDigest: r.Schema, Line: r.Line,
		})
	}
	return policy.New(grants, rules)
}

// AllowedEffects is what a client may do in a source without anybody being asked, as far
// as that does not depend on the tool or the page. An empty client stands for agents that
// no grant names.
func (a *App) AllowedEffects(c config.Config, client string, s Source) []tools.Effect {
	granted, _, _ := s.GrantedEffects()
	p := NewPolicy(c, []Source{s})
	return slices.DeleteFunc(tools.Effects(), func(e tools.Effect) bool {
		return p.Decide(policy.Request{
			Client: policy.Client{Name: client, Proven: tools.IsOwnClient(client) || a.Paths.ClientTokens().Has(client)}, Source: s.Name,
			SourceEffects: granted, MaxEffects: tools.Effects(), Effect: e, Route: strings.HasPrefix(client, "key:"),
		}).Verdict != policy.Allow
	})
}
